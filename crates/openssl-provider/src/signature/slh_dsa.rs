//! SLH-DSA, of which one signature alone fills the lanes.

use broadloom::Transform;

use super::whole::{Answered, Facts, SigningKey, reported};
use crate::key::{Key, KeyType, Purpose, open};
use crate::libcrypto::Pkey;
use crate::line::{Answer, Kind, alone, ask, is_worth_asking};

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
        !self.pkey().is_null()
    }

    fn pkey(&self) -> *mut Pkey {
        Key::pkey(self)
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
