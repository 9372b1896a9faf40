//! ML-KEM: keys are generated, and secrets encapsulated and decapsulated, in lanes, for all keys
//! together. Operations of one kind and one set share lanes.

mod session;

use broadloom_engine::provider::Operation;
use broadloom_engine::{JobError, MlKemSet};
use broadloom_lanes::{Cpu, Loan, Occupancy, Planner};
use broadloom_public_key::{MlKemLanes, MlKemPublicKey};
use zeroize::Zeroize;

use crate::drawn::Drawn;
use crate::kind::Class;
use crate::kinds::own;
use session::{MlKemSession, Work};

pub(crate) use session::{open, private_key};

/// Bytes of the longest ciphertext.
const MAX_CIPHERTEXT: usize = MlKemSet::MlKem1024.ciphertext_len();

/// One queue's part of ML-KEM.
pub(crate) struct MlKem {
    planner: Planner<MlKemLanes>,
    jobs: Vec<Job>,
    /// Seeds and messages that the callers left out.
    drawn: Drawn,
}

/// What an operation needs beside its own buffers.
struct Job {
    /// The other side's key, checked.
    public: Option<MlKemPublicKey>,
    /// A ciphertext, of which the lanes make a secret.
    text: [u8; MAX_CIPHERTEXT],
    /// Why it does not go through the lanes, if so.
    refused: Option<JobError>,
}

impl Default for Job {
    fn default() -> Self {
        Job { public: None, text: [0; _], refused: None }
    }
}

impl MlKem {
    pub(crate) fn class(cpu: &Cpu) -> Box<dyn Class> {
        Box::new(MlKem { planner: Planner::new(cpu), jobs: Vec::new(), drawn: Drawn::new() })
    }
}

/// Puts an operation's input where the lanes take it from: seeds and messages at the beginning of
/// the output, ciphertexts into the job. What it does not bring, it takes from `drawn`.
fn prepare(
    operation: &mut Operation<'_>,
    job: &mut Job,
    drawn: &mut Drawn,
) -> Result<(), JobError> {
    job.public = None;
    let parts = operation.public_key::<MlKemSession>().ok_or(JobError::NotDone)?;
    let (set, input, output) = (parts.session.set, parts.input, parts.output);
    let missing = parts.session.missing(input.len())?;
    let (key, given) = match parts.session.work {
        Work::Generate => (&[][..], input),
        Work::Encapsulate => input.split_at(set.public_key_len()),
        Work::Decapsulate(_) => {
            job.text[..input.len()].copy_from_slice(input);
            return Ok(());
        }
    };
    let random = if missing == 0 { given } else { drawn.take(missing)? };
    output[..random.len()].copy_from_slice(random);
    if !key.is_empty() {
        let key = MlKemPublicKey::new(set, key).map_err(|_| JobError::PublicKey)?;
        job.public = Some(key);
    }
    Ok(())
}

/// An operation's work.
fn lend<'v>(operation: &'v mut Operation<'_>, job: &'v mut Job) -> Option<Loan<'v, MlKemLanes>> {
    if job.refused.is_some() {
        return None;
    }
    let parts = operation.public_key::<MlKemSession>()?;
    let set = parts.session.set;
    let output = &mut parts.output[..parts.session.output_len()];
    let loan = match (&parts.session.work, &job.public) {
        (Work::Generate, _) => MlKemLanes::generate(set, output),
        (Work::Encapsulate, Some(key)) => MlKemLanes::encapsulate(key, output),
        (Work::Encapsulate, None) => return None,
        (Work::Decapsulate(key), _) => {
            MlKemLanes::decapsulate(key, &mut job.text[..set.ciphertext_len()])
        }
    };
    loan.map_err(|_| job.refused = Some(JobError::NotDone)).ok()
}

/// Brings a secret to its place. Returns the bytes of output.
fn result(operation: &mut Operation<'_>, job: &mut Job) -> Result<usize, JobError> {
    job.refused.map_or(Ok(()), Err)?;
    let parts = operation.public_key::<MlKemSession>().ok_or(JobError::NotDone)?;
    let len = parts.session.output_len();
    if let Work::Decapsulate(_) = parts.session.work {
        parts.output[..len].copy_from_slice(&job.text[..len]);
        // The rest of it is zero.
        job.text[..len].zeroize();
    }
    Ok(len)
}

impl Class for MlKem {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize {
        let count = own::<MlKem>(operations).count();
        self.drawn.draw_for(own::<MlKem>(operations), MlKemSession::missing);
        let MlKem { planner, jobs, drawn } = self;
        if jobs.len() < count {
            jobs.resize_with(count, Job::default);
        }
        for (operation, job) in own::<MlKem>(operations).zip(&mut *jobs) {
            job.refused = prepare(operation, job, drawn).err();
        }
        let all = own::<MlKem>(operations).zip(&mut *jobs);
        planner.process_each(all.filter_map(|(operation, job)| lend(operation, job)));
        for (operation, job) in own::<MlKem>(operations).zip(&mut *jobs) {
            let result = result(operation, job);
            operation.complete_with_output(result);
        }
        drawn.wipe();
        count
    }

    fn lanes(&self) -> usize {
        self.planner.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.planner.occupancy()
    }
}
