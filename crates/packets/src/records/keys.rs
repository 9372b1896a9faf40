//! The keys of one direction.

use std::sync::atomic::{AtomicU64, Ordering};

use broadloom_engine::{Registry, Session, Transform};
use zeroize::{Zeroize, Zeroizing};

use super::expand::expand_label;
use super::suite::RecordAead;
use crate::error::{FlowError, PacketError};

/// The keys of one direction, as a handshake leaves them.
#[derive(Clone, Copy)]
pub enum RecordKeys<'k> {
    /// A traffic secret of TLS 1.3 or DTLS 1.3, from which the key and the IV are derived, and the
    /// next secret after a key update.
    Secret(&'k [u8]),
    /// A key and an IV, such as kTLS takes. The IV has 12 bytes; with AES-GCM and AES-CCM in
    /// TLS 1.2 and DTLS 1.2 it is the salt of 4 bytes.
    Raw {
        /// The key.
        key: &'k [u8],
        /// The IV or the salt.
        iv: &'k [u8],
    },
    /// A key of AES and a key of HMAC, for suites of TLS 1.2 and DTLS 1.2 with AES-CBC.
    CipherAndMac {
        /// The key of AES.
        key: &'k [u8],
        /// The key of HMAC, as long as the hash's digest.
        mac_key: &'k [u8],
    },
}

/// The numbers of the records that one direction sends.
pub(crate) struct Numbers {
    next: AtomicU64,
    /// One more than the last number that may be used.
    limit: u64,
}

impl Numbers {
    /// Returns numbers from `next` on, all below `limit`.
    pub(crate) fn new(next: u64, limit: u64) -> Self {
        Numbers { next: AtomicU64::new(next), limit }
    }

    /// Returns the number that is taken next; `None` if there is none left.
    pub(crate) fn peek(&self) -> Option<u64> {
        let next = self.next.load(Ordering::Relaxed);
        (next < self.limit).then_some(next)
    }

    /// Takes the next number.
    #[inline]
    pub(crate) fn take(&self) -> Result<u64, PacketError> {
        let next = |next: u64| (next < self.limit).then(|| next + 1);
        let taken = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        taken.map_err(|_| PacketError::SequenceCycled)
    }
}

/// Returns the nonce of a record: the IV, whose last 8 bytes are combined with the sequence number
/// by exclusive or (RFC 8446, 5.3).
#[inline]
pub(crate) fn xor_nonce(iv: &[u8; 12], number: u64) -> [u8; 12] {
    let mut nonce = *iv;
    for (byte, of_number) in nonce[4..].iter_mut().zip(number.to_be_bytes()) {
        *byte ^= of_number;
    }
    nonce
}

/// One direction of TLS 1.3 or DTLS 1.3 under one key.
pub(crate) struct Side {
    pub(crate) session: Session,
    iv: [u8; 12],
    numbers: Numbers,
    /// The traffic secret; empty if the keys are raw.
    secret: Zeroizing<Vec<u8>>,
}

impl Drop for Side {
    fn drop(&mut self) {
        self.iv.zeroize();
    }
}

/// What a [`Side`] is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Seal,
    Open,
}

impl Side {
    /// Opens one direction, whose next record has the number `next`. `prefix` is that of the labels
    /// by which keys are derived, and `last` the last number that the protocol has.
    pub(crate) fn open(
        registry: &Registry,
        aead: RecordAead,
        keys: RecordKeys<'_>,
        prefix: &str,
        usage: Use,
        (next, last): (u64, u64),
    ) -> Result<Self, FlowError> {
        let (key, iv, secret) = match keys {
            RecordKeys::Raw { key, iv } => {
                (Zeroizing::new(key.to_vec()), Zeroizing::new(iv.to_vec()), &[][..])
            }
            RecordKeys::CipherAndMac { .. } => {
                return Err(FlowError::Parameter {
                    what: "the keys of an AEAD",
                    value: "keys of a cipher and a MAC".to_owned(),
                    valid: "a traffic secret, or a raw key and its IV".to_owned(),
                });
            }
            RecordKeys::Secret(secret) => {
                check_secret(aead, secret)?;
                let derive =
                    |label, len| expand_label(registry, aead.hash(), secret, prefix, label, len);
                (derive("key", aead.key_len())?, derive("iv", 12)?, secret)
            }
        };
        let wrong_iv = |_| FlowError::KeyLength {
            what: "an IV",
            len: iv.len(),
            algorithm: aead.to_string(),
            valid: "12".to_owned(),
        };
        let transform = Transform::aead(aead.algorithm(), &key).tag_len(aead.tag_len());
        let (transform, limit) = match usage {
            Use::Seal => (transform.seal()?, aead.record_limit()),
            Use::Open => (transform.open()?, u64::MAX),
        };
        Ok(Side {
            session: registry.open(&transform)?,
            iv: <[u8; 12]>::try_from(iv.as_slice()).map_err(wrong_iv)?,
            numbers: Numbers::new(next, limit.min(last + 1)),
            secret: Zeroizing::new(secret.to_vec()),
        })
    }

