//! CBC and CTR: an IV, and the text.

use broadloom_engine::{JobError, Text};

use crate::contexts::{Contexts, job_error};
use crate::evp::{CipherContext, EvpError};
use crate::slots::Number;

pub(crate) struct Cipher {
    pub contexts: Contexts<CipherContext>,
}

impl Cipher {
    /// There is no padding and nothing is held back, so that nothing is left to be ended.
    #[inline]
    pub(crate) fn run(&self, number: &mut Number, iv: &[u8], text: Text<'_>) -> Result<(), JobError> {
        self.contexts.with(number, |context| {
            context.restart(iv).map_err(job_error)?;
            update(context, text)?.map_err(job_error)
        })
    }
}

/// Ciphers a text to where it goes; the outer error is that of a text that cannot be written.
#[inline]
pub(crate) fn update(
    context: &mut CipherContext,
    text: Text<'_>,
) -> Result<Result<(), EvpError>, JobError> {
    match text {
        Text::InPlace(data) => Ok(context.update_in_place(data)),
        Text::Apart(source, destination) => Ok(context.update(source, destination)),
        Text::Read(_) => Err(JobError::ReadOnly),
    }
}
