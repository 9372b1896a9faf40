//! Project Wycheproof's vectors: what is right is done right, and what is wrong is not taken for right.

use std::sync::Arc;

use broadloom_engine::{Algorithm, Direction, Job, JobError, Processor, Provider, Session};
use wycheproof::TestResult;

use crate::candidate::say;
use crate::case::assert_same;
use crate::keyed::Keyed;
use crate::limits::Limits;
use crate::wycheproof::{Claim, claims};

/// The longest nonce that every provider has to take, in bytes.
const EVERYBODYS_NONCE: usize = 16;

/// All vectors of the algorithms that a provider has, in every direction, all of a direction side by side.
pub fn wycheproof(provider: &Arc<dyn Provider>) {
    let mut claims = claims();
    claims.retain(|claim| provider.supports(claim.algorithm));
    let mut processor = Processor::new();
    let mut beyond = 0;
    for checks in [false, true] {
        let mut sessions = Vec::new();
        for claim in &claims {
            let direction = claim.algorithm.directions()[usize::from(checks)];
            match claim.open(provider, direction) {
                Some(session) => sessions.push((claim, session)),
                None => assert!(
                    claim.result != TestResult::Valid,
                    "no session for {}, which is right",
                    claim.name
                ),
            }
        }
        let mut jobs: Vec<_> =
            sessions.iter().map(|(claim, session)| claim.job(session).user(claim)).collect();
        processor.process_many(&mut jobs);
        for job in &jobs {
            let claim = *job.user_value();
            if claim.is_beyond(provider, job) {
                beyond += 1;
            } else if checks {
                claim.check(job);
            } else {
                claim.check_made(job);
            }
        }
    }
    if beyond > 0 {
        say(format_args!(
            "{}: {beyond} of Wycheproof's messages are beyond its limits",
            provider.name()
        ));
    }
}

impl Claim {
    /// `None` if the keys or the tag have lengths that there are not.
    fn open(&self, provider: &Arc<dyn Provider>, direction: Direction) -> Option<Session> {
        let Claim { algorithm, key, mac_key, tag_len, .. } = self;
        let keyed = Keyed {
            algorithm: *algorithm,
            key: key.clone(),
            mac_key: mac_key.clone(),
            tag_len: *tag_len,
            limits: Limits::NONE,
        };
        let transform = keyed.transform(direction).ok()?;
        let session = Session::open(Arc::clone(provider), &transform);
        Some(session.unwrap_or_else(|error| panic!("{}: {error}", self.name)))
    }

    fn job<'a>(&'a self, session: &'a Session) -> Job<'a> {
        let checks = session.direction().checks();
        let data = if checks { self.after.clone() } else { self.before.clone() };
        let mut job = Job::new(session, data).nonce(&self.nonce).associated(self.associated.as_slice());
        if let Some(range) = self.layout.cipher.clone() {
            job = job.cipher_range(range);
        }
        if checks && self.tag_len > 0 { job.expect_tag(&self.tag) } else { job }
    }

    /// Whether the message is not wrong, but more than this provider takes at a time.
    fn is_beyond<T>(&self, provider: &Arc<dyn Provider>, job: &Job<'_, T>) -> bool {
        match job.status() {
            Some(Err(JobError::NonceLength { len, .. })) => {
                len > EVERYBODYS_NONCE && self.algorithm.nonce_lens().contains(&len)
            }
            Some(Err(JobError::TooLong { .. })) => {
                let limits = Limits::of(provider, self.algorithm);
                self.before.len() > limits.text || self.associated.len() > limits.associated
            }
            _ => false,
        }
    }

    /// That a message was made as the vector has it, if that is right.
    fn check_made<T>(&self, job: &Job<'_, T>) {
        let name = &self.name;
        let output = job.data().pieces().flatten().copied().collect::<Vec<u8>>();
        if self.result == TestResult::Valid {
            assert_eq!(job.status(), Some(Ok(())), "{name}");
            assert_same(&output, &self.after, || name.clone());
            assert_eq!(job.tag().unwrap_or_default(), self.tag, "the tag of {name}");
        } else if self.result.must_fail() && job.succeeded() {
            let same = output == self.after && job.tag().unwrap_or_default() == self.tag;
            assert!(!same, "{name}: it is wrong, and was made");
        }
    }

    /// That a message is taken if it is right, and that nothing is left of it if it is not.
    fn check<T>(&self, job: &Job<'_, T>) {
        let name = &self.name;
        let output = job.data().pieces().flatten().copied().collect::<Vec<u8>>();
        match self.result {
            TestResult::Valid => {
                assert_eq!(job.status(), Some(Ok(())), "{name}");
                assert_same(&output, &self.before, || name.clone());
            }
            TestResult::Acceptable if job.succeeded() => {
                assert_same(&output, &self.before, || name.clone());
            }
            TestResult::Acceptable | TestResult::Invalid => {
                assert!(!job.succeeded(), "{name}: it is wrong, and was taken");
                let ciphers = !matches!(self.algorithm, Algorithm::Mac(_));
                let text = self.layout.cipher.clone().unwrap_or(0..self.before.len());
                let plain = &self.before[text.clone()];
                if ciphers && plain.len() >= 4 && plain.iter().any(|byte| *byte != 0) {
                    let leaks = self.before != self.after && output.get(text) == Some(plain);
                    assert!(!leaks, "{name}: its plaintext was left");
                }
            }
        }
    }
}
