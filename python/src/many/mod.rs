//! One function for each thing that is done to many buffers.

pub mod aead;
pub mod compress;
pub mod hash;
pub mod kem;
pub mod keys;
pub mod sign;
