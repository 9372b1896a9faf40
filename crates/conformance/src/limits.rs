//! The longest text that a provider takes, found by trying.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use broadloom_engine::provider::Provider;
use broadloom_engine::{Algorithm, Job, JobError, Processor};
use fastrand::Rng;

use crate::candidate::say;
use crate::keyed::Keyed;

/// The longest text that the suite has.
pub(crate) const LONGEST_TEXT: usize = 1 << 20;
/// The longest associated data that the suite has.
pub(crate) const LONGEST_ASSOCIATED: usize = 0x1_0010;

/// The most bytes that a provider takes at a time.
///
/// A provider that the engine may choose takes all lengths. A provider that is used by name only
/// may have limits, if it reports longer jobs as [`JobError::TooLong`]. The suite then keeps within
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    pub text: usize,
    pub associated: usize,
}

/// The limits found, by the provider's name and description.
static KNOWN: Mutex<Option<HashMap<(String, Algorithm), Limits>>> = Mutex::new(None);

impl Limits {
    pub const NONE: Limits = Limits { text: usize::MAX, associated: usize::MAX };

    /// The stricter of both in each.
    pub fn and(self, other: Limits) -> Limits {
        Limits {
            text: self.text.min(other.text),
            associated: self.associated.min(other.associated),
        }
    }

    /// The limits of a provider, found by trying.
    pub fn of(provider: &Arc<dyn Provider>, algorithm: Algorithm) -> Limits {
        if !provider.by_name_only() {
            return Limits::NONE;
        }
        if let Algorithm::Chain(cipher, mac, _) = algorithm {
            let cipher = Limits::of(provider, Algorithm::Cipher(cipher));
            return cipher.and(Limits::of(provider, Algorithm::Mac(mac)));
        }
        let key = (format!("{} {}", provider.name(), provider.description()), algorithm);
        // A panic of one test does not invalidate the limits for the next.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        *known.entry(key).or_insert_with(|| {
            let limits = Limits::find(provider, algorithm);
            if limits != Limits::NONE {
                let bytes = |limit| {
                    if limit == usize::MAX { "any".to_owned() } else { format!("{limit}") }
                };
                let (name, text, associated) =
                    (provider.name(), bytes(limits.text), bytes(limits.associated));
                say(format_args!(
                    "{name} is tried within its limits: {algorithm}, bytes of text: {text}, \
                     associated: {associated}"
                ));
            }
            limits
        })
    }

    fn find(provider: &Arc<dyn Provider>, algorithm: Algorithm) -> Limits {
        let keyed = Keyed::unlimited(&mut Rng::with_seed(0), algorithm);
        let valid = algorithm.nonce_lens();
        // The shortest of CCM's nonces allows for the longest text.
        let len = if valid.contains(12) && !valid.contains(7) { 12 } else { valid.min() };
        let nonce: Vec<u8> = (0..len).map(|at| 1 & algorithm.nonce_mask(at)).collect();
        let mut limits = Limits::NONE;
        for session in keyed.open_all(provider) {
            let max = |text_len: usize, associated_len: usize| {
                let job = Job::new(&session, vec![0; text_len]).nonce(&nonce);
                let tag = vec![0; if session.direction().checks() { session.tag_len() } else { 0 }];
                let mut job = job.associated(vec![0; associated_len]).expect_tag(&tag);
                Processor::new().process_many(std::slice::from_mut(&mut job));
                match job.status() {
                    Some(Err(
                        error @ (JobError::TooLong { len, max }
                        | JobError::AssociatedTooLong { len, max }),
                    )) => {
                        let given = match error {
                            JobError::TooLong { .. } => text_len,
                            _ => associated_len,
                        };
                        assert_eq!(len, given, "what {session:?} finds too long: {error}");
                        assert!(
                            max < len as u64,
                            "{session:?}: {len} bytes are no more than {max}"
                        );
                        max as usize
                    }
                    _ => usize::MAX,
                }
            };
            let text = max(LONGEST_TEXT, 0);
            let aead = matches!(algorithm, Algorithm::Aead(_));
            let associated = if aead { max(0, LONGEST_ASSOCIATED) } else { usize::MAX };
            limits = limits.and(Limits { text, associated });
        }
        limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadloom_engine::provider::{AnyQueue, Operation, ProviderError, ProviderSession, Queue};
    use broadloom_engine::{HashAlgorithm, Transform};

    /// Takes up to 900 bytes.
    struct Short {
        by_name_only: bool,
    }

    struct Session;

    impl Provider for Short {
        fn name(&self) -> &str {
            "short"
        }

        fn description(&self) -> String {
            format!("for tests, by name only: {}", self.by_name_only)
        }

        fn supports(&self, algorithm: Algorithm) -> bool {
            matches!(algorithm, Algorithm::Hash(_))
        }

        fn by_name_only(&self) -> bool {
            self.by_name_only
        }

        fn open_session(&self, _: &Transform) -> Result<Box<dyn ProviderSession>, ProviderError> {
            Ok(Box::new(Session))
        }

        fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
            Ok(AnyQueue::local(Session))
        }
    }

    impl ProviderSession for Session {
        fn kernel(&self) -> String {
            "none".to_owned()
        }
    }

    impl Queue for Session {
        fn batch(&mut self, _: u8) -> usize {
            1
        }

        fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
            for operation in operations {
                let len = operation.parts::<Session>().map_or(0, |parts| parts.text.input().len());
                let fits = len <= 900;
                operation.complete(if fits {
                    Ok(())
                } else {
                    Err(JobError::TooLong { len, max: 900 })
                });
            }
        }
    }

    #[test]
    fn only_a_provider_used_by_name_may_have_limits() {
        let md5 = Algorithm::Hash(HashAlgorithm::Md5);
        let of = |by_name_only| {
            let provider: Arc<dyn Provider> = Arc::new(Short { by_name_only });
            Limits::of(&provider, md5)
        };
        assert_eq!(of(true), Limits { text: 900, associated: usize::MAX });
        assert_eq!(of(true), of(true));
        assert_eq!(of(false), Limits::NONE);
    }
}
