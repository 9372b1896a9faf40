//! ML-DSA: keys are generated, messages signed and signatures verified in lanes, for all keys
//! together. Operations of one kind and one set share lanes, and signatures take lanes as they
//! become free.

mod session;

use broadloom_engine::JobError;
use broadloom_engine::provider::Operation;
use broadloom_lanes::{Cpu, Loan, Occupancy, Planner};
use broadloom_public_key::{MlDsaLanes, MlDsaOutcome, MlDsaSet};
use zeroize::Zeroize;

use crate::drawn::Drawn;
use crate::kind::Class;
use crate::kinds::own;
use session::{MlDsaSession, Work};

pub(crate) use session::open;

/// One queue's part of ML-DSA.
pub(crate) struct MlDsa {
    planner: Planner<MlDsaLanes>,
    jobs: Vec<Job>,
    /// Seeds that the callers left out, and the randomness of hedged signatures.
    drawn: Drawn,
}

/// What an operation needs beside its own buffers.
#[derive(Default)]
struct Job {
    /// The randomness of a signature: zeros if it is deterministic.
    random: [u8; MlDsaSet::RANDOMNESS_LEN],
    outcome: MlDsaOutcome,
    /// Why it does not go through the lanes, if so.
    refused: Option<JobError>,
}

impl MlDsa {
    pub(crate) fn class(cpu: &Cpu) -> Box<dyn Class> {
        Box::new(MlDsa { planner: Planner::new(cpu), jobs: Vec::new(), drawn: Drawn::new() })
    }
}

/// Puts a seed at the beginning of the output, where the lanes take it from, and the randomness of
/// a signature into the job. What the operation does not bring, it takes from `drawn`.
fn prepare(
    operation: &mut Operation<'_>,
    job: &mut Job,
    drawn: &mut Drawn,
) -> Result<(), JobError> {
    let parts = operation.public_key::<MlDsaSession>().ok_or(JobError::NotDone)?;
    let missing = parts.session.missing(parts.input.len())?;
    let random = if missing == 0 { parts.input } else { drawn.take(missing)? };
    match parts.session.work {
        Work::Generate => parts.output[..random.len()].copy_from_slice(random),
        Work::Sign(_) if missing != 0 => job.random.copy_from_slice(random),
        Work::Sign(_) | Work::Verify(_) => {}
    }
    Ok(())
}

/// An operation's work.
fn lend<'v>(operation: &'v mut Operation<'_>, job: &'v mut Job) -> Option<Loan<'v, MlDsaLanes>> {
    if job.refused.is_some() {
        return None;
    }
    let parts = operation.public_key::<MlDsaSession>()?;
    let Job { random, outcome, refused } = job;
    let session = parts.session;
    let output = &mut parts.output[..session.output_len()];
    let (loan, otherwise) = match &session.work {
        Work::Generate => (MlDsaLanes::generate(session.set, output), JobError::NotDone),
        Work::Sign(key) => {
            let message = session.message(parts.input).map_err(|error| *refused = Some(error));
            (MlDsaLanes::sign(key, message.ok()?, Some(&*random), output), JobError::NotDone)
        }
        Work::Verify(key) => {
            let message = session.message(parts.input).map_err(|error| *refused = Some(error));
            let loan = MlDsaLanes::verify(key, message.ok()?, parts.signature, outcome);
            (loan, JobError::SignatureMismatch)
        }
    };
    loan.map_err(|_| *refused = Some(otherwise)).ok()
}

/// Returns the bytes of output of an operation that went through the lanes.
fn result(operation: &Operation<'_>, job: &Job) -> Result<usize, JobError> {
    job.refused.map_or(Ok(()), Err)?;
    let session = operation.provider_session::<MlDsaSession>().ok_or(JobError::NotDone)?;
    match session.work {
        Work::Verify(_) if !job.outcome.is_right() => Err(JobError::SignatureMismatch),
        _ => Ok(session.output_len()),
    }
}

impl Class for MlDsa {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize {
        let count = own::<MlDsa>(operations).count();
        self.drawn.draw_for(own::<MlDsa>(operations), MlDsaSession::missing);
        let MlDsa { planner, jobs, drawn } = self;
        if jobs.len() < count {
            jobs.resize_with(count, Job::default);
        }
        for (operation, job) in own::<MlDsa>(operations).zip(&mut *jobs) {
            *job = Job::default();
            job.refused = prepare(operation, job, drawn).err();
        }
        drawn.wipe();
        let all = own::<MlDsa>(operations).zip(&mut *jobs);
        planner.process_each(all.filter_map(|(operation, job)| lend(operation, job)));
        for (operation, job) in own::<MlDsa>(operations).zip(&mut *jobs) {
            job.random.zeroize();
            let result = result(operation, job);
            operation.complete_with_output(result);
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
