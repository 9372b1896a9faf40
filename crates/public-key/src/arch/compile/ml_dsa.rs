//! Compiles the kernels of ML-DSA.

/// Makes the kernel of one instruction set, on these numbers, with what samples from a stream.
macro_rules! ml_dsa_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $numbers:ty,
        $sample:expr, $secrets:expr $(, $features:literal)?) => {
        $(#[$doc])*
        pub(in crate::arch) static $kernel: $crate::kernels::ml_dsa::kernel::MlDsaKernel = {
            use $crate::kernels::ml_dsa::kernel::MlDsaKernel;
            use $crate::kernels::ml_dsa::pack::{self, Packing};
            use $crate::kernels::ml_dsa::ring;
            use $crate::kernels::ml_dsa::round::{self, Gamma2};
            use $crate::kernels::ml_dsa::shifted;

            $(#[target_feature(enable = $features)])?
            unsafe fn forward(poly: *mut u32) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `MlDsaKernel`, and this function
                // enables the instructions.
                unsafe { ring::forward::<$numbers>(poly) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn inverse(poly: *mut u32) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: as above.
                unsafe { ring::inverse::<$numbers>(poly) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn dot(to: *mut u32, rows: *const *const u32, b: *const u32, k: usize) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: as above.
                unsafe { ring::dot::<$numbers>(to, rows, b, k) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn add(to: *mut u32, other: *const u32) {
                // SAFETY: as above.
                unsafe { ring::add::<$numbers>(to, other) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn exceeds(poly: *const u32, bound: u32) -> u32 {
                // SAFETY: as above.
                unsafe { ring::exceeds::<$numbers>(poly, bound) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn pack(
                poly: *const u32,
                room: *mut u32,
                packing: Packing,
                rows: *const *mut u32,
            ) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: as above.
                unsafe { pack::pack::<$numbers>(poly, room, packing, rows) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn unpack(
                rows: *const *const u8,
                offset: usize,
                packing: Packing,
                poly: *mut u32,
                room: *mut u32,
            ) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: as above.
                unsafe { pack::unpack::<$numbers>(rows, offset, packing, poly, room) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn power2round(low: *mut u32, high: *mut u32) {
                // SAFETY: as above.
                unsafe { round::power2round::<$numbers>(low, high) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn decompose(low: *mut u32, high: *mut u32, gamma2: Gamma2) {
                // SAFETY: as above.
                unsafe { round::decompose::<$numbers>(low, high, gamma2) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn make_hints(
                low: *mut u32,
                high: *const u32,
                gamma2: Gamma2,
                counts: *mut u32,
            ) {
                // SAFETY: as above.
                unsafe { round::make_hints::<$numbers>(low, high, gamma2, counts) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn use_hints(poly: *mut u32, hints: *const u32, gamma2: Gamma2) {
                // SAFETY: as above.
                unsafe { round::use_hints::<$numbers>(poly, hints, gamma2) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn make_table(row: *const u32, packing: Packing, table: *mut u16) {
                // SAFETY: as above.
                unsafe { shifted::make_table(row, packing, table) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn add_product(
                row: *mut u32,
                table: *const u16,
                packing: Packing,
                starts: &[u16],
                bound: u32,
            ) -> u32 {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: as above.
                unsafe { shifted::add_product::<$numbers>(row, table, packing, starts, bound) }
            }

            MlDsaKernel {
                name: $name,
                lanes: <$numbers as broadloom_lanes::Vector>::LANES,
                forward,
                inverse,
                dot,
                add,
                exceeds,
                pack,
                unpack,
                power2round,
                decompose,
                make_hints,
                use_hints,
                sample: $sample,
                sample_secrets: $secrets,
                make_table,
                add_product,
            }
        };
    };
}
pub(in crate::arch) use ml_dsa_kernel;
