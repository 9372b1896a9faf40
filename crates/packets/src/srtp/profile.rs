//! The combinations of cipher, MAC and tag that SRTP has.

use std::fmt;
use std::str::FromStr;

use broadloom_engine::{AeadAlgorithm, AesSize, CipherAlgorithm};

use crate::error::FlowError;

/// How SRTP encrypts and authenticates: cipher, MAC and length of the tag.
///
/// SRTCP has the same cipher. Its tags are those of SRTP, but never shorter than 80 bits (RFC 4568,
/// section 6.2.2).
///
/// ```
/// use broadloom_packets::srtp::SrtpProfile;
///
/// let profile: SrtpProfile = "srtp-aes-128-gcm".parse()?;
/// assert_eq!((profile.key_len(), profile.salt_len()), (16, 12));
/// # Ok::<(), broadloom_packets::FlowError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SrtpProfile {
    /// AES-128 in counter mode, tags of 80 bits (RFC 3711).
    Aes128CmHmacSha1_80,
    /// AES-128 in counter mode, tags of 32 bits (RFC 3711).
    Aes128CmHmacSha1_32,
    /// AES-192 in counter mode, tags of 80 bits (RFC 6188).
    Aes192CmHmacSha1_80,
    /// AES-192 in counter mode, tags of 32 bits (RFC 6188).
    Aes192CmHmacSha1_32,
    /// AES-256 in counter mode, tags of 80 bits (RFC 6188).
    Aes256CmHmacSha1_80,
    /// AES-256 in counter mode, tags of 32 bits (RFC 6188).
    Aes256CmHmacSha1_32,
    /// AES-128-GCM (RFC 7714).
    Aes128Gcm,
    /// AES-256-GCM (RFC 7714).
    Aes256Gcm,
    /// No encryption, tags of 80 bits (RFC 3711).
    NullHmacSha1_80,
    /// No encryption, tags of 32 bits (RFC 3711).
    NullHmacSha1_32,
}

/// What protects the packets of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protection {
    /// An AEAD: GCM.
    Aead,
    /// A cipher, and a MAC over its ciphertext.
    Chain,
    /// A MAC alone.
    Mac,
}

impl SrtpProfile {
    /// Every profile.
    pub const ALL: [SrtpProfile; 10] = [
        SrtpProfile::Aes128CmHmacSha1_80,
        SrtpProfile::Aes128CmHmacSha1_32,
        SrtpProfile::Aes192CmHmacSha1_80,
        SrtpProfile::Aes192CmHmacSha1_32,
        SrtpProfile::Aes256CmHmacSha1_80,
        SrtpProfile::Aes256CmHmacSha1_32,
        SrtpProfile::Aes128Gcm,
        SrtpProfile::Aes256Gcm,
        SrtpProfile::NullHmacSha1_80,
        SrtpProfile::NullHmacSha1_32,
    ];

    /// Returns the profile's name.
    pub const fn name(self) -> &'static str {
        match self {
            SrtpProfile::Aes128CmHmacSha1_80 => "srtp-aes-128-cm-hmac-sha1-80",
            SrtpProfile::Aes128CmHmacSha1_32 => "srtp-aes-128-cm-hmac-sha1-32",
            SrtpProfile::Aes192CmHmacSha1_80 => "srtp-aes-192-cm-hmac-sha1-80",
            SrtpProfile::Aes192CmHmacSha1_32 => "srtp-aes-192-cm-hmac-sha1-32",
            SrtpProfile::Aes256CmHmacSha1_80 => "srtp-aes-256-cm-hmac-sha1-80",
            SrtpProfile::Aes256CmHmacSha1_32 => "srtp-aes-256-cm-hmac-sha1-32",
            SrtpProfile::Aes128Gcm => "srtp-aes-128-gcm",
            SrtpProfile::Aes256Gcm => "srtp-aes-256-gcm",
            SrtpProfile::NullHmacSha1_80 => "srtp-null-hmac-sha1-80",
            SrtpProfile::NullHmacSha1_32 => "srtp-null-hmac-sha1-32",
        }
    }

    /// Returns the size of AES, which also derives the session keys.
    pub(super) const fn size(self) -> AesSize {
        match self {
            SrtpProfile::Aes192CmHmacSha1_80 | SrtpProfile::Aes192CmHmacSha1_32 => AesSize::Aes192,
            SrtpProfile::Aes256CmHmacSha1_80
            | SrtpProfile::Aes256CmHmacSha1_32
            | SrtpProfile::Aes256Gcm => AesSize::Aes256,
            _ => AesSize::Aes128,
        }
    }

    /// Returns what protects the packets.
    pub(super) const fn protection(self) -> Protection {
        match self {
            SrtpProfile::Aes128Gcm | SrtpProfile::Aes256Gcm => Protection::Aead,
            SrtpProfile::NullHmacSha1_80 | SrtpProfile::NullHmacSha1_32 => Protection::Mac,
            _ => Protection::Chain,
        }
    }

    /// Returns the cipher in counter mode, which also derives the session keys.
    pub(super) const fn cipher(self) -> CipherAlgorithm {
        CipherAlgorithm::AesCtr(self.size())
    }

    /// Returns the AEAD; `None` if a MAC authenticates.
    pub(super) const fn aead(self) -> Option<AeadAlgorithm> {
        match self.protection() {
            Protection::Aead => Some(AeadAlgorithm::AesGcm(self.size())),
            Protection::Chain | Protection::Mac => None,
        }
    }

    /// Returns the bytes of a master key.
    pub const fn key_len(self) -> usize {
        match self.size() {
            AesSize::Aes128 => 16,
            AesSize::Aes192 => 24,
            AesSize::Aes256 => 32,
        }
    }

    /// Returns the bytes of a master salt.
    pub const fn salt_len(self) -> usize {
        match self.protection() {
            Protection::Aead => 12,
            Protection::Chain | Protection::Mac => 14,
        }
    }

    /// Returns the bytes of the tag of an SRTP packet.
    pub const fn tag_len(self) -> usize {
        match self {
            SrtpProfile::Aes128Gcm | SrtpProfile::Aes256Gcm => 16,
            SrtpProfile::Aes128CmHmacSha1_32
            | SrtpProfile::Aes192CmHmacSha1_32
            | SrtpProfile::Aes256CmHmacSha1_32
            | SrtpProfile::NullHmacSha1_32 => 4,
            _ => 10,
        }
    }

    /// Returns the bytes of the tag of an SRTCP packet.
    pub const fn rtcp_tag_len(self) -> usize {
        match self.protection() {
            Protection::Aead => 16,
            Protection::Chain | Protection::Mac => 10,
        }
    }
}

impl fmt::Display for SrtpProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SrtpProfile {
    type Err = FlowError;

    fn from_str(name: &str) -> Result<Self, FlowError> {
        let found = SrtpProfile::ALL.into_iter().find(|profile| profile.name() == name);
        found.ok_or_else(|| FlowError::Parameter {
            what: "the SRTP profile",
            value: name.to_owned(),
            valid: SrtpProfile::ALL.map(SrtpProfile::name).join(", "),
        })
    }
}
