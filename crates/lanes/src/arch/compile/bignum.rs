//! Compiles the kernels of large numbers.

/// Makes the kernel of one instruction set, whose limbs are in `$limbs`. Each width of a block of
/// columns has functions of its own.
macro_rules! bignum_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $limbs:ty, $features:literal) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::bignum::Kernel = {
            use $crate::bignum::columns::{self, Block, width};
            use $crate::bignum::select::{self, Lanes};
            use $crate::bignum::{Kernel, Modulo};

            const LANES: usize = <$limbs as Lanes>::LANES;

            #[target_feature(enable = $features)]
            unsafe fn low<const W: usize, const SQUARE: bool>(block: &Block<'_>) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { columns::low::<$limbs, W, SQUARE>(block) }
            }

            #[target_feature(enable = $features)]
            unsafe fn high<const W: usize, const SQUARE: bool>(block: &Block<'_>) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
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
                // SAFETY: the contract; blocks come from the lowest to the highest, and have no
                // other widths.
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
                // SAFETY: the contract.
                unsafe { product::<false>(out, a, b, modulo) }
            }

            unsafe fn square(out: *mut u64, a: *const u64, modulo: &Modulo) {
                // SAFETY: the contract.
                unsafe { product::<true>(out, a, a, modulo) }
            }

            #[target_feature(enable = $features)]
            unsafe fn keep(entry: *mut u64, number: *const u64, limbs: usize) {
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { select::keep::<$limbs>(entry, number, limbs) }
            }

            #[target_feature(enable = $features)]
            unsafe fn select(
                out: *mut u64,
                table: *const u64,
                indices: *const u64,
                limbs: usize,
            ) {
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { select::select::<$limbs>(out, table, indices, limbs) }
            }

            let radix = <$limbs as Lanes>::RADIX;
            Kernel { name: $name, lanes: LANES, radix, multiply, square, keep, select }
        };
    };
}
pub(in crate::arch) use bignum_kernel;

/// Makes the kernel of one number on integers.
macro_rules! bignum_words_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal $(, $features:literal)?) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::bignum::Kernel = {
            use $crate::bignum::{Kernel, Modulo, Radix, select, words};
            use $crate::plain::Plain;

            $(#[target_feature(enable = $features)])?
            unsafe fn multiply(out: *mut u64, a: *const u64, b: *const u64, modulo: &Modulo) {
                // SAFETY: the contract.
                unsafe { words::multiply(out, a, b, modulo) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn square(out: *mut u64, a: *const u64, modulo: &Modulo) {
                // SAFETY: the contract.
                unsafe { words::multiply(out, a, a, modulo) }
            }

            unsafe fn keep(entry: *mut u64, number: *const u64, limbs: usize) {
                // SAFETY: the contract.
                unsafe { select::keep::<Plain<u64>>(entry, number, limbs) }
            }

            unsafe fn select(
                out: *mut u64,
                table: *const u64,
                indices: *const u64,
                limbs: usize,
            ) {
                // SAFETY: the contract.
                unsafe { select::select::<Plain<u64>>(out, table, indices, limbs) }
            }

            let radix = Radix::Bits64;
            Kernel { name: $name, lanes: 1, radix, multiply, square, keep, select }
        };
    };
}
pub(in crate::arch) use bignum_words_kernel;
