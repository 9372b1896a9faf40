//! ML-KEM and its hybrids by one name.

use broadloom_engine::Kem;

use super::{hybrid, ml_kem};

/// Returns what a job that generates a key of a seed puts out; `None` if the seed is not valid.
///
/// # Panics
/// If the seed has another length than the algorithm's.
pub fn generate(kem: Kem, seed: &[u8]) -> Option<Vec<u8>> {
    match kem {
        Kem::MlKem(set) => Some(ml_kem::generate(set, seed)),
        Kem::Hybrid(kem) => hybrid::generate(kem, seed),
    }
}

/// Returns the ciphertext that random bytes make for the owner of a public key, and the secret
/// behind it; `None` if the key or the randomness is not valid.
///
/// # Panics
/// If there are more or fewer random bytes than the algorithm takes.
pub fn encapsulate(kem: Kem, public: &[u8], random: &[u8]) -> Option<Vec<u8>> {
    match kem {
        Kem::MlKem(set) => ml_kem::encapsulate(set, public, random),
        Kem::Hybrid(kem) => hybrid::encapsulate(kem, public, random),
    }
}

/// Returns the secret of a ciphertext, by an expanded private key; `None` if one of them is not
/// valid.
pub fn decapsulate(kem: Kem, private: &[u8], ciphertext: &[u8]) -> Option<Vec<u8>> {
    match kem {
        Kem::MlKem(set) => ml_kem::decapsulate(set, private, ciphertext),
        Kem::Hybrid(kem) => hybrid::decapsulate(kem, private, ciphertext),
    }
}
