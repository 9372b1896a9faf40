//! Points of elliptic curves over a binary field, in lanes (FIPS 186-4, D.1.3.4).
//!
//! Points are written once over [`element`], arithmetic on polynomials, which is written once over
//! [`pairs`]: registers with 128 bits for each lane, as carry-less products have them. Scalars are
//! computed with on integers ([`order`]), one inversion for a whole group.
//!
//! Nothing here branches on a secret, or finds a place in memory by one. The check of a point takes
//! a time that depends on what is public.

pub(crate) mod curve;
pub(crate) mod element;
pub(crate) mod kernel;
pub(crate) mod order;
pub(crate) mod pairs;
pub(crate) mod points;
