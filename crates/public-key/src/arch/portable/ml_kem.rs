//! Numbers of 16 bits without vectors.

use broadloom_lanes::inside::{Plain, each};

use crate::arch::compile::ml_kem_kernel;
use crate::kernels::ml_kem::numbers::Numbers;
use crate::kernels::ml_kem::sample;

ml_kem_kernel!(
    /// One operation.
    ML_KEM, "integers", Plain<i16>, sample::plain
);

// SAFETY: baseline instructions only; every method is `inline(always)`.
unsafe impl Numbers for Plain<i16> {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn splat(number: i16) -> Self {
        Plain::of(number)
    }
    #[inline(always)]
    unsafe fn load(numbers: *const i16) -> Self {
        // SAFETY: `numbers` is readable for one number, by the contract of `load`.
        Plain::of(unsafe { numbers.read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, numbers: *mut i16) {
        // SAFETY: `numbers` is writable for one number, by the contract of `store`.
        unsafe { numbers.write_unaligned(self.word()) }
    }
    #[inline(always)]
    unsafe fn load_eight(rows: *const *const u8, offset: usize) -> [Self; 8] {
        // SAFETY: by the contract of `load_eight`, `rows` is readable for one pointer, which is
        // readable for sixteen bytes from `offset`.
        unsafe {
            let bytes = (*rows).add(offset);
            each!(i in 8 => Plain::of(i16::from_le_bytes(*bytes.add(2 * i).cast())))
        }
    }
    #[inline(always)]
    unsafe fn store_eight(numbers: [Self; 8], rows: *const *mut u8, offset: usize) {
        // SAFETY: by the contract of `store_eight`, `rows` is readable for one pointer, which is
        // writable for sixteen bytes from `offset`.
        unsafe {
            let bytes = (*rows).add(offset);
            each!(i in 8 => *bytes.add(2 * i).cast() = numbers[i].word().to_le_bytes());
        }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Plain::of(self.word().wrapping_add(other.word()))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Plain::of(self.word().wrapping_sub(other.word()))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Plain::of(self.word() & other.word())
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Plain::of(self.word() | other.word())
    }
    #[inline(always)]
    fn low(self, other: Self) -> Self {
        Plain::of(self.word().wrapping_mul(other.word()))
    }
    #[inline(always)]
    fn high(self, other: Self) -> Self {
        Plain::of(((i32::from(self.word()) * i32::from(other.word())) >> 16) as i16)
    }
    #[inline(always)]
    fn high_unsigned(self, other: Self) -> Self {
        let [a, b] = [self, other].map(|x| u32::from(x.word().cast_unsigned()));
        Plain::of(((a * b) >> 16) as i16)
    }
    #[inline(always)]
    fn min_unsigned(self, other: Self) -> Self {
        // Without a branch: the borrow of their difference chooses.
        let [a, b] = [self, other].map(|x| u32::from(x.word().cast_unsigned()));
        let smaller = (a.wrapping_sub(b) >> 16) as u16;
        Plain::of((a as u16 & smaller | b as u16 & !smaller).cast_signed())
    }
    #[inline(always)]
    fn left(self, count: u32) -> Self {
        Plain::of(self.word() << count)
    }
    #[inline(always)]
    fn right(self, count: u32) -> Self {
        Plain::of((self.word().cast_unsigned() >> count).cast_signed())
    }
    #[inline(always)]
    fn right_ten(self) -> Self {
        Plain::of(self.word() >> 10)
    }
}
