//! The scheduler of RSA operations onto the lanes of the kernels.
//!
//! Operations of one length of modulus and one kind gather in a group; their keys differ. A group
//! goes when there is an operation for each lane, or when no more come. A private operation takes
//! two lanes, one for each prime, and a group of them takes as many calls of the kernel as that
//! makes; then one lane each for the proof of its result, so that the proofs fill the vectors.

use alloc::boxed::Box;
use core::ptr;

use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroize;

use super::blinding::RsaBlind;
use super::job::RsaOutcome;
use super::key::{Half, RsaPrivateKey};
use super::public::RsaPublicKey;
use super::{RsaKernels, SIZES};
use crate::bignum::{Kernel, MAX_LANES, Number, Powers};
use crate::buffer::Span;
use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Occupancy, Source};
use crate::outcome::public;

/// One operation, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete, and that the
/// number is below the modulus.
#[derive(Clone, Copy)]
pub struct RsaTask {
    pub(super) key: TaskKey,
    /// As many bytes as the modulus has.
    pub(super) span: Span,
    pub(super) outcome: *mut RsaOutcome,
}

/// The key, and what blinds a private operation.
#[derive(Clone, Copy)]
pub(super) enum TaskKey {
    Private(*const RsaPrivateKey, *const RsaBlind),
    Public(*const RsaPublicKey),
}

impl RsaTask {
    /// The group it belongs to: by length, the private ones first.
    ///
    /// # Safety
    /// The task is good.
    unsafe fn group(&self) -> usize {
        // SAFETY: the caller's.
        let bits = unsafe { (*self.public()).bits() };
        let size = SIZES.iter().position(|size| *size == bits);
        let kind = if matches!(self.key, TaskKey::Private(..)) { 0 } else { SIZES.len() };
        kind + size.expect("keys have no other lengths")
    }

    /// The public key.
    ///
    /// # Safety
    /// The task is good.
    unsafe fn public(&self) -> *const RsaPublicKey {
        match self.key {
            // SAFETY: the caller's.
            TaskKey::Private(key, _) => unsafe { (*key).public() },
            TaskKey::Public(key) => key,
        }
    }

    /// Reads the number.
    ///
    /// # Safety
    /// The task is good.
    unsafe fn input(&self) -> Number {
        let Span { src, len, .. } = self.span;
        // SAFETY: the caller's.
        let bytes = unsafe { core::slice::from_raw_parts(src, len) };
        Number::from_bytes(bytes, len / 8).expect("a number as long as the modulus")
    }

    /// Writes a result that is right, or zeros.
    ///
    /// # Safety
    /// The task is good.
    unsafe fn finish(&self, result: &Number, is_right: Choice) {
        let is_right = public(is_right);
        let Span { dst, len, .. } = self.span;
        // SAFETY: the caller's.
        unsafe {
            let output = core::slice::from_raw_parts_mut(dst, len);
            match is_right {
                true => result.to_bytes(output),
                false => output.zeroize(),
            }
            *self.outcome = RsaOutcome { is_right };
        }
    }
}

/// After so many calls in which a group did not go, it does: a steady stream of other operations
/// must not keep it waiting for ever.
const PATIENCE: u32 = 16;

/// Operations that go together.
#[derive(Clone, Copy)]
struct Group {
    tasks: [(u32, RsaTask); MAX_LANES],
    count: usize,
    /// Calls of `run` that found some waiting, since they last went.
    idle: u32,
}

/// The scheduler of RSA operations onto lanes.
pub struct RsaLanes {
    kernels: RsaKernels,
    powers: Powers,
    groups: Box<[Group; 2 * SIZES.len()]>,
    occupancy: Occupancy,
    /// Falsifies the results modulo one prime.
    #[cfg(test)]
    pub(super) fault: Option<usize>,
}

// SAFETY: the pointers are those of tasks, whose owner (a manager) holds the buffers and moves with
// this.
unsafe impl Send for RsaLanes {}

