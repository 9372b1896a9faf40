//! Curves y² = x³ + a·x + b over a prime field, of which the number of points is a prime
//! (SP 800-186, 3.2.1; SEC 2): points, one at a time and in lanes. What differs between the curves
//! is in `p256`, `p384`, `p521` and `secp256k1`.

pub(crate) mod curve;
pub(crate) mod error;
pub(crate) mod multiply;
pub(crate) mod p256;
pub(crate) mod p384;
pub(crate) mod p521;
pub(crate) mod points;
pub(crate) mod secp256k1;
