//! What a group of tasks on P-256 does. Each of its inversions is one for all tasks.

use zeroize::Zeroize;

use super::super::kernel::{Columns, Kernel, MAX_LANES};
use super::super::lanes::{Calculator, CurveTask, Operation};
use super::super::prime256::PRIME;
use super::super::scalar::{self, Number};
use super::key::P256PublicKey;
use super::multiply::{Coordinates, digits};
use super::points::{BASE, ORDER, Point, Rows};
use crate::manager::MAX_TASKS;
use crate::outcome::public;

/// A number for each task.
type Numbers = [Number; MAX_TASKS];

/// Products of points, by their coordinates X and Z.
#[derive(Clone, Copy)]
struct Products {
    x: Numbers,
    z: Numbers,
}

impl Products {
    const NONE: Self = Products { x: [[0; 4]; MAX_TASKS], z: [[0; 4]; MAX_TASKS] };

    /// Takes as many results of lanes as there are, for the tasks from a place on.
    fn take(&mut self, at: usize, count: usize, coordinates: &Coordinates) {
        for lane in 0..count {
            self.x[at + lane] = coordinates[0].lane(lane);
            self.z[at + lane] = coordinates[1].lane(lane);
        }
    }

    /// The x coordinates of so many points, in place of X. None of them is the neutral point.
    fn settle(&mut self, count: usize) {
        let zs = &mut self.z[..count];
        zs.iter_mut().for_each(|z| *z = PRIME.enter(*z));
        PRIME.invert_all(zs);
        for (x, inverse) in self.x.iter_mut().zip(zs) {
            *x = PRIME.multiply(*x, PRIME.multiply(*inverse, *inverse));
        }
    }
}

impl Zeroize for Products {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.z.zeroize();
    }
}

/// Signatures.
///
/// # Safety
/// The tasks are good, and sign.
pub(in super::super) unsafe fn sign(calculator: &mut Calculator, tasks: &[(u32, CurveTask)]) {
    let (mut nonces, mut products) = ([[0; 4]; MAX_TASKS], Products::NONE);
    let nonces = &mut nonces[..tasks.len()];
    calculator.each_chunk(tasks, |kernel, at, now| {
        let (mut numbers, mut coordinates) = (Columns::ZERO, [Columns::ZERO; 2]);
        for (lane, (_, task)) in now.iter().enumerate() {
            let Operation::P256Sign(_, nonce) = task.operation() else { continue };
            numbers.put(lane, &digits(*nonce.scalar()));
            nonces[at + lane] = ORDER.enter(*nonce.scalar());
        }
        // SAFETY: the kernel is from the table of this CPU.
        unsafe { (kernel.p256_base)(&numbers, &mut coordinates) };
        products.take(at, now.len(), &coordinates);
        numbers.zeroize();
        coordinates.zeroize();
    });
    products.settle(tasks.len());
    ORDER.invert_all(nonces);
    for (i, (_, task)) in tasks.iter().enumerate() {
        let Operation::P256Sign(key, _) = task.operation() else { continue };
        let r = ORDER.reduced(products.x[i]);
        // SAFETY: the caller's; there are 64 bytes.
        let number = ORDER.reduced(scalar::from_be_bytes(unsafe { task.input(0) }));
        let product = ORDER.multiply(ORDER.enter(r), *key.scalar());
        let s = ORDER.multiply(nonces[i], ORDER.add(number, product));
        let is_right = !(scalar::is_zero(&r) | scalar::is_zero(&s));
        let mut result = [0; 64];
        result[..32].copy_from_slice(&scalar::to_be_bytes(r));
        result[32..].copy_from_slice(&scalar::to_be_bytes(s));
        // SAFETY: the caller's.
        unsafe { task.finish(&result, public(is_right)) };
    }
    nonces.iter_mut().for_each(Zeroize::zeroize);
    products.zeroize();
}

/// Shared secrets.
///
/// # Safety
/// The tasks are good, and agree.
pub(in super::super) unsafe fn agree(calculator: &mut Calculator, tasks: &[(u32, CurveTask)]) {
    let (mut good, mut products) = ([false; MAX_TASKS], Products::NONE);
    calculator.each_chunk(tasks, |kernel, at, now| {
        let (mut numbers, mut coordinates) = (Columns::ZERO, [Columns::ZERO; 2]);
        for (lane, (_, task)) in now.iter().enumerate() {
            let Operation::P256Agree(key) = task.operation() else { continue };
            // SAFETY: the caller's; there are 64 bytes.
            let point = unsafe { [task.input(0), task.input(32)] }.map(scalar::from_be_bytes);
            good[at + lane] = Point::new(point[0], point[1]).is_ok();
            // A point that is none must not spoil the inversion that all share.
            let point = if good[at + lane] { point } else { BASE };
            numbers.put(lane, &digits(*key.scalar()));
            coordinates.iter_mut().zip(point).for_each(|(column, own)| column.put(lane, &own));
        }
        // SAFETY: the kernel is from the table of this CPU.
        unsafe { (kernel.p256_point)(&numbers, &mut coordinates) };
        products.take(at, now.len(), &coordinates);
        numbers.zeroize();
        coordinates.zeroize();
    });
    products.settle(tasks.len());
    for (i, (_, task)) in tasks.iter().enumerate() {
        let mut shared = scalar::to_be_bytes(products.x[i]);
        // SAFETY: the caller's.
        unsafe { task.finish(&shared, good[i]) };
        shared.zeroize();
    }
    products.zeroize();
}

