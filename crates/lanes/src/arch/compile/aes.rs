//! Compiles the kernels of AES.

/// Makes the kernel of one instruction set: a `CbcKernel` and the functions behind it, which are
/// the ones of `aes::pipeline` with the `target_feature` that they need.
macro_rules! cbc_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $aes:ty, $feature:literal) => {
        use $crate::kernels::aes::cbc::{CbcKernel, CbcLaneSet, Narrow};
        use $crate::kernels::aes::key::{AesKey, Block};
        use $crate::kernels::aes::pipeline::{self, ByLanes, LANES};

        $(#[$doc])*
        pub(crate) static $kernel: CbcKernel = CbcKernel {
            name: $name,
            lanes: LANES,
            narrow: Narrow::NEVER,
            encrypt,
            decrypt,
        };

        /// By rounds, whether a key is shared, and lanes.
        static ENCRYPT: [[ByLanes; 2]; 3] =
            [by_sharing::<10>(), by_sharing::<12>(), by_sharing::<14>()];

        const fn by_sharing<const ROUNDS: usize>() -> [ByLanes; 2] {
            [
                [
                    own::<ROUNDS, 1>, own::<ROUNDS, 2>, own::<ROUNDS, 3>, own::<ROUNDS, 4>,
                    own::<ROUNDS, 5>, own::<ROUNDS, 6>, own::<ROUNDS, 7>, own::<ROUNDS, 8>,
                ],
                [
                    own::<ROUNDS, 1>, shared::<ROUNDS, 2>, shared::<ROUNDS, 3>,
                    shared::<ROUNDS, 4>, shared::<ROUNDS, 5>, shared::<ROUNDS, 6>,
                    shared::<ROUNDS, 7>, shared::<ROUNDS, 8>,
                ],
            ]
        }

        #[target_feature(enable = $feature)]
        unsafe fn own<const ROUNDS: usize, const N: usize>(
            set: &mut CbcLaneSet,
            first: usize,
            blocks: usize,
        ) {
            // SAFETY: the lanes and keys fulfil the contract of `encrypt_own`, because
            // `encrypt_from` picks this function by the keys' number of rounds, and this function
            // enables the instructions.
            unsafe { pipeline::encrypt_own::<$aes, ROUNDS, N>(set, first, blocks) }
        }

        #[target_feature(enable = $feature)]
        unsafe fn shared<const ROUNDS: usize, const N: usize>(
            set: &mut CbcLaneSet,
            first: usize,
            blocks: usize,
        ) {
            // SAFETY: the lanes and keys fulfil the contract of `encrypt_shared`, because
            // `encrypt_from` picks this function for lanes with one key and its number of rounds,
            // and this function enables the instructions.
            unsafe { pipeline::encrypt_shared::<$aes, ROUNDS, N>(set, first, blocks) }
        }

        /// Does what [`CbcKernel::encrypt`] does, with its contract.
        unsafe fn encrypt(set: &mut CbcLaneSet, n: usize, blocks: usize) {
            assert!((1..=LANES).contains(&n), "1 to {LANES} lanes, not {n}");
            // SAFETY: the arguments fulfil the contract of `CbcKernel`, which the called function
            // has, too.
            unsafe { encrypt_from(set, 0, n, blocks) }
        }

        /// Encrypts in `n` lanes from `first` on, with the contract of [`CbcKernel::encrypt`] for
        /// these lanes; `n` is 1 to [`LANES`].
        pub(in crate::arch) unsafe fn encrypt_from(
            set: &mut CbcLaneSet,
            first: usize,
            n: usize,
            blocks: usize,
        ) {
            let keys = &set.key[first..first + n];
            let sharing = usize::from($crate::kernels::aes::key::share_a_key(keys));
            // SAFETY: the first of the lanes has a valid key, and the others have keys with the
            // same number of rounds, by the contract of `CbcKernel`; the function is the one for
            // this number, for `n` lanes, and for one key only if they share it.
            unsafe {
                let rounds = (*set.key[first]).rounds();
                ENCRYPT[(rounds - 10) / 2][sharing][n - 1](set, first, blocks);
            }
        }

        /// Does what [`CbcKernel::decrypt`] does, with its contract.
        unsafe fn decrypt(key: &AesKey, iv: &Block, src: *const u8, dst: *mut u8, blocks: usize) {
            // SAFETY: the arguments fulfil the contract of `CbcKernel`, and each arm has the key's
            // number of rounds.
            unsafe {
                match key.rounds() {
                    10 => decrypt_all::<10>(key, iv, src, dst, blocks),
                    12 => decrypt_all::<12>(key, iv, src, dst, blocks),
                    _ => decrypt_all::<14>(key, iv, src, dst, blocks),
                }
            }
        }

        #[target_feature(enable = $feature)]
        unsafe fn decrypt_all<const ROUNDS: usize>(
            key: *const AesKey,
            iv: &Block,
            src: *const u8,
            dst: *mut u8,
            blocks: usize,
        ) {
            // SAFETY: the arguments fulfil the contract of `CbcKernel` for a key of `ROUNDS`
            // rounds, and this function enables the instructions.
            unsafe { pipeline::decrypt::<$aes, ROUNDS>(key, iv, src, dst, blocks) }
        }
    };
}
pub(in crate::arch) use cbc_kernel;

