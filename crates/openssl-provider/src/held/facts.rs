//! The types of keys that are held here, and libcrypto's names and numbers of them.

use std::ffi::CStr;

use broadloom::public_key::{Kem, MlDsaSet, MlKemSet, PublicKeyAlgorithm};

use crate::line::Kind;

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldType {
    /// A KEM.
    Kem(Kem),
    /// ML-DSA with a parameter set.
    MlDsa(MlDsaSet),
}

/// What libcrypto calls a type of keys, and the numbers that it has for it.
pub struct Facts {
    /// The name.
    pub name: &'static CStr,
    /// The name and all others, with colons between.
    pub names: &'static CStr,
    /// The number of bits: that in the name of ML-KEM, or the bits of ML-DSA's public key.
    pub bits: u16,
    /// The bits of security; of a hybrid, those of its ML-KEM.
    pub security_bits: u16,
    /// The category of security (FIPS 203, table 3; FIPS 204, table 1).
    pub category: u16,
}

impl Facts {
    const fn of_kem(set: MlKemSet, name: &'static CStr, names: &'static CStr) -> Facts {
        let (bits, security_bits, category) = match set {
            MlKemSet::MlKem512 => (512, 128, 1),
            MlKemSet::MlKem768 => (768, 192, 3),
            MlKemSet::MlKem1024 => (1024, 256, 5),
        };
        Facts { name, names, bits, security_bits, category }
    }

    /// A hybrid has one name, which is that of its group, too.
    const fn of_hybrid(name: &'static CStr) -> Facts {
        Facts::of_kem(MlKemSet::MlKem768, name, name)
    }

    const fn of_ml_dsa(set: MlDsaSet, name: &'static CStr, names: &'static CStr) -> Facts {
        let (security_bits, category) = match set {
            MlDsaSet::MlDsa44 => (128, 2),
            MlDsaSet::MlDsa65 => (192, 3),
            MlDsaSet::MlDsa87 => (256, 5),
        };
        let bits = 8 * set.public_key_len() as u16;
        Facts { name, names, bits, security_bits, category }
    }
}

/// Those of [`HeldType::ALL`].
static ALL: [Facts; HeldType::ALL.len()] = [
    Facts::of_kem(
        MlKemSet::MlKem512,
        c"ML-KEM-512",
        c"ML-KEM-512:MLKEM512:id-alg-ml-kem-512:2.16.840.1.101.3.4.4.1",
    ),
    Facts::of_kem(
        MlKemSet::MlKem768,
        c"ML-KEM-768",
        c"ML-KEM-768:MLKEM768:id-alg-ml-kem-768:2.16.840.1.101.3.4.4.2",
    ),
    Facts::of_kem(
        MlKemSet::MlKem1024,
        c"ML-KEM-1024",
        c"ML-KEM-1024:MLKEM1024:id-alg-ml-kem-1024:2.16.840.1.101.3.4.4.3",
    ),
    Facts::of_hybrid(c"X25519MLKEM768"),
    Facts::of_hybrid(c"SecP256r1MLKEM768"),
    Facts::of_ml_dsa(
        MlDsaSet::MlDsa44,
        c"ML-DSA-44",
        c"ML-DSA-44:MLDSA44:2.16.840.1.101.3.4.3.17:id-ml-dsa-44",
    ),
    Facts::of_ml_dsa(
        MlDsaSet::MlDsa65,
        c"ML-DSA-65",
        c"ML-DSA-65:MLDSA65:2.16.840.1.101.3.4.3.18:id-ml-dsa-65",
    ),
    Facts::of_ml_dsa(
        MlDsaSet::MlDsa87,
        c"ML-DSA-87",
        c"ML-DSA-87:MLDSA87:2.16.840.1.101.3.4.3.19:id-ml-dsa-87",
    ),
];

