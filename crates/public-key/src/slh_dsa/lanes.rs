//! The scheduler of signatures, verifications and keys.
//!
//! Operations of one kind and one parameter set gather in a group; their keys differ. A group goes
//! when it is full, or when no more come. Messages are hashed side by side. Then signatures and
//! keys are made one after the other, as each fills the lanes, and signatures are verified
//! together.

use alloc::boxed::Box;
use core::ptr;

use broadloom_lanes::inside::{Source, Span, publish};
use broadloom_lanes::{Cpu, Lanes, Occupancy};
use zeroize::Zeroize;

use super::hasher::{Hasher, ROWS};
use super::key::{SlhDsaPrivateKey, SlhDsaPublicKey};
use super::message::{Chosen, Randomized, RawMessage};
use super::outcome::SlhDsaOutcome;
use super::params::{MAX_N, SlhDsaSet};
use super::places::SlhDsaPlaces;
use super::sign::Signer;
use super::verify::{Claim, Verifier};

/// One operation, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete, and that all
/// lengths are those of the set.
#[derive(Clone, Copy)]
pub struct SlhDsaTask {
    pub(super) set: SlhDsaSet,
    pub(super) order: SlhDsaOrder,
    /// The signature, or the key.
    pub(super) span: Span,
    pub(super) message: RawMessage,
}

/// What is to be done.
#[derive(Clone, Copy)]
pub(super) enum SlhDsaOrder {
    /// To sign, with randomness of so many bytes.
    Sign(*const SlhDsaPrivateKey, *const [u8]),
    Verify(*const SlhDsaPublicKey, *mut SlhDsaOutcome),
    /// To complete a key.
    Key,
}

impl SlhDsaTask {
    /// Returns the group it belongs to.
    fn group(&self) -> usize {
        let kind = match self.order {
            SlhDsaOrder::Sign(..) => 0,
            SlhDsaOrder::Verify(..) => 1,
            SlhDsaOrder::Key => 2,
        };
        SlhDsaSet::ALL.len() * kind + self.set as usize
    }

    /// Returns the bytes to read: the signature or the key.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it, and nothing writes to the bytes as long as
    /// the reference is used.
    unsafe fn input<'t>(&self) -> &'t [u8] {
        // SAFETY: the task is good, by this function's contract, so that `src` is readable for
        // `len` bytes.
        unsafe { core::slice::from_raw_parts(self.span.src, self.span.len) }
    }

    /// Returns the room for the signature or the key.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it, and this is the only reference to the room.
    unsafe fn output<'t>(&self) -> &'t mut [u8] {
        // SAFETY: the task is good, by this function's contract, so that `dst` is writable for
        // `len` bytes, and no other reference is used.
        unsafe { core::slice::from_raw_parts_mut(self.span.dst, self.span.len) }
    }
}

/// Groups: of each set and kind.
const GROUPS: usize = 3 * SlhDsaSet::ALL.len();

/// Operations that go together.
#[derive(Clone, Copy)]
struct VerificationGroup {
    tasks: [(u32, SlhDsaTask); ROWS],
    count: usize,
}

impl VerificationGroup {
    /// Makes a group without operations. Not inlined: where many are made, the compiler writes the
    /// stores of all of them out, and takes seconds for these alone.
    #[inline(never)]
    fn empty() -> Self {
        let task = SlhDsaTask {
            set: SlhDsaSet::Sha2_128s,
            order: SlhDsaOrder::Key,
            span: Span { src: ptr::null(), dst: ptr::null_mut(), len: 0 },
            message: RawMessage::NONE,
        };
        VerificationGroup { tasks: [(0, task); ROWS], count: 0 }
    }
}

/// The scheduler of SLH-DSA onto lanes.
pub struct SlhDsaLanes {
    hasher: Hasher,
    signer: Signer,
    verifier: Verifier,
    groups: Box<[VerificationGroup; GROUPS]>,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler.
unsafe impl Send for SlhDsaLanes {}

impl Lanes for SlhDsaLanes {
    type Task = SlhDsaTask;

    fn new(cpu: &Cpu) -> Self {
        SlhDsaLanes {
            hasher: Hasher::new(cpu),
            signer: Signer::new(),
            verifier: Verifier::new(),
            groups: Box::new(core::array::from_fn(|_| VerificationGroup::empty())),
        }
    }

    fn lanes(&self) -> usize {
        ROWS
    }

