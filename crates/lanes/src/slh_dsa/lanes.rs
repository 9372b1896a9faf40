//! The scheduler of signatures, verifications and keys.
//!
//! Operations of one kind and one parameter set gather in a group; their keys differ. A group goes
//! when it is full, or when no more come. Messages are hashed side by side. Then signatures and
//! keys are made one after the other, as each fills the lanes, and signatures are verified
//! together.

use alloc::boxed::Box;
use core::ptr;

use zeroize::Zeroize;

use super::hasher::{Hasher, ROWS};
use super::job::SlhDsaOutcome;
use super::key::{SlhDsaPrivateKey, SlhDsaPublicKey};
use super::message::{Chosen, Randomized, RawMessage};
use super::params::{MAX_N, SlhDsaSet};
use super::places::SlhDsaPlaces;
use super::sign::Signer;
use super::verify::{Claim, Verifier};
use crate::buffer::Span;
use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Occupancy, Source};
use crate::outcome::publish;

/// One operation, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete, and that all
/// lengths are those of the set.
#[derive(Clone, Copy)]
pub struct SlhDsaTask {
    pub(super) set: SlhDsaSet,
    pub(super) order: Order,
    /// The signature, or the key.
    pub(super) span: Span,
    pub(super) message: RawMessage,
}

/// What is to be done.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// To sign, with randomness of so many bytes.
    Sign(*const SlhDsaPrivateKey, *const [u8]),
    Verify(*const SlhDsaPublicKey, *mut SlhDsaOutcome),
    /// To complete a key.
    Key,
}

impl SlhDsaTask {
    /// The group it belongs to.
    fn group(&self) -> usize {
        let kind = match self.order {
            Order::Sign(..) => 0,
            Order::Verify(..) => 1,
            Order::Key => 2,
        };
        SlhDsaSet::ALL.len() * kind + self.set as usize
    }

    /// What is read of the signature or the key.
    ///
    /// # Safety
    /// The task is good, and nothing has been written to the place.
    unsafe fn input<'t>(&self) -> &'t [u8] {
        // SAFETY: the caller's.
        unsafe { core::slice::from_raw_parts(self.span.src, self.span.len) }
    }

    /// Where the signature or the key goes.
    ///
    /// # Safety
    /// The task is good, and this the only reference to the place.
    unsafe fn output<'t>(&self) -> &'t mut [u8] {
        // SAFETY: the caller's.
        unsafe { core::slice::from_raw_parts_mut(self.span.dst, self.span.len) }
    }
}

/// After so many calls in which a group did not go, it does: a steady stream of other operations
/// must not keep it waiting for ever.
const PATIENCE: u32 = 16;

/// Groups: of each set and kind.
const GROUPS: usize = 3 * SlhDsaSet::ALL.len();

/// Operations that go together.
#[derive(Clone, Copy)]
struct Group {
    tasks: [(u32, SlhDsaTask); ROWS],
    count: usize,
    /// Calls of `run` that found some waiting, since they last went.
    idle: u32,
}

impl Group {
    /// A group without operations. Not inlined: where many are made, the compiler writes the stores
    /// of all of them out, and takes seconds for these alone.
    #[inline(never)]
    fn empty() -> Self {
        let task = SlhDsaTask {
            set: SlhDsaSet::Sha2_128s,
            order: Order::Key,
            span: Span { src: ptr::null(), dst: ptr::null_mut(), len: 0 },
            message: RawMessage::NONE,
        };
        Group { tasks: [(0, task); ROWS], count: 0, idle: 0 }
    }
}

/// The scheduler of SLH-DSA onto lanes.
pub struct SlhDsaLanes {
    hasher: Hasher,
    signer: Signer,
    verifier: Verifier,
    groups: Box<[Group; GROUPS]>,
}

// SAFETY: the pointers are those of tasks, whose owner (a manager) holds the buffers and moves with
// this.
unsafe impl Send for SlhDsaLanes {}

impl Lanes for SlhDsaLanes {
    type Task = SlhDsaTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        SlhDsaLanes {
            hasher: Hasher::new(cpu),
            signer: Signer::new(),
            verifier: Verifier::new(),
            groups: Box::new(core::array::from_fn(|_| Group::empty())),
        }
    }

    fn lanes(&self) -> usize {
        ROWS
    }

    fn occupancy(&self) -> Occupancy {
        self.hasher.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<SlhDsaTask>, goal: Goal) {
        let mut completed = 0;
        self.groups.iter_mut().for_each(|group| group.idle += u32::from(group.count > 0));
        // SAFETY: the caller vouches for the tasks until they are complete.
        unsafe {
            loop {
                while let Some(index) = source.next(|id, task| self.take(id, task)) {
                    if self.groups[index].count == ROWS {
                        completed += self.go(index, source);
                    }
                }
                let late = self.groups.iter().position(|group| group.idle > PATIENCE);
                if late.is_none() && goal == Goal::One && completed > 0 {
                    return;
                }
                let fullest = (0..GROUPS).max_by_key(|index| self.groups[*index].count);
                match late.or(fullest) {
                    Some(index) if self.groups[index].count > 0 => {
                        completed += self.go(index, source);
                    }
                    _ => return,
                }
            }
        }
    }
}

