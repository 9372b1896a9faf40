//! The scheduler of operations on curves onto the lanes of the kernels.
//!
//! Operations of one kind go together, as many as there are lanes; their keys differ.

use broadloom_lanes::inside::wiped::clear_stack;
use broadloom_lanes::inside::{Groups, MAX_TASKS, Source};
use broadloom_lanes::{Cpu, Lanes, Occupancy, public};
use zeroize::Zeroize;

use super::ed25519::{self, Ed25519PublicKey};
use super::operation::{CurveOperation, CurveTask};
use super::weierstrass::{self, PointOperation};
use super::x25519::X25519Key;
use crate::arch;
use crate::kernels::curves::columns::{Columns, MAX_LANES};
use crate::kernels::curves::edwards;
use crate::kernels::curves::kernel::CurveKernel;
use crate::kernels::curves::kernel::CurveKernels;
use crate::kernels::curves::prime25519::PRIME;
use crate::kernels::curves::scalar;
use crate::kernels::curves::weierstrass::p256::P256;
use crate::kernels::curves::weierstrass::p384::P384;
use crate::kernels::curves::weierstrass::p521::P521;
use crate::kernels::curves::weierstrass::secp256k1::Secp256k1;

const _: () = assert!(MAX_LANES <= MAX_TASKS, "a group fills the lanes");

