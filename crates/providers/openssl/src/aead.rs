//! GCM, CCM and ChaCha20-Poly1305.

use broadloom_engine::{JobError, Lengths};

use crate::contexts::{Contexts, Held, job_error};
use crate::evp::{CipherContext, EvpError, InOut};
use crate::slots::Number;

/// The longest nonce that libcrypto's GCM has room for, in bytes.
const MAX_NONCE: usize = 128;

/// The most bytes of text, and of associated data, that libcrypto's CCM takes: it takes them at
/// once.
const MAX_CCM: usize = 1 << 30;

/// The parameters that a mode needs first.
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
        text: InOut<'_>,
        tag: &mut [u8],
    ) -> Result<(), JobError> {
        check_nonce(nonce)?;
        let mut held = Held::Nothing;
        let context = self.contexts.get(number, &mut held).map_err(job_error)?;
        match (self.mode, self.seals) {
            (Mode::Streamed, true) => {
                seal(context, nonce, associated, text, tag).map_err(job_error)
            }
            (Mode::Streamed, false) => {
                decrypt(context, nonce, associated, text, tag).map_err(job_error)?;
                context.finish().map_err(wrong_tag)
            }
            (Mode::Ccm, seals) => {
                check_ccm(associated.len(), text.len())?;
                if seals {
                    seal_ccm(context, nonce, associated, text, tag).map_err(job_error)
                } else {
                    context.set_tag(tag).map_err(job_error)?;
                    begin_ccm(context, nonce, associated, text.len()).map_err(job_error)?;
                    cipher_ccm(context, text).map_err(wrong_tag)
                }
            }
        }
    }
}

/// The engine lets nonces of GCM be longer than libcrypto does.
#[inline]
pub(crate) fn check_nonce(nonce: &[u8]) -> Result<(), JobError> {
    if nonce.len() > MAX_NONCE {
        return Err(JobError::NonceLength {
            len: nonce.len(),
            valid: Lengths::range(1, MAX_NONCE),
        });
    }
    Ok(())
}

fn check_ccm(associated_len: usize, len: usize) -> Result<(), JobError> {
    let max = MAX_CCM as u64;
    if associated_len > MAX_CCM {
        return Err(JobError::AssociatedTooLong { len: associated_len, max });
    }
    if len > MAX_CCM { Err(JobError::TooLong { len, max }) } else { Ok(()) }
}

/// The step that checks the tag fails if it is wrong; all that could be wrong with the call was
/// checked.
fn wrong_tag(_: EvpError) -> JobError {
    JobError::TagMismatch
}

#[inline]
fn seal(
    context: &mut CipherContext,
    nonce: &[u8],
    associated: &[u8],
    text: InOut<'_>,
    tag: &mut [u8],
) -> Result<(), EvpError> {
    context.restart(nonce)?;
    cipher(context, associated, text)?;
    context.finish()?;
    context.tag(tag)
}

/// All but the check of the tag.
#[inline]
fn decrypt(
    context: &mut CipherContext,
    nonce: &[u8],
    associated: &[u8],
    text: InOut<'_>,
    tag: &[u8],
) -> Result<(), EvpError> {
    context.restart(nonce)?;
    context.set_tag(tag)?;
    cipher(context, associated, text)
}

#[inline]
fn cipher(context: &mut CipherContext, associated: &[u8], text: InOut<'_>) -> Result<(), EvpError> {
    if !associated.is_empty() {
        context.associate(associated)?;
    }
    if !text.is_empty() {
        context.update(text)?;
    }
    Ok(())
}

fn seal_ccm(
    context: &mut CipherContext,
    nonce: &[u8],
    associated: &[u8],
    text: InOut<'_>,
    tag: &mut [u8],
) -> Result<(), EvpError> {
    begin_ccm(context, nonce, associated, text.len())?;
    cipher_ccm(context, text)?;
    context.tag(tag)
}

/// The length is always told, even where libcrypto could do without (no associated data): after a
/// wrong tag it would otherwise go on with the nonce before.
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

/// The tag is made, or checked, along with the text. Of an empty text some versions make it in the
/// end.
fn cipher_ccm(context: &mut CipherContext, text: InOut<'_>) -> Result<(), EvpError> {
    let empty = text.is_empty();
    context.update(text)?;
    if empty { context.finish() } else { Ok(()) }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn ccm_takes_what_evp_counts() {
        assert_eq!(check_ccm(MAX_CCM, MAX_CCM), Ok(()));
        let max = MAX_CCM as u64;
        let (len, one_more) = (MAX_CCM, MAX_CCM + 1);
        assert_eq!(check_ccm(len, one_more), Err(JobError::TooLong { len: one_more, max }));
        let associated = JobError::AssociatedTooLong { len: one_more, max };
        assert_eq!(check_ccm(one_more, len), Err(associated));
    }
}