impl HeldType {
    /// All of them: those of [`Kem::ALL`], then the sets of ML-DSA.
    pub const ALL: [HeldType; Kem::ALL.len() + MlDsaSet::ALL.len()] = {
        let mut all = [HeldType::Kem(Kem::ALL[0]); _];
        let mut at = 0;
        while at < all.len() {
            all[at] = match at.checked_sub(Kem::ALL.len()) {
                None => HeldType::Kem(Kem::ALL[at]),
                Some(place) => HeldType::MlDsa(MlDsaSet::ALL[place]),
            };
            at += 1;
        }
        all
    };

    /// Returns the place among [`ALL`](HeldType::ALL).
    pub const fn place(self) -> usize {
        match self {
            HeldType::Kem(Kem::MlKem(set)) => set as usize,
            HeldType::Kem(Kem::Hybrid(kem)) => MlKemSet::ALL.len() + kem as usize,
            HeldType::MlDsa(set) => Kem::ALL.len() + set as usize,
        }
    }

    /// Returns what libcrypto says of the type.
    pub fn facts(self) -> &'static Facts {
        &ALL[self.place()]
    }

    /// Returns libcrypto's name as a text.
    pub fn name(self) -> &'static str {
        self.facts().name.to_str().unwrap_or_default()
    }

    /// Returns the algorithm for which sessions are opened.
    pub fn algorithm(self) -> PublicKeyAlgorithm {
        match self {
            HeldType::Kem(kem) => kem.algorithm(),
            HeldType::MlDsa(set) => PublicKeyAlgorithm::MlDsa(set),
        }
    }

    /// Returns the lanes that its operations share.
    pub fn kind(self) -> Kind {
        match self {
            HeldType::Kem(_) => Kind::Kem,
            HeldType::MlDsa(_) => Kind::MlDsa,
        }
    }

    /// Returns the bytes of a public key.
    pub fn public_key_len(self) -> usize {
        match self {
            HeldType::Kem(kem) => kem.public_key_len(),
            HeldType::MlDsa(set) => set.public_key_len(),
        }
    }

    /// Returns the bytes of an expanded private key.
    pub fn private_key_len(self) -> usize {
        match self {
            HeldType::Kem(kem) => kem.private_key_len(),
            HeldType::MlDsa(set) => set.private_key_len(),
        }
    }

    /// Returns the bytes of a ciphertext or a signature.
    pub fn output_len(self) -> usize {
        match self {
            HeldType::Kem(kem) => kem.ciphertext_len(),
            HeldType::MlDsa(set) => set.signature_len(),
        }
    }

    /// Returns the bytes of the seed of a key; `None` where libcrypto has no seeds.
    pub fn seed_len(self) -> Option<usize> {
        match self {
            HeldType::Kem(Kem::MlKem(_)) => Some(MlKemSet::SEED_LEN),
            HeldType::Kem(Kem::Hybrid(_)) => None,
            HeldType::MlDsa(_) => Some(MlDsaSet::SEED_LEN),
        }
    }

    /// Returns the private and the public key of what the lanes make of a seed.
    pub fn keys_of(self, made: &[u8]) -> (&[u8], &[u8]) {
        match self {
            HeldType::Kem(kem) => kem.keys_of(made),
            HeldType::MlDsa(set) => made.split_at(set.private_key_len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_names_are_those_of_the_list() {
        for (at, one) in HeldType::ALL.into_iter().enumerate() {
            assert_eq!(one.place(), at);
            let names = one.facts().names.to_str().expect("names are ASCII");
            assert_eq!(names.split(':').next(), Some(one.name()));
            match one {
                HeldType::Kem(_) => {
                    let bits = one.facts().bits.to_string();
                    assert!(one.name().ends_with(&bits), "{}", one.name());
                }
                HeldType::MlDsa(set) => {
                    assert_eq!(one.name().to_lowercase(), set.name());
                    assert_eq!(usize::from(one.facts().bits), 8 * one.public_key_len());
                }
            }
        }
    }
}
