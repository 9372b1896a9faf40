//! Keys (FIPS 205, section 9.1), expanded once.

use core::fmt;

use broadloom_lanes::inside::hash::HashState;
use broadloom_lanes::{Compression, Hash, HmacKey, Sha256, Sha512};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::error::SlhDsaError;
use super::params::{MAX_N, SlhDsaParams, SlhDsaSet};

/// A public key: PK.seed and PK.root.
///
/// ```
/// use broadloom_public_key::{SlhDsaPublicKey, SlhDsaSet};
///
/// let key = SlhDsaPublicKey::new(SlhDsaSet::Sha2_128s, &[7; 32])?;
/// assert_eq!(key.bytes(), [7; 32]);
/// assert!(SlhDsaPublicKey::new(SlhDsaSet::Sha2_192s, &[7; 32]).is_err());
/// # Ok::<(), broadloom_public_key::SlhDsaError>(())
/// ```
#[derive(Clone)]
pub struct SlhDsaPublicKey {
    set: SlhDsaSet,
    bytes: [u8; 2 * MAX_N],
    /// SHA-2: the states after PK.seed, which is padded to a block.
    pub(super) sha256: HashState<u32>,
    pub(super) sha512: HashState<u64>,
}

/// A private key: SK.seed, SK.prf and the public key. Wiped when dropped.
pub struct SlhDsaPrivateKey {
    secret: [u8; 2 * MAX_N],
    pub(super) prf: Prf,
    public: SlhDsaPublicKey,
}

/// SK.prf, as the hash takes it.
pub(super) enum Prf {
    Sha256(HmacKey<Sha256>),
    Sha512(HmacKey<Sha512>),
    /// It is hashed with each message.
    Shake,
}

/// Returns the state of a hash after a block of these bytes and zeros.
fn after<A: Hash>(bytes: &[u8]) -> HashState<A::Word> {
    let mut block = [0; 128];
    block[..bytes.len()].copy_from_slice(bytes);
    let mut state = *A::INITIAL;
    A::plain().absorb(&mut state, &block[..<A as Compression>::BLOCK_LEN]);
    state
}

impl SlhDsaPublicKey {
    /// Takes PK.seed and PK.root. Any bytes are a key.
    ///
    /// # Errors
    /// [`SlhDsaError::Length`] if there is another number of bytes than the set has.
    pub fn new(set: SlhDsaSet, key: &[u8]) -> Result<Self, SlhDsaError> {
        SlhDsaError::check("a public key", key.len(), set.public_key_len())?;
        let mut bytes = [0; 2 * MAX_N];
        bytes[..key.len()].copy_from_slice(key);
        let seed = &key[..set.node_len()];
        Ok(SlhDsaPublicKey {
            set,
            bytes,
            sha256: after::<Sha256>(seed),
            sha512: after::<Sha512>(seed),
        })
    }

    /// Returns the parameter set.
    pub fn set(&self) -> SlhDsaSet {
        self.set
    }

    /// Returns PK.seed and PK.root.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.set.public_key_len()]
    }

    pub(super) fn params(&self) -> SlhDsaParams {
        self.set.params()
    }

    pub(super) fn seed(&self) -> &[u8] {
        &self.bytes[..self.set.node_len()]
    }

    pub(super) fn root(&self) -> &[u8] {
        &self.bytes()[self.set.node_len()..]
    }
}

impl SlhDsaPrivateKey {
    /// Takes SK.seed, SK.prf, PK.seed and PK.root. That PK.root belongs to the others is not
    /// checked: this would take as long as to make a key.
    ///
    /// # Errors
    /// [`SlhDsaError::Length`] if there is another number of bytes than the set has.
    pub fn new(set: SlhDsaSet, key: &[u8]) -> Result<Self, SlhDsaError> {
        SlhDsaError::check("a private key", key.len(), set.private_key_len())?;
        let (secrets, public) = key.split_at(2 * set.node_len());
        let public = SlhDsaPublicKey::new(set, public)?;
        let mut secret = [0; 2 * MAX_N];
        secret[..secrets.len()].copy_from_slice(secrets);
        let of = &secrets[set.node_len()..];
        let prf = match public.params() {
            SlhDsaParams { is_shake: true, .. } => Prf::Shake,
            SlhDsaParams { n: 16, .. } => Prf::Sha256(HmacKey::new(of)),
            _ => Prf::Sha512(HmacKey::new(of)),
        };
        Ok(SlhDsaPrivateKey { secret, prf, public })
    }

    /// Returns the public key.
    pub fn public(&self) -> &SlhDsaPublicKey {
        &self.public
    }

    /// Returns the parameter set.
    pub fn set(&self) -> SlhDsaSet {
        self.public.set
    }

    pub(super) fn seed(&self) -> &[u8] {
        &self.secret[..self.set().node_len()]
    }

    pub(super) fn prf_key(&self) -> &[u8] {
        let n = self.set().node_len();
        &self.secret[n..2 * n]
    }
}

impl Drop for SlhDsaPrivateKey {
    fn drop(&mut self) {
        self.secret.zeroize();
    }
}

impl ZeroizeOnDrop for SlhDsaPrivateKey {}

impl fmt::Debug for SlhDsaPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SlhDsaPublicKey of {}", self.set)
    }
}

impl fmt::Debug for SlhDsaPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SlhDsaPrivateKey of {}", self.public.set)
    }
}
