//! The contracts of the kernels. All polynomials are in columns: 256 times the lanes of numbers.

use super::pack::Bits;

/// The most lanes a kernel has.
pub(crate) const MAX_LANES: usize = 32;

/// Changes a polynomial in place: the transform (FIPS 203, algorithm 9) of numbers whose amounts
/// are 3329 at most, or its inverse (algorithm 10) of numbers in `0..=3329`, after a
/// [product](Dot).
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - The polynomial is readable and writable.
pub(crate) type Transform = unsafe fn(poly: *mut i16);

/// Writes the sum of the products of `k` transformed polynomials each at `a` and `b` (algorithm 11)
/// to `to`, divided by 2^16. All numbers are in `0..=3329`.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `to` is writable for a polynomial, and `a` and `b` are readable for `k`, which are one to
///   four.
pub(crate) type Dot = unsafe fn(to: *mut i16, a: *const i16, b: *const i16, k: usize);

/// Adds a polynomial to `to`, or subtracts it. The amounts of the numbers are below 4 * 3329;
/// afterwards they are in `0..=3329`.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `to` is readable and writable, `other` is readable.
pub(crate) type Combine = unsafe fn(to: *mut i16, other: *const i16);

/// Writes a polynomial, whose numbers may be any, to the rows, `offset` bytes behind each pointer,
/// compressed to so many bits.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `poly` is readable, and `room` is writable for a polynomial.
/// - `rows` is readable for as many pointers as there are lanes, and each of these is writable for
///   [`Bits::bytes`] from `offset` on.
pub(crate) type Pack =
    unsafe fn(poly: *const i16, room: *mut i16, bits: Bits, rows: *const *mut u8, offset: usize);

/// Reads a polynomial that was compressed to so many bits from the rows, `offset` bytes behind each
/// pointer. Its numbers are in `0..3329`, but those of twelve bits are as they are.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `poly` and `room` are readable and writable for a polynomial.
/// - `rows` is readable for as many pointers as there are lanes, and each of these is readable for
///   [`Bits::bytes`] from `offset` on.
pub(crate) type Unpack =
    unsafe fn(rows: *const *const u8, offset: usize, bits: Bits, poly: *mut i16, room: *mut i16);

/// Reads 256 numbers behind each row's pointer.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `poly` is writable.
/// - `rows` is readable for as many pointers as there are lanes, and each of these is readable for
///   512 bytes.
pub(crate) type Columns = unsafe fn(rows: *const *const u8, poly: *mut i16);

/// Makes a polynomial of numbers in `-eta..=eta` of `64 * eta` bytes behind each row's pointer
/// (algorithm 8); `eta` is 2 or 3.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `poly` and `room` are readable and writable for a polynomial.
/// - `rows` is readable for as many pointers as there are lanes, and each of these is readable for
///   these bytes.
pub(crate) type Noise =
    unsafe fn(rows: *const *const u8, eta: usize, poly: *mut i16, room: *mut i16);

/// Appends the numbers below 3329 of each twelve bits of a stream (algorithm 7) to the `have`
/// numbers at `numbers`, and returns how many there are then.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `bytes` is readable for `len` bytes, a multiple of 168, and
///   [`SLACK`](super::sample::SLACK) more.
/// - `numbers` is writable for `have` numbers, two for every three bytes, and sixteen more.
pub(crate) type Sample =
    unsafe fn(bytes: *const u8, len: usize, numbers: *mut i16, have: usize) -> usize;

/// The kernel of one instruction set.
pub(crate) struct MlKemKernel {
    /// The instruction set.
    pub name: &'static str,
    /// Operations that go side by side, at most [`MAX_LANES`].
    pub lanes: usize,
    pub forward: Transform,
    pub inverse: Transform,
    pub dot: Dot,
    pub add: Combine,
    pub subtract: Combine,
    /// As [`add`](MlKemKernel::add), to a product, which is multiplied by 2^16 first.
    pub add_to_product: Combine,
    pub pack: Pack,
    pub unpack: Unpack,
    pub columns: Columns,
    pub noise: Noise,
    pub sample: Sample,
}
