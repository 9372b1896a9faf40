//! The kernels of SLH-DSA (FIPS 205): chains of hashes, and the addresses that they count on.

pub(crate) mod address;
pub(crate) mod chain;
