//! The scheduler of RSA operations onto the lanes of the kernels.
//!
//! Operations of one length of modulus and one kind go together, as many as there are lanes; their
//! keys differ. A private operation takes two lanes, one for each prime, and a group of them takes
//! as many calls of the kernel as that makes; then one lane each for the proof of its result, so
//! that the proofs fill the vectors.

use broadloom_lanes::inside::{Groups, Source, Span};
use broadloom_lanes::{Cpu, Lanes, Occupancy, public};
use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroize;

use super::SIZES;
use super::blinding::RsaBlind;
use super::key::{Half, RsaPrivateKey};
use super::outcome::RsaOutcome;
use super::public::RsaPublicKey;
use crate::arch;
use crate::bignum::Powers;
use crate::kernels::bignum::RsaKernels;
use crate::kernels::bignum::{BignumKernel, MAX_LANES, Number};

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
    /// Returns the number of the group of the task: by length, the private ones first.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it.
    unsafe fn group(&self) -> usize {
        // SAFETY: the task is good, by this function's contract, so that its key is alive.
        let bits = unsafe { (*self.public()).bits() };
        let size = SIZES.iter().position(|size| *size == bits);
        let kind = if matches!(self.key, TaskKey::Private(..)) { 0 } else { SIZES.len() };
        kind + size.expect("keys have no other lengths")
    }

    /// Returns the public key.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it.
    unsafe fn public(&self) -> *const RsaPublicKey {
        match self.key {
            // SAFETY: the task is good, by this function's contract, so that its key is alive.
            TaskKey::Private(key, _) => unsafe { (*key).public() },
            TaskKey::Public(key) => key,
        }
    }

    /// Reads the number.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it.
    unsafe fn input(&self) -> Number {
        let Span { src, len, .. } = self.span;
        // SAFETY: the task is good, by this function's contract, so that `src` is readable for
        // `len` bytes.
        let bytes = unsafe { core::slice::from_raw_parts(src, len) };
        Number::from_bytes(bytes, len / 8).expect("a number as long as the modulus")
    }

    /// Writes a result that is right, or zeros.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it, and its input is not read any more.
    unsafe fn finish(&self, result: &Number, is_right: Choice) {
        let is_right = public(is_right);
        let Span { dst, len, .. } = self.span;
        // SAFETY: the task is good, by this function's contract, so that `dst` is writable for
        // `len` bytes and `outcome` for a value.
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

/// The scheduler of RSA operations onto lanes.
pub struct RsaLanes {
    groups: Groups<RsaTask, { 2 * SIZES.len() }>,
    pub(super) lanes: RsaCalculator,
}

/// The kernels and numbers that compute for a group.
pub(super) struct RsaCalculator {
    kernels: RsaKernels,
    powers: Powers,
    occupancy: Occupancy,
    /// Falsifies the results modulo one prime.
    #[cfg(test)]
    pub fault: Option<usize>,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler.
unsafe impl Send for RsaLanes {}

impl Lanes for RsaLanes {
    type Task = RsaTask;

    fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.pick(&arch::kernels(cpu).rsa);
        let mut all = [kernels.one; 4];
        assert!(kernels.wide.len() < all.len(), "{} kernels", kernels.wide.len());
        all.iter_mut().zip(kernels.wide).for_each(|(kernel, (_, wide))| *kernel = wide);
        let most = SIZES[SIZES.len() - 1];
        let lanes = RsaCalculator {
            kernels,
            powers: Powers::new(&all, most / 2, most),
            occupancy: Occupancy::default(),
            #[cfg(test)]
            fault: None,
        };
        RsaLanes { groups: Groups::new(kernels.widest().lanes), lanes }
    }

    fn lanes(&self) -> usize {
        self.lanes.kernels.widest().lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.lanes.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<RsaTask>) {
        // SAFETY: the source gives tasks that are good until they are reported done, by this
        // function's contract.
        let group_of = |task: &RsaTask| unsafe { task.group() };
        // SAFETY: the tasks of a group are not reported done yet, so they are good, by this
        // function's contract.
        let go = |index, tasks: &[_]| unsafe { self.lanes.go(index, tasks) };
        self.groups.run(source, group_of, go);
    }
}

impl RsaCalculator {
    /// Computes for the tasks of a group.
    ///
    /// # Safety
    /// The tasks are good, as [`Lanes::Task`] defines it, and of this group.
    unsafe fn go(&mut self, index: usize, tasks: &[(u32, RsaTask)]) {
        let mut results: [Number; MAX_LANES] = core::array::from_fn(|_| Number::zero(0));
        // SAFETY: the tasks are good and of one kind, by this function's contract; a task's input
        // is read before its result is written.
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
    }

    /// Raises a number for each task to its public exponent.
    ///
    /// # Safety
    /// The tasks are good, as [`Lanes::Task`] defines it.
    unsafe fn public(
        &mut self,
        tasks: &[(u32, RsaTask)],
        number: impl Fn(usize) -> Number,
        mut done: impl FnMut(usize, &Number),
    ) {
        let mut begun = 0;
        while begun < tasks.len() {
            let (kernel, count) = self.pick(tasks.len() - begun);
            // SAFETY: the task is good, by this function's contract, so that its key is alive.
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
    /// The tasks are good, as [`Lanes::Task`] defines it, and private.
    unsafe fn private(&mut self, tasks: &[(u32, RsaTask)], results: &mut [Number]) {
        let one = self.kernels.one;
        let keys = |at: usize| match tasks[at].1.key {
            // SAFETY: the task is good, by this function's contract, so that its key and its blind
            // are alive.
            TaskKey::Private(key, blind) => unsafe { (&*key, &*blind) },
            TaskKey::Public(_) => unreachable!("a group has tasks of one kind"),
        };
        let half = |number: usize| -> &Half { &keys(number / 2).0.halves()[number % 2] };
        let mut powers: [Number; 2 * MAX_LANES] = core::array::from_fn(|_| Number::zero(0));
        for (at, result) in results.iter_mut().enumerate().take(tasks.len()) {
            let (key, blind) = keys(at);
            // SAFETY: the task is good, by this function's contract.
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

    /// Returns the kernel for so many numbers, and how many of them it takes at once.
    fn pick(&mut self, numbers: usize) -> (&'static BignumKernel, usize) {
        let kernel = self.kernels.pick(numbers);
        let count = kernel.lanes.min(numbers);
        self.occupancy.count(count, self.kernels.widest().lanes, 1);
        (kernel, count)
    }
}
