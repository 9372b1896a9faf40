//! ML-DSA, of which many signatures share the lanes.

use std::ffi::c_int;
use std::ptr;

use broadloom::Transform;
use broadloom::public_key::{MlDsaSet, Scheme};

use super::whole::{Answered, Call, Facts, SigningKey, Wanted, reported};
use crate::held::{HeldKey, HeldType, default_has};
use crate::interface::Param;
use crate::key::{Purpose, open};
use crate::libcrypto::{apart, functions};
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

    unsafe fn by_default(
        &self,
        list: *const Param,
        Call { what, data, len }: Call,
    ) -> Option<c_int> {
        let pkey = self.theirs()?.pkey();
        let functions = functions();
        let (name, place) = (ptr::null(), ptr::null_mut());
        // SAFETY: the context is new and ours, the list is valid and the call libcrypto's, by this
        // function's contract.
        unsafe {
            let context = (functions.EVP_MD_CTX_new)();
            let begin = match what {
                Wanted::Signature { .. } => functions.EVP_DigestSignInit_ex,
                Wanted::Verdict { .. } => functions.EVP_DigestVerifyInit_ex,
            };
            let status = match (begin(context, place, name, apart(), ptr::null(), pkey, list), what)
            {
                (1, Wanted::Signature { out, out_len, room }) => {
                    *out_len = room;
                    (functions.EVP_DigestSign)(context, out, out_len, data, len)
                }
                (1, Wanted::Verdict { signature, len: signature_len }) => {
                    (functions.EVP_DigestVerify)(context, signature, signature_len, data, len)
                }
                _ => 0,
            };
            (functions.EVP_MD_CTX_free)(context);
            Some(status)
        }
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