    /// Opens one direction of TLS 1.2 or DTLS 1.2, whose next record has the number `next`. For
    /// AES-GCM and AES-CCM the IV is the salt, so that [`nonce`](Side::nonce) puts the explicit
    /// part of a nonce behind it.
    pub(crate) fn open_12(
        registry: &Registry,
        aead: RecordAead,
        keys: RecordKeys<'_>,
        usage: Use,
        numbers: (u64, u64),
    ) -> Result<Self, FlowError> {
        let RecordKeys::Raw { key, iv } = keys else {
            return Err(FlowError::Parameter {
                what: "the keys of an AEAD of version 1.2",
                value: "keys of another kind".to_owned(),
                valid: "a raw key and its IV or salt".to_owned(),
            });
        };
        let valid = if aead.explicit_len() == 0 { 12 } else { 4 };
        if iv.len() != valid {
            return Err(FlowError::KeyLength {
                what: "an IV",
                len: iv.len(),
                algorithm: aead.to_string(),
                valid: valid.to_string(),
            });
        }
        let mut whole = Zeroizing::new([0; 12]);
        whole[..valid].copy_from_slice(iv);
        let keys = RecordKeys::Raw { key, iv: whole.as_slice() };
        Side::open(registry, aead, keys, "", usage, numbers)
    }

    /// Opens this direction under its next traffic secret (RFC 8446, 7.2), from number 0 on.
    pub(crate) fn updated(
        &self,
        registry: &Registry,
        aead: RecordAead,
        prefix: &str,
        usage: Use,
        last: u64,
    ) -> Result<Self, FlowError> {
        let next = self.next_secret(registry, aead, prefix)?;
        Side::open(registry, aead, RecordKeys::Secret(&next), prefix, usage, (0, last))
    }

    /// Returns the traffic secret after this one (RFC 8446, 7.2).
    pub(crate) fn next_secret(
        &self,
        registry: &Registry,
        aead: RecordAead,
        prefix: &str,
    ) -> Result<Zeroizing<Vec<u8>>, FlowError> {
        if self.secret.is_empty() {
            return Err(FlowError::Parameter {
                what: "the key before a key update",
                value: "a raw key".to_owned(),
                valid: "a traffic secret".to_owned(),
            });
        }
        let (hash, len) = (aead.hash(), aead.hash().digest_len());
        expand_label(registry, hash, &self.secret, prefix, "traffic upd", len)
    }

    /// Returns the number that is taken next; `None` if there is none left.
    pub(crate) fn peek(&self) -> Option<u64> {
        self.numbers.peek()
    }

    /// Takes the next number.
    #[inline]
    pub(crate) fn take(&self) -> Result<u64, PacketError> {
        self.numbers.take()
    }

    /// Returns the nonce of a record.
    #[inline]
    pub(crate) fn nonce(&self, number: u64) -> [u8; 12] {
        xor_nonce(&self.iv, number)
    }
}

/// Checks the length of a traffic secret.
fn check_secret(aead: RecordAead, secret: &[u8]) -> Result<(), FlowError> {
    let len = aead.hash().digest_len();
    match secret.len() == len {
        true => Ok(()),
        false => Err(FlowError::KeyLength {
            what: "a traffic secret",
            len: secret.len(),
            algorithm: aead.to_string(),
            valid: len.to_string(),
        }),
    }
}
