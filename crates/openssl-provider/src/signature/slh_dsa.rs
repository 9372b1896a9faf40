//! SLH-DSA, of which one signature alone fills the lanes.

use std::ffi::c_int;
use std::ptr;

use broadloom::Transform;

use super::theirs;
use super::whole::{Answered, Call, Facts, SigningKey, Wanted, reported};
use crate::interface::{KEYMGMT_SELECT_PUBLIC_KEY, Param};
use crate::key::{Key, KeyType, Purpose, open};
use crate::line::{Answer, Kind, alone, ask, is_worth_asking};
use crate::theirs::provider_context;

impl SigningKey for Key {
    const FAMILY: &'static str = "SLH-DSA";
    const TAKES_MU: bool = false;

    fn facts(&self) -> Option<Facts> {
        match self.key_type {
            KeyType::SlhDsa(set) => Some(Facts {
                signature_len: set.signature_len(),
                randomness_len: set.node_len(),
                // RFC 9909, 3.
                last_arc: 20 + set as u8,
            }),
            _ => None,
        }
    }

    fn is_there(&self) -> bool {
        self.has(KEYMGMT_SELECT_PUBLIC_KEY)
    }

    unsafe fn by_default(
        &self,
        list: *const Param,
        Call { what, data, len }: Call,
    ) -> Option<c_int> {
        let functions = &theirs(self.key_type)?.functions;
        let (digest_sign, digest_verify) = functions.digest_sign.zip(functions.digest_verify)?;
        let (key, name) = (self.theirs(), ptr::null());
        // SAFETY: the context is new and ours, the key is the default provider's, the list is valid
        // and the call libcrypto's, by this function's contract.
        unsafe {
            let context = (functions.newctx)(provider_context(), ptr::null());
            if context.is_null() {
                return Some(0);
            }
            let status = match what {
                Wanted::Signature { out, out_len, room } => {
                    match (functions.digest_sign_init)(context, name, key, list) {
                        1 => digest_sign(context, out, out_len, room, data, len),
                        _ => 0,
                    }
                }
                Wanted::Verdict { signature, len: signature_len } => {
                    match (functions.digest_verify_init)(context, name, key, list) {
                        1 => digest_verify(context, signature, signature_len, data, len),
                        _ => 0,
                    }
                }
            };
            (functions.freectx)(context);
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
        let session = if context.is_empty() {
            let session = self.session(purpose)?;
            if is_worth_asking(Kind::SlhDsa)
                && let Answer::Done(made) = ask(Kind::SlhDsa, &session, data, signature)
            {
                return Some(reported(made));
            }
            session
        } else {
            let with_context = |transform: Transform| transform.context(context).ok();
            open(|| self.transform(purpose).and_then(with_context))?
        };
        Some(reported(alone(&session, data, signature)))
    }
}
