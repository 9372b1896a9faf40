//! SLH-DSA: messages are signed and signatures verified in lanes, of all keys and sets together.

mod generate;

use broadloom_engine::provider::{AnyKey, Asymmetric, Operation, ProviderError, ProviderSession};
use broadloom_engine::{JobError, PrivateKey, PublicKey, Transform};
use broadloom_lanes::{Cpu, Loan, Occupancy, Planner};
use broadloom_public_key::{
    PreHash, SlhDsaLanes, SlhDsaMessage, SlhDsaOutcome, SlhDsaPrivateKey, SlhDsaPublicKey,
};
use broadloom_schemes::{prehash, random};
use zeroize::Zeroize;

use crate::kind::{Class, Opened, instruction_set, laned, refused};
use crate::kinds::{Numbered, own};

pub use generate::{RandomError, generate_slh_dsa, generate_slh_dsa_from_seeds};

/// The most random bytes of a signature.
const MAX_RANDOM: usize = 32;

/// A session of SLH-DSA.
pub(crate) struct SlhDsaSession {
    key: Key,
    /// The hash whose digests are signed; `None` if messages are.
    hash: Option<PreHash>,
    context: Vec<u8>,
    /// `true` if each signature has fresh randomness.
    is_hedged: bool,
    kernel: String,
}

/// The key, as the lanes have it.
enum Key {
    Private(Box<SlhDsaPrivateKey>),
    Public(Box<SlhDsaPublicKey>),
}

/// Opens a session of SLH-DSA.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let Some(Asymmetric { key, scheme, context, .. }) = transform.asymmetric() else {
        return Err(ProviderError::new("SLH-DSA needs a key"));
    };
    let (key, set) = match key {
        AnyKey::Private(PrivateKey::SlhDsa(key)) => {
            let set = key.set();
            let key = SlhDsaPrivateKey::new(set, key.as_bytes()).map_err(refused)?;
            (Key::Private(Box::new(key)), set)
        }
        AnyKey::Public(PublicKey::SlhDsa(key)) => {
            let set = key.set();
            let key = SlhDsaPublicKey::new(set, key.as_bytes()).map_err(refused)?;
            (Key::Public(Box::new(key)), set)
        }
        _ => return Err(ProviderError::new("the key is none of SLH-DSA")),
    };
    let kernel = laned(SlhDsaLanes::kernel_info(cpu, set));
    let hash = prehash(scheme, "HashSLH-DSA")?;
    let (context, is_hedged) = (context.clone(), scheme.is_hedged());
    Ok(Box::new(SlhDsaSession { key, hash, context, is_hedged, kernel }))
}

impl SlhDsaSession {
    /// Returns the message that the data are or stand for, under the session's context.
    ///
    /// # Errors
    /// A digest of another length than its hash's.
    fn message<'m>(&'m self, data: &'m [u8]) -> Result<SlhDsaMessage<'m>, JobError> {
        let message = match self.hash {
            None => SlhDsaMessage::new(data),
            Some(hash) => SlhDsaMessage::hashed(hash, data).map_err(|_| {
                let valid = hash.digest_len();
                JobError::InputLength { len: data.len(), min: valid, max: valid }
            })?,
        };
        Ok(message.context(&self.context).expect("the engine refuses long context strings"))
    }
}

impl ProviderSession for SlhDsaSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn instruction_set(&self) -> String {
        instruction_set(&self.kernel)
    }

    fn class(&self) -> u8 {
        SlhDsa::CLASS
    }

    fn bound(&self, _: usize) -> usize {
        match &self.key {
            Key::Private(key) => key.set().signature_len(),
            Key::Public(_) => 0,
        }
    }
}

/// One queue's part of SLH-DSA.
pub(crate) struct SlhDsa {
    planner: Planner<SlhDsaLanes>,
    jobs: Vec<Job>,
}

/// What an operation needs beside its own buffers.
#[derive(Default)]
struct Job {
    random: [u8; MAX_RANDOM],
    outcome: SlhDsaOutcome,
    /// Why it does not go through the lanes, if so.
    refused: Option<JobError>,
}

impl SlhDsa {
    pub(crate) fn class(cpu: &Cpu) -> Box<dyn Class> {
        Box::new(SlhDsa { planner: Planner::new(cpu), jobs: Vec::new() })
    }
}

/// An operation's work.
fn lend<'v>(operation: &'v mut Operation<'_>, job: &'v mut Job) -> Option<Loan<'v, SlhDsaLanes>> {
    let parts = operation.public_key::<SlhDsaSession>()?;
    let Job { random, outcome, refused } = job;
    let message =
        parts.session.message(parts.input).map_err(|error| *refused = Some(error)).ok()?;
    let (loan, otherwise) = match &parts.session.key {
        Key::Private(key) => {
            let mut fresh = None;
            if parts.session.is_hedged {
                let room = &mut random[..key.set().node_len()];
                if let Err(error) = random::fill(room) {
                    *refused = Some(error);
                    return None;
                }
                fresh = Some(&*room);
            }
            let signature = &mut parts.output[..key.set().signature_len()];
            (SlhDsaLanes::sign(key, message, fresh, signature), JobError::NotDone)
        }
        Key::Public(key) => {
            let loan = SlhDsaLanes::verify(key, message, parts.signature, outcome);
            (loan, JobError::SignatureMismatch)
        }
    };
    loan.map_err(|_| *refused = Some(otherwise)).ok()
}

impl Class for SlhDsa {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize {
        let count = own::<SlhDsa>(operations).count();
        let SlhDsa { planner, jobs } = self;
        if jobs.len() < count {
            jobs.resize_with(count, Job::default);
        }
        jobs[..count].fill_with(Job::default);
        let all = own::<SlhDsa>(operations).zip(&mut *jobs);
        planner.process_each(all.filter_map(|(operation, job)| lend(operation, job)));
        for (operation, job) in own::<SlhDsa>(operations).zip(&mut *jobs) {
            job.random.zeroize();
            let made = operation.provider_session::<SlhDsaSession>().map(|session| {
                match (&session.key, job.refused) {
                    (_, Some(error)) => Err(error),
                    (Key::Private(key), None) => Ok(key.set().signature_len()),
                    (Key::Public(_), None) if job.outcome.is_right() => Ok(0),
                    (Key::Public(_), None) => Err(JobError::SignatureMismatch),
                }
            });
            operation.complete_with_output(made.unwrap_or(Err(JobError::NotDone)));
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