impl Lanes for RsaLanes {
    type Task = RsaTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.pick(&cpu.kernels().rsa);
        let mut all = [kernels.one; 4];
        assert!(kernels.wide.len() < all.len(), "{} kernels", kernels.wide.len());
        all.iter_mut().zip(kernels.wide).for_each(|(kernel, (_, wide))| *kernel = wide);
        let nothing = Span { src: ptr::null(), dst: ptr::null_mut(), len: 0 };
        let key = TaskKey::Public(ptr::null());
        let task = RsaTask { key, span: nothing, outcome: ptr::null_mut() };
        let group = Group { tasks: [(0, task); MAX_LANES], count: 0, idle: 0 };
        let most = SIZES[SIZES.len() - 1];
        RsaLanes {
            kernels,
            powers: Powers::new(&all, most / 2, most),
            groups: Box::new([group; _]),
            occupancy: Occupancy::default(),
            #[cfg(test)]
            fault: None,
        }
    }

    fn lanes(&self) -> usize {
        self.kernels.widest().lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<RsaTask>, goal: Goal) {
        let mut completed = 0;
        self.groups.iter_mut().for_each(|group| group.idle += u32::from(group.count > 0));
        // SAFETY: the caller vouches for the tasks until they are complete; whenever a task is
        // taken, no group is full.
        unsafe {
            loop {
                while let Some(index) = source.next(|id, task| self.take(id, task)) {
                    if self.groups[index].count == self.lanes() {
                        completed += self.go(index, source);
                    }
                }
                let late = self.groups.iter().position(|group| group.idle > PATIENCE);
                if late.is_none() && goal == Goal::One && completed > 0 {
                    return;
                }
                let fullest = (0..self.groups.len()).max_by_key(|index| self.groups[*index].count);
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

impl RsaLanes {
    /// Takes a task into its group, which is not full, and says which that is.
    ///
    /// # Safety
    /// The task is good.
    unsafe fn take(&mut self, id: u32, task: &RsaTask) -> usize {
        // SAFETY: the caller's.
        let index = unsafe { task.group() };
        let group = &mut self.groups[index];
        group.tasks[group.count] = (id, *task);
        group.count += 1;
        index
    }

    /// Completes the tasks of a group, and says how many there were.
    ///
    /// # Safety
    /// The tasks are good.
    unsafe fn go(&mut self, index: usize, source: &mut impl Source<RsaTask>) -> usize {
        let group = &mut self.groups[index];
        let Group { tasks, count, .. } = *group;
        (group.count, group.idle) = (0, 0);
        let tasks = &tasks[..count];
        let mut results: [Number; MAX_LANES] = core::array::from_fn(|_| Number::zero(0));
        // SAFETY: the caller's.
        unsafe {
            if index < SIZES.len() {
                self.private(tasks, &mut results);
                self.public(
                    tasks,
                    |at| results[at].clone(),
                    |at, proof| {
                        let task = &tasks[at].1;
                        task.finish(&results[at], proof.ct_eq(&task.input()));
                    },
                );
            } else {
                self.public(
                    tasks,
                    |at| tasks[at].1.input(),
                    |at, result| {
                        tasks[at].1.finish(result, Choice::from(1));
                    },
                );
            }
        }
        tasks.iter().for_each(|(id, _)| source.done(*id));
        count
    }

    /// Raises a number for each task to its public exponent.
    ///
    /// # Safety
    /// The tasks are good.
    unsafe fn public(
        &mut self,
        tasks: &[(u32, RsaTask)],
        number: impl Fn(usize) -> Number,
        mut done: impl FnMut(usize, &Number),
    ) {
        let mut begun = 0;
        while begun < tasks.len() {
            let (kernel, count) = self.pick(tasks.len() - begun);
            // SAFETY: the caller's.
            let keys = |lane: usize| unsafe { &*tasks[begun + lane].1.public() };
            self.powers.start(kernel, keys(0).bits());
            let mut exponents = [0; MAX_LANES];
            for (lane, exponent) in exponents.iter_mut().enumerate().take(count) {
                *exponent = keys(lane).exponent();
                self.powers.put(lane, keys(lane).modulus(), &number(begun + lane));
            }
            self.powers.raise_public(&exponents);
            for lane in 0..count {
                done(begun + lane, &self.powers.take(lane, keys(lane).modulus()));
            }
            begun += count;
        }
    }

    /// Raises the number of each task to its private exponent, blinded.
    ///
    /// # Safety
    /// The tasks are good, and private.
    unsafe fn private(&mut self, tasks: &[(u32, RsaTask)], results: &mut [Number]) {
        let one = self.kernels.one;
        let keys = |at: usize| match tasks[at].1.key {
            // SAFETY: the caller's.
            TaskKey::Private(key, blind) => unsafe { (&*key, &*blind) },
            TaskKey::Public(_) => unreachable!("a group has tasks of one kind"),
        };
        let half = |number: usize| -> &Half { &keys(number / 2).0.halves()[number % 2] };
        let mut powers: [Number; 2 * MAX_LANES] = core::array::from_fn(|_| Number::zero(0));
        for (at, result) in results.iter_mut().enumerate().take(tasks.len()) {
            let (key, blind) = keys(at);
            // SAFETY: the caller's.
            let input = unsafe { tasks[at].1.input() };
            *result = key.public().modulus().multiply(&input, &blind.power, one);
        }
        let mut begun = 0;
        while begun < 2 * tasks.len() {
            let (kernel, count) = self.pick(2 * tasks.len() - begun);
            let bits = half(begun).prime.bits();
            self.powers.start(kernel, bits);
            for lane in 0..count {
                let prime = &half(begun + lane).prime;
                self.powers.put(lane, prime, &prime.reduce(&results[(begun + lane) / 2], one));
            }
            self.powers.raise(bits, |lane, at, bits| match lane < count {
                true => half(begun + lane).exponent.bits_at(at, bits),
                false => 0,
            });
            for lane in 0..count {
                powers[begun + lane] = self.powers.take(lane, &half(begun + lane).prime);
            }
            begun += count;
        }
        #[cfg(test)]
        if let Some(fault) = self.fault {
            (0..tasks.len()).for_each(|at| powers[2 * at + fault].words_mut()[0] ^= 4);
        }
        for (at, result) in results.iter_mut().enumerate().take(tasks.len()) {
            let (key, blind) = keys(at);
            let product = key.combine([0, 1].map(|half| &powers[2 * at + half]), one);
            *result = key.public().modulus().multiply(&product, &blind.inverse, one);
        }
    }

    /// The kernel for so many numbers, and how many of them it takes at once.
    fn pick(&mut self, numbers: usize) -> (&'static Kernel, usize) {
        let kernel = self.kernels.pick(numbers);
        let count = kernel.lanes.min(numbers);
        self.occupancy.count(count, self.kernels.widest().lanes, 1);
        (kernel, count)
    }
}
