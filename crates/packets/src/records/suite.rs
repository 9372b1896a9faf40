//! How records are protected, and the names of it.

use std::fmt;
use std::str::FromStr;

use broadloom_engine::{AeadAlgorithm, AesSize, HashAlgorithm};

use crate::error::FlowError;

/// An AEAD of TLS or DTLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordAead {
    /// AES-128-GCM.
    Aes128Gcm,
    /// AES-256-GCM.
    Aes256Gcm,
    /// ChaCha20-Poly1305.
    ChaCha20Poly1305,
    /// AES-128-CCM.
    Aes128Ccm,
    /// AES-128-CCM with tags of 8 bytes.
    Aes128Ccm8,
    /// AES-256-CCM; TLS 1.3 and DTLS 1.3 have no suite with it.
    Aes256Ccm,
    /// AES-256-CCM with tags of 8 bytes; TLS 1.3 and DTLS 1.3 have no suite with it.
    Aes256Ccm8,
}

impl RecordAead {
    /// All of them.
    pub const ALL: [RecordAead; 7] = [
        RecordAead::Aes128Gcm,
        RecordAead::Aes256Gcm,
        RecordAead::ChaCha20Poly1305,
        RecordAead::Aes128Ccm,
        RecordAead::Aes128Ccm8,
        RecordAead::Aes256Ccm,
        RecordAead::Aes256Ccm8,
    ];

    /// Returns the engine's algorithm.
    pub fn algorithm(self) -> AeadAlgorithm {
        match self {
            RecordAead::Aes128Gcm => AeadAlgorithm::AesGcm(AesSize::Aes128),
            RecordAead::Aes256Gcm => AeadAlgorithm::AesGcm(AesSize::Aes256),
            RecordAead::ChaCha20Poly1305 => AeadAlgorithm::ChaCha20Poly1305,
            RecordAead::Aes128Ccm | RecordAead::Aes128Ccm8 => {
                AeadAlgorithm::AesCcm(AesSize::Aes128)
            }
            RecordAead::Aes256Ccm | RecordAead::Aes256Ccm8 => {
                AeadAlgorithm::AesCcm(AesSize::Aes256)
            }
        }
    }

    /// Returns the bytes of the tag.
    pub fn tag_len(self) -> usize {
        match self {
            RecordAead::Aes128Ccm8 | RecordAead::Aes256Ccm8 => 8,
            _ => 16,
        }
    }

    /// Returns the bytes of the key.
    pub fn key_len(self) -> usize {
        self.algorithm().key_len()
    }

    /// Returns the hash of the suites of TLS 1.3 and DTLS 1.3 with this AEAD, from which their keys
    /// are derived.
    pub fn hash(self) -> HashAlgorithm {
        match self {
            RecordAead::Aes256Gcm => HashAlgorithm::Sha384,
            _ => HashAlgorithm::Sha256,
        }
    }

    /// Returns the bytes of the nonce that a record of TLS 1.2 or DTLS 1.2 carries: 8, behind a
    /// salt of 4 that is part of the keys (RFC 5288, 6655), or none (RFC 7905).
    pub fn explicit_len(self) -> usize {
        match self {
            RecordAead::ChaCha20Poly1305 => 0,
            _ => 8,
        }
    }

    /// Returns how many records may be protected with one key: for AES-GCM 2^24.5 of full length
    /// (RFC 8446, 5.5), for AES-CCM 2^23 (RFC 9147, appendix B). ChaCha20-Poly1305 is limited by
    /// its sequence numbers alone.
    pub fn record_limit(self) -> u64 {
        match self {
            RecordAead::Aes128Gcm | RecordAead::Aes256Gcm => 23_726_566,
            RecordAead::ChaCha20Poly1305 => u64::MAX,
            _ => 1 << 23,
        }
    }

    /// Returns how many forged records a connection of DTLS may receive with one key (RFC 9147,
    /// 4.5.3): 2^36 for AES-GCM and ChaCha20-Poly1305, 2^23.5 for AES-CCM, 2^7 for tags of 8 bytes.
    pub fn forgery_limit(self) -> u64 {
        match self {
            RecordAead::Aes128Ccm | RecordAead::Aes256Ccm => 11_863_283,
            RecordAead::Aes128Ccm8 | RecordAead::Aes256Ccm8 => 1 << 7,
            _ => 1 << 36,
        }
    }

    fn name(self) -> &'static str {
        match self {
            RecordAead::Aes128Gcm => "aes-128-gcm",
            RecordAead::Aes256Gcm => "aes-256-gcm",
            RecordAead::ChaCha20Poly1305 => "chacha20-poly1305",
            RecordAead::Aes128Ccm => "aes-128-ccm",
            RecordAead::Aes128Ccm8 => "aes-128-ccm-8",
            RecordAead::Aes256Ccm => "aes-256-ccm",
            RecordAead::Aes256Ccm8 => "aes-256-ccm-8",
        }
    }
}

impl fmt::Display for RecordAead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// AES-CBC with HMAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CbcHmac {
    /// AES-128-CBC with HMAC-SHA1.
    Aes128Sha1,
    /// AES-256-CBC with HMAC-SHA1.
    Aes256Sha1,
    /// AES-128-CBC with HMAC-SHA256.
    Aes128Sha256,
    /// AES-256-CBC with HMAC-SHA256.
    Aes256Sha256,
    /// AES-256-CBC with HMAC-SHA384.
    Aes256Sha384,
}

