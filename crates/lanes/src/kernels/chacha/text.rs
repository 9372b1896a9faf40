//! Texts and messages, as kernels see them.

use super::key::ChaChaKey;

/// Bytes that a block of keystream has.
pub(crate) const BLOCK: usize = 64;

/// Text under one key and nonce.
#[derive(Clone, Copy)]
pub(crate) struct ChaChaText {
    pub key: *const ChaChaKey,
    /// The last row of the state that the first block is made of: the counter, and the nonce.
    pub row: [u32; 4],
    pub src: *const u8,
    pub dst: *mut u8,
    pub len: usize,
}

/// One message of ChaCha20-Poly1305. The counter of its text is 1.
#[derive(Clone, Copy)]
pub(crate) struct ChaChaMessage {
    pub text: ChaChaText,
    pub associated: (*const u8, usize),
    pub tag: *mut u8,
    /// Plaintext to ciphertext, not back.
    pub seals: bool,
}

/// One message of XChaCha20-Poly1305, whose text still has the key that another is derived from.
#[derive(Clone, Copy)]
pub(crate) struct XChaChaMessage {
    /// The last row of the state that HChaCha20 starts from: the first 16 bytes of the nonce.
    pub row: [u32; 4],
    pub message: ChaChaMessage,
}

impl ChaChaText {
    /// In no place.
    pub(crate) const NONE: ChaChaText = ChaChaText {
        key: core::ptr::null(),
        row: [0; 4],
        src: core::ptr::null(),
        dst: core::ptr::null_mut(),
        len: 0,
    };
}

impl ChaChaMessage {
    /// In no place.
    pub(crate) const NONE: ChaChaMessage = ChaChaMessage {
        text: ChaChaText::NONE,
        associated: (core::ptr::null(), 0),
        tag: core::ptr::null_mut(),
        seals: true,
    };
}

impl AsRef<ChaChaText> for ChaChaText {
    #[inline(always)]
    fn as_ref(&self) -> &ChaChaText {
        self
    }
}

impl XChaChaMessage {
    /// In no place.
    pub(crate) const NONE: XChaChaMessage =
        XChaChaMessage { row: [0; 4], message: ChaChaMessage::NONE };
}

impl AsRef<ChaChaText> for XChaChaMessage {
    #[inline(always)]
    fn as_ref(&self) -> &ChaChaText {
        &self.message.text
    }
}

impl AsRef<ChaChaText> for ChaChaMessage {
    #[inline(always)]
    fn as_ref(&self) -> &ChaChaText {
        &self.text
    }
}