/// Makes the kernel of one instruction set: the functions of `pipeline` with the `target_feature`
/// that they need, for groups of so many registers.
macro_rules! ctr_kernel {
    (
        $(#[$doc:meta])* $kernel:ident, $name:literal, $together:literal of $register:ty,
        $feature:literal, frame: $frame:ident
    ) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::kernels::aes::ctr::CtrKernel =
            $crate::kernels::aes::ctr::CtrKernel { name: $name, cipher: ctr, stream: ctr_stream };

        #[target_feature(enable = $feature)]
        unsafe fn ctr(
            key: &$crate::kernels::aes::key::AesKey,
            first: &$crate::kernels::aes::key::Block,
            src: *const u8,
            dst: *mut u8,
            len: usize,
        ) {
            $crate::arch::compile::align_frame!($frame);
            use $crate::kernels::aes::ctr::pipeline;
            use $crate::kernels::aes::register::Wide;
            // SAFETY: the arguments fulfil the contract of `CtrKernel`, and this function enables
            // the instructions.
            unsafe {
                let first = <$register>::load_one(first.as_ptr());
                let counters = first.counters();
                pipeline::cipher::<$register, false, $together>(
                    key,
                    counters,
                    first,
                    src,
                    dst,
                    len,
                );
            }
        }

        #[target_feature(enable = $feature)]
        unsafe fn ctr_stream(
            key: &$crate::kernels::aes::key::AesKey,
            first: &$crate::kernels::aes::key::Block,
            dst: *mut u8,
            len: usize,
        ) {
            $crate::arch::compile::align_frame!($frame);
            use $crate::kernels::aes::ctr::pipeline;
            use $crate::kernels::aes::register::Wide;
            // SAFETY: the arguments fulfil the contract of `CtrKernel`, and this function enables
            // the instructions.
            unsafe {
                let first = <$register>::load_one(first.as_ptr());
                pipeline::stream::<$register, $together>(key, first.counters(), dst, len);
            }
        }
    };
}
pub(in crate::arch) use ctr_kernel;

/// Makes the kernel of one instruction set: the functions of `pipeline` with the `target_feature`
/// that they need, for groups of so many registers.
macro_rules! blocks_kernel {
    (
        $(#[$doc:meta])* $kernel:ident, $name:literal, $together:literal of $register:ty,
        $feature:literal, frame: $frame:ident
    ) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::kernels::aes::blocks::BlocksKernel = {
            use $crate::kernels::aes::blocks::{pipeline, BlocksKernel};
            use $crate::kernels::aes::key::{AesKey, Block};
            use $crate::kernels::aes::register::{Backward, Forward};

            #[target_feature(enable = $feature)]
            unsafe fn encrypt(key: &AesKey, src: *const u8, dst: *mut u8, blocks: usize) {
                $crate::arch::compile::align_frame!($frame);
                // SAFETY: the arguments fulfil the contract of `BlocksKernel`, and this function
                // enables the instructions.
                unsafe { pipeline::ecb::<$register, Forward, $together>(key, src, dst, blocks) }
            }

            #[target_feature(enable = $feature)]
            unsafe fn decrypt(key: &AesKey, src: *const u8, dst: *mut u8, blocks: usize) {
                $crate::arch::compile::align_frame!($frame);
                // SAFETY: the arguments fulfil the contract of `BlocksKernel`, and this function
                // enables the instructions.
                unsafe { pipeline::ecb::<$register, Backward, $together>(key, src, dst, blocks) }
            }

            #[target_feature(enable = $feature)]
            unsafe fn xts_encrypt(
                key: &AesKey,
                tweak: &mut Block,
                src: *const u8,
                dst: *mut u8,
                blocks: usize,
            ) {
                $crate::arch::compile::align_frame!($frame);
                // SAFETY: the arguments fulfil the contract of `BlocksKernel`, and this function
                // enables the instructions.
                unsafe {
                    pipeline::xts::<$register, Forward, $together>(key, tweak, src, dst, blocks)
                }
            }

            #[target_feature(enable = $feature)]
            unsafe fn xts_decrypt(
                key: &AesKey,
                tweak: &mut Block,
                src: *const u8,
                dst: *mut u8,
                blocks: usize,
            ) {
                $crate::arch::compile::align_frame!($frame);
                // SAFETY: the arguments fulfil the contract of `BlocksKernel`, and this function
                // enables the instructions.
                unsafe {
                    pipeline::xts::<$register, Backward, $together>(key, tweak, src, dst, blocks)
                }
            }

            #[target_feature(enable = $feature)]
            unsafe fn cfb_decrypt(
                key: &AesKey,
                iv: &Block,
                src: *const u8,
                dst: *mut u8,
                blocks: usize,
            ) {
                $crate::arch::compile::align_frame!($frame);
                // SAFETY: the arguments fulfil the contract of `BlocksKernel`, and this function
                // enables the instructions.
                unsafe { pipeline::cfb::<$register, $together>(key, iv, src, dst, blocks) }
            }

            BlocksKernel { name: $name, encrypt, decrypt, xts_encrypt, xts_decrypt, cfb_decrypt }
        };
    };
}
pub(in crate::arch) use blocks_kernel;

