//! The key of XTS: one half for the text, one for the tweak.

use core::fmt;

use zeroize::ZeroizeOnDrop;

use crate::aes::key::Expansion;
use crate::cpu::Cpu;
use crate::kernels::aes::key::AesKey;

/// A key for XTS-AES-128 or XTS-AES-256 (SP 800-38E, IEEE 1619), expanded: one AES key for the
/// text, and one for the tweak. Both are wiped when it is dropped.
///
/// ```
/// use broadloom_lanes::{XtsKey, XtsKeyError};
///
/// let bytes: [u8; 32] = std::array::from_fn(|i| i as u8);
/// assert_eq!(XtsKey::new(&bytes)?.bits(), 128);
/// assert_eq!(XtsKey::new(&bytes[..16]).unwrap_err(), XtsKeyError::Length { given: 16 });
/// assert_eq!(XtsKey::new(&[7; 32]).unwrap_err(), XtsKeyError::EqualHalves);
/// # Ok::<(), XtsKeyError>(())
/// ```
pub struct XtsKey {
    text: AesKey,
    tweak: AesKey,
}

impl XtsKey {
    /// Expands a key of 32 or 64 bytes: the text's, and then the tweak's. It uses the best
    /// instructions that the machine has.
    ///
    /// # Errors
    /// [`XtsKeyError`] for any other length, and if both halves are the same, which gives away what
    /// XTS is to hide (FIPS 140-3 IG C.I). They are compared in constant time.
    pub fn new(key: &[u8]) -> Result<Self, XtsKeyError> {
        Self::expanded(key, Expansion::detect())
    }

    /// Expands a key as [`new`](XtsKey::new) does, with the instructions that `cpu` may use and no
    /// others.
    ///
    /// # Errors
    /// The errors of [`new`](XtsKey::new).
    pub fn with_cpu(key: &[u8], cpu: &Cpu) -> Result<Self, XtsKeyError> {
        Self::expanded(key, Expansion::of(cpu))
    }

    fn expanded(key: &[u8], by: Expansion) -> Result<Self, XtsKeyError> {
        let (text, tweak) = key.split_at(key.len() / 2);
        let given = key.len();
        let keys = [text, tweak].map(|half| AesKey::expanded(half, by.sub_word()));
        let ([Ok(text_key), Ok(tweak_key)], 32 | 64) = (keys, given) else {
            return Err(XtsKeyError::Length { given });
        };
        if text.iter().zip(tweak).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0 {
            return Err(XtsKeyError::EqualHalves);
        }
        Ok(XtsKey { text: text_key, tweak: tweak_key })
    }

    /// Returns the length of each half in bits: 128 or 256.
    pub fn bits(&self) -> usize {
        self.text.bits()
    }

    /// Returns the text's part.
    pub(super) fn text(&self) -> &AesKey {
        &self.text
    }

    /// Returns the tweak's part.
    pub(super) fn tweak(&self) -> &AesKey {
        &self.tweak
    }
}

impl ZeroizeOnDrop for XtsKey {}

impl fmt::Debug for XtsKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XtsKey").field("bits", &self.bits()).finish_non_exhaustive()
    }
}

/// Bytes that are no key for XTS.
///
/// ```
/// use broadloom_lanes::XtsKey;
///
/// let error = XtsKey::new(&[7; 31]).err().expect("31 bytes are no key");
/// assert_eq!(error.to_string(), "a key for AES-XTS has 32 or 64 bytes, not 31");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XtsKeyError {
    /// Neither 32 nor 64 bytes.
    Length {
        /// The length that was given, in bytes.
        given: usize,
    },
    /// The text's half is the tweak's.
    EqualHalves,
}

impl fmt::Display for XtsKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            XtsKeyError::Length { given } => {
                write!(f, "a key for AES-XTS has 32 or 64 bytes, not {given}")
            }
            XtsKeyError::EqualHalves => f.write_str("the halves of a key for AES-XTS are the same"),
        }
    }
}

impl core::error::Error for XtsKeyError {}
