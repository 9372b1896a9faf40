//! Elliptic curves: X25519, and Ed25519, whose messages are hashed in lanes.
//!
//! Signing takes two steps in lanes of hashes, and one in those of curves between them; verifying
//! takes one of each.

mod session;

use broadloom_engine::provider::Operation;
use broadloom_engine::{HashAlgorithm, JobError, MAX_TAG};
use broadloom_lanes::{Cpu, Occupancy, Planner};
use broadloom_public_key::{CurveLanes, CurveOutcome};
use broadloom_schemes::Hasher;
use zeroize::Zeroize;

use crate::kind::Class;
use crate::kinds::own;
use session::{CurveSession, Key};

pub(crate) use session::open;

/// One queue's part of elliptic curves.
pub(crate) struct Curves {
    planner: Planner<CurveLanes>,
    hasher: Hasher,
    jobs: Vec<Job>,
}

/// What an operation needs beside its own buffers.
#[derive(Default)]
struct Job {
    /// What is hashed, in one piece.
    message: Vec<u8>,
    digest: Digest,
    /// What goes through the lanes, and comes back.
    buffer: Buffer,
    outcome: CurveOutcome,
    /// Why there is no result, if so.
    refused: Option<JobError>,
}

/// Room for a digest.
struct Digest([u8; MAX_TAG]);

/// The longest input of the lanes.
struct Buffer([u8; 128]);

impl Default for Digest {
    fn default() -> Self {
        Digest([0; _])
    }
}

impl Default for Buffer {
    fn default() -> Self {
        Buffer([0; _])
    }
}

impl Curves {
    pub(crate) fn class(cpu: &Cpu) -> Box<dyn Class> {
        Box::new(Curves { planner: Planner::new(cpu), hasher: Hasher::new(cpu), jobs: Vec::new() })
    }

    /// Hashes the messages of all jobs that have some.
    fn hash(&mut self) {
        let jobs = self.jobs.iter_mut().filter(|job| !job.message.is_empty());
        let messages = jobs.map(|Job { message, digest, .. }| (&message[..], &mut digest.0));
        self.hasher.run(HashAlgorithm::Sha512, messages);
    }

    /// Brings through the lanes what is to be agreed on or committed to, or else verified.
    fn compute(&mut self, operations: &mut [&mut Operation<'_>], verifies: bool) {
        let jobs = own::<Curves>(operations).zip(&mut self.jobs);
        self.planner.process_each(jobs.filter_map(|(operation, job)| {
            let Job { buffer, outcome, refused, .. } = job;
            let session = operation.provider_session::<CurveSession>()?;
            if refused.is_some() || matches!(session.key, Key::Verify(_)) != verifies {
                return None;
            }
            let buffer = &mut buffer.0;
            let loan = match &session.key {
                Key::Agree(key) => CurveLanes::x25519(key, &mut buffer[..32], outcome),
                Key::Sign(_) => CurveLanes::ed25519_commit(&mut buffer[..64], outcome),
                Key::Verify(key) => CurveLanes::ed25519_verify(key, &mut buffer[..], outcome),
            };
            loan.map_err(|_| *refused = Some(JobError::NotDone)).ok()
        }));
    }
}

/// Room for a message that is kept for the next one.
const KEPT: usize = 64 << 10;

/// Makes a message of parts. No copy is left behind in memory that is given back.
fn fill(message: &mut Vec<u8>, parts: &[&[u8]]) {
    message.reserve(parts.iter().map(|part| part.len()).sum());
    parts.iter().for_each(|part| message.extend_from_slice(part));
}

/// Wipes a message, which may begin with a secret.
fn wipe(message: &mut Vec<u8>) {
    message.as_mut_slice().zeroize();
    message.clear();
    if message.capacity() > KEPT {
        *message = Vec::new();
    }
}

impl Class for Curves {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize {
        let count = own::<Curves>(operations).count();
        if self.jobs.len() < count {
            self.jobs.resize_with(count, Job::default);
        }
        for (operation, job) in own::<Curves>(operations).zip(&mut self.jobs) {
            (job.outcome, job.refused) = (CurveOutcome::default(), None);
            let Some(parts) = operation.public_key::<CurveSession>() else { continue };
            let Job { message, buffer, .. } = &mut *job;
            job.refused = parts.session.prepare(&parts, message, &mut buffer.0).err();
        }
        // Commitments are made of what is hashed first; all else is there at once.
        self.hash();
        for (operation, job) in own::<Curves>(operations).zip(&mut self.jobs) {
            let Some(session) = operation.provider_session::<CurveSession>() else { continue };
            session.hashed(&job.digest.0, &mut job.buffer.0);
        }
        self.compute(operations, false);
        let mut signs = false;
        for (operation, job) in own::<Curves>(operations).zip(&mut self.jobs) {
            wipe(&mut job.message);
            let Some(parts) = operation.public_key::<CurveSession>() else { continue };
            if let Key::Sign(key) = &parts.session.key {
                signs = true;
                let first = &job.buffer.0[..32];
                fill(&mut job.message, &[first, key.public(), parts.input]);
            }
        }
        if signs {
            self.hash();
        }
        self.compute(operations, true);
        for (operation, job) in own::<Curves>(operations).zip(&mut self.jobs) {
            let Some(parts) = operation.public_key::<CurveSession>() else { continue };
            let done = match job.refused {
                Some(error) => Err(error),
                None => {
                    parts.session.result(job.outcome, &job.digest.0, &job.buffer.0, parts.output)
                }
            };
            operation.complete_with_output(done);
            wipe(&mut job.message);
            job.buffer.0.zeroize();
            job.digest.0.zeroize();
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
