//! HMAC and CMAC as `EVP_MAC`; GMAC as GCM without a text.

use broadloom_engine::{JobError, MAX_TAG};

use crate::aead::with_nonce;
use crate::contexts::{Contexts, job_error};
use crate::evp::{CipherContext, EvpError, MacContext};
use crate::slots::Number;

pub(crate) struct Mac {
    pub contexts: Contexts<MacContext>,
}

impl Mac {
    #[inline]
    pub(crate) fn run(
        &self,
        number: &mut Number,
        data: &[u8],
        mac: &mut [u8; MAX_TAG],
    ) -> Result<(), JobError> {
        self.contexts.with(number, |context| authenticate(context, data, mac).map_err(job_error))
    }
}

#[inline]
fn authenticate(context: &mut MacContext, data: &[u8], mac: &mut [u8; MAX_TAG]) -> Result<(), EvpError> {
    context.restart()?;
    context.update(data)?;
    context.finish(mac)
}

/// GMAC (SP 800-38D): the tag of GCM over data that are all associated. An `EVP_MAC` of it would look up
/// names for every nonce.
pub(crate) struct Gmac {
    pub contexts: Contexts<CipherContext>,
}

impl Gmac {
    pub(crate) fn run(
        &self,
        number: &mut Number,
        nonce: &[u8],
        data: &[u8],
        mac: &mut [u8; MAX_TAG],
    ) -> Result<(), JobError> {
        self.contexts.with(number, |context| {
            with_nonce(context, nonce)?;
            finish_gmac(context, data, &mut mac[..16]).map_err(job_error)
        })
    }
}

fn finish_gmac(context: &mut CipherContext, data: &[u8], tag: &mut [u8]) -> Result<(), EvpError> {
    context.associate(data)?;
    context.finish()?;
    context.tag(tag)
}
