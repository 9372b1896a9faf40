//! ML-DSA (FIPS 204): arithmetic of polynomials, an operation in each lane.

pub(crate) mod kernel;
pub(crate) mod numbers;
pub(crate) mod pack;
pub(crate) mod ring;
pub(crate) mod round;
pub(crate) mod sample;
pub(crate) mod shifted;
