//! Products of the lower halves of 64-bit words.

/// Makes a function of the instruction for products of lower halves. Its intrinsic stands for a
/// product of 64 bits whose operands have lost their upper halves; where the compiler makes those
/// ahead, it forgets about them, and takes three instructions in the place of one.
macro_rules! products {
    ($name:ident, $type:ty, $class:ident, $feature:literal) => {
        #[target_feature(enable = $feature)]
        #[inline]
        fn $name(a: $type, b: $type) -> $type {
            let product;
            // SAFETY: the instruction touches its operands and nothing else.
            unsafe {
                // Changes: the register of `product`. No memory, no flags, no stack.
                core::arch::asm!(
                    "vpmuludq {0}, {1}, {2}",
                    lateout($class) product,
                    in($class) a,
                    in($class) b,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
            product
        }
    };
}
pub(in crate::arch) use products;
