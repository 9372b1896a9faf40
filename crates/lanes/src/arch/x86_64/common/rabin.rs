//! Words of stripes in x86 registers, for carry-less products (PCLMULQDQ, VPCLMULQDQ).

/// Makes words of `$lanes` lanes in a register. `$load` reads eight words of each stripe,
/// `$load_map` loads a linear map, which `$apply` applies, and `$zero` tells whether a byte is
/// zero.
macro_rules! rabin_words {
    (
        $(#[$doc:meta])* $words:ident($register:ty), $lanes:literal, $load:ident,
        $map:ty, $load_map:ident, $apply:ident, $zero:ident, $splat:ident, $store:ident, $xor:ident,
        $and:ident, $or:ident, $left:ident, $right:ident, $clmul:ident, $unpack_low:ident,
        $unpack_high:ident, $min:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(in crate::arch) struct $words($register);

        // SAFETY: the impl uses instructions of the register's width and carry-less products, which
        // the only kernel enables; every method is `inline(always)`.
        unsafe impl $crate::kernels::rabin::words::RabinWords for $words {
            type Map = $map;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(word: u64) -> Self {
                // SAFETY: the CPU has the instructions, by the contract of `RabinWords::splat`.
                $words(unsafe { $splat(word.cast_signed()) })
            }
            #[inline(always)]
            unsafe fn map(map: &$crate::kernels::rabin::constants::ByteMap) -> $map {
                // SAFETY: the CPU has the instructions, by the contract of `RabinWords::map`.
                unsafe { $load_map(map) }
            }
            #[inline(always)]
            unsafe fn load(first: *const u8, stride: usize) -> [Self; 8] {
                // SAFETY: the stripes are readable and the CPU has the instructions, by the
                // contract of `RabinWords::load`.
                unsafe { $load(first, stride) }
            }
            #[inline(always)]
            fn store(self, to: &mut [u64; $crate::kernels::rabin::words::MAX_LANES]) {
                // SAFETY: `self` is proof of the instructions, and `to` has room for the most lanes
                // that there are.
                unsafe { $store(to.as_mut_ptr().cast(), self.0) }
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $words(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $words(unsafe { $and(self.0, other.0) })
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $words(unsafe { $or(self.0, other.0) })
            }
            #[inline(always)]
            fn shift_left<const BY: i32>(self) -> Self {
                // SAFETY: `self` is proof of the instructions. The compiler makes an immediate
                // operand of the number.
                $words(unsafe { $left(self.0, _mm_cvtsi32_si128(BY)) })
            }
            #[inline(always)]
            fn shift_right<const BY: i32>(self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $words(unsafe { $right(self.0, _mm_cvtsi32_si128(BY)) })
            }
            #[inline(always)]
            fn product(self, other: Self) -> [Self; 2] {
                // SAFETY: `self` is proof of the instructions.
                unsafe {
                    let even = $clmul::<0x00>(self.0, other.0);
                    let odd = $clmul::<0x11>(self.0, other.0);
                    [$words($unpack_low(even, odd)), $words($unpack_high(even, odd))]
                }
            }
            #[inline(always)]
            fn mapped(self, map: $map) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $words(unsafe { $apply(self.0, map) })
            }
            #[inline(always)]
            fn min_bytes(self, other: Self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $words(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn has_zero_byte(self) -> bool {
                // SAFETY: `self` is proof of the instructions.
                unsafe { $zero(self.0) }
            }
        }
    };
}
pub(in crate::arch) use rabin_words;

/// The numbers of the bytes of two words, the last byte of each first.
pub(in crate::arch) const REVERSED: [u8; 16] =
    [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];