impl CbcHmac {
    /// All of them.
    pub const ALL: [CbcHmac; 5] = [
        CbcHmac::Aes128Sha1,
        CbcHmac::Aes256Sha1,
        CbcHmac::Aes128Sha256,
        CbcHmac::Aes256Sha256,
        CbcHmac::Aes256Sha384,
    ];

    /// Returns the length of AES's key.
    pub fn size(self) -> AesSize {
        match self {
            CbcHmac::Aes128Sha1 | CbcHmac::Aes128Sha256 => AesSize::Aes128,
            _ => AesSize::Aes256,
        }
    }

    /// Returns the hash of HMAC.
    pub fn hash(self) -> HashAlgorithm {
        match self {
            CbcHmac::Aes128Sha1 | CbcHmac::Aes256Sha1 => HashAlgorithm::Sha1,
            CbcHmac::Aes128Sha256 | CbcHmac::Aes256Sha256 => HashAlgorithm::Sha256,
            CbcHmac::Aes256Sha384 => HashAlgorithm::Sha384,
        }
    }
}

impl fmt::Display for CbcHmac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = 8 * self.size().key_len();
        write!(f, "aes-{bits}-cbc-hmac-{}", self.hash())
    }
}

/// How records are protected: with an AEAD, or in TLS 1.2 and DTLS 1.2 with a cipher and a MAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordCipher {
    /// An AEAD.
    Aead(RecordAead),
    /// HMAC over the content, and AES-CBC over both (RFC 5246, 6.2.3.2).
    MacThenCbc(CbcHmac),
    /// AES-CBC, and HMAC over the ciphertext (RFC 7366).
    CbcThenMac(CbcHmac),
}

impl From<RecordAead> for RecordCipher {
    fn from(aead: RecordAead) -> Self {
        RecordCipher::Aead(aead)
    }
}

impl fmt::Display for RecordCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordCipher::Aead(aead) => aead.fmt(f),
            RecordCipher::MacThenCbc(suite) => suite.fmt(f),
            RecordCipher::CbcThenMac(suite) => write!(f, "{suite}-encrypt-then-mac"),
        }
    }
}

/// A version of TLS or DTLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordVersion {
    /// TLS 1.2.
    Tls12,
    /// TLS 1.3.
    Tls13,
    /// DTLS 1.2.
    Dtls12,
    /// DTLS 1.3.
    Dtls13,
}

impl RecordVersion {
    /// All of them.
    pub const ALL: [RecordVersion; 4] =
        [RecordVersion::Tls12, RecordVersion::Tls13, RecordVersion::Dtls12, RecordVersion::Dtls13];

    fn ciphers(self) -> Vec<RecordCipher> {
        let takes = |aead: &RecordAead| match self {
            RecordVersion::Tls13 | RecordVersion::Dtls13 => {
                !matches!(aead, RecordAead::Aes256Ccm | RecordAead::Aes256Ccm8)
            }
            RecordVersion::Tls12 | RecordVersion::Dtls12 => true,
        };
        let aeads = RecordAead::ALL.into_iter().filter(takes).map(RecordCipher::Aead);
        let has_cbc = matches!(self, RecordVersion::Tls12 | RecordVersion::Dtls12);
        let suites = CbcHmac::ALL.into_iter().filter(|_| has_cbc);
        let chains = suites
            .flat_map(|suite| [RecordCipher::MacThenCbc(suite), RecordCipher::CbcThenMac(suite)]);
        aeads.chain(chains).collect()
    }
}

impl fmt::Display for RecordVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RecordVersion::Tls12 => "tls12",
            RecordVersion::Tls13 => "tls13",
            RecordVersion::Dtls12 => "dtls12",
            RecordVersion::Dtls13 => "dtls13",
        })
    }
}

/// A version and how its records are protected. Its text is a name such as `tls13-aes-128-gcm`.
///
/// ```
/// use broadloom_packets::records::{RecordAead, RecordSuite, RecordVersion};
///
/// let suite: RecordSuite = "dtls13-aes-128-ccm-8".parse()?;
/// assert_eq!(suite.version, RecordVersion::Dtls13);
/// assert_eq!(suite.cipher, RecordAead::Aes128Ccm8.into());
/// assert_eq!(suite.to_string(), "dtls13-aes-128-ccm-8");
/// # Ok::<(), broadloom_packets::FlowError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordSuite {
    /// The version.
    pub version: RecordVersion,
    /// How records are protected.
    pub cipher: RecordCipher,
}

impl RecordSuite {
    /// Returns all suites.
    pub fn all() -> impl Iterator<Item = RecordSuite> {
        let suites = |version: RecordVersion| {
            version.ciphers().into_iter().map(move |cipher| RecordSuite { version, cipher })
        };
        RecordVersion::ALL.into_iter().flat_map(suites)
    }
}

impl fmt::Display for RecordSuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.version, self.cipher)
    }
}

impl FromStr for RecordSuite {
    type Err = FlowError;

    fn from_str(name: &str) -> Result<Self, FlowError> {
        let found = RecordSuite::all().find(|suite| suite.to_string() == name);
        found.ok_or_else(|| FlowError::Parameter {
            what: "a suite of records",
            value: name.to_owned(),
            valid: RecordSuite::all().map(|suite| suite.to_string()).collect::<Vec<_>>().join(", "),
        })
    }
}
