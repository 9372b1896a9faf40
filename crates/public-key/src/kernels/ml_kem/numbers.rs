//! The view that ML-KEM has of an instruction set: numbers of 16 bits.

/// A number of 16 bits of every lane, in one register. Arithmetic is modulo 2^16.
///
/// # Safety
///
/// A value of an implementing type is proof that the CPU has the instructions that its methods use.
/// The methods that make a value from nothing ([`splat`](Numbers::splat), [`load`](Numbers::load),
/// [`load_eight`](Numbers::load_eight)) are `unsafe` and have the instruction set among their
/// conditions. An implementor uses no instruction outside the set that its documentation names, and
/// marks every method `#[inline(always)]`.
pub(crate) unsafe trait Numbers: Copy {
    /// Lanes in this vector.
    const LANES: usize;

    /// Returns the same number in every lane.
    ///
    /// # Safety
    /// The CPU has this vector's instruction set.
    unsafe fn splat(number: i16) -> Self;

    /// Reads `LANES` consecutive numbers.
    ///
    /// # Safety
    /// - The CPU has this vector's instruction set.
    /// - `numbers` is readable for `LANES` numbers, at any alignment.
    unsafe fn load(numbers: *const i16) -> Self;

    /// Writes `LANES` consecutive numbers.
    ///
    /// # Safety
    /// `numbers` is writable for `LANES` numbers, at any alignment.
    unsafe fn store(self, numbers: *mut i16);

    /// Reads eight numbers of every lane, little-endian in memory: number `i` of lane `l`, read
    /// from `offset` on behind `rows[l]`, is lane `l` of element `i`.
    ///
    /// # Safety
    /// - The CPU has this vector's instruction set.
    /// - `rows` is readable for `LANES` pointers, and each of these for sixteen bytes from `offset`
    ///   on, at any alignment.
    unsafe fn load_eight(rows: *const *const u8, offset: usize) -> [Self; 8];

    /// Writes eight numbers of every lane to where [`load_eight`](Numbers::load_eight) reads them.
    /// If two pointers are equal, the numbers of one of the two lanes remain.
    ///
    /// # Safety
    /// `rows` is readable for `LANES` pointers, and each of these is writable for sixteen bytes
    /// from `offset` on, at any alignment.
    unsafe fn store_eight(numbers: [Self; 8], rows: *const *mut u8, offset: usize);

    /// Adds lane by lane.
    fn add(self, other: Self) -> Self;
    /// Subtracts lane by lane.
    fn sub(self, other: Self) -> Self;
    /// And.
    fn and(self, other: Self) -> Self;
    /// Returns the bitwise or.
    fn or(self, other: Self) -> Self;
    /// The lower halves of the products.
    fn low(self, other: Self) -> Self;
    /// The upper halves of the products of signed numbers.
    fn high(self, other: Self) -> Self;
    /// The upper halves of the products of unsigned numbers.
    fn high_unsigned(self, other: Self) -> Self;
    /// The smaller of two unsigned numbers.
    fn min_unsigned(self, other: Self) -> Self;
    /// Shifts each lane left by `count` bits, up to 15.
    fn left(self, count: u32) -> Self;
    /// Shifts each lane right by `count` bits, up to 15, zeros coming in.
    fn right(self, count: u32) -> Self;
    /// Shifts each lane right by ten bits, its sign coming in.
    fn right_ten(self) -> Self;
}
