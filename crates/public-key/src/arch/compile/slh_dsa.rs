//! Compiles the kernels of chains of hashes.

/// Makes the kernel of SHA-256 in the lanes of a vector.
macro_rules! sha256_chain_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $v:ty $(, $features:literal)?) => {
        $(#[$doc])*
        pub(in crate::arch) const $kernel: $crate::kernels::slh_dsa::chain::ChainKernel<u32> = {
            use $crate::kernels::slh_dsa::chain::{self, ChainKernel, Chains, Run, Trace};
            use broadloom_lanes::Vector;

            $(#[target_feature(enable = $features)])?
            unsafe fn run(chains: &mut Chains<u32>, first: usize, run: Run, trace: Trace<u32>) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `ChainKernel`, and this function
                // enables the instructions.
                unsafe { chain::sha256::<$v>(chains, first, run, trace) }
            }

            ChainKernel { name: $name, lanes: <$v as Vector>::LANES, run }
        };
    };
}
pub(in crate::arch) use sha256_chain_kernel;

/// Makes the kernel of SHAKE256, whose steps are `$steps`.
macro_rules! keccak_chain_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $steps:ty $(, $features:literal)?) => {
        $(#[$doc])*
        pub(in crate::arch) const $kernel: $crate::kernels::slh_dsa::chain::ChainKernel<u64> = {
            use $crate::kernels::slh_dsa::chain::{self, ChainKernel, Chains, Run, Trace};
            use broadloom_lanes::inside::sponge::Steps;
            use broadloom_lanes::Vector;

            $(#[target_feature(enable = $features)])?
            unsafe fn run(chains: &mut Chains<u64>, first: usize, run: Run, trace: Trace<u64>) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `ChainKernel`, and this function
                // enables the instructions.
                unsafe { chain::keccak::<$steps>(chains, first, run, trace) }
            }

            ChainKernel { name: $name, lanes: <<$steps as Steps>::V as Vector>::LANES, run }
        };
    };
}
pub(in crate::arch) use keccak_chain_kernel;