    fn occupancy(&self) -> Occupancy {
        self.hasher.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<SlhDsaTask>) {
        // SAFETY: every task that the source gives is good until it is reported done, by this
        // function's contract; a full group goes before it takes another task.
        unsafe {
            while let Some(index) = source.next(|id, task| self.take(id, task)) {
                if self.groups[index].count == ROWS {
                    self.go(index, source);
                }
            }
            for index in 0..GROUPS {
                if self.groups[index].count > 0 {
                    self.go(index, source);
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

    /// Completes the tasks of a group.
    ///
    /// # Safety
    /// The group's tasks are good, as [`Lanes::Task`] defines it.
    unsafe fn go(&mut self, index: usize, source: &mut impl Source<SlhDsaTask>) {
        let group = &mut self.groups[index];
        let VerificationGroup { tasks, count } = *group;
        group.count = 0;
        let tasks = &tasks[..count];
        // SAFETY: the tasks are good, by this function's contract, and of the kind and the set of
        // the group.
        unsafe {
            match index / SlhDsaSet::ALL.len() {
                0 => self.sign_group(tasks),
                1 => self.verify_group(tasks),
                _ => tasks.iter().for_each(|(_, task)| self.complete_key(task)),
            }
        }
        tasks.iter().for_each(|(id, _)| source.done(*id));
    }

    /// Makes signatures.
    ///
    /// # Safety
    /// The tasks are good, and for signing under keys of one set; there is at least one.
    unsafe fn sign_group(&mut self, tasks: &[(u32, SlhDsaTask)]) {
        let all: [Randomized<'_>; ROWS] = each_of(tasks, |task| match task.order {
            // SAFETY: the task is good, by this function's contract, so that its key, its message
            // and its randomness are alive.
            SlhDsaOrder::Sign(key, random) => unsafe {
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
            // SAFETY: the task is good, by this function's contract, and the room of a signature is
            // not read.
            let signature = unsafe { task.output() };
            signature[..params.n].copy_from_slice(chosen[at].randomizer);
            self.signer.sign(&mut self.hasher, all[at].key, &places[at], signature);
        }
        self.wipe();
    }

    /// Verifies signatures.
    ///
    /// # Safety
    /// The tasks are good, and for verifying under keys of one set; there is at least one.
    unsafe fn verify_group(&mut self, tasks: &[(u32, SlhDsaTask)]) {
        let all: [Chosen<'_>; ROWS] = each_of(tasks, |task| match task.order {
            // SAFETY: the task is good, by this function's contract, so that its key, its message
            // and its signature are alive; a signature begins with the randomizer.
            SlhDsaOrder::Verify(key, _) => unsafe {
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
            // SAFETY: the task is good, by this function's contract, and a signature that is
            // verified is not written to.
            let signature = unsafe { task.input() };
            Claim { key: all[at].key, signature, places: &places[at] }
        });
        let right = self.verifier.verify(&mut self.hasher, &claims[..tasks.len()]);
        for ((_, task), is_right) in tasks.iter().zip(right) {
            if let SlhDsaOrder::Verify(_, outcome) = task.order {
                // SAFETY: the task is good, by this function's contract, so that its outcome is
                // writable.
                unsafe { *outcome = SlhDsaOutcome { is_right } };
            }
        }
    }

    /// Completes a key: writes its root behind the seeds.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it.
    unsafe fn complete_key(&mut self, task: &SlhDsaTask) {
        let n = task.set.node_len();
        let mut bytes = [0; 4 * MAX_N];
        let bytes = &mut bytes[..4 * n];
        // SAFETY: the task is good, by this function's contract, and the reference ends before the
        // room is written to.
        bytes[..3 * n].copy_from_slice(unsafe { &task.input()[..3 * n] });
        let key = SlhDsaPrivateKey::new(task.set, bytes).expect("as many bytes as the set has");
        self.signer.root(&mut self.hasher, &key, &mut bytes[3 * n..]);
        // SAFETY: the task is good, by this function's contract, and no other reference to the room
        // is used.
        unsafe { task.output() }.copy_from_slice(bytes);
        bytes.zeroize();
        self.wipe();
    }

    fn wipe(&mut self) {
        self.hasher.wipe();
        self.signer.wipe();
    }
}

/// Returns something for each task, and for the others what the last has; there is one at least.
fn each_of<T>(tasks: &[(u32, SlhDsaTask)], of: impl Fn(&SlhDsaTask) -> T) -> [T; ROWS] {
    core::array::from_fn(|at| of(&tasks[at.min(tasks.len() - 1)].1))
}
