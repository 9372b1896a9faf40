//! Modes that EVP has in full: an IV, if there is one, and the text.
//!
//! Without an IV nothing restarts: ECB keeps nothing between calls, and RC4 has a context for every
//! job.

use broadloom_engine::JobError;

use crate::contexts::{Contexts, Held, job_error};
use crate::evp::{CipherContext, EvpError, InOut};
use crate::options::Again;
use crate::slots::Number;

pub(crate) struct Direct {
    pub contexts: Contexts<CipherContext>,
    pub again: Again,
}

impl Direct {
    #[inline]
    pub(crate) fn run(
        &self,
        number: &mut Number,
        iv: &[u8],
        text: InOut<'_>,
    ) -> Result<(), JobError> {
        let mut held = Held::Nothing;
        let context = self.contexts.get(number, &mut held).map_err(job_error)?;
        self.again.padding(context).map_err(job_error)?;
        cipher(context, iv, text).map_err(job_error)
    }
}

/// The text is whole, and nothing of it is held back, so that nothing is left to be ended.
#[inline]
fn cipher(context: &mut CipherContext, iv: &[u8], text: InOut<'_>) -> Result<(), EvpError> {
    if !iv.is_empty() {
        context.restart(iv)?;
    }
    context.update(text)?;
    Ok(())
}
