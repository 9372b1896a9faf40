//! The generic kernels: each is written once, over the vectors or registers of an instruction set.
//! `arch` compiles them.
//!
//! A family has a folder. It holds the contract of its kernels (a structure of functions, which a
//! table of `arch` has an entry for), their generic bodies, the bodies on plain integers, and what
//! they read: expanded keys, tables of constants. Nothing here knows jobs, a scheduler, or which
//! CPU it runs on.

pub(crate) mod bignum;
pub(crate) mod binary;
pub(crate) mod curves;
pub(crate) mod ml_dsa;
pub(crate) mod ml_kem;
pub(crate) mod slh_dsa;
