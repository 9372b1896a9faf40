//! The hybrids of ML-KEM-768 and a curve: both parts of all operations go through their lanes,
//! ML-KEM first, and then the curves.

mod session;

use broadloom_engine::provider::Operation;
use broadloom_engine::{HybridKem, JobError};
use broadloom_lanes::{Cpu, Loan, Occupancy, Planner};
use broadloom_public_key::{CurveLanes, MlKemLanes};

use crate::drawn::Drawn;
use crate::kind::Class;
use crate::kinds::own;
use session::{HybridSession, Job};

pub(crate) use session::open;

/// One queue's part of the hybrids.
pub(crate) struct Hybrid {
    ml_kem: Planner<MlKemLanes>,
    curves: Planner<CurveLanes>,
    jobs: Vec<Job>,
    drawn: Drawn,
}

impl Hybrid {
    pub(crate) fn class(cpu: &Cpu) -> Box<dyn Class> {
        Box::new(Hybrid {
            ml_kem: Planner::new(cpu),
            curves: Planner::new(cpu),
            jobs: Vec::new(),
            drawn: Drawn::new(),
        })
    }
}

/// An operation's work on ML-KEM.
fn ml_kem<'v>(operation: &'v mut Operation<'_>, job: &'v mut Job) -> Option<Loan<'v, MlKemLanes>> {
    if job.refused.is_some() {
        return None;
    }
    let parts = operation.public_key::<HybridSession>()?;
    let Job { public, text, refused, .. } = job;
    let loan = parts.session.ml_kem(public.as_ref(), text, parts.output);
    loan.map_err(|error| *refused = Some(error)).ok()
}

/// An operation's work on a curve: its own share, and the secret of the other side's.
fn curves<'v>(
    operation: &'v mut Operation<'_>,
    job: &'v mut Job,
) -> impl Iterator<Item = Loan<'v, CurveLanes>> {
    let session = operation.provider_session::<HybridSession>();
    let session = session.filter(|_| job.refused.is_none());
    session.map(|session| session.curves(job)).into_iter().flatten().flatten()
}

impl Class for Hybrid {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) -> usize {
        let count = own::<Hybrid>(operations).count();
        self.drawn.draw_for(own::<Hybrid>(operations), HybridSession::missing);
        let Hybrid { ml_kem: planner, curves: curve_planner, jobs, drawn } = self;
        if jobs.len() < count {
            jobs.resize_with(count, Job::default);
        }
        for (operation, job) in own::<Hybrid>(operations).zip(&mut *jobs) {
            let prepared = match operation.public_key::<HybridSession>() {
                Some(parts) => parts.session.prepare(parts.input, parts.output, job, drawn),
                None => Err(JobError::NotDone),
            };
            job.refused = prepared.err();
        }
        let all = own::<Hybrid>(operations).zip(&mut *jobs);
        planner.process_each(all.filter_map(|(operation, job)| ml_kem(operation, job)));
        let all = own::<Hybrid>(operations).zip(&mut *jobs);
        curve_planner.process_each(all.flat_map(|(operation, job)| curves(operation, job)));
        for (operation, job) in own::<Hybrid>(operations).zip(&mut *jobs) {
            let result = match operation.public_key::<HybridSession>() {
                Some(parts) => parts.session.result(job, parts.output),
                None => Err(JobError::NotDone),
            };
            operation.complete_with_output(result);
            job.wipe();
        }
        drawn.wipe();
        count
    }

    fn lanes(&self) -> usize {
        self.ml_kem.lanes().max(self.curves.lanes())
    }

    fn occupancy(&self) -> Occupancy {
        let [one, other] = [self.ml_kem.occupancy(), self.curves.occupancy()];
        Occupancy { used: one.used + other.used, offered: one.offered + other.offered }
    }
}

/// Bytes of the longest share on a curve, without the byte that says its form.
const MAX_POINT: usize = 64;

/// Bytes of a ciphertext of ML-KEM, and its secret.
const MAX_TEXT: usize = HybridKem::SET.ciphertext_len() + broadloom_engine::MlKemSet::SECRET_LEN;
