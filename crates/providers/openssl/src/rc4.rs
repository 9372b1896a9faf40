//! RC4: a context has nothing by which it could begin again, so that every job takes a copy of one that has the
//! key and has ciphered nothing.

use broadloom_engine::JobError;

use crate::contexts::{Contexts, job_error};
use crate::evp::{CipherContext, InOut};
use crate::slots::Number;

pub(crate) struct Rc4 {
    pub contexts: Contexts<CipherContext>,
}

impl Rc4 {
    pub(crate) fn run(&self, number: &mut Number, text: InOut<'_>) -> Result<(), JobError> {
        let mut own = None;
        let context = self.contexts.get(number, &mut own);
        context.and_then(|context| context.update(text)).map(drop).map_err(job_error)
    }
}
