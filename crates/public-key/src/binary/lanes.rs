//! The scheduler of operations on binary curves onto the lanes of the kernels.
//!
//! Operations of one kind on one curve go together. Their multiplications of points fill the lanes:
//! one for each operation, two for a verification.

use broadloom_lanes::inside::{Groups, MAX_TASKS, Source};
use broadloom_lanes::{Cpu, Lanes, Occupancy, public};
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use super::key::{BinaryPrivateKey, BinaryPublicKey, LEN};
use crate::arch;
use crate::curves::{CurveOperation, CurveTask};
use crate::kernels::binary::curve::{BinaryCurve, Parameters};
use crate::kernels::binary::element::{Column, ElementWords, from_bytes, to_bytes, words};
use crate::kernels::binary::kernel::BinaryKernels;
use crate::kernels::binary::pairs::MAX_LANES;
use crate::kernels::binary::points::Points;

const _: () = assert!(MAX_LANES <= MAX_TASKS, "a group fills the lanes");

/// What to do with a buffer, and the keys.
#[derive(Clone, Copy)]
pub enum BinaryOperation<'a> {
    /// With a key and a nonce.
    Sign(&'a BinaryPrivateKey, &'a BinaryPrivateKey),
    Verify(&'a BinaryPublicKey),
    Agree(&'a BinaryPrivateKey),
}

/// Kinds of operations, on each curve.
const KINDS: usize = 3 * BinaryCurve::ALL.len();

impl<'a> BinaryOperation<'a> {
    /// Makes the operation of a signature.
    ///
    /// # Panics
    /// If the nonce is for another curve.
    pub fn sign(key: &'a BinaryPrivateKey, nonce: &'a BinaryPrivateKey) -> Self {
        assert_eq!(key.curve(), nonce.curve(), "the curves of the key and of the nonce");
        BinaryOperation::Sign(key, nonce)
    }

    fn curve(&self) -> BinaryCurve {
        match self {
            BinaryOperation::Sign(key, _) | BinaryOperation::Agree(key) => key.curve(),
            BinaryOperation::Verify(key) => key.curve(),
        }
    }

    /// Returns its kind and its curve, below [`KINDS`].
    fn kind(&self) -> usize {
        let kind = match self {
            BinaryOperation::Sign(..) => 0,
            BinaryOperation::Verify(_) => 1,
            BinaryOperation::Agree(_) => 2,
        };
        kind * BinaryCurve::ALL.len() + self.curve() as usize
    }
}

// SAFETY: the two types differ in the lifetime alone.
unsafe impl<'a> CurveOperation for BinaryOperation<'a> {
    type Lanes = BinaryCurveLanes;
    type Unbound = BinaryOperation<'static>;

    fn length(&self) -> usize {
        match self {
            BinaryOperation::Sign(..) | BinaryOperation::Agree(_) => 2 * LEN,
            BinaryOperation::Verify(_) => 3 * LEN,
        }
    }

    fn cost(&self) -> usize {
        match self {
            BinaryOperation::Sign(..) | BinaryOperation::Agree(_) => 1700,
            BinaryOperation::Verify(_) => 3400,
        }
    }
}

/// An operation on a binary curve, as the scheduler sees it.
pub type BinaryTask = CurveTask<BinaryOperation<'static>>;

/// Writes two numbers.
fn write(numbers: [&ElementWords; 2], output: &mut [u8]) {
    for (bytes, number) in output.chunks_mut(LEN).zip(numbers) {
        bytes.copy_from_slice(&to_bytes(number));
    }
}

/// The scheduler of operations on binary curves onto lanes.
pub struct BinaryCurveLanes {
    groups: Groups<BinaryTask, KINDS>,
    lanes: BinaryCalculator,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler.
unsafe impl Send for BinaryCurveLanes {}

/// The kernels that compute for a group.
struct BinaryCalculator {
    kernels: BinaryKernels,
    occupancy: Occupancy,
}

impl Lanes for BinaryCurveLanes {
    type Task = BinaryTask;

    fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.pick(&arch::kernels(cpu).binary);
        // Twice the lanes, so that a group shares an inversion.
        let groups = Groups::new((2 * kernels.widest().lanes).min(MAX_TASKS));
        BinaryCurveLanes {
            groups,
            lanes: BinaryCalculator { kernels, occupancy: Occupancy::default() },
        }
    }

    fn lanes(&self) -> usize {
        self.lanes.kernels.widest().lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.lanes.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<BinaryTask>) {
        let group_of = |task: &BinaryTask| task.operation().kind();
        // SAFETY: the tasks of a group were given by the source and are not reported done yet, so
        // they are good, by this function's contract.
        let go = |_, tasks: &[_]| unsafe { self.lanes.go(tasks) };
        self.groups.run(source, group_of, go);
    }
}

/// A multiplication of a point: the point, which the product replaces, and the scalar.
#[derive(Clone, Copy)]
struct Multiplication {
    scalar: ElementWords,
    x: ElementWords,
    y: ElementWords,
}

impl Multiplication {
    const NONE: Self = Multiplication { scalar: [0; 5], x: [0; 5], y: [0; 5] };

    fn of_base(curve: &Parameters, scalar: ElementWords) -> Self {
        Multiplication { scalar, x: curve.x, y: curve.y }
    }

    fn wipe(&mut self) {
        self.scalar.zeroize();
        self.x.zeroize();
        self.y.zeroize();
    }
}

impl BinaryCalculator {
    /// Computes for tasks of one kind and curve.
    ///
    /// # Safety
    /// The tasks are good, as [`Lanes::Task`] defines it, and of one kind and curve.
    unsafe fn go(&mut self, tasks: &[(u32, BinaryTask)]) {
        let curve = tasks[0].1.operation().curve().parameters();
        // SAFETY: the tasks are good and of one kind, by this function's contract.
        unsafe {
            match tasks[0].1.operation() {
                BinaryOperation::Sign(..) => self.sign(curve, tasks),
                BinaryOperation::Verify(_) => self.verify(curve, tasks),
                BinaryOperation::Agree(_) => self.agree(curve, tasks),
            }
        }
    }

    /// Multiplies points, as many at a time as there are lanes. As for the y coordinates,
    /// [`multiply`](crate::kernels::binary::points::multiply) says which are right.
    fn multiply(&mut self, curve: &Parameters, all: &mut [Multiplication], with_y: bool) {
        let mut done = 0;
        while done < all.len() {
            let kernel = self.kernels.pick(all.len() - done);
            let end = all.len().min(done + kernel.lanes);
            let now = &mut all[done..end];
            done = end;
            self.occupancy.count(now.len(), self.kernels.widest().lanes, 1);
            let (mut scalars, mut points) = (Column::ZERO, Points::ZERO);
            for (lane, one) in now.iter().enumerate() {
                scalars.put(lane, &one.scalar);
                points.x.put(lane, &one.x);
                points.y.put(lane, &one.y);
            }
            // SAFETY: `pick` takes the kernel from the table of this CPU.
            unsafe { (kernel.multiply)(curve, &scalars, &mut points, with_y) };
            for (lane, one) in now.iter_mut().enumerate() {
                (one.x, one.y) = (points.x.lane(lane), points.y.lane(lane));
            }
            scalars.zeroize();
            points.zeroize();
        }
    }

    /// Signs.
    ///
    /// # Safety
    /// The tasks are good, as [`Lanes::Task`] defines it, and their operation is `Sign`.
    unsafe fn sign(&mut self, curve: &Parameters, tasks: &[(u32, BinaryTask)]) {
        let order = &curve.order;
        let mut products = [Multiplication::NONE; MAX_TASKS];
        let mut nonces = [[0; 5]; MAX_TASKS];
        let (products, nonces) = (&mut products[..tasks.len()], &mut nonces[..tasks.len()]);
        for (i, (_, task)) in tasks.iter().enumerate() {
            let BinaryOperation::Sign(_, nonce) = task.operation() else { continue };
            products[i] = Multiplication::of_base(curve, *nonce.scalar());
            nonces[i] = order.form(nonce.scalar());
        }
        self.multiply(curve, products, false);
        order.invert(nonces);
        for (i, (_, task)) in tasks.iter().enumerate() {
            let BinaryOperation::Sign(key, _) = task.operation() else { continue };
            let r = order.reduced(products[i].x);
            // SAFETY: the task is good, by this function's contract, and signing takes at least one
            // number.
            let number = order.reduced(words(unsafe { task.input(0) }));
            let mut sum = order.sum(&number, &order.product(&order.form(&r), key.scalar()));
            let s = order.product(&nonces[i], &sum);
            let is_right = !(r.ct_eq(&[0; 5]) | s.ct_eq(&[0; 5]));
            // SAFETY: the task is good, by this function's contract, and its input was read before.
            unsafe { task.finish_with(public(is_right), |output| write([&r, &s], output)) };
            sum.zeroize();
        }
        nonces.iter_mut().for_each(Zeroize::zeroize);
        products.iter_mut().for_each(Multiplication::wipe);
    }

    /// Computes shared secrets.
    ///
    /// # Safety
    /// The tasks are good, as [`Lanes::Task`] defines it, and their operation is `Agree`.
    unsafe fn agree(&mut self, curve: &Parameters, tasks: &[(u32, BinaryTask)]) {
        let mut products = [Multiplication::NONE; MAX_TASKS];
        let products = &mut products[..tasks.len()];
        let mut good = [false; MAX_TASKS];
        for (i, (_, task)) in tasks.iter().enumerate() {
            let BinaryOperation::Agree(key) = task.operation() else { continue };
            // SAFETY: the task is good, by this function's contract, and an agreement takes two
            // numbers.
            let point = unsafe { (from_bytes(task.input(0)), from_bytes(task.input(LEN))) };
            if let (Some(x), Some(y)) = point {
                products[i] = Multiplication { scalar: *key.scalar(), x, y };
                good[i] = true;
            }
        }
        self.check(curve, products, &mut good);
        self.multiply(curve, products, false);
        for (i, (_, task)) in tasks.iter().enumerate() {
            // SAFETY: the task is good, by this function's contract, and its input was read before.
            unsafe { task.finish_with(good[i], |output| write([&products[i].x, &[0; 5]], output)) };
        }
        products.iter_mut().for_each(Multiplication::wipe);
    }

    /// Marks points that are not on the curve, or no multiples of the base point.
    fn check(&self, curve: &Parameters, points: &[Multiplication], good: &mut [bool]) {
        let kernel = self.kernels.pick(points.len());
        for (points, good) in points.chunks(kernel.lanes).zip(good.chunks_mut(kernel.lanes)) {
            let mut columns = Points::ZERO;
            for (lane, point) in points.iter().enumerate() {
                columns.x.put(lane, &point.x);
                columns.y.put(lane, &point.y);
            }
            // SAFETY: `pick` takes the kernel from the table of this CPU.
            let validity = unsafe { (kernel.valid)(curve, &columns) };
            for (lane, good) in good.iter_mut().enumerate() {
                *good &= validity.in_subgroup >> lane & 1 == 1;
            }
        }
    }

    /// Verifies signatures.
    ///
    /// # Safety
    /// The tasks are good, as [`Lanes::Task`] defines it, and their operation is `Verify`.
    unsafe fn verify(&mut self, curve: &Parameters, tasks: &[(u32, BinaryTask)]) {
        let order = &curve.order;
        // The inverse is of one if a signature is no pair of scalars.
        let mut inverses = [order.form(&[1, 0, 0, 0, 0]); MAX_TASKS];
        let inverses = &mut inverses[..tasks.len()];
        let mut rs = [None; MAX_TASKS];
        for (i, (_, task)) in tasks.iter().enumerate() {
            // SAFETY: the task is good, by this function's contract, and a verification takes three
            // numbers.
            let [r, s] = unsafe { [words(task.input(LEN)), words(task.input(2 * LEN))] };
            if bool::from(order.has(&r) & order.has(&s)) {
                (rs[i], inverses[i]) = (Some(r), order.form(&s));
            }
        }
        order.invert(inverses);
        let mut products = [Multiplication::NONE; 2 * MAX_TASKS];
        let products = &mut products[..2 * tasks.len()];
        for (i, (_, task)) in tasks.iter().enumerate() {
            let (BinaryOperation::Verify(key), Some(r)) = (task.operation(), rs[i]) else {
                continue;
            };
            // SAFETY: the task is good, by this function's contract, and a verification takes three
            // numbers.
            let number = order.reduced(words(unsafe { task.input(0) }));
            let (x, y) = key.point();
            let scalar = order.product(&inverses[i], &r);
            products[2 * i] = Multiplication::of_base(curve, order.product(&inverses[i], &number));
            products[2 * i + 1] = Multiplication { scalar, x: *x, y: *y };
        }
        let mut points = [Multiplication::NONE; 2 * MAX_TASKS];
        let points = &mut points[..2 * tasks.len()];
        points.copy_from_slice(products);
        self.multiply(curve, products, true);
        for (product, point) in products.iter_mut().zip(points) {
            if product.scalar == order.minus_one() {
                // The negative of the point.
                product.x = point.x;
                product.y = core::array::from_fn(|i| point.x[i] ^ point.y[i]);
            }
        }
        let xs = self.sums(curve, products);
        for (i, (_, task)) in tasks.iter().enumerate() {
            let is_right = rs[i].is_some() && xs[i].map(|x| order.reduced(x)) == rs[i];
            // SAFETY: the task is good, by this function's contract, and its input was read before.
            unsafe { task.finish(&[], is_right) };
        }
    }

    /// Returns the x coordinates of the sums of two products each, the first one of the base point;
    /// `None` where the sum is no point.
    fn sums(
        &mut self,
        curve: &Parameters,
        products: &[Multiplication],
    ) -> [Option<ElementWords>; MAX_TASKS] {
        let mut sums = [None; MAX_TASKS];
        let kernel = self.kernels.pick(products.len() / 2);
        for (chunk, sums) in products.chunks(2 * kernel.lanes).zip(sums.chunks_mut(kernel.lanes)) {
            let (mut first, mut second) = (Points::ZERO, Points::ZERO);
            for (lane, pair) in chunk.chunks(2).enumerate() {
                for (points, one) in [&mut first, &mut second].into_iter().zip(pair) {
                    points.x.put(lane, &one.x);
                    points.y.put(lane, &one.y);
                }
            }
            // SAFETY: `pick` takes the kernel from the table of this CPU.
            unsafe { (kernel.add)(curve, &mut first, &second) };
            for (lane, pair) in chunk.chunks(2).enumerate() {
                sums[lane] = if pair[0].scalar == [0; 5] {
                    Some(pair[1].x)
                } else if pair[0].x != pair[1].x {
                    Some(first.x.lane(lane))
                } else if pair[0].y != pair[1].y {
                    None
                } else {
                    let twice = curve.order.sum(&pair[0].scalar, &pair[0].scalar);
                    let mut doubled = [Multiplication::of_base(curve, twice)];
                    self.multiply(curve, &mut doubled, false);
                    Some(doubled[0].x)
                };
            }
        }
        sums
    }
}
