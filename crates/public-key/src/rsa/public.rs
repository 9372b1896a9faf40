//! Public keys.

use core::fmt;

use super::SIZES;
use super::error::RsaKeyError;
use crate::arch::portable;
use crate::bignum::Modulus;
use crate::kernels::bignum::Number;

/// An RSA public key (RFC 8017, section 3.1): a modulus of 1024, 2048, 3072 or 4096 bits, and an
/// odd exponent from 3 up, of at most 64 bits.
///
/// ```
/// use broadloom_public_key::{RsaKeyError, RsaPublicKey};
///
/// let key = RsaPublicKey::new(&[0xff; 256], &[1, 0, 1])?;
/// assert_eq!((key.bits(), key.exponent()), (2048, 65537));
/// assert_eq!(RsaPublicKey::new(&[0xff; 256], &[1]).unwrap_err(), RsaKeyError::PublicExponent);
/// # Ok::<(), RsaKeyError>(())
/// ```
#[derive(Clone)]
pub struct RsaPublicKey {
    modulus: Modulus,
    exponent: u64,
}

impl RsaPublicKey {
    /// Takes a modulus and an exponent, both big-endian, with or without zeros in front.
    ///
    /// # Errors
    /// [`RsaKeyError`] says which rule they break.
    pub fn new(modulus: &[u8], exponent: &[u8]) -> Result<Self, RsaKeyError> {
        let zeros = modulus.iter().take_while(|byte| **byte == 0).count();
        let modulus = &modulus[zeros..];
        let spare = modulus.first().map_or(0, |byte| byte.leading_zeros() as usize);
        let bits = 8 * modulus.len() - spare;
        let is_known = SIZES.contains(&bits);
        let value = is_known.then(|| Number::from_bytes(modulus, bits / 64)).flatten();
        let value = value.ok_or(RsaKeyError::ModulusLength { bits })?;
        if !bool::from(value.is_odd()) {
            return Err(RsaKeyError::EvenModulus);
        }
        let exponent = Number::from_bytes(exponent, 1).map(|exponent| exponent.words()[0]);
        match exponent {
            Some(exponent) if exponent > 1 && exponent % 2 == 1 => {
                let modulus = Modulus::new(value, &portable::BIGNUM);
                Ok(RsaPublicKey { modulus, exponent })
            }
            _ => Err(RsaKeyError::PublicExponent),
        }
    }

    /// Returns the bits of the modulus.
    pub fn bits(&self) -> usize {
        self.modulus.bits()
    }

    /// Returns the bytes of the modulus, of inputs and of outputs.
    pub fn size(&self) -> usize {
        self.bits() / 8
    }

    /// Returns the public exponent.
    pub fn exponent(&self) -> u64 {
        self.exponent
    }

    pub(super) fn modulus(&self) -> &Modulus {
        &self.modulus
    }
}

impl fmt::Debug for RsaPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RsaPublicKey({} bits, exponent {})", self.bits(), self.exponent)
    }
}
