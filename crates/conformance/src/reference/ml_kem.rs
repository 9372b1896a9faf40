//! ML-KEM (FIPS 203) by the crate `ml-kem`, one operation after another.

use broadloom_engine::MlKemSet;
use ml_kem::kem::Decapsulate;
use ml_kem::{DecapsulationKey, EncapsulationKey, MlKem512, MlKem768, MlKem1024};

/// Computes something with the type of a set.
macro_rules! by_set {
    ($set:expr, $Kem:ident => $computed:expr) => {
        match $set {
            MlKemSet::MlKem512 => {
                type $Kem = MlKem512;
                $computed
            }
            MlKemSet::MlKem768 => {
                type $Kem = MlKem768;
                $computed
            }
            MlKemSet::MlKem1024 => {
                type $Kem = MlKem1024;
                $computed
            }
        }
    };
}

/// Returns the expanded decapsulation key of a seed.
///
/// # Panics
/// If the seed does not have 64 bytes.
pub fn generate(set: MlKemSet, seed: &[u8]) -> Vec<u8> {
    by_set!(set, Kem => {
        let seed = seed.try_into().expect("a seed has 64 bytes");
        let key = DecapsulationKey::<Kem>::from_seed(seed);
        #[allow(deprecated, reason = "the encoding is the standard's")]
        ml_kem::ExpandedKeyEncoding::to_expanded_bytes(&key).to_vec()
    })
}

/// Returns the ciphertext that 32 random bytes make for the owner of an encapsulation key, and the
/// secret behind it; `None` if the key is not valid.
///
/// # Panics
/// If there are more or fewer random bytes.
pub fn encapsulate(set: MlKemSet, public: &[u8], random: &[u8]) -> Option<Vec<u8>> {
    by_set!(set, Kem => {
        let key = EncapsulationKey::<Kem>::new(public.try_into().ok()?).ok()?;
        let random = random.try_into().expect("there are 32 bytes");
        let (ciphertext, secret) = key.encapsulate_deterministic(&random);
        Some([&ciphertext[..], &secret[..]].concat())
    })
}

/// Returns the secret of a ciphertext, by an expanded decapsulation key; `None` if the key or the
/// length of the ciphertext is not valid.
pub fn decapsulate(set: MlKemSet, private: &[u8], ciphertext: &[u8]) -> Option<Vec<u8>> {
    by_set!(set, Kem => {
        #[allow(deprecated, reason = "the encoding is the standard's")]
        let key = DecapsulationKey::<Kem>::from_expanded(private.try_into().ok()?).ok()?;
        Some(key.decapsulate(ciphertext.try_into().ok()?).to_vec())
    })
}
