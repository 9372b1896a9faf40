//! Versions, cipher suites and what they decide: labels, salts, limits.

use std::fmt;
use std::str::FromStr;

use broadloom_engine::{AeadAlgorithm, AesSize, CipherAlgorithm};

use crate::error::FlowError;

/// A version of QUIC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum QuicVersion {
    /// Version 1 (RFC 9000, RFC 9001).
    #[default]
    V1,
    /// Version 2 (RFC 9369), which has other keys and other numbers of packet types.
    V2,
}

impl QuicVersion {
    /// Both versions.
    pub const ALL: [QuicVersion; 2] = [QuicVersion::V1, QuicVersion::V2];

    /// Returns the number that long headers carry.
    pub const fn number(self) -> u32 {
        match self {
            QuicVersion::V1 => 0x0000_0001,
            QuicVersion::V2 => 0x6b33_43cf,
        }
    }

    /// Returns the version with this number in long headers.
    pub fn from_number(number: u32) -> Option<Self> {
        QuicVersion::ALL.into_iter().find(|version| version.number() == number)
    }

    /// The salt of the secrets of Initial packets (RFC 9001, 5.2; RFC 9369, 3.3.1).
    pub(super) const fn initial_salt(self) -> &'static [u8; 20] {
        match self {
            QuicVersion::V1 => &[
                0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8,
                0x0c, 0xad, 0xcc, 0xbb, 0x7f, 0x0a,
            ],
            QuicVersion::V2 => &[
                0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93, 0x81, 0xbe, 0x6e, 0x26,
                0x9d, 0xcb, 0xf9, 0xbd, 0x2e, 0xd9,
            ],
        }
    }

    /// The key and the nonce of Retry packets (RFC 9001, 5.8; RFC 9369, 3.3.3).
    pub(super) const fn retry_key(self) -> (&'static [u8; 16], &'static [u8; 12]) {
        match self {
            QuicVersion::V1 => (
                &[
                    0xbe, 0x0c, 0x69, 0x0b, 0x9f, 0x66, 0x57, 0x5a, 0x1d, 0x76, 0x6b, 0x54, 0xe3,
                    0x68, 0xc8, 0x4e,
                ],
                &[0x46, 0x15, 0x99, 0xd3, 0x5d, 0x63, 0x2b, 0xf2, 0x23, 0x98, 0x25, 0xbb],
            ),
            QuicVersion::V2 => (
                &[
                    0x8f, 0xb4, 0xb0, 0x1b, 0x56, 0xac, 0x48, 0xe2, 0x60, 0xfb, 0xcb, 0xce, 0xad,
                    0x7c, 0xcc, 0x92,
                ],
                &[0xd8, 0x69, 0x69, 0xbc, 0x2d, 0x7c, 0x6d, 0x99, 0x90, 0xef, 0xb0, 0x4a],
            ),
        }
    }

    /// The labels of keys (RFC 9001, 5.1 and 6.1; RFC 9369, 3.3.2).
    pub(super) const fn labels(self) -> &'static Labels {
        match self {
            QuicVersion::V1 => {
                &Labels { key: "quic key", iv: "quic iv", mask: "quic hp", update: "quic ku" }
            }
            QuicVersion::V2 => &Labels {
                key: "quicv2 key",
                iv: "quicv2 iv",
                mask: "quicv2 hp",
                update: "quicv2 ku",
            },
        }
    }
}

/// What keys are derived for.
pub(super) struct Labels {
    pub(super) key: &'static str,
    pub(super) iv: &'static str,
    pub(super) mask: &'static str,
    pub(super) update: &'static str,
}

impl fmt::Display for QuicVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QuicVersion::V1 => "1",
            QuicVersion::V2 => "2",
        })
    }
}

/// How packets are protected (RFC 9001, 5.3): the AEAD, and the cipher that masks headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuicSuite {
    /// AES-128-GCM with SHA-256, which Initial packets always have.
    Aes128Gcm,
    /// AES-256-GCM with SHA-384.
    Aes256Gcm,
    /// ChaCha20-Poly1305 with SHA-256.
    ChaCha20Poly1305,
    /// AES-128-CCM with SHA-256.
    Aes128Ccm,
}

