//! Compiles the kernels of ChaCha20 and ChaCha20-Poly1305.

/// Makes the kernel of one instruction set: how keystream is made, and the limbs of Poly1305.
macro_rules! chacha_kernel {
    (
        $(#[$doc:meta])*
        $kernel:ident, $name:literal, $blocks:ty, $limbs:ty $(, $feature:literal)?
    ) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::kernels::chacha::kernel::ChaChaKernel = {
            use $crate::kernels::chacha::aead::{self, Workspace};
            use $crate::kernels::chacha::block::Consecutive;
            #[cfg(debug_assertions)]
            use $crate::kernels::chacha::poly::{Number, Part, Wide};
            use $crate::kernels::chacha::stream;
            use $crate::kernels::chacha::kernel::ChaChaKernel;
            use $crate::kernels::chacha::key::ChaChaKey;
            use $crate::kernels::chacha::text::{XChaChaMessage, ChaChaMessage, ChaChaText};
            use $crate::vector::Vector;

            type InLanes = <$blocks as Consecutive>::Vector;

            $(#[target_feature(enable = $feature)])?
            unsafe fn cipher(texts: &[ChaChaText], lanes: &mut stream::StreamLanes) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `ChaChaKernel`, and this function
                // enables the instructions.
                unsafe { stream::cipher::<$blocks>(texts, lanes) }
            }

            $(#[target_feature(enable = $feature)])?
            unsafe fn process(messages: &[ChaChaMessage], workspace: &mut Workspace) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `ChaChaKernel`, and this function
                // enables the instructions.
                unsafe { aead::process::<$blocks, Poly1305>(messages, workspace, cipher) }
            }

            $(#[target_feature(enable = $feature)])?
            unsafe fn subkeys(
                messages: &[XChaChaMessage],
                lanes: &mut stream::StreamLanes,
                keys: &mut [ChaChaKey],
            ) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `ChaChaKernel`, and this function
                // enables the instructions.
                unsafe { stream::subkeys::<InLanes>(messages, lanes, keys) }
            }

            #[cfg(not(debug_assertions))]
            type Poly1305 = $limbs;

            /// In a program that is not optimised, Poly1305 has functions of its own: each of its
            /// many copies would have a place for every value, and the stack of a thread not room
            /// enough.
            #[cfg(debug_assertions)]
            struct Poly1305;

            // SAFETY: the impl uses only the instructions of `$limbs`, which `call` enables.
            #[cfg(debug_assertions)]
            unsafe impl Wide for Poly1305 {
                const WORTH: usize = <$limbs>::WORTH;
                const LANES: usize = <$limbs>::LANES;

                unsafe fn absorb(
                    sum: &mut Number,
                    r: [u64; 2],
                    from: *const u8,
                    blocks: usize,
                ) -> usize {
                    $(#[target_feature(enable = $feature)])?
                    unsafe fn call(
                        sum: &mut Number,
                        r: [u64; 2],
                        from: *const u8,
                        blocks: usize,
                    ) -> usize {
                        // SAFETY: the arguments fulfil the contract of `ChaChaKernel`, and this
                        // function enables the instructions.
                        unsafe { <$limbs>::absorb(sum, r, from, blocks) }
                    }
                    // SAFETY: the arguments fulfil the contract of `ChaChaKernel`, which the called
                    // function has, too.
                    unsafe { call(sum, r, from, blocks) }
                }

                unsafe fn absorb_each(parts: &mut [Part]) {
                    $(#[target_feature(enable = $feature)])?
                    unsafe fn call(parts: &mut [Part]) {
                        // SAFETY: the arguments fulfil the contract of `ChaChaKernel`, and this
                        // function enables the instructions.
                        unsafe { <$limbs>::absorb_each(parts) }
                    }
                    // SAFETY: the arguments fulfil the contract of `ChaChaKernel`, which the called
                    // function has, too.
                    unsafe { call(parts) }
                }
            }

            ChaChaKernel { name: $name, lanes: InLanes::LANES, cipher, process, subkeys }
        };
    };
}
pub(in crate::arch) use chacha_kernel;
