//! ML-KEM (FIPS 203): arithmetic of polynomials, an operation in each lane.

pub(crate) mod kernel;
pub(crate) mod numbers;
pub(crate) mod pack;
pub(crate) mod ring;
pub(crate) mod sample;