impl QuicSuite {
    /// All suites.
    pub const ALL: [QuicSuite; 4] = [
        QuicSuite::Aes128Gcm,
        QuicSuite::Aes256Gcm,
        QuicSuite::ChaCha20Poly1305,
        QuicSuite::Aes128Ccm,
    ];

    /// Returns the name, such as `quic-aes-128-gcm`.
    pub const fn name(self) -> &'static str {
        match self {
            QuicSuite::Aes128Gcm => "quic-aes-128-gcm",
            QuicSuite::Aes256Gcm => "quic-aes-256-gcm",
            QuicSuite::ChaCha20Poly1305 => "quic-chacha20-poly1305",
            QuicSuite::Aes128Ccm => "quic-aes-128-ccm",
        }
    }

    /// Returns the number of the suite in TLS (RFC 8446, B.4).
    pub const fn tls_number(self) -> u16 {
        match self {
            QuicSuite::Aes128Gcm => 0x1301,
            QuicSuite::Aes256Gcm => 0x1302,
            QuicSuite::ChaCha20Poly1305 => 0x1303,
            QuicSuite::Aes128Ccm => 0x1304,
        }
    }

    /// Returns the bytes of a traffic secret: as many as the suite's hash has.
    pub const fn secret_len(self) -> usize {
        match self {
            QuicSuite::Aes256Gcm => 48,
            _ => 32,
        }
    }

    /// Returns how many packets one key may protect (RFC 9001, 6.6).
    pub const fn confidentiality_limit(self) -> u64 {
        match self {
            QuicSuite::Aes128Gcm | QuicSuite::Aes256Gcm => 1 << 23,
            // More than there are packet numbers.
            QuicSuite::ChaCha20Poly1305 => 1 << 62,
            QuicSuite::Aes128Ccm => CCM_LIMIT,
        }
    }

    /// Returns how many packets that are not authentic a connection may receive (RFC 9001, 6.6).
    pub const fn integrity_limit(self) -> u64 {
        match self {
            QuicSuite::Aes128Gcm | QuicSuite::Aes256Gcm => 1 << 52,
            QuicSuite::ChaCha20Poly1305 => 1 << 36,
            QuicSuite::Aes128Ccm => CCM_LIMIT,
        }
    }

    /// The AEAD of the payload.
    pub(super) const fn aead(self) -> AeadAlgorithm {
        match self {
            QuicSuite::Aes128Gcm => AeadAlgorithm::AesGcm(AesSize::Aes128),
            QuicSuite::Aes256Gcm => AeadAlgorithm::AesGcm(AesSize::Aes256),
            QuicSuite::ChaCha20Poly1305 => AeadAlgorithm::ChaCha20Poly1305,
            QuicSuite::Aes128Ccm => AeadAlgorithm::AesCcm(AesSize::Aes128),
        }
    }

    /// The cipher that masks headers (RFC 9001, 5.4.3 and 5.4.4).
    pub(super) const fn mask(self) -> CipherAlgorithm {
        match self {
            QuicSuite::Aes128Gcm | QuicSuite::Aes128Ccm => CipherAlgorithm::AesEcb(AesSize::Aes128),
            QuicSuite::Aes256Gcm => CipherAlgorithm::AesEcb(AesSize::Aes256),
            QuicSuite::ChaCha20Poly1305 => CipherAlgorithm::ChaCha20,
        }
    }

    /// Bytes of the keys of both.
    pub(super) const fn key_len(self) -> usize {
        match self {
            QuicSuite::Aes128Gcm | QuicSuite::Aes128Ccm => 16,
            QuicSuite::Aes256Gcm | QuicSuite::ChaCha20Poly1305 => 32,
        }
    }
}

/// Both limits of AES-128-CCM: 2^21.5 packets.
const CCM_LIMIT: u64 = 2_965_820;

impl fmt::Display for QuicSuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for QuicSuite {
    type Err = FlowError;

    fn from_str(name: &str) -> Result<Self, FlowError> {
        let found = QuicSuite::ALL.into_iter().find(|suite| suite.name() == name);
        found.ok_or_else(|| FlowError::Parameter {
            what: "a suite of QUIC",
            value: name.to_owned(),
            valid: QuicSuite::ALL.map(QuicSuite::name).join(", "),
        })
    }
}