/// The operation on a buffer, and its key.
#[derive(Clone, Copy)]
pub enum PrimeOperation<'a> {
    X25519(&'a X25519Key),
    X25519Public(&'a X25519Key),
    Ed25519Commit,
    Ed25519Verify(&'a Ed25519PublicKey),
    P256(PointOperation<'a, P256, 4>),
    P384(PointOperation<'a, P384, 6>),
    P521(PointOperation<'a, P521, 9>),
    Secp256k1(PointOperation<'a, Secp256k1, 4>),
}

/// Kinds of operations.
const KINDS: usize = 4 + 4 * POINT_KINDS;

/// Kinds of operations on one curve of those that share their code.
const POINT_KINDS: usize = PointOperation::<P256, 4>::KINDS;

impl PrimeOperation<'_> {
    /// Returns `true` if the operation works with secrets: all do but verifications.
    fn has_secrets(&self) -> bool {
        !matches!(
            self,
            PrimeOperation::Ed25519Verify(_)
                | PrimeOperation::P256(PointOperation::Verify(_))
                | PrimeOperation::P384(PointOperation::Verify(_))
                | PrimeOperation::P521(PointOperation::Verify(_))
                | PrimeOperation::Secp256k1(PointOperation::Verify(_))
        )
    }

    /// Returns the kind of the operation, below [`KINDS`].
    fn kind(&self) -> usize {
        match self {
            PrimeOperation::X25519(_) => 0,
            PrimeOperation::Ed25519Commit => 1,
            PrimeOperation::Ed25519Verify(_) => 2,
            PrimeOperation::X25519Public(_) => 3,
            PrimeOperation::P256(operation) => 4 + operation.kind(),
            PrimeOperation::P384(operation) => 4 + POINT_KINDS + operation.kind(),
            PrimeOperation::Secp256k1(operation) => 4 + 2 * POINT_KINDS + operation.kind(),
            PrimeOperation::P521(operation) => 4 + 3 * POINT_KINDS + operation.kind(),
        }
    }
}

// SAFETY: the two types differ in the lifetime alone.
unsafe impl<'a> CurveOperation for PrimeOperation<'a> {
    type Lanes = CurveLanes;
    type Unbound = PrimeOperation<'static>;

    fn length(&self) -> usize {
        match self {
            PrimeOperation::X25519(_) | PrimeOperation::X25519Public(_) => 32,
            PrimeOperation::Ed25519Commit => 64,
            PrimeOperation::Ed25519Verify(_) => 128,
            PrimeOperation::P256(operation) => operation.length(),
            PrimeOperation::P384(operation) => operation.length(),
            PrimeOperation::P521(operation) => operation.length(),
            PrimeOperation::Secp256k1(operation) => operation.length(),
        }
    }

    fn cost(&self) -> usize {
        match self {
            PrimeOperation::X25519(_) => 2800,
            PrimeOperation::Ed25519Commit | PrimeOperation::X25519Public(_) => 750,
            PrimeOperation::Ed25519Verify(_) => 3000,
            PrimeOperation::P256(operation) => operation.cost(),
            PrimeOperation::P384(operation) => operation.cost(),
            PrimeOperation::P521(operation) => operation.cost(),
            PrimeOperation::Secp256k1(operation) => operation.cost(),
        }
    }
}

/// An operation on a curve over a prime field, as the scheduler sees it.
pub(super) type PrimeTask = CurveTask<PrimeOperation<'static>>;

/// The scheduler of operations on curves onto lanes.
pub struct CurveLanes {
    groups: Groups<PrimeTask, KINDS>,
    lanes: CurveCalculator,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler.
unsafe impl Send for CurveLanes {}

/// The kernels that compute for a group.
pub(super) struct CurveCalculator {
    kernels: CurveKernels,
    occupancy: Occupancy,
}

impl Lanes for CurveLanes {
    type Task = PrimeTask;

    fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.pick(&arch::kernels(cpu).curves);
        // Twice the lanes, so that a group shares an inversion.
        let groups = Groups::new((2 * kernels.widest().lanes).min(MAX_TASKS));
        CurveLanes { groups, lanes: CurveCalculator { kernels, occupancy: Occupancy::default() } }
    }

    fn lanes(&self) -> usize {
        self.lanes.lanes()
    }

    fn occupancy(&self) -> Occupancy {
        self.lanes.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<PrimeTask>) {
        let group_of = |task: &PrimeTask| task.operation().kind();
        let (mut had_secrets, mut had_long_secrets) = (false, false);
        let go = |_, tasks: &[(u32, PrimeTask)]| {
            let operation = tasks[0].1.operation();
            had_secrets |= operation.has_secrets();
            had_long_secrets |=
                operation.has_secrets() && matches!(operation, PrimeOperation::P521(_));
            // SAFETY: the tasks of a group were given by the source and are not reported done yet,
            // so they are good, by this function's contract.
            unsafe { self.lanes.go(tasks) };
        };
        self.groups.run(source, group_of, go);
        // Functions that compute leave words of private numbers in their frames: `go` and `compute`
        // have 16 KiB together, and the kernels are below them. Those of P-521 have multiples of
        // points of up to 66 KiB.
        if had_long_secrets {
            clear_stack::<{ 112 << 10 }>();
        } else if had_secrets {
            clear_stack::<{ 48 << 10 }>();
        }
    }
}

impl CurveCalculator {
    /// Returns the lanes of the widest kernel.
    pub(super) fn lanes(&self) -> usize {
        self.kernels.widest().lanes
    }

    /// Computes for tasks of one kind, in a frame of its own, which can be cleared afterwards.
    ///
    /// # Safety
    /// The tasks are good, as [`Lanes::Task`] defines it, and of one kind.
    #[inline(never)]
    unsafe fn go(&mut self, tasks: &[(u32, PrimeTask)]) {
        // SAFETY: the tasks are good, by this function's contract; a chunk has at most as many
        // tasks as its kernel has lanes, and the kernel is from this CPU's table.
        unsafe {
            match tasks[0].1.operation() {
                PrimeOperation::X25519(_) => {
                    self.each_chunk(tasks, |kernel, _, now| x25519(kernel, now))
                }
                PrimeOperation::X25519Public(_) => self.x25519_public(tasks),
                PrimeOperation::Ed25519Commit => {
                    self.each_chunk(tasks, |kernel, _, now| ed25519_commit(kernel, now));
                }
                PrimeOperation::Ed25519Verify(_) => {
                    self.each_chunk(tasks, |kernel, _, now| ed25519_verify(kernel, now));
                }
                PrimeOperation::P256(_) => weierstrass::compute::<P256, 4, 5>(self, tasks),
                PrimeOperation::P384(_) => weierstrass::compute::<P384, 6, 7>(self, tasks),
                PrimeOperation::P521(_) => weierstrass::compute::<P521, 9, 10>(self, tasks),
                PrimeOperation::Secp256k1(_) => {
                    weierstrass::compute::<Secp256k1, 4, 5>(self, tasks);
                }
            }
        }
    }

    /// Computes public keys of X25519: the base point of Ed25519 is the same point in other
    /// coordinates (RFC 7748, section 4.1), and its table saves most of the work. One inversion is
    /// for all tasks.
    ///
    /// # Safety
    /// The tasks are good, as [`Lanes::Task`] defines it, and of this kind.
    unsafe fn x25519_public(&mut self, tasks: &[(u32, PrimeTask)]) {
        let (mut above, mut below) = ([[0; 4]; MAX_TASKS], [[0; 4]; MAX_TASKS]);
        let below = &mut below[..tasks.len()];
        self.each_chunk(tasks, |kernel, at, now| {
            let mut points = Columns::ZERO;
            for (lane, (_, task)) in now.iter().enumerate() {
                let PrimeOperation::X25519Public(key) = task.operation() else {
                    unreachable!("tasks of one kind")
                };
                let mut number = ed25519::modulo_order(*key.scalar());
                points.put(lane, &scalar::signed_digits(number));
                number.zeroize();
            }
            // SAFETY: `each_chunk` picks the kernel from the table of this CPU.
            unsafe { (kernel.ed25519_base)(&mut points) };
            for lane in 0..now.len() {
                let mut y = points.lane(lane);
                // The highest bit says which x it is.
                y[3] &= u64::MAX >> 1;
                let (one, y) = (PRIME.one(), PRIME.enter(y));
                // It is 1 for multiples of the order alone. A clamped scalar is none: it is below
                // eight times the order, and a multiple of eight.
                (above[at + lane], below[at + lane]) = (PRIME.add(one, y), PRIME.sub(one, y));
            }
            points.zeroize();
        });
        PRIME.invert_all(below);
        for ((above, inverse), (_, task)) in above.into_iter().zip(below).zip(tasks) {
            let u = PRIME.leave(PRIME.multiply(above, *inverse));
            // SAFETY: the task is good, by this function's contract, and no input is read.
            unsafe { task.finish(&scalar::to_bytes(u), true) };
        }
    }

    /// Calls `compute` with tasks, as many at a time as the best kernel for the remaining tasks has
    /// lanes, and with the place of the first.
    pub(super) fn each_chunk(
        &mut self,
        tasks: &[(u32, PrimeTask)],
        mut compute: impl FnMut(&CurveKernel, usize, &[(u32, PrimeTask)]),
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

/// Computes shared secrets by X25519.
///
/// # Safety
/// - The tasks are good, as [`Lanes::Task`] defines it.
/// - There are at most as many as the kernel has lanes.
/// - The kernel is from this CPU's table.
unsafe fn x25519(kernel: &CurveKernel, tasks: &[(u32, PrimeTask)]) {
    let (mut scalars, mut points) = (Columns::ZERO, Columns::ZERO);
    for (lane, (_, task)) in tasks.iter().enumerate() {
        let PrimeOperation::X25519(key) = task.operation() else {
            unreachable!("tasks of one kind")
        };
        scalars.put(lane, key.scalar());
        // SAFETY: the task is good, by this function's contract, and its input has 32 bytes
        // (`CurveOperation::length`).
        points.put(lane, &scalar::from_bytes(unsafe { task.input(0) }));
    }
    // SAFETY: the kernel is from this CPU's table, by this function's contract.
    unsafe { (kernel.x25519)(&scalars, &mut points) };
    for (lane, (_, task)) in tasks.iter().enumerate() {
        let mut shared = scalar::to_bytes(points.lane(lane));
        let is_right = !scalar::is_zero(&points.lane(lane));
        // SAFETY: the task is good, by this function's contract, and its input was read before.
        unsafe { task.finish(&shared, public(is_right)) };
        shared.zeroize();
    }
    scalars.zeroize();
    points.zeroize();
}

/// Computes commitments of Ed25519, each with the number behind it.
///
/// # Safety
/// The conditions of [`x25519`].
unsafe fn ed25519_commit(kernel: &CurveKernel, tasks: &[(u32, PrimeTask)]) {
    let (mut numbers, mut points) = ([[0; 4]; MAX_LANES], Columns::ZERO);
    for (lane, (number, (_, task))) in numbers.iter_mut().zip(tasks).enumerate() {
        // SAFETY: the task is good, by this function's contract, and its input has 64 bytes
        // (`CurveOperation::length`).
        *number = ed25519::reduced(unsafe { task.input(0) });
        points.put(lane, &scalar::signed_digits(*number));
    }
    // SAFETY: the kernel is from this CPU's table, by this function's contract.
    unsafe { (kernel.ed25519_base)(&mut points) };
    for (lane, (number, (_, task))) in numbers.iter().zip(tasks).enumerate() {
        let mut result = [0; 64];
        result[..32].copy_from_slice(&scalar::to_bytes(points.lane(lane)));
        result[32..].copy_from_slice(&scalar::to_bytes(*number));
        // SAFETY: the task is good, by this function's contract, and its input was read before.
        unsafe { task.finish(&result, true) };
        result.zeroize();
    }
    numbers.zeroize();
    points.zeroize();
}

/// Verifies signatures of Ed25519, with digests.
///
/// # Safety
/// The conditions of [`x25519`].
unsafe fn ed25519_verify(kernel: &CurveKernel, tasks: &[(u32, PrimeTask)]) {
    let (mut base, mut own) = (Columns::ZERO, Columns::ZERO);
    let (mut tables, mut fits) = ([&edwards::TABLE[0][..]; MAX_LANES], [false; MAX_LANES]);
    for (lane, (_, task)) in tasks.iter().enumerate() {
        let PrimeOperation::Ed25519Verify(key) = task.operation() else {
            unreachable!("tasks of one kind")
        };
        // SAFETY: the task is good, by this function's contract, and its input has 128 bytes
        // (`CurveOperation::length`).
        let (second, digest) = unsafe { (task.input(32), task.input(64)) };
        if let Some(numbers) = ed25519::factors(second, digest) {
            base.put(lane, &scalar::signed_bytes(numbers[0]));
            own.put(lane, &scalar::signed_digits(numbers[1]));
            fits[lane] = true;
        }
        tables[lane] = key.negative_multiples();
    }
    // SAFETY: the kernel is from this CPU's table, by this function's contract.
    unsafe { (kernel.ed25519_both)(&mut base, &own, &tables) };
    for (lane, (_, task)) in tasks.iter().enumerate() {
        // SAFETY: the task is good, by this function's contract, and its input has 128 bytes, which
        // are not read after the comparison.
        unsafe {
            let is_right = scalar::to_bytes(base.lane(lane)) == *task.input(0);
            task.finish(&[], fits[lane] && is_right);
        }
    }
}
