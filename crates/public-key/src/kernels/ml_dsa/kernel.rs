//! The contracts of the kernels. All polynomials are in columns, 256 times the lanes of numbers,
//! unless they are said to be in rows: then the 256 numbers of a lane are one behind the other.

use super::pack::Packing;
use super::round::Gamma2;

/// Changes a polynomial in place: the transform (FIPS 204, algorithm 41) of numbers whose amounts
/// are at most the modulus, after which their amounts are below twelve times the modulus; or its
/// inverse (algorithm 42), after a [product](Dot), which leaves [reduced](Combine) numbers.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - The polynomial is readable and writable.
pub(crate) type Transform = unsafe fn(poly: *mut u32);

/// Writes the sum of the products of `k` transformed polynomials of each lane, in rows, and of as
/// many at `b` to `to`, divided by 2^32. The amounts of the products of numbers at one place are
/// together below 228 times the square of the modulus, and those of the results below 0.95 times
/// the modulus: so the seven numbers of a matrix, which are below the modulus, may be multiplied
/// with transformed numbers, whose amounts are below twelve times the modulus, and two transformed
/// numbers with each other.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `to` is writable for a polynomial, `b` is readable for `k` of them, which are one to eight.
/// - `rows` is readable for as many pointers as there are lanes, and each of these is readable for
///   `256 * k` numbers.
pub(crate) type Dot = unsafe fn(to: *mut u32, rows: *const *const u32, b: *const u32, k: usize);

/// Adds a polynomial to `to`. The amounts of the numbers are below 100 times the
/// modulus; afterwards they are reduced: their amounts are below three quarters of the modulus, and
/// those that are congruent to a number whose amount is below a quarter are that number.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `to` is readable and writable, `other` is readable.
pub(crate) type Combine = unsafe fn(to: *mut u32, other: *const u32);

/// Returns the lanes that have a number whose amount is `bound` or more, a bit for each.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `poly` is readable.
pub(crate) type Exceeds = unsafe fn(poly: *const u32, bound: u32) -> u32;

/// Writes a polynomial to the rows, packed. What is packed has no more bits than the packing.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `poly` is readable, and `room` is writable for a polynomial.
/// - `rows` is readable for as many pointers as there are lanes, and each of these is writable for
///   [`Packing::bytes`] and aligned for a word.
pub(crate) type Pack =
    unsafe fn(poly: *const u32, room: *mut u32, packing: Packing, rows: *const *mut u32);

/// Reads a polynomial that was packed from the rows, `offset` bytes behind each pointer.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `poly` and `room` are readable and writable for a polynomial.
/// - `rows` is readable for as many pointers as there are lanes, and each of these is readable for
///   [`Packing::bytes`] from `offset` on.
pub(crate) type Unpack = unsafe fn(
    rows: *const *const u8,
    offset: usize,
    packing: Packing,
    poly: *mut u32,
    room: *mut u32,
);

/// Takes [reduced](Combine) numbers apart: those at `low` become the lower part, and the higher
/// part goes to `high` (Power2Round, FIPS 204, algorithm 35, or Decompose, algorithm 36).
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `low` is readable and writable, `high` is writable.
pub(crate) type Round = unsafe fn(low: *mut u32, high: *mut u32);

/// As [`Round`], with a divisor.
///
/// # Safety
/// The contract of [`Round`].
pub(crate) type Decompose = unsafe fn(low: *mut u32, high: *mut u32, gamma2: Gamma2);

/// Makes hints (FIPS 204, algorithm 39): writes one where the lower part at `low` has left its
/// range and changes the higher part, and zero elsewhere, over the lower part. Adds to the number
/// of ones of each lane.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `low` is readable and writable, `high` is readable, and `counts` is readable and writable for
///   a number of each lane.
pub(crate) type MakeHints =
    unsafe fn(low: *mut u32, high: *const u32, gamma2: Gamma2, counts: *mut u32);

/// Writes the higher parts of [reduced](Combine) numbers over them, changed where `hints` has one
/// instead of zero (FIPS 204, algorithm 40).
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `poly` is readable and writable, `hints` is readable.
pub(crate) type UseHints = unsafe fn(poly: *mut u32, hints: *const u32, gamma2: Gamma2);

/// Appends the numbers below the modulus of each 23 bits of three bytes of a stream (FIPS 204,
/// algorithm 30) to the `have` numbers at `numbers`, and returns how many there are then.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `bytes` is readable for `len` bytes, a multiple of 168, and
///   [`SLACK`](super::sample::SLACK) more.
/// - `numbers` is writable for `have` numbers, one for every three bytes, and sixteen more.
pub(crate) type Sample =
    unsafe fn(bytes: *const u8, len: usize, numbers: *mut u32, have: usize) -> usize;

/// Appends the secret numbers that the half bytes of a stream stand for (FIPS 204, algorithm 31) to
/// the `have` numbers at `numbers`, at least until there are 256, and returns how many there are
/// then. Their largest amount is `eta`, two or four.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - The bytes are readable for the length, a multiple of eight.
/// - `numbers` is writable for `have` numbers, two for every byte, and sixteen more.
pub(crate) type SampleSecrets =
    unsafe fn(bytes: (*const u8, usize), eta: u32, numbers: *mut u32, have: usize) -> usize;

/// Makes the table of a polynomial in a row, whose numbers have the range of the packing: of
/// secrets, or of the lower part of a public key.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `row` is readable for a polynomial.
/// - `table` is writable for [`TABLE`](super::shifted::TABLE) numbers of as many
///   [bits](super::shifted::bits) as they have for this packing.
pub(crate) type MakeTable = unsafe fn(row: *const u32, packing: Packing, table: *mut u16);

/// Adds the product of a challenge and the polynomial of a table to a polynomial in a row.
/// `starts` has the [start](super::shifted::start) of each number of the challenge that is not
/// zero. Returns zero if the amounts of all numbers are below `bound` then, and one otherwise.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `row` is readable and writable for a polynomial.
/// - `table` was made by [`MakeTable`] for this packing.
pub(crate) type AddProduct = unsafe fn(
    row: *mut u32,
    table: *const u16,
    packing: Packing,
    starts: &[u16],
    bound: u32,
) -> u32;

/// The kernel of one instruction set.
pub(crate) struct MlDsaKernel {
    /// The instruction set.
    pub name: &'static str,
    /// Operations that go side by side, at most [`MAX_LANES`](super::numbers::MAX_LANES).
    pub lanes: usize,
    pub forward: Transform,
    pub inverse: Transform,
    pub dot: Dot,
    pub add: Combine,
    pub exceeds: Exceeds,
    pub pack: Pack,
    pub unpack: Unpack,
    pub power2round: Round,
    pub decompose: Decompose,
    pub make_hints: MakeHints,
    pub use_hints: UseHints,
    pub sample: Sample,
    pub sample_secrets: SampleSecrets,
    pub make_table: MakeTable,
    pub add_product: AddProduct,
}
