//! The scheduler of operations on curves onto the lanes of the kernels.
//!
//! Operations of one kind go together, as many as there are lanes; their keys differ.

use core::mem;
use core::ptr;

use zeroize::Zeroize;

use super::CurveKernels;
use super::ed25519::{self, Ed25519PublicKey};
use super::edwards;
use super::job::CurveOutcome;
use super::kernel::{Columns, Kernel, MAX_LANES};
use super::p256::{self, P256PrivateKey, P256PublicKey};
use super::scalar;
use super::x25519::X25519Key;
use crate::buffer::Span;
use crate::cpu::Cpu;
use crate::manager::{Goal, Groups, Lanes, MAX_TASKS, Occupancy, Source};
use crate::outcome::public;

const _: () = assert!(MAX_LANES <= MAX_TASKS, "a group fills the lanes");

/// What to do with a buffer, and the key.
#[derive(Clone, Copy)]
pub(super) enum Operation<'a> {
    X25519(&'a X25519Key),
    Ed25519Commit,
    Ed25519Verify(&'a Ed25519PublicKey),
    /// With a key and a nonce.
    P256Sign(&'a P256PrivateKey, &'a P256PrivateKey),
    P256Verify(&'a P256PublicKey),
    P256Agree(&'a P256PrivateKey),
}

/// Kinds of operations.
const KINDS: usize = 6;

impl Operation<'_> {
    /// Its kind, below [`KINDS`].
    fn kind(&self) -> usize {
        match self {
            Operation::X25519(_) => 0,
            Operation::Ed25519Commit => 1,
            Operation::Ed25519Verify(_) => 2,
            Operation::P256Sign(..) => 3,
            Operation::P256Verify(_) => 4,
            Operation::P256Agree(_) => 5,
        }
    }

    /// Bytes that it takes, and makes.
    pub fn len(&self) -> usize {
        match self {
            Operation::X25519(_) => 32,
            Operation::Ed25519Commit | Operation::P256Sign(..) | Operation::P256Agree(_) => 64,
            Operation::P256Verify(_) => 96,
            Operation::Ed25519Verify(_) => 128,
        }
    }

    /// About how many products modulo the prime it takes.
    pub fn cost(&self) -> usize {
        match self {
            Operation::X25519(_) => 2800,
            Operation::Ed25519Commit => 750,
            Operation::Ed25519Verify(_) => 3000,
            Operation::P256Sign(..) => 700,
            Operation::P256Verify(key) if key.rows().is_some() => 2300,
            Operation::P256Verify(_) => 3700,
            Operation::P256Agree(_) => 3200,
        }
    }
}

/// One operation, as the scheduler sees it.
///
/// Whoever makes one vouches that the key and the pointers stay good until the task is complete.
#[derive(Clone, Copy)]
pub struct CurveTask {
    operation: Operation<'static>,
    span: Span,
    outcome: *mut CurveOutcome,
}

impl CurveTask {
    pub(super) fn new(operation: Operation<'_>, span: Span, outcome: *mut CurveOutcome) -> Self {
        // SAFETY: only the lifetime differs; the key is used no longer than the task is good.
        let operation = unsafe { mem::transmute::<Operation<'_>, Operation<'static>>(operation) };
        CurveTask { operation, span, outcome }
    }

    pub(super) fn operation(&self) -> Operation<'static> {
        self.operation
    }

    /// The bytes of the input from a place on.
    ///
    /// # Safety
    /// The task is good, and has so many bytes.
    pub(super) unsafe fn input<const LEN: usize>(&self, at: usize) -> &[u8; LEN] {
        // SAFETY: the caller's.
        unsafe { &*self.span.src.add(at).cast() }
    }

    /// Writes the result and zeros behind it, or only zeros where there is none.
    ///
    /// # Safety
    /// The task is good, and its input is not read any more.
    pub(super) unsafe fn finish(&self, result: &[u8], is_right: bool) {
        let Span { dst, len, .. } = self.span;
        // SAFETY: the caller's.
        unsafe {
            let output = core::slice::from_raw_parts_mut(dst, len);
            output.fill(0);
            if is_right {
                output[..result.len()].copy_from_slice(result);
            }
            *self.outcome = CurveOutcome { is_right };
        }
    }
}

/// The scheduler of operations on curves onto lanes.
pub struct CurveLanes {
    groups: Groups<CurveTask, KINDS>,
    lanes: Calculator,
}

// SAFETY: the pointers are those of tasks, whose owner (a manager) holds the buffers and moves with
// this.
unsafe impl Send for CurveLanes {}

/// What computes for a group.
pub(super) struct Calculator {
    kernels: CurveKernels,
    occupancy: Occupancy,
}

impl Lanes for CurveLanes {
    type Task = CurveTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.pick(&cpu.kernels().curves);
        let span = Span { src: ptr::null(), dst: ptr::null_mut(), len: 0 };
        let operation = Operation::Ed25519Commit;
        let nothing = CurveTask { operation, span, outcome: ptr::null_mut() };
        // Twice the lanes, so that a group shares an inversion.
        let groups = Groups::new((2 * kernels.widest().lanes).min(MAX_TASKS), nothing);
        CurveLanes { groups, lanes: Calculator { kernels, occupancy: Occupancy::default() } }
    }

    fn lanes(&self) -> usize {
        self.lanes.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.lanes.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<CurveTask>, goal: Goal) {
        let group_of = |task: &CurveTask| task.operation.kind();
        // SAFETY: the caller vouches for the tasks until they are complete.
        let go = |_, tasks: &[_]| unsafe { self.lanes.go(tasks) };
        self.groups.run(source, goal, group_of, go);
    }
}

