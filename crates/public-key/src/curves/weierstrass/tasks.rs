//! The work of a group of tasks on one curve. Each of its inversions is one for all tasks.

use broadloom_lanes::inside::MAX_TASKS;
use broadloom_lanes::public;
use zeroize::Zeroize;

use super::super::lanes::{CurveCalculator, PrimeOperation, PrimeTask};
use super::key::PublicKey;
use super::operation::PointOperation;
use crate::kernels::curves::columns::{Columns, MAX_LANES};
use crate::kernels::curves::kernel::{CurveKernel, PointKernel};
use crate::kernels::curves::scalar;
use crate::kernels::curves::weierstrass::curve::{Curve, Rows};
use crate::kernels::curves::weierstrass::multiply::{Coordinates, digits};
use crate::kernels::curves::weierstrass::p256::P256;
use crate::kernels::curves::weierstrass::p384::P384;
use crate::kernels::curves::weierstrass::p521::P521;
use crate::kernels::curves::weierstrass::points::Point;
use crate::kernels::curves::weierstrass::secp256k1::Secp256k1;

/// A curve that kernels have products of, with `D` words of digits for a number.
pub trait LaneCurve<const K: usize, const D: usize>: Curve<K> {
    /// Returns the products of the curve's points.
    fn products(kernel: &CurveKernel) -> &PointKernel<K, D>;

    /// Returns the operation if it is one on this curve.
    fn operation(operation: PrimeOperation<'_>) -> Option<PointOperation<'_, Self, K>>;
}

impl LaneCurve<4, 5> for P256 {
    fn products(kernel: &CurveKernel) -> &PointKernel<4, 5> {
        &kernel.p256
    }

    fn operation(operation: PrimeOperation<'_>) -> Option<PointOperation<'_, Self, 4>> {
        if let PrimeOperation::P256(operation) = operation { Some(operation) } else { None }
    }
}

impl LaneCurve<6, 7> for P384 {
    fn products(kernel: &CurveKernel) -> &PointKernel<6, 7> {
        &kernel.p384
    }

    fn operation(operation: PrimeOperation<'_>) -> Option<PointOperation<'_, Self, 6>> {
        if let PrimeOperation::P384(operation) = operation { Some(operation) } else { None }
    }
}

impl LaneCurve<9, 10> for P521 {
    fn products(kernel: &CurveKernel) -> &PointKernel<9, 10> {
        &kernel.p521
    }

    fn operation(operation: PrimeOperation<'_>) -> Option<PointOperation<'_, Self, 9>> {
        if let PrimeOperation::P521(operation) = operation { Some(operation) } else { None }
    }
}

impl LaneCurve<4, 5> for Secp256k1 {
    fn products(kernel: &CurveKernel) -> &PointKernel<4, 5> {
        &kernel.secp256k1
    }

    fn operation(operation: PrimeOperation<'_>) -> Option<PointOperation<'_, Self, 4>> {
        if let PrimeOperation::Secp256k1(operation) = operation { Some(operation) } else { None }
    }
}

/// A number for each task.
type Numbers<const K: usize> = [[u64; K]; MAX_TASKS];

/// Products of points, by their coordinates X, Y and Z.
#[derive(Clone, Copy)]
struct Products<const K: usize> {
    x: Numbers<K>,
    y: Numbers<K>,
    z: Numbers<K>,
}

impl<const K: usize> Products<K> {
    const NONE: Self =
        Products { x: [[0; K]; MAX_TASKS], y: [[0; K]; MAX_TASKS], z: [[0; K]; MAX_TASKS] };

    /// Takes the results of `count` lanes, for the tasks from a place on.
    fn take(&mut self, at: usize, count: usize, coordinates: &Coordinates<K>) {
        for lane in 0..count {
            self.x[at + lane] = coordinates[0].lane(lane);
            self.y[at + lane] = coordinates[1].lane(lane);
            self.z[at + lane] = coordinates[2].lane(lane);
        }
    }

    /// Replaces X by the x coordinates of `count` points, none of which is the neutral point, and Z
    /// by its inverse, as `C::PRIME` has numbers.
    fn settle<C: Curve<K>>(&mut self, count: usize) {
        let prime = C::PRIME;
        let zs = &mut self.z[..count];
        zs.iter_mut().for_each(|z| *z = prime.enter(*z));
        prime.invert_all(zs);
        for (x, inverse) in self.x.iter_mut().zip(zs) {
            *x = prime.multiply(*x, prime.multiply(*inverse, *inverse));
        }
    }

