//! Private keys of the hybrids of ML-KEM and a curve.

use std::fmt;

use zeroize::Zeroizing;

use super::{EcPrivateKey, KeyError, MlKemPrivateKey, Secret};
use crate::algorithm::{Curve, HybridKem};

/// The private key of a [hybrid](HybridKem): that of ML-KEM, and that of the curve. It lives as
/// long as a handshake, and no standard writes it in DER or PEM.
///
/// ```
/// use broadloom_engine::{HybridKem, HybridPrivateKey, Transform};
///
/// let key = HybridPrivateKey::from_seed(HybridKem::X25519MlKem768, &[7; 96])?;
/// let transform = Transform::decapsulate_hybrid(&key);
/// # Ok::<(), broadloom_engine::KeyError>(())
/// ```
#[derive(Clone)]
pub struct HybridPrivateKey {
    kem: HybridKem,
    ml_kem: MlKemPrivateKey,
    scalar: Secret,
}

impl HybridPrivateKey {
    /// Returns the key of a seed: that of ML-KEM and the private key of the curve, in the order of
    /// the hybrid.
    ///
    /// # Errors
    /// Another number of bytes than 96, or a private key of P-256 that is zero or not below the
    /// order.
    pub fn from_seed(kem: HybridKem, seed: &[u8]) -> Result<HybridPrivateKey, KeyError> {
        let (ml_kem, scalar) = split(kem, "a seed of a hybrid", seed, HybridKem::SEED_LEN)?;
        Ok(HybridPrivateKey {
            kem,
            ml_kem: MlKemPrivateKey::from_seed(HybridKem::SET, ml_kem)?,
            scalar: checked(kem, scalar)?,
        })
    }

    /// Returns the key of an expanded decapsulation key and the private key of the curve, in the
    /// order of the hybrid.
    ///
    /// # Errors
    /// Another number of bytes than 2432, or a private key of P-256 that is zero or not below the
    /// order.
    pub fn from_expanded(kem: HybridKem, key: &[u8]) -> Result<HybridPrivateKey, KeyError> {
        let what = "a private key of a hybrid";
        let (ml_kem, scalar) = split(kem, what, key, HybridKem::PRIVATE_KEY_LEN)?;
        Ok(HybridPrivateKey {
            kem,
            ml_kem: MlKemPrivateKey::from_expanded(HybridKem::SET, ml_kem)?,
            scalar: checked(kem, scalar)?,
        })
    }

    /// The hybrid.
    pub fn kem(&self) -> HybridKem {
        self.kem
    }

    /// The private key of ML-KEM.
    pub fn ml_kem(&self) -> &MlKemPrivateKey {
        &self.ml_kem
    }

    /// The private key of the curve, 32 bytes: of X25519, or a scalar of P-256 in big-endian order.
    pub fn scalar(&self) -> &[u8] {
        self.scalar.as_bytes()
    }

    /// Bytes that no other key has.
    pub(crate) fn secret(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new([self.ml_kem.as_bytes(), self.scalar()].concat())
    }
}

impl fmt::Debug for HybridPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a private key of {}", self.kem.name())
    }
}

/// Checks the length, and returns the part of ML-KEM and that of the curve.
fn split<'b>(
    kem: HybridKem,
    what: &'static str,
    bytes: &'b [u8],
    valid: usize,
) -> Result<(&'b [u8], &'b [u8]), KeyError> {
    KeyError::check_len(what, bytes, valid)?;
    Ok(kem.parts(bytes, HybridKem::SCALAR_LEN))
}

/// Checks a private key of the curve.
fn checked(kem: HybridKem, scalar: &[u8]) -> Result<Secret, KeyError> {
    if kem == HybridKem::P256MlKem768 {
        EcPrivateKey::new(Curve::P256, scalar)?;
    }
    Secret::from_slice(scalar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_the_order_of_the_hybrid() {
        for kem in HybridKem::ALL {
            let mut seed = [1; 96];
            kem.parts_mut(&mut seed, 32).1.fill(2);
            let key = HybridPrivateKey::from_seed(kem, &seed).expect("96 bytes");
            assert_eq!((key.ml_kem().seed(), key.scalar()), (Some(&[1; 64][..]), &[2; 32][..]));
            let first = kem == HybridKem::P256MlKem768;
            assert_eq!(seed[0] == 2, first, "{}", kem.name());
            let mut expanded = [1; 2432];
            kem.parts_mut(&mut expanded, 32).1.fill(2);
            let key = HybridPrivateKey::from_expanded(kem, &expanded).expect("2432 bytes");
            let own = key.ml_kem().expanded();
            assert_eq!((own, key.scalar()), (Some(&[1; 2400][..]), &[2; 32][..]));
            assert_eq!(format!("{key:?}"), format!("a private key of {}", kem.name()));
        }
    }

    #[test]
    fn wrong_lengths_and_scalars_are_refused() {
        for kem in HybridKem::ALL {
            let refused = |bytes: &[u8]| HybridPrivateKey::from_seed(kem, bytes).unwrap_err();
            let what = "a seed of a hybrid";
            assert_eq!(refused(&[1; 95]), KeyError::Length { what, len: 95, valid: 96 });
            let error = HybridPrivateKey::from_expanded(kem, &[1; 96]).unwrap_err();
            let what = "a private key of a hybrid";
            assert_eq!(error, KeyError::Length { what, len: 96, valid: 2432 });
        }
        for scalar in [0, 0xff] {
            let mut seed = [1; 96];
            seed[..32].fill(scalar);
            let of = |kem| HybridPrivateKey::from_seed(kem, &seed).err();
            assert_eq!(of(HybridKem::P256MlKem768), Some(KeyError::Scalar));
            seed.rotate_left(32);
            let of = |kem| HybridPrivateKey::from_seed(kem, &seed).err();
            assert_eq!(of(HybridKem::X25519MlKem768), None, "any 32 bytes are a key");
        }
    }
}
