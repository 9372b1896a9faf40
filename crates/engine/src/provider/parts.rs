//! What a provider is handed of an operation.

use std::ops::Range;
use std::ptr;

use crate::algorithm::Direction;
use crate::data::Text;
use crate::parameters::Span;
use crate::session::rules::Rules;
use crate::session::stage::Stage;

/// What a provider computes with, for one stage of an operation. See
/// [`Operation::parts`](crate::provider::Operation::parts).
#[derive(Debug)]
pub struct Parts<'v, S> {
    /// The provider's own session.
    pub session: &'v S,
    /// What the session does with them. It is known without a look at the provider's own session,
    /// which may be in no cache.
    pub direction: Direction,
    /// The bytes: those to be ciphered, or those to be hashed; of a whole chain, all.
    pub text: Text<'v>,
    /// Which of them are for what.
    pub layout: Layout,
    /// The nonce, the IV, or the first counter block; in a chain, the cipher's.
    pub nonce: &'v [u8],
    /// Associated data of an AEAD.
    pub associated: &'v [u8],
    /// Where a digest or a tag goes, at its whole length; for an [`open`](crate::Direction::Open),
    /// the tag to check. It has room for [`MAX_TAG`](crate::MAX_TAG) bytes, and of a [plain
    /// job](crate::provider::PlainOperation::commit) for at least as many as its provider writes.
    pub tag: &'v mut [u8],
    /// Bytes of the session's tags.
    pub tag_len: usize,
    /// `true` if a tag is to be checked, not made.
    pub checks_tag: bool,
    /// The length of the text in bits, which ends in its last byte; `None` where all bits count.
    pub bits: Option<usize>,
}

/// The provider's own session that operations in a row had last. See
/// [`Operation::commit`](crate::provider::Operation::commit).
pub struct Last<'v, S>(Option<(&'v Stage, &'v S)>);

impl<S> Default for Last<'_, S> {
    fn default() -> Self {
        Last(None)
    }
}

impl<'v, S: 'static> Last<'v, S> {
    /// The provider's own session of a stage, if it is an `S`.
    #[inline(always)]
    pub(crate) fn own(&mut self, stage: &'v Stage) -> Option<&'v S> {
        if let Some((last, own)) = self.0
            && ptr::eq(last, stage)
        {
            return Some(own);
        }
        let own = stage.own()?;
        self.0 = Some((stage, own));
        Some(own)
    }
}

/// Which bytes of a text are for what, for a provider that does [chains
/// whole](crate::provider::Provider::chains_whole). For anything else both ranges are all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Those to be ciphered.
    pub cipher: Range<usize>,
    /// Those to be authenticated.
    pub mac: Range<usize>,
    /// Where as many bytes of the tag are to be put as soon as it is made, which may be before they
    /// are encrypted; empty if nowhere.
    pub tag: Range<usize>,
}

impl Layout {
    /// Makes the layout of a text of so many bytes, which contains the spans and a tag at that
    /// place.
    #[inline(always)]
    pub(crate) fn new(
        len: usize,
        cipher: Span,
        mac: Span,
        tag_at: Option<usize>,
        rules: &Rules,
    ) -> Self {
        let made_at = tag_at.filter(|_| !rules.checks_tag);
        let tag = made_at.map_or(0..0, |at| at..at + rules.tag_len);
        Layout { cipher: cipher.of(len), mac: mac.of(len), tag }
    }
}

/// What a provider compresses or decompresses with, in one attempt. See
/// [`Operation::compression`](crate::provider::Operation::compression).
#[derive(Debug)]
pub struct CompressionParts<'v, S> {
    /// The provider's own session.
    pub session: &'v S,
    /// What is to be read: all, or what earlier attempts left. Empty where the data are in
    /// [pieces](crate::provider::Operation::input_pieces).
    pub input: &'v [u8],
    /// Room for what is made.
    pub output: &'v mut [u8],
}

/// What a provider signs, verifies, encrypts, decrypts, agrees or encapsulates with. See
/// [`Operation::public_key`](crate::provider::Operation::public_key).
#[derive(Debug)]
pub struct PublicKeyParts<'v, S> {
    /// The provider's own session.
    pub session: &'v S,
    /// The message, the digest, the ciphertext, the seed of a key, or the other side's public key,
    /// perhaps with randomness behind it.
    pub input: &'v [u8],
    /// The signature to verify; else empty.
    pub signature: &'v [u8],
    /// Room for what is made, as much as the session's
    /// [bound](crate::provider::ProviderSession::bound).
    pub output: &'v mut [u8],
}
