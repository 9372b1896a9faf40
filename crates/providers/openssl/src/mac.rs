//! HMAC and CMAC as `EVP_MAC`; GMAC as GCM without a text.

use broadloom_engine::{JobError, MAX_TAG};

use crate::aead::check_nonce;
use crate::contexts::{Contexts, Held, job_error};
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
        let mut held = Held::Nothing;
        let context = self.contexts.get(number, &mut held);
        context.and_then(|context| authenticate(context, data, mac)).map_err(job_error)
    }
}

#[inline]
fn authenticate(
    context: &mut MacContext,
    data: &[u8],
    mac: &mut [u8; MAX_TAG],
) -> Result<(), EvpError> {
    context.restart()?;
    context.update(data)?;
    context.finish(mac)
}

/// GMAC (SP 800-38D): the tag of GCM over data that are all associated. An `EVP_MAC` of it would
/// look up names for every nonce.
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
        check_nonce(nonce)?;
        let mut held = Held::Nothing;
        let context = self.contexts.get(number, &mut held);
        context.and_then(|context| gmac(context, nonce, data, mac)).map_err(job_error)
    }
}

fn gmac(
    context: &mut CipherContext,
    nonce: &[u8],
    data: &[u8],
    mac: &mut [u8; MAX_TAG],
) -> Result<(), EvpError> {
    context.restart(nonce)?;
    context.associate(data)?;
    context.finish()?;
    context.tag(&mut mac[..16])
}
