//! The lengths of AES keys, which tell the algorithms of a mode apart.

/// The length of an AES key (FIPS 197).
///
/// ```
/// use broadloom_engine::{AesSize, CipherAlgorithm};
///
/// let names = AesSize::ALL.map(|size| CipherAlgorithm::AesCbc(size).to_string());
/// assert_eq!(names, ["aes-128-cbc", "aes-192-cbc", "aes-256-cbc"]);
/// assert_eq!((AesSize::Aes256.key_len(), AesSize::Aes256.rounds()), (32, 14));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AesSize {
    /// 16 bytes, 10 rounds.
    Aes128,
    /// 24 bytes, 12 rounds.
    Aes192,
    /// 32 bytes, 14 rounds.
    Aes256,
}

impl AesSize {
    /// All of them.
    pub const ALL: [AesSize; 3] = [AesSize::Aes128, AesSize::Aes192, AesSize::Aes256];

    /// Bytes of the key.
    pub const fn key_len(self) -> usize {
        match self {
            AesSize::Aes128 => 16,
            AesSize::Aes192 => 24,
            AesSize::Aes256 => 32,
        }
    }

    /// All of them, as the table lists them.
    pub(super) fn known() -> impl Iterator<Item = AesSize> {
        AesSize::ALL.into_iter()
    }

    /// Rounds of the cipher.
    pub const fn rounds(self) -> usize {
        self.key_len() / 4 + 6
    }

    /// The bits of the key, as names have them.
    pub(super) const fn name(self) -> &'static str {
        match self {
            AesSize::Aes128 => "128",
            AesSize::Aes192 => "192",
            AesSize::Aes256 => "256",
        }
    }
}

/// The strength of XTS-AES (SP 800-38E), which has two AES keys of that length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum XtsSize {
    /// XTS-AES-128: 32 bytes of key.
    Aes128,
    /// XTS-AES-256: 64 bytes of key.
    Aes256,
}

impl XtsSize {
    /// Both of them.
    pub const ALL: [XtsSize; 2] = [XtsSize::Aes128, XtsSize::Aes256];

    /// Bytes of the key, both halves together: the half for the data, then the half for tweaks.
    pub const fn key_len(self) -> usize {
        2 * self.half().key_len()
    }

    /// Both of them, as the table lists them.
    pub(super) fn known() -> impl Iterator<Item = XtsSize> {
        XtsSize::ALL.into_iter()
    }

    /// The length of each of the two AES keys.
    pub(super) const fn half(self) -> AesSize {
        match self {
            XtsSize::Aes128 => AesSize::Aes128,
            XtsSize::Aes256 => AesSize::Aes256,
        }
    }
}