/// Makes the kernel of one instruction set: the function of `pipeline` with the `target_feature`
/// that it needs, and the way back of a kernel for independent blocks.
macro_rules! cfb_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $aes:ty, $feature:literal, $blocks:ident) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::kernels::aes::cbc::CbcKernel = {
            use $crate::kernels::aes::cbc::{CbcKernel, CbcLaneSet, Narrow};
            use $crate::kernels::aes::pipeline::LANES;

            unsafe fn encrypt(set: &mut CbcLaneSet, n: usize, blocks: usize) {
                assert!((1..=LANES).contains(&n), "1 to {LANES} lanes, not {n}");
                // SAFETY: the arguments fulfil the contract of `CbcKernel`, which the called
                // function has, too.
                unsafe { cfb_encrypt_from(set, 0, n, blocks) }
            }

            CbcKernel {
                name: $name,
                lanes: LANES,
                narrow: Narrow::NEVER,
                encrypt,
                decrypt: $blocks.cfb_decrypt,
            }
        };

        /// Does what [`CbcKernel::encrypt`](crate::kernels::aes::cbc::CbcKernel) does for CFB, for
        /// `n` lanes from `first` on, whose pointers stay. There are copies of the code for 1, 2, 4
        /// and 8.
        #[target_feature(enable = $feature)]
        pub(in crate::arch) unsafe fn cfb_encrypt_from(
            set: &mut $crate::kernels::aes::cbc::CbcLaneSet,
            first: usize,
            n: usize,
            blocks: usize,
        ) {
            use $crate::kernels::aes::cfb::pipeline;
            set.repeat(first + n, first + n.next_power_of_two());
            // SAFETY: lanes `first..first + n` fulfil the contract of `CbcKernel`, and `repeat` has
            // made the lanes behind them the same as the last one, up to the number of lanes of the
            // copy. This function enables the instructions.
            unsafe {
                match n {
                    1 => pipeline::encrypt::<$aes, 1>(set, first, blocks),
                    2 => pipeline::encrypt::<$aes, 2>(set, first, blocks),
                    3..=4 => pipeline::encrypt::<$aes, 4>(set, first, blocks),
                    _ => pipeline::encrypt::<$aes, 8>(set, first, blocks),
                }
            }
        }
    };
}
pub(in crate::arch) use cfb_kernel;

/// Makes the kernel of an instruction set with one block in a register: the functions of `pipeline`
/// with the `target_feature` that they need.
macro_rules! chain_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $register:ty, $feature:literal) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::kernels::aes::mac::ChainKernel =
            $crate::kernels::aes::mac::ChainKernel { name: $name, lanes: 8, absorb };

        #[target_feature(enable = $feature)]
        unsafe fn absorb(set: &mut $crate::kernels::aes::mac::ChainSet, n: usize, blocks: usize) {
            use $crate::kernels::aes::mac::pipeline;
            // SAFETY: the arguments fulfil the contract of `ChainKernel`, and this function enables
            // the instructions.
            unsafe {
                if $crate::kernels::aes::key::share_a_key(&set.key[..n]) {
                    pipeline::with_lanes!(n, N => pipeline::shared::<$register, N>(set, blocks));
                } else {
                    pipeline::with_lanes!(n, N => pipeline::own::<$register, N>(set, 0, blocks));
                }
            }
        }
    };
}
pub(in crate::arch) use chain_kernel;

