//! The scheduler of operations onto lanes.
//!
//! Operations of one kind and one parameter set go together; their keys differ. Keys are made and
//! signatures verified in groups, a lane each. Signatures take lanes as they become free.

use broadloom_lanes::inside::wiped::clear_stack;
use broadloom_lanes::inside::{Groups, Source, Span};
use broadloom_lanes::{Cpu, Lanes, Occupancy};

use super::calculator::Calculator;
use super::key::{MlDsaPrivateKey, MlDsaPublicKey};
use super::message::RawMessage;
use super::outcome::MlDsaOutcome;
use super::params::{LEN, MlDsaSet};
use super::sign::Order;
use super::verify::Claim;
use crate::kernels::ml_dsa::numbers::MAX_LANES;

/// One operation, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete, and that all
/// lengths are those of the set.
#[derive(Clone, Copy)]
pub struct MlDsaTask {
    pub(super) set: MlDsaSet,
    pub(super) order: MlDsaOrder,
    /// The signature, or the keys.
    pub(super) span: Span,
    pub(super) message: RawMessage,
}

/// What is to be done.
#[derive(Clone, Copy)]
pub(super) enum MlDsaOrder {
    Generate,
    /// To sign, with randomness.
    Sign(*const MlDsaPrivateKey, *const [u8; LEN]),
    Verify(*const MlDsaPublicKey, *mut MlDsaOutcome),
}

/// Groups: of each kind and set.
const GROUPS: usize = 3 * MlDsaSet::ALL.len();

/// Operations of a group: several times as many as there are lanes, so that signatures seldom run
/// out.
const GROUP: usize = 4 * MAX_LANES;

impl MlDsaTask {
    /// Returns the group it belongs to.
    fn group(&self) -> usize {
        let kind = match self.order {
            MlDsaOrder::Generate => 0,
            MlDsaOrder::Sign(..) => 1,
            MlDsaOrder::Verify(..) => 2,
        };
        MlDsaSet::ALL.len() * kind + self.set as usize
    }

    /// Returns the order to sign; `None` if the task is of another kind.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it, as long as the order is used.
    unsafe fn signing<'t>(&self) -> Option<Order<'t>> {
        let MlDsaOrder::Sign(key, random) = self.order else { return None };
        // SAFETY: the task is good, by this function's contract, so that its key, its message and
        // its randomness are alive.
        let (key, random, message) = unsafe { (&*key, &*random, self.message.get()) };
        Some(Order { key, message, random, room: self.span.dst })
    }

    /// Returns the claim to verify; `None` if the task is of another kind.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it, as long as the claim is used.
    unsafe fn verifying<'t>(&self) -> Option<Claim<'t>> {
        let MlDsaOrder::Verify(key, _) = self.order else { return None };
        // SAFETY: the task is good, by this function's contract, so that its key, its message and
        // its signature are alive, and nobody writes to the signature.
        unsafe {
            let signature = core::slice::from_raw_parts(self.span.src, self.span.len);
            Some(Claim { key: &*key, message: self.message.get(), signature })
        }
    }
}

/// The scheduler of ML-DSA onto lanes.
pub struct MlDsaLanes {
    groups: Groups<MlDsaTask, GROUPS>,
    calculator: Calculator,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler.
unsafe impl Send for MlDsaLanes {}

impl Lanes for MlDsaLanes {
    type Task = MlDsaTask;

    fn new(cpu: &Cpu) -> Self {
        MlDsaLanes { groups: Groups::new(GROUP), calculator: Calculator::new(cpu) }
    }

    fn lanes(&self) -> usize {
        self.calculator.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.calculator.sponges.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<MlDsaTask>) {
        // SAFETY: the tasks of a group were given by the source and are not reported done yet, so
        // they are good, by this function's contract.
        let go = |_, tasks: &[_]| unsafe { go(&mut self.calculator, tasks) };
        self.groups.run(source, MlDsaTask::group, go);
    }
}

/// Completes the tasks of a group.
///
/// # Safety
/// The tasks are good, as [`Lanes::Task`] defines it, of one kind and one set; there is one at
/// least, and no more than [`GROUP`].
unsafe fn go(calculator: &mut Calculator, tasks: &[(u32, MlDsaTask)]) {
    let set = tasks[0].1.set;
    // SAFETY: the tasks are good, by this function's contract, so that the keys are alive, and the
    // buffers are as long as the operation needs them.
    unsafe {
        match tasks[0].1.order {
            MlDsaOrder::Sign(..) => {
                let order = |at: usize| tasks[at.min(tasks.len() - 1)].1.signing();
                let all: [_; GROUP] = core::array::from_fn(|at| order(at).expect("of one kind"));
                calculator.sign(set, &all[..tasks.len()]);
            }
            MlDsaOrder::Generate => {
                for tasks in tasks.chunks(calculator.lanes()) {
                    let span = |at: usize| tasks[at.min(tasks.len() - 1)].1.span;
                    let buffers: [_; MAX_LANES] =
                        core::array::from_fn(|at| (span(at).src, span(at).dst));
                    calculator.generate(set, &buffers[..tasks.len()]);
                }
            }
            MlDsaOrder::Verify(..) => {
                let claim = |at: usize| tasks[at.min(tasks.len() - 1)].1.verifying();
                let claims: [_; GROUP] = core::array::from_fn(|at| claim(at).expect("of one kind"));
                calculator.verify(&claims[..tasks.len()], |at, is_right| {
                    if let MlDsaOrder::Verify(_, outcome) = tasks[at].1.order {
                        *outcome = MlDsaOutcome { is_right };
                    }
                });
                // Nothing of it is secret.
                return;
            }
        }
    }
    // Kernels spill polynomials from registers.
    clear_stack::<{ 16 << 10 }>();
}