impl Calculator {
    /// The most lanes of a kernel.
    pub(super) fn lanes(&self) -> usize {
        self.kernels.widest().lanes
    }

    /// Computes for tasks of one kind.
    ///
    /// # Safety
    /// The tasks are good.
    unsafe fn go(&mut self, tasks: &[(u32, CurveTask)]) {
        // SAFETY: the caller's; there is a lane for each task of a chunk.
        unsafe {
            match tasks[0].1.operation {
                Operation::X25519(_) => {
                    self.each_chunk(tasks, |kernel, _, now| x25519(kernel, now))
                }
                Operation::Ed25519Commit => {
                    self.each_chunk(tasks, |kernel, _, now| ed25519_commit(kernel, now));
                }
                Operation::Ed25519Verify(_) => {
                    self.each_chunk(tasks, |kernel, _, now| ed25519_verify(kernel, now));
                }
                Operation::P256Sign(..) => p256::sign(self, tasks),
                Operation::P256Verify(_) => p256::verify(self, tasks),
                Operation::P256Agree(_) => p256::agree(self, tasks),
            }
        }
    }

    /// Hands over tasks, as many at a time as the best kernel for what is left has lanes, with the
    /// place of the first.
    pub(super) fn each_chunk(
        &mut self,
        tasks: &[(u32, CurveTask)],
        mut compute: impl FnMut(&Kernel, usize, &[(u32, CurveTask)]),
    ) {
        let mut done = 0;
        while done < tasks.len() {
            let kernel = self.kernels.pick(tasks.len() - done);
            let end = tasks.len().min(done + kernel.lanes);
            self.occupancy.count(end - done, self.lanes(), 1);
            compute(kernel, done, &tasks[done..end]);
            done = end;
        }
    }
}

/// Shared secrets by X25519.
///
/// # Safety
/// The tasks are good, there is a lane for each, and the kernel is from this CPU's table.
unsafe fn x25519(kernel: &Kernel, tasks: &[(u32, CurveTask)]) {
    let (mut scalars, mut points) = (Columns::ZERO, Columns::ZERO);
    for (lane, (_, task)) in tasks.iter().enumerate() {
        let Operation::X25519(key) = task.operation else { unreachable!("tasks of one kind") };
        scalars.put(lane, key.scalar());
        // SAFETY: the caller's; there are 32 bytes.
        points.put(lane, &scalar::from_bytes(unsafe { task.input(0) }));
    }
    // SAFETY: the kernel is from the table of this CPU.
    unsafe { (kernel.x25519)(&scalars, &mut points) };
    for (lane, (_, task)) in tasks.iter().enumerate() {
        let mut shared = scalar::to_bytes(points.lane(lane));
        let is_right = !scalar::is_zero(&points.lane(lane));
        // SAFETY: the caller's.
        unsafe { task.finish(&shared, public(is_right)) };
        shared.zeroize();
    }
    scalars.zeroize();
    points.zeroize();
}

/// Commitments of Ed25519, each with the number behind it.
///
/// # Safety
/// That of [`x25519`].
unsafe fn ed25519_commit(kernel: &Kernel, tasks: &[(u32, CurveTask)]) {
    let (mut numbers, mut points) = ([[0; 4]; MAX_LANES], Columns::ZERO);
    for (lane, (number, (_, task))) in numbers.iter_mut().zip(tasks).enumerate() {
        // SAFETY: the caller's; there are 64 bytes.
        *number = ed25519::reduced(unsafe { task.input(0) });
        points.put(lane, &scalar::signed_digits(*number));
    }
    // SAFETY: the kernel is from the table of this CPU.
    unsafe { (kernel.ed25519_base)(&mut points) };
    for (lane, (number, (_, task))) in numbers.iter().zip(tasks).enumerate() {
        let mut result = [0; 64];
        result[..32].copy_from_slice(&scalar::to_bytes(points.lane(lane)));
        result[32..].copy_from_slice(&scalar::to_bytes(*number));
        // SAFETY: the caller's.
        unsafe { task.finish(&result, true) };
        result.zeroize();
    }
    numbers.zeroize();
    points.zeroize();
}

/// Signatures of Ed25519, with digests.
///
/// # Safety
/// That of [`x25519`].
unsafe fn ed25519_verify(kernel: &Kernel, tasks: &[(u32, CurveTask)]) {
    let (mut base, mut own) = (Columns::ZERO, Columns::ZERO);
    let (mut tables, mut fits) = ([&edwards::TABLE[0][..]; MAX_LANES], [false; MAX_LANES]);
    for (lane, (_, task)) in tasks.iter().enumerate() {
        let Operation::Ed25519Verify(key) = task.operation else {
            unreachable!("tasks of one kind")
        };
        // SAFETY: the caller's; there are 128 bytes.
        let (second, digest) = unsafe { (task.input(32), task.input(64)) };
        if let Some(numbers) = ed25519::factors(second, digest) {
            base.put(lane, &scalar::signed_bytes(numbers[0]));
            own.put(lane, &scalar::signed_digits(numbers[1]));
            fits[lane] = true;
        }
        tables[lane] = key.negative_multiples();
    }
    // SAFETY: the kernel is from the table of this CPU.
    unsafe { (kernel.ed25519_both)(&mut base, &own, &tables) };
    for (lane, (_, task)) in tasks.iter().enumerate() {
        // SAFETY: the caller's; there are 128 bytes.
        unsafe {
            let is_right = scalar::to_bytes(base.lane(lane)) == *task.input(0);
            task.finish(&[], fits[lane] && is_right);
        }
    }
}
