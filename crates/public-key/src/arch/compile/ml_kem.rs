//! Compiles the kernels of ML-KEM.

/// Makes the kernel of one instruction set, on these numbers, with what samples from a stream.
macro_rules! ml_kem_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $numbers:ty, $sample:expr
        $(, $features:literal)?) => {
        $(#[$doc])*
        pub(in crate::arch) static $kernel: $crate::kernels::ml_kem::kernel::MlKemKernel = {
            use $crate::kernels::ml_kem::kernel::MlKemKernel;
            use $crate::kernels::ml_kem::numbers::Numbers;
            use $crate::kernels::ml_kem::pack::{self, Bits};
            use $crate::kernels::ml_kem::ring;

            $(#[target_feature(enable = $features)])?
            unsafe fn forward(poly: *mut i16) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `MlKemKernel`, and this function
                // enables the instructions.
                unsafe { ring::forward::<$numbers>(poly) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn inverse(poly: *mut i16) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: as above.
                unsafe { ring::inverse::<$numbers>(poly) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn dot(to: *mut i16, a: *const i16, b: *const i16, k: usize) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: as above.
                unsafe { ring::dot::<$numbers>(to, a, b, k) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn add(to: *mut i16, other: *const i16) {
                // SAFETY: as above.
                unsafe { ring::add::<$numbers>(to, other) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn subtract(to: *mut i16, other: *const i16) {
                // SAFETY: as above.
                unsafe { ring::subtract::<$numbers>(to, other) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn add_to_product(to: *mut i16, other: *const i16) {
                // SAFETY: as above.
                unsafe { ring::add_to_product::<$numbers>(to, other) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn pack(
                poly: *const i16,
                room: *mut i16,
                bits: Bits,
                rows: *const *mut u8,
                offset: usize,
            ) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: as above.
                unsafe { pack::pack::<$numbers>(poly, room, bits, rows, offset) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn unpack(
                rows: *const *const u8,
                offset: usize,
                bits: Bits,
                poly: *mut i16,
                room: *mut i16,
            ) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: as above.
                unsafe { pack::unpack::<$numbers>(rows, offset, bits, poly, room) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn columns(rows: *const *const u8, poly: *mut i16) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: as above.
                unsafe { pack::columns::<$numbers>(rows, poly) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn noise(
                rows: *const *const u8,
                eta: usize,
                poly: *mut i16,
                room: *mut i16,
            ) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: as above.
                unsafe { pack::noise::<$numbers>(rows, eta, poly, room) }
            }

            MlKemKernel {
                name: $name,
                lanes: <$numbers as Numbers>::LANES,
                forward,
                inverse,
                dot,
                add,
                subtract,
                add_to_product,
                pack,
                unpack,
                columns,
                noise,
                sample: $sample,
            }
        };
    };
}
pub(in crate::arch) use ml_kem_kernel;
