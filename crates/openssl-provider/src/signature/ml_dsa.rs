//! ML-DSA, of which many signatures share the lanes.

use std::ptr;

use broadloom::Transform;
use broadloom::public_key::{MlDsaSet, Scheme};

use super::whole::{Answered, Facts, SigningKey, reported};
use crate::held::{HeldKey, HeldType, Theirs, default_has};
use crate::key::{Purpose, open};
use crate::libcrypto::Pkey;
use crate::line::{Answer, Kind, alone, ask, is_worth_asking};

impl SigningKey for HeldKey {
    const FAMILY: &'static str = "ML-DSA";
    const TAKES_MU: bool = true;

    fn facts(&self) -> Option<Facts> {
        match self.of {
            HeldType::MlDsa(set) => Some(Facts {
                signature_len: set.signature_len(),
                randomness_len: MlDsaSet::RANDOMNESS_LEN,
                // RFC 9881, 2.
                last_arc: 17 + set as u8,
            }),
            HeldType::Kem(_) => None,
        }
    }

    fn is_there(&self) -> bool {
        self.bytes().is_some()
    }

    fn pkey(&self) -> *mut Pkey {
        self.theirs().map_or(ptr::null_mut(), Theirs::pkey)
    }

    fn in_lanes(
        &self,
        purpose: Purpose,
        context: &[u8],
        data: &[u8],
        signature: Option<&[u8]>,
    ) -> Option<Answered> {
        let session = || match context {
            [] => self.session(purpose),
            _ => {
                let with_context = |transform: Transform| transform.context(context).ok();
                open(|| self.transform(purpose).and_then(with_context))
            }
        };
        if is_worth_asking(Kind::MlDsa)
            && let Some(session) = session()
            && let Answer::Done(made) = ask(Kind::MlDsa, &session, data, signature)
        {
            return Some(reported(made));
        }
        // A lone operation is faster where nobody waits for lanes.
        if default_has(self.of) {
            return None;
        }
        Some(reported(alone(&session()?, data, signature)))
    }
}

/// Returns `true` if a signature with the private key verifies with the public key.
pub fn is_pair(key: &HeldKey) -> bool {
    let scheme = Scheme::default();
    let (sign, verify) = (Purpose::Sign(scheme), Purpose::Verify(scheme));
    let sessions = key.session(sign).zip(key.session(verify));
    sessions.is_some_and(|(sign, verify)| {
        let signature = alone(&sign, &[], None);
        signature.is_ok_and(|signature| alone(&verify, &[], Some(&signature)).is_ok())
    })
}
