//! CBC as one chain without an end.
//!
//! For a small buffer, the IV is the most expensive part. libcrypto 3.0 looks up its length by name
//! whenever an IV is set, which takes a third of the time of 64 bytes. But CBC adds the IV to the
//! first block only; to every other block it adds the block before. So a context is not told the IV
//! of a message: it continues from the previous message, and the difference is corrected outside.
//! With `last` as the ciphertext block that the context will chain to, the first block of a
//! plaintext and of a ciphertext become
//!
//! ```text
//! E(p ^ iv) = E((p ^ iv ^ last) ^ last)        D(c) ^ iv = (D(c) ^ last) ^ last ^ iv
//! ```
//!
//! libcrypto sees one long message in parts, and `last` is no secret.
//!
//! The option `ivs=per-job` sets every message's IV instead, to be measured against.

use broadloom_engine::provider::{Buffers, Text};
use broadloom_engine::{JobError, Lengths};

use crate::contexts::{Contexts, Duplicate, Held, job_error};
use crate::evp::{CipherContext, EvpError, InOut};
use crate::options::Again;
use crate::slots::Number;

/// CBC with blocks of `N` bytes.
pub(crate) struct Cbc<const N: usize> {
    pub contexts: Contexts<CbcContext<N>>,
    pub encrypts: bool,
    pub again: Again,
}

/// A context, and what it will chain to: `None` until it has an IV.
pub(crate) struct CbcContext<const N: usize> {
    context: CipherContext,
    last: Option<[u8; N]>,
}

impl<const N: usize> Cbc<N> {
    /// The text is whole blocks, which the engine has checked.
    #[inline]
    pub(crate) fn run(
        &self,
        number: &mut Number,
        iv: &[u8],
        text: Text<'_>,
    ) -> Result<(), JobError> {
        let Ok(iv) = iv.try_into() else {
            return Err(JobError::NonceLength { len: iv.len(), valid: Lengths::exactly(N) });
        };
        let mut held = Held::Nothing;
        let context = self.contexts.get(number, &mut held).map_err(job_error)?;
        self.again.padding(&mut context.context).map_err(job_error)?;
        if self.again.ivs {
            return context.with_iv(iv, text);
        }
        let outcome = match (text, self.encrypts) {
            (Text::Write(Buffers::InPlace(data)), true) => context.encrypt(iv, data),
            (Text::Write(Buffers::InPlace(data)), false) => {
                let last = data.last_chunk().copied();
                context.decrypt(iv, last, data.into())
            }
            (Text::Write(Buffers::Apart(source, destination)), true) => {
                destination.copy_from_slice(source);
                context.encrypt(iv, destination)
            }
            (Text::Write(Buffers::Apart(source, destination)), false) => {
                let last = source.last_chunk().copied();
                context.decrypt(iv, last, InOut::apart(source, destination))
            }
            (Text::Read(_), _) => return Err(JobError::ReadOnly),
        };
        outcome.map_err(job_error)
    }
}

impl<const N: usize> CbcContext<N> {
    pub(crate) fn new(context: CipherContext) -> Self {
        CbcContext { context, last: None }
    }

    #[inline]
    fn encrypt(&mut self, iv: &[u8; N], data: &mut [u8]) -> Result<(), EvpError> {
        let Some(first) = data.first_chunk_mut() else { return Ok(()) };
        add(first, iv);
        add(first, &self.take_last()?);
        self.context.update((&mut *data).into())?;
        self.last = data.last_chunk().copied();
        Ok(())
    }

    /// `next` is the last block of the ciphertext, if there is one.
    #[inline]
    fn decrypt(
        &mut self,
        iv: &[u8; N],
        next: Option<[u8; N]>,
        text: InOut<'_>,
    ) -> Result<(), EvpError> {
        if next.is_none() {
            return Ok(());
        }
        let last = self.take_last()?;
        let output = self.context.update(text)?;
        if let Some(first) = output.first_chunk_mut() {
            add(first, iv);
            add(first, &last);
        }
        self.last = next;
        Ok(())
    }

    /// As EVP has it: the IV is set, and nothing is corrected.
    fn with_iv(&mut self, iv: &[u8; N], text: Text<'_>) -> Result<(), JobError> {
        let Text::Write(buffers) = text else { return Err(JobError::ReadOnly) };
        let text = match buffers {
            Buffers::InPlace(data) => data.into(),
            Buffers::Apart(source, destination) => InOut::apart(source, destination),
        };
        self.last = None;
        let done = self.context.restart(iv).and_then(|()| self.context.update(text));
        done.map(|_| ()).map_err(job_error)
    }

    /// The block to which the context will chain. A call takes it and puts the new one back. A call
    /// that fails does not, and the next message begins a new chain.
    #[inline]
    fn take_last(&mut self) -> Result<[u8; N], EvpError> {
        match self.last.take() {
            Some(last) => Ok(last),
            None => {
                self.context.restart(&[0; N])?;
                Ok([0; N])
            }
        }
    }
}

impl<const N: usize> Duplicate for CbcContext<N> {
    fn duplicate(&self) -> Result<Self, EvpError> {
        Ok(CbcContext::new(self.context.duplicate()?))
    }
}

#[inline]
fn add<const N: usize>(block: &mut [u8; N], other: &[u8; N]) {
    block.iter_mut().zip(other).for_each(|(byte, other)| *byte ^= other);
}