/// Makes the kernel of one instruction set: the functions of `pipeline` with the `target_feature`
/// that they need.
macro_rules! gcm_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $register:ty, $feature:literal) => {
        use $crate::kernels::aes::gcm::key::GcmKey;
        use $crate::kernels::aes::key::Block;

        $crate::arch::compile::gcm_kernel!(
            $(#[$doc])*
            $kernel, $name, $register, $feature, process::<false>, first_counter
        );

        #[target_feature(enable = $feature)]
        unsafe fn first_counter(key: &GcmKey, nonce: *const u8, len: usize) -> Block {
            // SAFETY: the arguments fulfil the contract of `GcmKernel`, and this function enables
            // the instructions.
            unsafe { pipeline::first_counter::<$register>(key, nonce, len) }
        }
    };
    // With the first counters of another.
    (
        $(#[$doc:meta])* $kernel:ident, $name:literal, $register:ty, $feature:literal,
        $process:expr, $first_counter:expr
    ) => {
        use $crate::kernels::aes::gcm::{pipeline, GcmKernel, Message};

        $(#[$doc])*
        pub(crate) static $kernel: GcmKernel =
            GcmKernel { name: $name, process: $process, first_counter: $first_counter };

        #[target_feature(enable = $feature)]
        unsafe fn process<const INTEGERS: bool>(messages: &[Message]) {
            $crate::arch::compile::align_frame!();
            // SAFETY: the arguments fulfil the contract of `GcmKernel`, and this function enables
            // the instructions.
            unsafe { pipeline::process::<$register>(messages, weave::<INTEGERS>) }
        }

        #[target_feature(enable = $feature)]
        unsafe fn weave<const INTEGERS: bool>(
            message: &Message,
            place: &mut pipeline::Between<$register>,
            before: Option<(&Message, &mut pipeline::Between<$register>)>,
        ) {
            $crate::arch::compile::align_frame!();
            // SAFETY: the arguments fulfil the contract of `GcmKernel`, and this function enables
            // the instructions.
            unsafe { pipeline::weave::<$register, INTEGERS>(message, place, before) }
        }
    };
}
pub(in crate::arch) use gcm_kernel;

/// Makes the kernel of one instruction set: `aes::ofb::pipeline::encrypt` with the `target_feature`
/// that it needs.
macro_rules! ofb_lanes_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $aes:ty, $feature:literal) => {
        $crate::kernels::aes::ofb::ofb_kernel!(
            $(#[$doc])*
            $kernel,
            $name,
            $crate::kernels::aes::pipeline::LANES,
            $crate::kernels::aes::cbc::Narrow::NEVER,
            ofb_encrypt
        );

        /// Does what [`CbcKernel::encrypt`](crate::kernels::aes::cbc::CbcKernel) does for OFB, with
        /// its contract.
        unsafe fn ofb_encrypt(
            set: &mut $crate::kernels::aes::cbc::CbcLaneSet,
            n: usize,
            blocks: usize,
        ) {
            use $crate::kernels::aes::pipeline::LANES;
            assert!((1..=LANES).contains(&n), "1 to {LANES} lanes, not {n}");
            // SAFETY: the arguments fulfil the contract of `CbcKernel`, which the called function
            // has, too.
            unsafe { ofb_encrypt_from(set, 0, n, blocks) }
        }

        /// Ciphers in `n` lanes from `first` on, whose pointers stay. There are copies of the code
        /// for 1, 2, 4 and 8 lanes.
        #[target_feature(enable = $feature)]
        pub(in crate::arch) unsafe fn ofb_encrypt_from(
            set: &mut $crate::kernels::aes::cbc::CbcLaneSet,
            first: usize,
            n: usize,
            blocks: usize,
        ) {
            use $crate::kernels::aes::ofb::pipeline;
            set.repeat(first + n, first + n.next_power_of_two());
            // SAFETY: lanes `first..first + n` fulfil the contract of `CbcKernel`, and `repeat` has
            // made the lanes behind them the same as the last one, up to the number of lanes of the
            // copy. This function enables the instructions.
            unsafe {
                match n {
                    1 => pipeline::encrypt::<$aes, 1>(set, first, blocks),
                    2 => pipeline::encrypt::<$aes, 2>(set, first, blocks),
                    3..=4 => pipeline::encrypt::<$aes, 4>(set, first, blocks),
                    _ => pipeline::encrypt::<$aes, 8>(set, first, blocks),
                }
            }
        }
    };
}
pub(in crate::arch) use ofb_lanes_kernel;
