//! Compiles the kernels of large numbers.

/// Makes the kernel of one instruction set, whose limbs are in `$limbs`. Each width of a block of
/// columns has functions of its own.
macro_rules! bignum_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $limbs:ty $(, $features:literal)?) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::kernels::bignum::BignumKernel = {
            use $crate::kernels::bignum::columns::{self, width, Block};
            use $crate::kernels::bignum::select::{self, SelectLanes};
            use $crate::kernels::bignum::{BignumKernel, Modulo};

            const LANES: usize = <$limbs as SelectLanes>::LANES;

            $(#[target_feature(enable = $features)])?
            unsafe fn low<const W: usize, const SQUARE: bool>(block: &Block<'_>) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `BignumKernel`, and this function
                // enables the instructions.
                unsafe { columns::low::<$limbs, W, SQUARE>(block) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn high<const W: usize, const SQUARE: bool>(block: &Block<'_>) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `BignumKernel`, and this function
                // enables the instructions.
                unsafe { columns::high::<$limbs, W, SQUARE>(block) }
            }

            unsafe fn product<const SQUARE: bool>(
                out: *mut u64,
                a: *const u64,
                b: *const u64,
                modulo: &Modulo,
            ) {
                #[repr(align(64))]
                struct Carry([u64; LANES]);
                let mut carry = Carry([0; LANES]);
                let carry = carry.0.as_mut_ptr();
                let mut block = Block { a, b, out, modulo, first: 0, carry };
                // SAFETY: the arguments fulfil the contract of `BignumKernel`. Blocks come from
                // the lowest to the highest, and their widths add up to the number of limbs; no
                // block has another width than these.
                unsafe {
                    while block.first < modulo.limbs {
                        let width = width(modulo.limbs - block.first);
                        match width {
                            9 => low::<9, SQUARE>(&block),
                            10 => low::<10, SQUARE>(&block),
                            11 => low::<11, SQUARE>(&block),
                            12 => low::<12, SQUARE>(&block),
                            13 => low::<13, SQUARE>(&block),
                            _ => unreachable!("{} limbs", modulo.limbs),
                        }
                        block.first += width;
                    }
                    block.first = 0;
                    while block.first < modulo.limbs {
                        let width = width(modulo.limbs - block.first);
                        match width {
                            9 => high::<9, SQUARE>(&block),
                            10 => high::<10, SQUARE>(&block),
                            11 => high::<11, SQUARE>(&block),
                            12 => high::<12, SQUARE>(&block),
                            _ => high::<13, SQUARE>(&block),
                        }
                        block.first += width;
                    }
                }
            }

            unsafe fn multiply(out: *mut u64, a: *const u64, b: *const u64, modulo: &Modulo) {
                // SAFETY: the arguments fulfil the contract of `BignumKernel`, which the called
                // function has, too.
                unsafe { product::<false>(out, a, b, modulo) }
            }

            unsafe fn square(out: *mut u64, a: *const u64, modulo: &Modulo) {
                // SAFETY: the arguments fulfil the contract of `BignumKernel`, which the called
                // function has, too.
                unsafe { product::<true>(out, a, a, modulo) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn keep(entry: *mut u64, number: *const u64, limbs: usize) {
                // SAFETY: the arguments fulfil the contract of `BignumKernel`, and this function
                // enables the instructions.
                unsafe { select::keep::<$limbs>(entry, number, limbs) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn select(
                outs: [*mut u64; 2],
                table: *const u64,
                indices: [*const u64; 2],
                limbs: usize,
            ) {
                // SAFETY: the arguments fulfil the contract of `BignumKernel`, and this function
                // enables the instructions.
                unsafe { select::select::<$limbs>(outs, table, indices, limbs) }
            }

            let radix = <$limbs as SelectLanes>::RADIX;
            BignumKernel { name: $name, lanes: LANES, radix, multiply, square, keep, select }
        };
    };
}
pub(in crate::arch) use bignum_kernel;

/// Makes the kernel of one number on integers.
macro_rules! bignum_words_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal $(, $features:literal)?) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::kernels::bignum::BignumKernel = {
            use $crate::kernels::bignum::{select, words, BignumKernel, Modulo, Radix};
            use broadloom_lanes::inside::Plain;

            $(#[target_feature(enable = $features)])?
            unsafe fn multiply(out: *mut u64, a: *const u64, b: *const u64, modulo: &Modulo) {
                // SAFETY: the arguments fulfil the contract of `BignumKernel`, which the called
                // function has, too.
                unsafe { words::multiply(out, a, b, modulo) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn square(out: *mut u64, a: *const u64, modulo: &Modulo) {
                // SAFETY: the arguments fulfil the contract of `BignumKernel`, which the called
                // function has, too.
                unsafe { words::multiply(out, a, a, modulo) }
            }

            unsafe fn keep(entry: *mut u64, number: *const u64, limbs: usize) {
                // SAFETY: the arguments fulfil the contract of `BignumKernel`, which the called
                // function has, too.
                unsafe { select::keep::<Plain<u64>>(entry, number, limbs) }
            }

            unsafe fn select(
                outs: [*mut u64; 2],
                table: *const u64,
                indices: [*const u64; 2],
                limbs: usize,
            ) {
                // SAFETY: the arguments fulfil the contract of `BignumKernel`, which the called
                // function has, too.
                unsafe { select::select::<Plain<u64>>(outs, table, indices, limbs) }
            }

            let radix = Radix::Bits64;
            BignumKernel { name: $name, lanes: 1, radix, multiply, square, keep, select }
        };
    };
}
pub(in crate::arch) use bignum_words_kernel;

/// The kernels on vectors, without vectors: what instructions do is written out, so that those are
/// tested that this machine lacks.
#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use crate::arch::portable;
    use crate::bignum::{Modulus, Powers};
    use crate::kernels::bignum::columns::Limbs;
    use crate::kernels::bignum::select::SelectLanes;
    use crate::kernels::bignum::{BignumKernel, MAX_LANES, Number, Radix};
    use broadloom_lanes::inside::each;

    /// A limb of two numbers, of so many bits. The operations that check something are called: the
    /// kernels have thousands of copies of each, which would take long to compile.
    #[derive(Clone, Copy)]
    struct Soft<const BITS: usize>([u64; 2]);

    impl<const BITS: usize> Soft<BITS> {
        fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
            Soft(each!(i in 2 => f(self.0[i], other.0[i])))
        }
    }

    // SAFETY: only baseline instructions are used.
    unsafe impl<const BITS: usize> SelectLanes for Soft<BITS> {
        const LANES: usize = 2;
        const RADIX: Radix = if BITS == 28 { Radix::Bits28 } else { Radix::Bits52 };
        const CHUNK: usize = if BITS == 28 { 10 } else { 11 };
        const BOTH: bool = BITS == 52;

        unsafe fn splat(word: u64) -> Self {
            Soft([word; 2])
        }
        unsafe fn load(from: *const u64) -> Self {
            // SAFETY: `from` is readable for two words (`LANES` is 2), by the contract of
            // `SelectLanes::load`.
            unsafe { Soft(from.cast::<[u64; 2]>().read_unaligned()) }
        }
        unsafe fn store(self, to: *mut u64) {
            // SAFETY: `to` is writable for two words (`LANES` is 2), by the contract of
            // `SelectLanes::store`.
            unsafe { to.cast::<[u64; 2]>().write_unaligned(self.0) }
        }
        /// Adds, where no sum may be too long for its word.
        #[inline(never)]
        fn add(self, other: Self) -> Self {
            self.zip(other, |a, b| a.checked_add(b).expect("there is room for the sum"))
        }
        fn equal(self, other: Self) -> Self {
            self.zip(other, |a, b| if a == b { u64::MAX } else { 0 })
        }
        fn or_masked(self, mask: Self, other: Self) -> Self {
            self.zip(mask.zip(other, |a, b| a & b), |a, b| a | b)
        }
        fn join(self, other: Self) -> Self {
            self.zip(other, |a, b| a | b << 32)
        }
        fn split(self) -> (Self, Self) {
            (Soft(self.0.map(|word| word & 0xffff_ffff)), Soft(self.0.map(|word| word >> 32)))
        }
    }

    // SAFETY: only baseline instructions are used.
    unsafe impl<const BITS: usize> Limbs for Soft<BITS> {
        const ROOM: usize = if BITS == 28 { 127 } else { 1000 };
        const HALVES: bool = BITS == 52;

        /// Adds a product, as `vpmuludq` and `vpaddq` do, or as `vpmadd52luq` and `vpmadd52huq`.
        #[inline(never)]
        fn plus_product((sum, next): (Self, Self), x: Self, y: Self) -> (Self, Self) {
            let of = |word: u64| u128::from(word & (u64::MAX >> (64 - BITS.max(32))));
            let bits = if BITS == 28 { 64 } else { 52 };
            let part = |shift: usize| {
                x.zip(y, |x, y| ((of(x) * of(y)) >> shift) as u64 & (u64::MAX >> (64 - bits)))
            };
            let next = if BITS == 28 { next } else { next.add(part(52)) };
            (sum.add(part(0)), next)
        }
        fn limb(self) -> Self {
            Soft(self.0.map(|word| word & ((1 << BITS) - 1)))
        }
        fn above(self) -> Self {
            Soft(self.0.map(|word| word >> BITS))
        }
        fn anew(limbs: *const u64) -> *const u64 {
            limbs
        }
    }

    bignum_kernel!(
        /// As on AVX2 and AVX-512.
        SOFT28, "software, 28 bits", Soft<28>
    );

    bignum_kernel!(
        /// As with IFMA.
        SOFT52, "software, 52 bits", Soft<52>
    );

    /// Returns a number that is odd and has its highest bit.
    fn modulus(words: impl Fn(usize) -> u64, len: usize) -> Modulus {
        let mut number = Number::zero(len);
        number.words_mut().iter_mut().enumerate().for_each(|(i, word)| *word = words(i));
        number.words_mut()[0] |= 1;
        number.words_mut()[len - 1] |= 1 << 63;
        Modulus::new(number, &portable::BIGNUM)
    }

    /// Returns the power of either base, modulo either modulus, by a kernel of one lane or of two.
    fn powers(
        kernel: &'static BignumKernel,
        both: &[(Modulus, Number)],
        raise: impl Fn(&mut Powers),
    ) -> Vec<Number> {
        let bits = both[0].0.bits();
        let mut powers = Powers::new(&[kernel], bits, bits);
        let all = both.chunks(kernel.lanes).flat_map(|chunk| {
            powers.start(kernel, bits);
            for (lane, (modulus, base)) in chunk.iter().enumerate() {
                powers.put(lane, modulus, base);
            }
            raise(&mut powers);
            let lanes = chunk.iter().enumerate();
            lanes.map(|(lane, (modulus, _))| powers.take(lane, modulus)).collect::<Vec<_>>()
        });
        all.collect()
    }

    #[test]
    fn powers_are_the_same_on_every_radix() {
        for bits in [512, 1024, 1536, 2048, 3072, 4096] {
            let len = bits / 64;
            let random = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let moduli = [modulus(|_| u64::MAX, len), modulus(random, len)];
            let both = moduli.map(|modulus| {
                let mut base = modulus.value().clone();
                base.subtract(&Number::small(2, len));
                (modulus, base)
            });
            // The same in both lanes, as the kernel of one lane knows but one.
            let secret =
                |powers: &mut Powers| powers.raise(23, |_, at, _| [7, 30, 0, 19, 5][at / 5]);
            let public = |powers: &mut Powers| powers.raise_public(&[0x1_0000_0005; MAX_LANES]);
            for kernel in [&SOFT28, &SOFT52] {
                for raise in [&secret as &dyn Fn(&mut Powers), &public] {
                    let expected = powers(&portable::BIGNUM, &both, raise);
                    for (ours, expected) in powers(kernel, &both, raise).iter().zip(&expected) {
                        assert!(ours.words() == expected.words(), "{bits} bits, {}", kernel.name);
                    }
                }
            }
        }
    }
}
