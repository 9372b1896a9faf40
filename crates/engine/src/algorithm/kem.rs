//! The algorithms that encapsulate secrets.

use super::{HybridKem, MlKemSet, PublicKeyAlgorithm};

/// An algorithm that encapsulates secrets: ML-KEM with a parameter set, or a hybrid of it.
///
/// Both have the same three directions, and their jobs have the same parts: seeds, public keys,
/// ciphertexts and secrets. They differ in lengths, and in where a new key's public key is.
///
/// ```
/// use broadloom_engine::{Direction, Job, Kem, MlKemSet, PublicKeyAlgorithm, Transform};
///
/// let kem = Kem::of(PublicKeyAlgorithm::MlKem(MlKemSet::MlKem768)).expect("it encapsulates");
/// assert_eq!((kem.public_key_len(), kem.ciphertext_len(), kem.secret_len()), (1184, 1088, 32));
///
/// let transform = Transform::decapsulate_bytes(kem, &[7; 64])?;
/// assert_eq!(transform.direction(), Direction::Decapsulate);
/// assert_eq!(Kem::of(PublicKeyAlgorithm::Ed25519), None);
/// # Ok::<(), broadloom_engine::KeyError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kem {
    /// ML-KEM (FIPS 203).
    MlKem(MlKemSet),
    /// A hybrid of ML-KEM-768 and a curve, as TLS 1.3 has it.
    Hybrid(HybridKem),
}

impl Kem {
    /// All of them: the sets of ML-KEM, then the hybrids.
    pub const ALL: [Kem; 5] = [
        Kem::MlKem(MlKemSet::MlKem512),
        Kem::MlKem(MlKemSet::MlKem768),
        Kem::MlKem(MlKemSet::MlKem1024),
        Kem::Hybrid(HybridKem::X25519MlKem768),
        Kem::Hybrid(HybridKem::P256MlKem768),
    ];

    /// Returns the algorithm as one that encapsulates, or `None` if it does not.
    pub const fn of(algorithm: PublicKeyAlgorithm) -> Option<Kem> {
        match algorithm {
            PublicKeyAlgorithm::MlKem(set) => Some(Kem::MlKem(set)),
            PublicKeyAlgorithm::Hybrid(kem) => Some(Kem::Hybrid(kem)),
            _ => None,
        }
    }

    /// Returns the parameter set of ML-KEM, or of the part of a hybrid that is ML-KEM.
    pub const fn set(self) -> MlKemSet {
        match self {
            Kem::MlKem(set) => set,
            Kem::Hybrid(_) => HybridKem::SET,
        }
    }

    /// Returns the algorithm for which sessions are opened.
    pub const fn algorithm(self) -> PublicKeyAlgorithm {
        match self {
            Kem::MlKem(set) => PublicKeyAlgorithm::MlKem(set),
            Kem::Hybrid(kem) => PublicKeyAlgorithm::Hybrid(kem),
        }
    }

    /// The name on command lines and in JSON: `ml-kem-768`, `x25519-ml-kem-768`.
    pub const fn name(self) -> &'static str {
        match self {
            Kem::MlKem(set) => set.name(),
            Kem::Hybrid(kem) => kem.name(),
        }
    }

    /// Bytes of a seed, of which a key is generated.
    pub const fn seed_len(self) -> usize {
        match self {
            Kem::MlKem(_) => MlKemSet::SEED_LEN,
            Kem::Hybrid(_) => HybridKem::SEED_LEN,
        }
    }

    /// Bytes of an expanded private key.
    pub const fn private_key_len(self) -> usize {
        match self {
            Kem::MlKem(set) => set.private_key_len(),
            Kem::Hybrid(_) => HybridKem::PRIVATE_KEY_LEN,
        }
    }

    /// Bytes of a public key.
    pub const fn public_key_len(self) -> usize {
        match self {
            Kem::MlKem(set) => set.public_key_len(),
            Kem::Hybrid(kem) => kem.public_key_len(),
        }
    }

    /// Bytes of the randomness of an encapsulation.
    pub const fn randomness_len(self) -> usize {
        match self {
            Kem::MlKem(_) => MlKemSet::RANDOMNESS_LEN,
            Kem::Hybrid(_) => HybridKem::RANDOMNESS_LEN,
        }
    }

    /// Bytes of a ciphertext.
    pub const fn ciphertext_len(self) -> usize {
        match self {
            Kem::MlKem(set) => set.ciphertext_len(),
            Kem::Hybrid(kem) => kem.ciphertext_len(),
        }
    }

    /// Bytes of a shared secret.
    pub const fn secret_len(self) -> usize {
        match self {
            Kem::MlKem(_) => MlKemSet::SECRET_LEN,
            Kem::Hybrid(_) => HybridKem::SECRET_LEN,
        }
    }

    /// Bytes of output of a job that generates a key: an expanded private key, in which the public
    /// key of ML-KEM is, and behind which that of a hybrid is.
    pub const fn generated_len(self) -> usize {
        match self {
            Kem::MlKem(set) => set.private_key_len(),
            Kem::Hybrid(kem) => kem.pair_len(),
        }
    }

    /// Returns the private and the public key of the output of a job that generates a key.
    ///
    /// # Panics
    /// If there are more or fewer bytes than such an [output](Kem::generated_len) has.
    pub fn keys_of(self, generated: &[u8]) -> (&[u8], &[u8]) {
        assert_eq!(generated.len(), self.generated_len(), "what a job generated");
        match self {
            Kem::MlKem(set) => (generated, set.public_of(generated)),
            Kem::Hybrid(kem) => kem.keys_of(generated),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_that_encapsulates_is_one() {
        let kems = Kem::ALL;
        let encapsulates = |algorithm: &PublicKeyAlgorithm| {
            let directions = crate::Algorithm::PublicKey(*algorithm).directions();
            directions.contains(&crate::Direction::Encapsulate)
        };
        let own: Vec<_> = PublicKeyAlgorithm::all().filter(encapsulates).collect();
        assert_eq!(own, kems.map(Kem::algorithm));
        for kem in kems {
            assert_eq!(Kem::of(kem.algorithm()), Some(kem));
            assert_eq!(kem.name(), kem.algorithm().to_string());
        }
        assert_eq!(Kem::of(PublicKeyAlgorithm::X25519), None);
    }

    #[test]
    fn parts_have_the_lengths_that_they_are_said_to_have() {
        for kem in Kem::ALL {
            let generated = vec![0; kem.generated_len()];
            let (private, public) = kem.keys_of(&generated);
            assert_eq!(private.len(), kem.private_key_len(), "{}", kem.name());
            assert_eq!(public.len(), kem.public_key_len(), "{}", kem.name());
        }
        let of = |kem: Kem| {
            [kem.seed_len(), kem.randomness_len(), kem.ciphertext_len(), kem.secret_len()]
        };
        assert_eq!(of(Kem::MlKem(MlKemSet::MlKem512)), [64, 32, 768, 32]);
        assert_eq!(of(Kem::Hybrid(HybridKem::P256MlKem768)), [96, 64, 1153, 64]);
    }
}