/// Verifications.
///
/// # Safety
/// The tasks are good, and verify.
pub(in super::super) unsafe fn verify(calculator: &mut Calculator, tasks: &[(u32, CurveTask)]) {
    let mut sorted = [tasks[0]; MAX_TASKS];
    let sorted = &mut sorted[..tasks.len()];
    sorted.copy_from_slice(tasks);
    sorted.sort_unstable_by_key(|(_, task)| rows(task).is_some());
    let anew = without_rows(sorted, calculator.lanes());
    // One, where a signature is no pair of scalars.
    let (mut rs, mut inverses) = ([None; MAX_TASKS], [ORDER.one(); MAX_TASKS]);
    let inverses = &mut inverses[..sorted.len()];
    for (i, (_, task)) in sorted.iter().enumerate() {
        // SAFETY: the caller's; there are 96 bytes.
        let [r, s] = unsafe { [task.input(32), task.input(64)] }.map(scalar::from_be_bytes);
        if bool::from(ORDER.has(&r) & ORDER.has(&s)) {
            (rs[i], inverses[i]) = (Some(r), ORDER.enter(s));
        }
    }
    ORDER.invert_all(inverses);
    let (rs, inverses) = (&rs[..sorted.len()], &*inverses);
    let (first, second) = sorted.split_at(anew);
    for (start, part) in [(0, first), (anew, second)] {
        calculator.each_chunk(part, |kernel, at, now| {
            let at = start + at;
            // SAFETY: the caller's; the kernel is from the table of this CPU.
            unsafe { verify_chunk(kernel, now, &rs[at..], &inverses[at..]) };
        });
    }
}

/// The multiples that the key of a verification has.
fn rows(task: &CurveTask) -> Option<&'static Rows> {
    match task.operation() {
        Operation::P256Verify(key) => key.rows(),
        _ => None,
    }
}

/// How many tasks, of which those with prepared keys come last, go without their multiples: some
/// with prepared keys fill lanes that are left.
fn without_rows(tasks: &[(u32, CurveTask)], lanes: usize) -> usize {
    let without = tasks.iter().filter(|(_, task)| rows(task).is_none()).count();
    let (spare, others) = (without.next_multiple_of(lanes) - without, tasks.len() - without);
    if others % lanes <= spare { without + others % lanes } else { without }
}

/// Verifications that fill the lanes of a kernel at most, with the multiples of their keys if all
/// have them.
///
/// # Safety
/// The tasks are good, and verify; the kernel is from the table of this CPU.
unsafe fn verify_chunk(
    kernel: &Kernel,
    tasks: &[(u32, CurveTask)],
    rs: &[Option<Number>],
    inverses: &[Number],
) {
    let Operation::P256Verify(first) = tasks[0].1.operation() else { return };
    let (mut keys, mut factors) = ([first; MAX_LANES], [[[0; 4]; 2]; MAX_LANES]);
    let (mut base, mut own, mut points) = (Columns::ZERO, Columns::ZERO, [Columns::ZERO; 2]);
    for (lane, (_, task)) in tasks.iter().enumerate() {
        let (Operation::P256Verify(key), Some(r)) = (task.operation(), rs[lane]) else {
            continue;
        };
        // SAFETY: the caller's; there are 96 bytes.
        let number = ORDER.reduced(scalar::from_be_bytes(unsafe { task.input(0) }));
        factors[lane] = [number, r].map(|factor| ORDER.multiply(inverses[lane], factor));
        base.put(lane, &digits(factors[lane][0]));
        own.put(lane, &digits(factors[lane][1]));
        keys[lane] = key;
        points.iter_mut().zip(key.coordinates()).for_each(|(column, own)| column.put(lane, &own));
    }
    let tables = keys.map(P256PublicKey::rows);
    // SAFETY: the kernel is from the table of this CPU.
    unsafe {
        match tables {
            [Some(rows), ..] if tables.iter().all(Option::is_some) => {
                let tables = tables.map(|table| table.unwrap_or(rows));
                (kernel.p256_both)(&base, &own, &tables, &mut points);
            }
            _ => (kernel.p256_both_anew)(&base, &own, &mut points),
        }
    }
    for (lane, (_, task)) in tasks.iter().enumerate() {
        let is_right = rs[lane].is_some_and(|r| {
            let mut sum = Point::from_lanes(points[0].lane(lane), points[1].lane(lane));
            if sum.is_neutral() {
                // Or the lanes met a sum that they cannot do.
                sum = keys[lane].point().both(factors[lane][0], factors[lane][1]);
            }
            sum.has_x_modulo_order(r)
        });
        // SAFETY: the caller's.
        unsafe { task.finish(&[], is_right) };
    }
}