    /// Returns the y coordinate of a point, after [`settle`](Products::settle).
    fn y<C: Curve<K>>(&self, at: usize) -> [u64; K] {
        let (prime, inverse) = (C::PRIME, self.z[at]);
        prime.multiply(prime.multiply(self.y[at], inverse), prime.multiply(inverse, inverse))
    }
}

impl<const K: usize> Zeroize for Products<K> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.y.zeroize();
        self.z.zeroize();
    }
}

/// Computes for tasks of one kind, on one curve.
///
/// # Safety
/// The tasks are good, as [`Lanes::Task`](broadloom_lanes::Lanes::Task) defines it, and of the kind
/// of the first one, whose operation is on this curve.
pub(in super::super) unsafe fn compute<C: LaneCurve<K, D>, const K: usize, const D: usize>(
    calculator: &mut CurveCalculator,
    tasks: &[(u32, PrimeTask)],
) {
    // SAFETY: the tasks are good and of one kind, by this function's contract.
    unsafe {
        match C::operation(tasks[0].1.operation()) {
            Some(PointOperation::Sign(..)) => sign::<C, K, D>(calculator, tasks),
            Some(PointOperation::Verify(_)) => verify::<C, K, D>(calculator, tasks),
            Some(PointOperation::Agree(_)) => agree::<C, K, D>(calculator, tasks),
            Some(PointOperation::Public(_)) => public_keys::<C, K, D>(calculator, tasks),
            None => unreachable!("tasks of one curve"),
        }
    }
}

/// Signs.
///
/// # Safety
/// The tasks are good, as [`Lanes::Task`](broadloom_lanes::Lanes::Task) defines it, and their
/// operation is [`Sign`](PointOperation::Sign) on this curve.
unsafe fn sign<C: LaneCurve<K, D>, const K: usize, const D: usize>(
    calculator: &mut CurveCalculator,
    tasks: &[(u32, PrimeTask)],
) {
    let order = C::ORDER;
    let (mut nonces, mut products) = ([[0; K]; MAX_TASKS], Products::NONE);
    let nonces = &mut nonces[..tasks.len()];
    calculator.each_chunk(tasks, |kernel, at, now| {
        let (mut numbers, mut coordinates) = (Columns::ZERO, [Columns::ZERO; 3]);
        for (lane, (_, task)) in now.iter().enumerate() {
            let Some(PointOperation::Sign(_, nonce)) = C::operation(task.operation()) else {
                continue;
            };
            numbers.put(lane, &digits::<C, K, D>(*nonce.scalar()));
            nonces[at + lane] = order.enter(*nonce.scalar());
        }
        // SAFETY: `each_chunk` picks the kernel from the table of this CPU.
        unsafe { (C::products(kernel).base)(&numbers, &mut coordinates) };
        products.take(at, now.len(), &coordinates);
        numbers.zeroize();
        coordinates.zeroize();
    });
    products.settle::<C>(tasks.len());
    order.invert_all(nonces);
    for (i, (_, task)) in tasks.iter().enumerate() {
        let Some(PointOperation::Sign(key, _)) = C::operation(task.operation()) else { continue };
        let r = order.reduced(products.x[i]);
        // SAFETY: the task is good, by this function's contract, and its input has two numbers
        // (`PointOperation::length`).
        let digest = order.remainder(unsafe { number::<C, K>(task, 0) });
        let product = order.multiply(order.enter(r), *key.scalar());
        let s = order.multiply(nonces[i], order.add(digest, product));
        let is_right = !(scalar::is_zero(&r) | scalar::is_zero(&s));
        let write = |output: &mut [u8]| {
            put::<C, K>(output, 0, &r);
            put::<C, K>(output, 1, &s);
        };
        // SAFETY: the task is good, by this function's contract, and its input was read before.
        unsafe { task.finish_with(public(is_right), write) };
    }
    nonces.iter_mut().for_each(Zeroize::zeroize);
    products.zeroize();
}

/// Computes shared secrets.
///
/// # Safety
/// The tasks are good, as [`Lanes::Task`](broadloom_lanes::Lanes::Task) defines it, and their
/// operation is [`Agree`](PointOperation::Agree) on this curve.
unsafe fn agree<C: LaneCurve<K, D>, const K: usize, const D: usize>(
    calculator: &mut CurveCalculator,
    tasks: &[(u32, PrimeTask)],
) {
    let (mut good, mut products) = ([false; MAX_TASKS], Products::NONE);
    calculator.each_chunk(tasks, |kernel, at, now| {
        let (mut numbers, mut coordinates) = (Columns::ZERO, [Columns::ZERO; 3]);
        for (lane, (_, task)) in now.iter().enumerate() {
            let Some(PointOperation::Agree(key)) = C::operation(task.operation()) else { continue };
            // SAFETY: the task is good, by this function's contract, and its input has two numbers
            // (`PointOperation::length`).
            let point = unsafe { [number::<C, K>(task, 0), number::<C, K>(task, 1)] };
            good[at + lane] = Point::<C, K>::new(point[0], point[1]).is_ok();
            // A point that is none must not spoil the inversion that all share.
            let point = if good[at + lane] { point } else { C::BASE };
            let mut scalar = C::ORDER.lesser(key.scalar());
            numbers.put(lane, &digits::<C, K, D>(scalar));
            scalar.zeroize();
            coordinates.iter_mut().zip(point).for_each(|(column, own)| column.put(lane, &own));
        }
        // SAFETY: `each_chunk` picks the kernel from the table of this CPU.
        unsafe { (C::products(kernel).point)(&numbers, &mut coordinates) };
        products.take(at, now.len(), &coordinates);
        numbers.zeroize();
        coordinates.zeroize();
    });
    products.settle::<C>(tasks.len());
    for (i, (_, task)) in tasks.iter().enumerate() {
        let write = |output: &mut [u8]| put::<C, K>(output, 0, &products.x[i]);
        // SAFETY: the task is good, by this function's contract, and its input was read before.
        unsafe { task.finish_with(good[i], write) };
    }
    products.zeroize();
}

/// Computes the points of private keys.
///
/// # Safety
/// The tasks are good, as [`Lanes::Task`](broadloom_lanes::Lanes::Task) defines it, and their
/// operation is [`Public`](PointOperation::Public) on this curve.
unsafe fn public_keys<C: LaneCurve<K, D>, const K: usize, const D: usize>(
    calculator: &mut CurveCalculator,
    tasks: &[(u32, PrimeTask)],
) {
    let mut products = Products::NONE;
    calculator.each_chunk(tasks, |kernel, at, now| {
        let (mut numbers, mut coordinates) = (Columns::ZERO, [Columns::ZERO; 3]);
        for (lane, (_, task)) in now.iter().enumerate() {
            let Some(PointOperation::Public(key)) = C::operation(task.operation()) else {
                continue;
            };
            numbers.put(lane, &digits::<C, K, D>(*key.scalar()));
        }
        // SAFETY: `each_chunk` picks the kernel from the table of this CPU.
        unsafe { (C::products(kernel).base)(&numbers, &mut coordinates) };
        products.take(at, now.len(), &coordinates);
        numbers.zeroize();
        coordinates.zeroize();
    });
    products.settle::<C>(tasks.len());
    for (i, (_, task)) in tasks.iter().enumerate() {
        let write = |output: &mut [u8]| {
            put::<C, K>(output, 0, &products.x[i]);
            put::<C, K>(output, 1, &products.y::<C>(i));
        };
        // SAFETY: the task is good, by this function's contract, and no input is read.
        unsafe { task.finish_with(true, write) };
    }
    products.zeroize();
}

/// Verifies signatures.
///
/// # Safety
/// The tasks are good, as [`Lanes::Task`](broadloom_lanes::Lanes::Task) defines it, and their
/// operation is [`Verify`](PointOperation::Verify) on this curve.
unsafe fn verify<C: LaneCurve<K, D>, const K: usize, const D: usize>(
    calculator: &mut CurveCalculator,
    tasks: &[(u32, PrimeTask)],
) {
    let order = C::ORDER;
    let mut sorted = [tasks[0]; MAX_TASKS];
    let sorted = &mut sorted[..tasks.len()];
    sorted.copy_from_slice(tasks);
    sorted.sort_unstable_by_key(|(_, task)| rows::<C, K, D>(task).is_some());
    let anew = without_rows::<C, K, D>(sorted, calculator.lanes());
    // The inverse is of one if a signature is no pair of scalars.
    let (mut rs, mut inverses) = ([None; MAX_TASKS], [order.one(); MAX_TASKS]);
    let inverses = &mut inverses[..sorted.len()];
    for (i, (_, task)) in sorted.iter().enumerate() {
        // SAFETY: the task is good, by this function's contract, and its input has three numbers
        // (`PointOperation::length`).
        let [r, s] = unsafe { [number::<C, K>(task, 1), number::<C, K>(task, 2)] };
        if bool::from(order.has(&r) & order.has(&s)) {
            (rs[i], inverses[i]) = (Some(r), order.enter(s));
        }
    }
    order.invert_all(inverses);
    let (rs, inverses) = (&rs[..sorted.len()], &*inverses);
    let (first, second) = sorted.split_at(anew);
    for (start, part) in [(0, first), (anew, second)] {
        calculator.each_chunk(part, |kernel, at, now| {
            let at = start + at;
            // SAFETY: the tasks are good, by this function's contract; `each_chunk` picks the
            // kernel from the table of this CPU, and gives at most as many tasks as it has lanes.
            unsafe { verify_chunk::<C, K, D>(kernel, now, &rs[at..], &inverses[at..]) };
        });
    }
}

/// Returns the multiples that the key of a verification has, if any.
fn rows<C: LaneCurve<K, D>, const K: usize, const D: usize>(
    task: &PrimeTask,
) -> Option<&'static Rows<K>> {
    match C::operation(task.operation()) {
        Some(PointOperation::Verify(key)) => key.rows(),
        _ => None,
    }
}

/// Returns how many tasks go without the multiples of their keys. Tasks with prepared keys come
/// last; some of them fill lanes that are left.
fn without_rows<C: LaneCurve<K, D>, const K: usize, const D: usize>(
    tasks: &[(u32, PrimeTask)],
    lanes: usize,
) -> usize {
    let without = tasks.iter().filter(|(_, task)| rows::<C, K, D>(task).is_none()).count();
    let (spare, others) = (without.next_multiple_of(lanes) - without, tasks.len() - without);
    if others % lanes <= spare { without + others % lanes } else { without }
}

/// Verifies signatures that fill the lanes of a kernel at most, with the multiples of their keys if
/// all keys have them.
///
/// # Safety
/// - The tasks are good, as [`Lanes::Task`](broadloom_lanes::Lanes::Task) defines it, and their
///   operation is [`Verify`](PointOperation::Verify) on this curve.
/// - There are at most as many as the kernel has lanes.
/// - The kernel is from the table of this CPU.
unsafe fn verify_chunk<C: LaneCurve<K, D>, const K: usize, const D: usize>(
    kernel: &CurveKernel,
    tasks: &[(u32, PrimeTask)],
    rs: &[Option<[u64; K]>],
    inverses: &[[u64; K]],
) {
    let order = C::ORDER;
    let Some(PointOperation::Verify(first)) = C::operation(tasks[0].1.operation()) else { return };
    let (mut keys, mut factors) = ([first; MAX_LANES], [[[0; K]; 2]; MAX_LANES]);
    let (mut base, mut own, mut points) = (Columns::ZERO, Columns::ZERO, [Columns::ZERO; 3]);
    for (lane, (_, task)) in tasks.iter().enumerate() {
        let operation = C::operation(task.operation());
        let (Some(PointOperation::Verify(key)), Some(r)) = (operation, rs[lane]) else {
            continue;
        };
        // SAFETY: the task is good, by this function's contract, and its input has three numbers
        // (`PointOperation::length`).
        let digest = order.remainder(unsafe { number::<C, K>(task, 0) });
        factors[lane] = [digest, r].map(|factor| order.multiply(inverses[lane], factor));
        base.put(lane, &digits::<C, K, D>(factors[lane][0]));
        own.put(lane, &digits::<C, K, D>(factors[lane][1]));
        keys[lane] = key;
        points.iter_mut().zip(key.coordinates()).for_each(|(column, own)| column.put(lane, &own));
    }
    let tables = keys.map(PublicKey::rows);
    // SAFETY: the kernel is from the table of this CPU, by this function's contract.
    unsafe {
        match tables {
            [Some(rows), ..] if tables.iter().all(Option::is_some) => {
                let tables = tables.map(|table| table.unwrap_or(rows));
                (C::products(kernel).both)(&base, &own, &tables, &mut points);
            }
            _ => (C::products(kernel).both_anew)(&base, &own, &mut points),
        }
    }
    for (lane, (_, task)) in tasks.iter().enumerate() {
        let is_right = rs[lane].is_some_and(|r| {
            let mut sum = Point::from_lanes(points[0].lane(lane), points[2].lane(lane));
            if sum.is_neutral() {
                // Otherwise the lanes may have met a sum that they cannot do.
                sum = keys[lane].point().both(factors[lane][0], factors[lane][1]);
            }
            sum.has_x_modulo_order(r)
        });
        // SAFETY: the task is good, by this function's contract, and its input was read before.
        unsafe { task.finish(&[], is_right) };
    }
}

/// Returns a number of the input, by its place.
///
/// # Safety
/// - The task is good, as [`Lanes::Task`](broadloom_lanes::Lanes::Task) defines it.
/// - Its input has more numbers of the curve than the place says.
unsafe fn number<C: Curve<K>, const K: usize>(task: &PrimeTask, place: usize) -> [u64; K] {
    // SAFETY: the conditions are those of this function, and the bytes are read at once.
    scalar::from_be_bytes(unsafe { task.bytes(C::BYTES * place, C::BYTES) })
}

/// Writes a number of the output, by its place.
fn put<C: Curve<K>, const K: usize>(output: &mut [u8], place: usize, number: &[u64; K]) {
    scalar::put_be_bytes(number, &mut output[C::BYTES * place..][..C::BYTES]);
}
