//! Hashes: one context, restarted for each message.

use broadloom_engine::{JobError, MAX_TAG};

use crate::contexts::{Contexts, Held, job_error};
use crate::evp::{DigestContext, EvpError};
use crate::slots::Number;

pub(crate) struct Hash {
    pub contexts: Contexts<DigestContext>,
}

impl Hash {
    #[inline]
    pub(crate) fn run(
        &self,
        number: &mut Number,
        data: &[u8],
        digest: &mut [u8; MAX_TAG],
    ) -> Result<(), JobError> {
        let mut held = Held::Nothing;
        let context = self.contexts.get(number, &mut held);
        context.and_then(|context| hash(context, data, digest)).map_err(job_error)
    }
}

#[inline]
fn hash(
    context: &mut DigestContext,
    data: &[u8],
    digest: &mut [u8; MAX_TAG],
) -> Result<(), EvpError> {
    context.restart()?;
    context.update(data)?;
    context.finish(digest)
}
