//! Public-key operations on many independent buffers side by side: RSA, elliptic curves, ML-KEM,
//! ML-DSA and SLH-DSA.
//!
//! The lanes are those of [`broadloom_lanes`]: its managers take these jobs, and its [`Cpu`] says
//! which kernels they get. An operation has a lane of a vector, or two, and its own key, so that a
//! burst of operations under different keys fills the vectors.
//!
//! ```
//! use broadloom_lanes::{Cpu, Planner};
//! use broadloom_public_key::{CurveJob, X25519Key};
//!
//! let key = X25519Key::new(&[7; 32]);
//! let mut jobs = [[9; 32], [4; 32]].map(|point| {
//!     CurveJob::x25519(&key, point.to_vec(), ()).expect("a point has 32 bytes")
//! });
//! Planner::new(&Cpu::detect()).process_many(&mut jobs);
//! assert_ne!(jobs[0].output(), jobs[1].output());
//! ```
//!
//! Paddings, nonces and the hashes of what is signed are made elsewhere, but for those of ML-DSA
//! and SLH-DSA.
//!
//! The crate is `no_std`, starts no thread, reads no clock, does no I/O, and allocates only when a
//! manager or a key is built.
//!
//! [`Cpu`]: broadloom_lanes::Cpu

#![no_std]
#![cfg_attr(
    any(constant_time, loom),
    allow(unused, reason = "arch leaves out kernels that use what is common")
)]

extern crate alloc;
#[cfg(test)]
extern crate std;

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod arch;
mod bignum;
mod binary;
mod curves;
mod job;
mod kernels;
mod ml_dsa;
mod ml_kem;
mod prehash;
mod report;
mod rsa;
mod slh_dsa;
mod widths;

pub use binary::{
    BinaryCurveJob, BinaryCurveLanes, BinaryKeyError, BinaryPrivateKey, BinaryPublicKey,
};
pub use curves::{
    CurveError, CurveInputError, CurveJob, CurveLanes, CurveOutcome, Ed25519KeyError,
    Ed25519Multiples, Ed25519PrivateKey, Ed25519PublicKey, P256PrivateKey, P256PublicKey,
    P384PrivateKey, P384PublicKey, P521PrivateKey, P521PublicKey, Secp256k1PrivateKey,
    Secp256k1PublicKey, X25519Key, ed25519_base,
};
pub use job::PublicKeyJob;
pub use kernels::binary::curve::BinaryCurve;
pub use kernels::curves::weierstrass::error::CurveKeyError;
pub use ml_dsa::{
    MlDsaError, MlDsaKeyJob, MlDsaLanes, MlDsaMessage, MlDsaOutcome, MlDsaPrivateKey,
    MlDsaPublicKey, MlDsaSet, MlDsaSignJob, MlDsaVerifyJob,
};
pub use ml_kem::{MlKemError, MlKemJob, MlKemLanes, MlKemPrivateKey, MlKemPublicKey, MlKemSet};
pub use prehash::PreHash;
pub use report::kernels;
pub use rsa::{
    RsaBlind, RsaBlinding, RsaBlindingError, RsaConstants, RsaError, RsaInputError, RsaJob,
    RsaKeyError, RsaLanes, RsaModulus, RsaOutcome, RsaParts, RsaPrivateKey, RsaPublicKey,
};
pub use slh_dsa::{
    SlhDsaError, SlhDsaKeyJob, SlhDsaLanes, SlhDsaMessage, SlhDsaOutcome, SlhDsaParams,
    SlhDsaPlaces, SlhDsaPrivateKey, SlhDsaPublicKey, SlhDsaSet, SlhDsaSignJob, SlhDsaVerifyJob,
};
