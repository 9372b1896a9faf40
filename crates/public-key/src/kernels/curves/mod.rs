//! Points of elliptic curves, in lanes: X25519 (RFC 7748), Ed25519 (RFC 8032), P-256, P-384
//! and P-521 (SP 800-186), secp256k1 (SEC 2).
//!
//! Curves are written once over [`element`], arithmetic modulo a prime in limbs, which is written
//! once over [`words`]: limbs of about 50 bits for instructions that multiply and add 52 bits and
//! for integers, limbs of 24 to 28 bits for products of 32 bits. [`weierstrass`] is written once
//! for all of its curves, over [`montgomery`], which is written once for their primes. Numbers
//! modulo the order of a base point are computed with on integers ([`scalar`]).

pub(crate) mod columns;
pub(crate) mod edwards;
pub(crate) mod element;
pub(crate) mod kernel;
pub(crate) mod montgomery;
pub(crate) mod prime25519;
pub(crate) mod scalar;
pub(crate) mod weierstrass;
pub(crate) mod words;
pub(crate) mod x25519;
