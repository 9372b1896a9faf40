//! The hybrids of ML-KEM-768 and a curve.

use super::MlKemSet;

/// A hybrid of ML-KEM-768 and an agreement on a curve, as TLS 1.3 has it
/// (draft-ietf-tls-ecdhe-mlkem): its secret stays secret as long as one of the two is not broken.
///
/// Shares, keys, seeds and secrets consist of a part of ML-KEM and a part of the curve, in the
/// order that the draft gives the hybrid: with X25519, ML-KEM comes first, and with P-256, the
/// curve comes first. Points of P-256 are uncompressed (SEC 1, 2.3.3).
///
/// | bytes of | X25519MLKEM768 | SecP256r1MLKEM768 |
/// |---|---|---|
/// | a public key, the client's share | 1184 and 32 | 65 and 1184 |
/// | a ciphertext, the server's share | 1088 and 32 | 65 and 1088 |
/// | a secret | 32 and 32 | 32 and 32 |
/// | a private key | 2400 and 32 | 32 and 2400 |
/// | a seed | 64 and 32 | 32 and 64 |
/// | the randomness of an encapsulation | 32 and 32 | 32 and 32 |
///
/// ```
/// use broadloom_engine::HybridKem;
///
/// let kem = HybridKem::X25519MlKem768;
/// assert_eq!((kem.name(), kem.ciphertext_len()), ("x25519-ml-kem-768", 1120));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HybridKem {
    /// X25519MLKEM768.
    X25519MlKem768,
    /// SecP256r1MLKEM768.
    P256MlKem768,
}

impl HybridKem {
    /// Both of them.
    pub const ALL: [HybridKem; 2] = [HybridKem::X25519MlKem768, HybridKem::P256MlKem768];

    /// The parameter set of the part of ML-KEM.
    pub const SET: MlKemSet = MlKemSet::MlKem768;

    /// Bytes of a private key of the curve.
    pub const SCALAR_LEN: usize = 32;

    /// Bytes of a seed, of which a key is generated: that of ML-KEM, and the private key of the
    /// curve.
    pub const SEED_LEN: usize = MlKemSet::SEED_LEN + Self::SCALAR_LEN;

    /// Bytes of the randomness of an encapsulation: that of ML-KEM, and the private key of the
    /// share on the curve.
    pub const RANDOMNESS_LEN: usize = MlKemSet::RANDOMNESS_LEN + Self::SCALAR_LEN;

    /// Bytes of a private key: the expanded decapsulation key, and the private key of the curve.
    pub const PRIVATE_KEY_LEN: usize = Self::SET.private_key_len() + Self::SCALAR_LEN;

    /// Bytes of a shared secret: that of ML-KEM, and that of the curve.
    pub const SECRET_LEN: usize = MlKemSet::SECRET_LEN + 32;

    /// The name: `x25519-ml-kem-768`.
    pub const fn name(self) -> &'static str {
        match self {
            HybridKem::X25519MlKem768 => "x25519-ml-kem-768",
            HybridKem::P256MlKem768 => "p256-ml-kem-768",
        }
    }

    /// Bytes of a public key of the curve.
    pub const fn point_len(self) -> usize {
        match self {
            HybridKem::X25519MlKem768 => 32,
            HybridKem::P256MlKem768 => 65,
        }
    }

    /// Bytes of a public key.
    pub const fn public_key_len(self) -> usize {
        Self::SET.public_key_len() + self.point_len()
    }

    /// Bytes of a ciphertext.
    pub const fn ciphertext_len(self) -> usize {
        Self::SET.ciphertext_len() + self.point_len()
    }

    /// Bytes of a generated pair: the private key, and behind it the public key.
    pub const fn pair_len(self) -> usize {
        Self::PRIVATE_KEY_LEN + self.public_key_len()
    }

    /// Returns the private and the public key of a generated pair.
    ///
    /// ```
    /// use broadloom_engine::HybridKem;
    ///
    /// let kem = HybridKem::P256MlKem768;
    /// let (private, public) = kem.keys_of(&[0; 3681]);
    /// assert_eq!((private.len(), public.len()), (2432, 1249));
    /// ```
    ///
    /// # Panics
    /// If there are more or fewer bytes than a [pair](HybridKem::pair_len) has.
    pub fn keys_of(self, pair: &[u8]) -> (&[u8], &[u8]) {
        assert_eq!(pair.len(), self.pair_len(), "a private and a public key");
        pair.split_at(Self::PRIVATE_KEY_LEN)
    }

    /// Returns the part of ML-KEM and the part of the curve, of which the latter has `len` bytes.
    ///
    /// # Panics
    /// If there are fewer bytes.
    pub fn parts(self, bytes: &[u8], len: usize) -> (&[u8], &[u8]) {
        match self {
            HybridKem::X25519MlKem768 => bytes.split_at(bytes.len() - len),
            HybridKem::P256MlKem768 => {
                let (curve, ml_kem) = bytes.split_at(len);
                (ml_kem, curve)
            }
        }
    }

    /// Returns the same [parts](HybridKem::parts), to be written.
    ///
    /// # Panics
    /// If there are fewer bytes.
    pub fn parts_mut(self, bytes: &mut [u8], len: usize) -> (&mut [u8], &mut [u8]) {
        match self {
            HybridKem::X25519MlKem768 => bytes.split_at_mut(bytes.len() - len),
            HybridKem::P256MlKem768 => {
                let (curve, ml_kem) = bytes.split_at_mut(len);
                (ml_kem, curve)
            }
        }
    }
}
