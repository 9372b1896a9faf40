//! GCM, CCM and ChaCha20-Poly1305.

use broadloom_engine::{JobError, Text};

use crate::cipher::update;
use crate::contexts::{Contexts, job_error};
use crate::evp::{CipherContext, EvpError};
use crate::slots::Number;

/// The longest nonce that libcrypto's GCM has room for, in bytes.
const MAX_NONCE: usize = 128;

/// The most bytes of text, and of associated data, that libcrypto's CCM takes: it takes them at once.
const MAX_CCM: usize = 1 << 30;

/// What is first made known to a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing: lengths and tags are known in the end.
    Streamed,
    /// CCM: the length of the text, and the tag to check.
    Ccm,
}

pub(crate) struct Aead {
    pub contexts: Contexts<CipherContext>,
    pub mode: Mode,
    pub seals: bool,
}

impl Aead {
    #[inline]
    pub(crate) fn run(
        &self,
        number: &mut Number,
        nonce: &[u8],
        associated: &[u8],
        text: Text<'_>,
        tag: &mut [u8],
    ) -> Result<(), JobError> {
        if self.mode == Mode::Ccm {
            check_ccm(associated.len().max(text.input().len()))?;
        }
        self.contexts.with(number, |context| match (self.mode, self.seals) {
            (Mode::Streamed, true) => seal(context, nonce, associated, text, tag),
            (Mode::Streamed, false) => open(context, nonce, associated, text, tag),
            (Mode::Ccm, true) => seal_ccm(context, nonce, associated, text, tag),
            (Mode::Ccm, false) => open_ccm(context, nonce, associated, text, tag),
        })
    }
}

fn check_ccm(len: usize) -> Result<(), JobError> {
    if len > MAX_CCM { Err(JobError::TooLong { len, max: MAX_CCM as u64 }) } else { Ok(()) }
}

/// Begins a message. The engine lets nonces of GCM be longer than libcrypto does.
#[inline]
pub(crate) fn with_nonce(context: &mut CipherContext, nonce: &[u8]) -> Result<(), JobError> {
    if nonce.len() > MAX_NONCE {
        return Err(JobError::NonceLength { len: nonce.len(), min: 1, max: MAX_NONCE });
    }
    context.restart(nonce).map_err(job_error)
}

#[inline]
fn seal(
    context: &mut CipherContext,
    nonce: &[u8],
    associated: &[u8],
    text: Text<'_>,
    tag: &mut [u8],
) -> Result<(), JobError> {
    with_nonce(context, nonce)?;
    context.associate(associated).map_err(job_error)?;
    if !text.input().is_empty() {
        update(context, text)?.map_err(job_error)?;
    }
    context.finish().map_err(job_error)?;
    context.tag(tag).map_err(job_error)
}

#[inline]
fn open(
    context: &mut CipherContext,
    nonce: &[u8],
    associated: &[u8],
    text: Text<'_>,
    tag: &[u8],
) -> Result<(), JobError> {
    with_nonce(context, nonce)?;
    context.set_tag(tag).map_err(job_error)?;
    context.associate(associated).map_err(job_error)?;
    if !text.input().is_empty() {
        update(context, text)?.map_err(job_error)?;
    }
    context.finish().map_err(wrong_tag)
}

fn seal_ccm(
    context: &mut CipherContext,
    nonce: &[u8],
    associated: &[u8],
    text: Text<'_>,
    tag: &mut [u8],
) -> Result<(), JobError> {
    begin_ccm(context, nonce, associated, text.input().len()).map_err(job_error)?;
    cipher_ccm(context, text)?.map_err(job_error)?;
    context.tag(tag).map_err(job_error)
}

fn open_ccm(
    context: &mut CipherContext,
    nonce: &[u8],
    associated: &[u8],
    text: Text<'_>,
    tag: &[u8],
) -> Result<(), JobError> {
    context.set_tag(tag).map_err(job_error)?;
    begin_ccm(context, nonce, associated, text.input().len()).map_err(job_error)?;
    cipher_ccm(context, text)?.map_err(wrong_tag)
}

/// The length is always told, even where libcrypto could do without (no associated data): after a wrong
/// tag it would otherwise go on with the nonce before.
fn begin_ccm(
    context: &mut CipherContext,
    nonce: &[u8],
    associated: &[u8],
    text_len: usize,
) -> Result<(), EvpError> {
    context.restart(nonce)?;
    context.announce(text_len)?;
    context.associate(associated)
}

/// The tag is made, or checked, along with the text. Of an empty text some versions make it in the end.
fn cipher_ccm(context: &mut CipherContext, text: Text<'_>) -> Result<Result<(), EvpError>, JobError> {
    let empty = text.input().is_empty();
    let outcome = update(context, text)?;
    if empty && outcome.is_ok() {
        return Ok(context.finish());
    }
    Ok(outcome)
}

/// The step that checks the tag fails if it is wrong; all that could be wrong with the call was checked.
fn wrong_tag(_: EvpError) -> JobError {
    JobError::TagMismatch
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn ccm_takes_what_evp_counts() {
        assert_eq!(check_ccm(MAX_CCM), Ok(()));
        let error = check_ccm(MAX_CCM + 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "1073741825 bytes under one nonce are too many; at most 1073741824"
        );
    }
}
