//! ECDSA and ECDH, on curves over prime fields and on binary curves. Messages are hashed in lanes,
//! and nonces made.

mod keys;
mod session;

use broadloom_engine::provider::Operation;
use broadloom_engine::{JobError, MAX_TAG};
use broadloom_lanes::{Cpu, Loan, Occupancy, Planner};
use broadloom_public_key::{BinaryCurveLanes, CurveLanes, CurveOutcome};
use broadloom_schemes::ecdsa::MAX_LEN;
use broadloom_schemes::ecdsa::nonce::{self, Draft};
use broadloom_schemes::{HASHES, Hasher};

use crate::kind::Class;
use crate::kinds::own;
use keys::{Key, Private, Public, prime_loan};
use session::EcSession;

pub(crate) use session::open;

/// One queue's part of ECDSA and ECDH.
pub(crate) struct Ec {
    prime: Planner<CurveLanes>,
    binary: Planner<BinaryCurveLanes>,
    hasher: Hasher,
    jobs: Vec<Job>,
}

/// What an operation needs beside its own buffers.
struct Job {
    digest: [u8; MAX_TAG],
    draft: Draft,
    nonce: Option<Private>,
    /// What goes through the lanes, and comes back.
    buffer: [u8; 3 * MAX_LEN],
    outcome: CurveOutcome,
    /// Why there is no result, if so.
    refused: Option<JobError>,
}

impl Default for Job {
    fn default() -> Self {
        Job {
            digest: [0; MAX_TAG],
            draft: Draft::default(),
            nonce: None,
            buffer: [0; 3 * MAX_LEN],
            outcome: CurveOutcome::default(),
            refused: None,
        }
    }
}

impl Ec {
    pub(crate) fn class(cpu: &Cpu) -> Box<dyn Class> {
        Box::new(Ec {
            prime: Planner::new(cpu),
            binary: Planner::new(cpu),
            hasher: Hasher::new(cpu),
            jobs: Vec::new(),
        })
    }

    /// Hashes the messages of what signs or verifies.
    fn hash(&mut self, operations: &mut [&mut Operation<'_>]) {
        for hash in HASHES {
            let needs = |operation: &Operation<'_>| {
                let session = operation.provider_session::<EcSession>();
                session.is_some_and(|session| session.hashes() == Some(hash))
            };
            if own::<Ec>(operations).any(|operation| needs(operation)) {
                let jobs = own::<Ec>(operations).zip(&mut self.jobs);
                let jobs = jobs.filter(|(operation, _)| needs(operation));
                self.hasher.run(
                    hash,
                    jobs.filter_map(|(operation, job)| {
                        let parts = operation.public_key::<EcSession>()?;
                        Some((parts.input, &mut job.digest))
                    }),
                );
            }
        }
    }

    /// Prepares what goes through the lanes, and begins nonces.
    fn prepare(&mut self, operations: &mut [&mut Operation<'_>]) {
        for (operation, job) in own::<Ec>(operations).zip(&mut self.jobs) {
            let Some(parts) = operation.public_key::<EcSession>() else { continue };
            let session = parts.session;
            let Job { digest, draft, buffer, .. } = &mut *job;
            let prepared = session.prepare(&parts, digest, buffer);
            job.refused = prepared.and_then(|()| session.begin(parts.input, digest, draft)).err();
        }
    }

    /// Makes the nonces of what signs.
    fn draw(&mut self, operations: &mut [&mut Operation<'_>]) {
        for hash in HASHES {
            let signs = |operation: &&mut Operation<'_>| {
                let session = operation.provider_session::<EcSession>();
                session.is_some_and(|session| session.signs_with() == Some(hash))
            };
            if !own::<Ec>(operations).any(|operation| signs(&operation)) {
                continue;
            }
            let jobs = own::<Ec>(operations).zip(&mut self.jobs);
            let jobs = jobs.filter(|(operation, job)| signs(operation) && job.refused.is_none());
            nonce::make(&mut self.hasher, hash, jobs.map(|(_, job)| &mut job.draft).collect());
        }
        for (operation, job) in own::<Ec>(operations).zip(&mut self.jobs) {
            let Some(session) = operation.provider_session::<EcSession>() else { continue };
            job.nonce = job.draft.nonce().and_then(|nonce| session.nonce(nonce));
        }
    }

    /// Brings what is prepared through the lanes.
    fn compute(&mut self, operations: &mut [&mut Operation<'_>]) {
        let jobs = own::<Ec>(operations).zip(&mut self.jobs);
        self.prime.process_each(jobs.filter_map(|(operation, job)| prime(operation, job)));
        let jobs = own::<Ec>(operations).zip(&mut self.jobs);
        self.binary.process_each(jobs.filter_map(|(operation, job)| binary(operation, job)));
    }
}

/// An operation's work on a curve over a prime field.
fn prime<'v>(operation: &'v mut Operation<'_>, job: &'v mut Job) -> Option<Loan<'v, CurveLanes>> {
    let Job { buffer, nonce, outcome, refused, .. } = job;
    let session = operation.provider_session::<EcSession>()?;
    if refused.is_some() {
        return None;
    }
    let numbers = (&mut buffer[..], session.curve.coordinate_len());
    let loan = prime_loan((&session.key, nonce), numbers, outcome)?;
    loan.map_err(|_| *refused = Some(JobError::NotDone)).ok()
}

/// An operation's work on a binary curve.
fn binary<'v>(
    operation: &'v mut Operation<'_>,
    job: &'v mut Job,
) -> Option<Loan<'v, BinaryCurveLanes>> {
    let Job { buffer, nonce, outcome, refused, .. } = job;
    let session = operation.provider_session::<EcSession>()?;
    if refused.is_some() {
        return None;
    }
    let loan = match (&session.key, nonce) {
        (Key::Sign(Private::Binary(key)), Some(Private::Binary(nonce))) => {
            BinaryCurveLanes::sign(key, nonce, &mut buffer[..72], outcome)
        }
        (Key::Verify(Public::Binary(key)), _) => {
            BinaryCurveLanes::verify(key, &mut buffer[..108], outcome)
        }
        (Key::Agree(Private::Binary(key)), _) => {
            BinaryCurveLanes::agree(key, &mut buffer[..72], outcome)
        }
        _ => return None,
    };
    loan.map_err(|_| *refused = Some(JobError::NotDone)).ok()
}

impl Class for Ec {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize {
        let count = own::<Ec>(operations).count();
        if self.jobs.len() < count {
            self.jobs.resize_with(count, Job::default);
        }
        self.jobs.iter_mut().take(count).for_each(|job| job.outcome = CurveOutcome::default());
        self.hash(operations);
        self.prepare(operations);
        self.draw(operations);
        self.compute(operations);
        for (operation, job) in own::<Ec>(operations).zip(&mut self.jobs) {
            let Some(parts) = operation.public_key::<EcSession>() else { continue };
            let done = match job.refused {
                Some(error) => Err(error),
                None => parts.session.result(job.outcome, &job.buffer, parts.output),
            };
            operation.complete_with_output(done);
            job.nonce = None;
            job.draft.wipe();
            // It stays in memory that is used again, so that this is done.
            job.buffer.fill(0);
        }
        count
    }

    fn lanes(&self) -> usize {
        self.prime.lanes().max(self.binary.lanes())
    }

    fn occupancy(&self) -> Occupancy {
        let [prime, binary] = [self.prime.occupancy(), self.binary.occupancy()];
        Occupancy { used: prime.used + binary.used, offered: prime.offered + binary.offered }
    }
}
