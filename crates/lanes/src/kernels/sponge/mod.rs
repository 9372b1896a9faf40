//! Keccak (FIPS 202): the permutation in lanes, and what absorbs blocks.

pub(crate) mod keccak;
pub(crate) mod kernel;
