//! The scheduler of operations onto lanes.
//!
//! Operations of one kind and one parameter set go together, a lane each; their keys differ.

use core::array;

use broadloom_lanes::inside::wiped::clear_stack;
use broadloom_lanes::inside::{Groups, Source, Span};
use broadloom_lanes::{Cpu, Lanes, Occupancy};

use super::key::{MlKemPrivateKey, MlKemPublicKey};
use super::operations::Calculator;
use super::params::MlKemSet;
use crate::kernels::ml_kem::kernel::MAX_LANES;

/// One operation, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete, and that all
/// lengths are those of the set.
#[derive(Clone, Copy)]
pub struct MlKemTask {
    pub(super) set: MlKemSet,
    pub(super) order: MlKemOrder,
    pub(super) span: Span,
}

/// What is to be done.
#[derive(Clone, Copy)]
pub(super) enum MlKemOrder {
    Generate,
    Encapsulate(*const MlKemPublicKey),
    Decapsulate(*const MlKemPrivateKey),
}

/// Groups: of each kind and set.
const GROUPS: usize = 3 * MlKemSet::ALL.len();

impl MlKemTask {
    /// Returns the group it belongs to.
    fn group(&self) -> usize {
        let kind = match self.order {
            MlKemOrder::Generate => 0,
            MlKemOrder::Encapsulate(_) => 1,
            MlKemOrder::Decapsulate(_) => 2,
        };
        MlKemSet::ALL.len() * kind + self.set as usize
    }
}

/// The scheduler of ML-KEM onto lanes.
pub struct MlKemLanes {
    groups: Groups<MlKemTask, GROUPS>,
    calculator: Calculator,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler.
unsafe impl Send for MlKemLanes {}

impl Lanes for MlKemLanes {
    type Task = MlKemTask;

    fn new(cpu: &Cpu) -> Self {
        let calculator = Calculator::new(cpu);
        MlKemLanes { groups: Groups::new(calculator.lanes()), calculator }
    }

    fn lanes(&self) -> usize {
        self.calculator.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.calculator.sponges.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<MlKemTask>) {
        // SAFETY: the tasks of a group were given by the source and are not reported done yet, so
        // they are good, by this function's contract.
        let go = |_, tasks: &[_]| unsafe { go(&mut self.calculator, tasks) };
        self.groups.run(source, MlKemTask::group, go);
    }
}

/// Completes the tasks of a group.
///
/// # Safety
/// The tasks are good, as [`Lanes::Task`] defines it, of one kind and one set; there is one at
/// least, and no more than the calculator has lanes.
unsafe fn go(calculator: &mut Calculator, tasks: &[(u32, MlKemTask)]) {
    let (count, (_, first)) = (tasks.len(), tasks[0]);
    let task = |at: usize| tasks[at.min(count - 1)].1;
    let buffers: [_; MAX_LANES] = array::from_fn(|at| (task(at).span.src, task(at).span.dst));
    let buffers = &buffers[..count];
    // SAFETY: the tasks are good, by this function's contract, so that the keys are alive, and the
    // buffers are as long as the operation needs them.
    unsafe {
        match first.order {
            MlKemOrder::Generate => calculator.generate(first.set, buffers),
            MlKemOrder::Encapsulate(_) => {
                let keys: [_; MAX_LANES] = array::from_fn(|at| match task(at).order {
                    MlKemOrder::Encapsulate(key) => &*key,
                    _ => unreachable!("a group has tasks of one kind"),
                });
                calculator.encapsulate(&keys[..count], buffers);
            }
            MlKemOrder::Decapsulate(_) => {
                let keys: [_; MAX_LANES] = array::from_fn(|at| match task(at).order {
                    MlKemOrder::Decapsulate(key) => &*key,
                    _ => unreachable!("a group has tasks of one kind"),
                });
                calculator.decapsulate(&keys[..count], buffers);
            }
        }
    }
    // Kernels spill rows of messages from registers before they transpose them.
    clear_stack::<{ 16 << 10 }>();
}