impl SlhDsaLanes {
    /// Takes a task into its group, which is not full, and says which that is.
    fn take(&mut self, id: u32, task: &SlhDsaTask) -> usize {
        let index = task.group();
        let group = &mut self.groups[index];
        group.tasks[group.count] = (id, *task);
        group.count += 1;
        index
    }

    /// Completes the tasks of a group, and says how many there were.
    ///
    /// # Safety
    /// The tasks are good.
    unsafe fn go(&mut self, index: usize, source: &mut impl Source<SlhDsaTask>) -> usize {
        let group = &mut self.groups[index];
        let Group { tasks, count, .. } = *group;
        (group.count, group.idle) = (0, 0);
        let tasks = &tasks[..count];
        // SAFETY: the caller's.
        unsafe {
            match index / SlhDsaSet::ALL.len() {
                0 => self.sign(tasks),
                1 => self.verify(tasks),
                _ => tasks.iter().for_each(|(_, task)| self.complete_key(task)),
            }
        }
        tasks.iter().for_each(|(id, _)| source.done(*id));
        count
    }

    /// Makes signatures.
    ///
    /// # Safety
    /// The tasks are good, and for signing under keys of one set; there is one at least.
    unsafe fn sign(&mut self, tasks: &[(u32, SlhDsaTask)]) {
        let all: [Randomized<'_>; ROWS] = each_of(tasks, |task| match task.order {
            // SAFETY: the caller's.
            Order::Sign(key, random) => unsafe {
                Randomized { key: &*key, message: task.message.get(), random: &*random }
            },
            _ => unreachable!("a group has tasks of one kind"),
        });
        let mut randomizers = [[0; MAX_N]; ROWS];
        self.hasher.randomizers(&all[..tasks.len()], |at, bytes| {
            randomizers[at][..bytes.len()].copy_from_slice(bytes);
            // They are the beginning of the signature.
            publish(&mut randomizers[at]);
        });
        let params = all[0].key.set().params();
        let chosen: [Chosen<'_>; ROWS] = core::array::from_fn(|at| {
            let Randomized { key, message, .. } = all[at];
            Chosen { key: key.public(), message, randomizer: &randomizers[at][..params.n] }
        });
        let mut places = [SlhDsaPlaces::NONE; ROWS];
        self.hasher.choose(&chosen[..tasks.len()], |at, digest| {
            places[at] = SlhDsaPlaces::new(&params, digest);
        });
        for (at, (_, task)) in tasks.iter().enumerate() {
            // SAFETY: the caller's.
            let signature = unsafe { task.output() };
            signature[..params.n].copy_from_slice(chosen[at].randomizer);
            self.signer.sign(&mut self.hasher, all[at].key, &places[at], signature);
        }
        self.wipe();
    }

    /// Verifies signatures.
    ///
    /// # Safety
    /// The tasks are good, and for verifying under keys of one set; there is one at least.
    unsafe fn verify(&mut self, tasks: &[(u32, SlhDsaTask)]) {
        let all: [Chosen<'_>; ROWS] = each_of(tasks, |task| match task.order {
            // SAFETY: the caller's.
            Order::Verify(key, _) => unsafe {
                let randomizer = &task.input()[..task.set.node_len()];
                Chosen { key: &*key, message: task.message.get(), randomizer }
            },
            _ => unreachable!("a group has tasks of one kind"),
        });
        let (params, mut places) = (all[0].key.set().params(), [SlhDsaPlaces::NONE; ROWS]);
        self.hasher.choose(&all[..tasks.len()], |at, digest| {
            places[at] = SlhDsaPlaces::new(&params, digest);
        });
        let claims: [Claim<'_>; ROWS] = core::array::from_fn(|at| {
            let (_, task) = tasks[at.min(tasks.len() - 1)];
            // SAFETY: the caller's.
            let signature = unsafe { task.input() };
            Claim { key: all[at].key, signature, places: &places[at] }
        });
        let right = self.verifier.verify(&mut self.hasher, &claims[..tasks.len()]);
        for ((_, task), is_right) in tasks.iter().zip(right) {
            if let Order::Verify(_, outcome) = task.order {
                // SAFETY: the caller's.
                unsafe { *outcome = SlhDsaOutcome { is_right } };
            }
        }
    }

    /// Completes a key: writes its root behind the seeds.
    ///
    /// # Safety
    /// The task is good.
    unsafe fn complete_key(&mut self, task: &SlhDsaTask) {
        let n = task.set.node_len();
        let mut bytes = [0; 4 * MAX_N];
        let bytes = &mut bytes[..4 * n];
        // SAFETY: the caller's.
        bytes[..3 * n].copy_from_slice(unsafe { &task.input()[..3 * n] });
        let key = SlhDsaPrivateKey::new(task.set, bytes).expect("as many bytes as the set has");
        self.signer.root(&mut self.hasher, &key, &mut bytes[3 * n..]);
        // SAFETY: the caller's.
        unsafe { task.output() }.copy_from_slice(bytes);
        bytes.zeroize();
        self.wipe();
    }

    fn wipe(&mut self) {
        self.hasher.wipe();
        self.signer.wipe();
    }
}

/// Something for each task, and for the others what the last has; there is one at least.
fn each_of<T>(tasks: &[(u32, SlhDsaTask)], of: impl Fn(&SlhDsaTask) -> T) -> [T; ROWS] {
    core::array::from_fn(|at| of(&tasks[at.min(tasks.len() - 1)].1))
}
