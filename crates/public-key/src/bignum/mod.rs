//! Arithmetic on large numbers with kernels: moduli, and powers of the numbers in lanes. The
//! kernels are in `kernels/bignum`.

mod modulus;
mod power;

pub(crate) use modulus::Modulus;
pub(crate) use power::Powers;
