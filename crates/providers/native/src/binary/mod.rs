//! ECDSA and ECDH on binary curves, whose messages are hashed in lanes.

mod der;
mod nonce;
mod session;

use broadloom_engine::provider::Operation;
use broadloom_engine::{JobError, MAX_TAG};
use broadloom_lanes::{
    BinaryCurveLanes, BinaryPrivateKey, Cpu, CurveOutcome, Loan, Occupancy, Planner,
};
use zeroize::Zeroize;

use crate::hasher::{HASHES, Hasher};
use crate::kind::Class;
use crate::kinds::Numbered;
use session::{BinarySession, Key};

pub(crate) use session::{curve, open};

/// Bytes of a scalar or of a coordinate.
const LEN: usize = 36;

/// One queue's part of binary curves.
pub(crate) struct Binary {
    planner: Planner<BinaryCurveLanes>,
    hasher: Hasher,
    jobs: Vec<Job>,
}

/// What an operation needs beside its own buffers.
struct Job {
    digest: [u8; MAX_TAG],
    nonce: Option<BinaryPrivateKey>,
    /// What goes through the lanes, and comes back.
    buffer: [u8; 3 * LEN],
    outcome: CurveOutcome,
    /// Why there is no result, if so.
    refused: Option<JobError>,
}

impl Default for Job {
    fn default() -> Self {
        let (digest, buffer) = ([0; MAX_TAG], [0; 3 * LEN]);
        Job { digest, nonce: None, buffer, outcome: CurveOutcome::default(), refused: None }
    }
}

impl Binary {
    pub(crate) fn class(cpu: &Cpu) -> Box<dyn Class> {
        Box::new(Binary { planner: Planner::new(cpu), hasher: Hasher::new(cpu), jobs: Vec::new() })
    }

    /// Hashes the messages of what signs or verifies.
    fn hash(&mut self, operations: &mut [&mut Operation<'_>]) {
        for hash in HASHES {
            let needs = |operation: &Operation<'_>| {
                let session = operation.provider_session::<BinarySession>();
                session.is_some_and(|session| session.hashes() == Some(hash))
            };
            if own(operations).any(|operation| needs(operation)) {
                let jobs = own(operations).zip(&mut self.jobs);
                let jobs = jobs.filter(|(operation, _)| needs(operation));
                self.hasher.run(
                    hash,
                    jobs.filter_map(|(operation, job)| {
                        let parts = operation.public_key::<BinarySession>()?;
                        Some((parts.input, &mut job.digest))
                    }),
                );
            }
        }
    }

    /// Brings what is prepared through the lanes.
    fn compute(&mut self, operations: &mut [&mut Operation<'_>]) {
        let jobs = own(operations).zip(&mut self.jobs);
        self.planner.process_each(jobs.filter_map(|(operation, job)| {
            let Job { buffer, nonce, outcome, refused, .. } = job;
            let session = operation.provider_session::<BinarySession>()?;
            if refused.is_some() {
                return None;
            }
            let loan = match (&session.key, nonce) {
                (Key::Sign(key), Some(nonce)) => {
                    Loan::binary_sign(key, nonce, &mut buffer[..2 * LEN], outcome)
                }
                (Key::Verify(key), _) => Loan::binary_verify(key, &mut buffer[..], outcome),
                (Key::Agree(key), _) => Loan::binary_agree(key, &mut buffer[..2 * LEN], outcome),
                (Key::Sign(_), None) => return None,
            };
            loan.map_err(|_| *refused = Some(JobError::NotDone)).ok()
        }));
    }
}

/// The operations on binary curves among all.
fn own<'s, 'o, 'a>(
    operations: &'s mut [&'o mut Operation<'a>],
) -> impl Iterator<Item = &'s mut Operation<'a>> + use<'s, 'o, 'a> {
    let own = |operation: &&'s mut &'o mut Operation<'a>| operation.class() == Binary::CLASS;
    operations.iter_mut().filter(own).map(|operation| &mut **operation)
}

impl Class for Binary {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize {
        let count = own(operations).count();
        if self.jobs.len() < count {
            self.jobs.resize_with(count, Job::default);
        }
        self.jobs.iter_mut().take(count).for_each(|job| job.outcome = CurveOutcome::default());
        self.hash(operations);
        for (operation, job) in own(operations).zip(&mut self.jobs) {
            let Some(parts) = operation.public_key::<BinarySession>() else { continue };
            let session = parts.session;
            job.refused = session.prepare(&parts, &job.digest, &mut job.buffer).err();
            job.nonce = match job.refused {
                None => session.nonce(parts.input, &job.digest, &mut self.hasher),
                Some(_) => None,
            };
        }
        self.compute(operations);
        for (operation, job) in own(operations).zip(&mut self.jobs) {
            let Some(parts) = operation.public_key::<BinarySession>() else { continue };
            let done = match job.refused {
                Some(error) => Err(error),
                None => parts.session.result(job.outcome, &job.buffer, parts.output),
            };
            match done {
                Ok(produced) => operation.complete_with_output(produced),
                Err(error) => operation.complete(Err(error)),
            }
            job.nonce = None;
            job.buffer.zeroize();
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
