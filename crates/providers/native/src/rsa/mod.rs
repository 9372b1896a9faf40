//! RSA: messages are hashed in lanes and padded, the numbers that come of them go through the lanes
//! of RSA together, private and public ones of all keys, and then the padding is checked or
//! removed.

mod session;

use broadloom_engine::provider::Operation;
use broadloom_engine::{JobError, MAX_TAG};
use broadloom_lanes::{Buffers, Cpu, Occupancy, Planner};
use broadloom_public_key::{RsaBlind, RsaInputError, RsaLanes, RsaOutcome};
use broadloom_schemes::HASHES;
use broadloom_schemes::rsa::{MAX_LEN, RsaHost, RsaKey};
use zeroize::Zeroize;

use crate::kind::Class;
use crate::kinds::own;
use session::RsaSession;

pub(crate) use session::open;

/// One queue's part of RSA.
pub(crate) struct Rsa {
    planner: Planner<RsaLanes>,
    host: RsaHost,
    jobs: Vec<Job>,
}

/// What an operation needs beside its own buffers.
struct Job {
    digest: [u8; MAX_TAG],
    /// The number that goes through the lanes, and comes back.
    number: [u8; MAX_LEN],
    blind: Option<RsaBlind>,
    outcome: RsaOutcome,
    /// Why it does not go through the lanes, if so.
    refused: Option<JobError>,
}

impl Default for Job {
    fn default() -> Self {
        let (digest, number) = ([0; MAX_TAG], [0; MAX_LEN]);
        Job { digest, number, blind: None, outcome: RsaOutcome::default(), refused: None }
    }
}

impl Rsa {
    pub(crate) fn class(cpu: &Cpu) -> Box<dyn Class> {
        Box::new(Rsa { planner: Planner::new(cpu), host: RsaHost::new(cpu), jobs: Vec::new() })
    }

    /// Hashes the messages of what signs or verifies.
    fn hash(&mut self, operations: &mut [&mut Operation<'_>]) {
        for hash in HASHES {
            let needs = |operation: &Operation<'_>| {
                let session = operation.provider_session::<RsaSession>();
                session.is_some_and(|session| session.frame.hashes() == Some(hash))
            };
            if own::<Rsa>(operations).any(|operation| needs(operation)) {
                let jobs = own::<Rsa>(operations).zip(&mut self.jobs);
                let jobs = jobs.filter(|(operation, _)| needs(operation));
                self.host.hasher().run(
                    hash,
                    jobs.filter_map(|(operation, job)| {
                        let parts = operation.public_key::<RsaSession>()?;
                        Some((parts.input, &mut job.digest))
                    }),
                );
            }
        }
    }

    /// Makes the numbers that go through the lanes, and blinds for those with a private key.
    fn prepare(&mut self, operations: &mut [&mut Operation<'_>]) {
        for (operation, job) in own::<Rsa>(operations).zip(&mut self.jobs) {
            let Some(parts) = operation.public_key::<RsaSession>() else { continue };
            let RsaSession { frame, key, .. } = parts.session;
            let number = &mut job.number[..frame.len()];
            let texts = (parts.input, parts.signature);
            let made = self.host.number_of(frame, texts, &job.digest, number);
            job.refused = made.err();
            if let (None, RsaKey::Private(key)) = (job.refused, key) {
                match self.host.blind(frame, key) {
                    Ok(blind) => job.blind = Some(blind),
                    Err(error) => job.refused = Some(error),
                }
            }
        }
    }

    /// Brings the numbers through the lanes.
    fn compute(&mut self, operations: &mut [&mut Operation<'_>]) {
        let jobs = own::<Rsa>(operations).zip(&mut self.jobs);
        self.planner.process_each(jobs.filter_map(|(operation, job)| {
            let Job { number, blind, outcome, refused, .. } = job;
            if refused.is_some() {
                return None;
            }
            let session = operation.provider_session::<RsaSession>()?;
            let buffers = Buffers::InPlace(&mut number[..session.frame.len()]);
            let loan = match (&session.key, blind) {
                (RsaKey::Private(key), Some(blind)) => {
                    RsaLanes::private(key, blind, buffers, outcome)
                }
                (RsaKey::Private(_), None) => Err(RsaInputError::Blind),
                (RsaKey::Public(key), _) => RsaLanes::public(key, buffers, outcome),
            };
            loan.map_err(|error| *refused = Some(session.frame.too_large(error))).ok()
        }));
    }

    /// Checks or removes the padding, and completes the operations.
    fn finish(&mut self, operations: &mut [&mut Operation<'_>]) {
        for (operation, job) in own::<Rsa>(operations).zip(&mut self.jobs) {
            let Some(parts) = operation.public_key::<RsaSession>() else { continue };
            let frame = &parts.session.frame;
            let number = &job.number[..frame.len()];
            let done = match (job.refused, job.outcome.check()) {
                (Some(error), _) => Err(error),
                // A fault in the machine: the wrong result would give the primes away.
                (None, Err(_)) => Err(JobError::Provider { code: 0 }),
                (None, Ok(())) => {
                    let texts = (number, parts.input);
                    self.host.result_of(frame, texts, &job.digest, parts.output)
                }
            };
            operation.complete_with_output(done);
        }
    }
}

impl Class for Rsa {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize {
        let count = own::<Rsa>(operations).count();
        if self.jobs.len() < count {
            self.jobs.resize_with(count, Job::default);
        }
        for job in &mut self.jobs[..count] {
            job.outcome = RsaOutcome::default();
        }
        self.hash(operations);
        self.prepare(operations);
        self.compute(operations);
        self.finish(operations);
        for job in &mut self.jobs[..count] {
            job.digest.zeroize();
            job.number.zeroize();
            job.blind = None;
        }
        count
    }

    fn lanes(&self) -> usize {
        self.planner.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.planner.occupancy()
    }
}
