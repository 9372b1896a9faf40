//! The scheduler of operations on binary curves onto the lanes of the kernels.
//!
//! Operations of one kind on one curve go together. Their multiplications of points fill the lanes:
//! one for each operation, two for a verification.

use core::mem;
use core::ptr;

use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use super::BinaryKernels;
use super::curve::{BinaryCurve, Parameters};
use super::element::{Column, Words, from_bytes, to_bytes, words};
use super::key::{BinaryPrivateKey, BinaryPublicKey, LEN};
use super::pairs::MAX_LANES;
use super::points::Points;
use crate::buffer::Span;
use crate::cpu::Cpu;
use crate::curves::CurveOutcome;
use crate::manager::{Goal, Groups, Lanes, MAX_TASKS, Occupancy, Source};
use crate::outcome::public;

const _: () = assert!(MAX_LANES <= MAX_TASKS, "a group fills the lanes");

/// What to do with a buffer, and the keys.
#[derive(Clone, Copy)]
pub(super) enum Operation<'a> {
    /// With a key and a nonce.
    Sign(&'a BinaryPrivateKey, &'a BinaryPrivateKey),
    Verify(&'a BinaryPublicKey),
    Agree(&'a BinaryPrivateKey),
}

/// Kinds of operations, on each curve.
const KINDS: usize = 3 * BinaryCurve::ALL.len();

impl<'a> Operation<'a> {
    /// # Panics
    /// If the nonce is for another curve.
    pub fn sign(key: &'a BinaryPrivateKey, nonce: &'a BinaryPrivateKey) -> Self {
        assert_eq!(key.curve(), nonce.curve(), "the curves of the key and of the nonce");
        Operation::Sign(key, nonce)
    }

    fn curve(&self) -> BinaryCurve {
        match self {
            Operation::Sign(key, _) | Operation::Agree(key) => key.curve(),
            Operation::Verify(key) => key.curve(),
        }
    }

    /// Its kind and its curve, below [`KINDS`].
    fn kind(&self) -> usize {
        let kind = match self {
            Operation::Sign(..) => 0,
            Operation::Verify(_) => 1,
            Operation::Agree(_) => 2,
        };
        kind * BinaryCurve::ALL.len() + self.curve() as usize
    }

    /// Bytes that it takes, and makes.
    pub fn len(&self) -> usize {
        match self {
            Operation::Sign(..) | Operation::Agree(_) => 2 * LEN,
            Operation::Verify(_) => 3 * LEN,
        }
    }

    /// About how many products of elements it takes.
    pub fn cost(&self) -> usize {
        match self {
            Operation::Sign(..) | Operation::Agree(_) => 1700,
            Operation::Verify(_) => 3400,
        }
    }
}

/// One operation, as the scheduler sees it.
///
/// Whoever makes one vouches that the keys and the pointers stay good until the task is complete.
#[derive(Clone, Copy)]
pub struct BinaryTask {
    operation: Operation<'static>,
    span: Span,
    outcome: *mut CurveOutcome,
}

impl BinaryTask {
    pub(super) fn new(operation: Operation<'_>, span: Span, outcome: *mut CurveOutcome) -> Self {
        // SAFETY: only the lifetime differs; the keys are used no longer than the task is good.
        let operation = unsafe { mem::transmute::<Operation<'_>, Operation<'static>>(operation) };
        BinaryTask { operation, span, outcome }
    }

    /// A number of the input.
    ///
    /// # Safety
    /// The task is good, and has so many numbers.
    unsafe fn input(&self, index: usize) -> &[u8; LEN] {
        // SAFETY: the caller's.
        unsafe { &*self.span.src.add(index * LEN).cast() }
    }

    /// Writes two numbers and zeros behind them, or only zeros where there is no result.
    ///
    /// # Safety
    /// The task is good, and its input is not read any more.
    unsafe fn finish(&self, numbers: [&Words; 2], is_right: bool) {
        let Span { dst, len, .. } = self.span;
        // SAFETY: the caller's.
        unsafe {
            let output = core::slice::from_raw_parts_mut(dst, len);
            output.fill(0);
            if is_right {
                for (bytes, number) in output.chunks_mut(LEN).zip(numbers) {
                    bytes.copy_from_slice(&to_bytes(number));
                }
            }
            *self.outcome = CurveOutcome { is_right };
        }
    }
}

/// The scheduler of operations on binary curves onto lanes.
pub struct BinaryCurveLanes {
    groups: Groups<BinaryTask, KINDS>,
    lanes: Calculator,
}

// SAFETY: the pointers are those of tasks, whose owner (a manager) holds the buffers and moves with
// this.
unsafe impl Send for BinaryCurveLanes {}

/// What computes for a group.
struct Calculator {
    kernels: BinaryKernels,
    occupancy: Occupancy,
}

impl Lanes for BinaryCurveLanes {
    type Task = BinaryTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        const NONE: &BinaryPrivateKey = &BinaryPrivateKey::NONE;
        let kernels = cpu.pick(&cpu.kernels().binary);
        let span = Span { src: ptr::null(), dst: ptr::null_mut(), len: 0 };
        let operation = Operation::Agree(NONE);
        let nothing = BinaryTask { operation, span, outcome: ptr::null_mut() };
        // Twice the lanes, so that a group shares an inversion.
        let groups = Groups::new((2 * kernels.widest().lanes).min(MAX_TASKS), nothing);
        BinaryCurveLanes { groups, lanes: Calculator { kernels, occupancy: Occupancy::default() } }
    }

    fn lanes(&self) -> usize {
        self.lanes.kernels.widest().lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.lanes.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<BinaryTask>, goal: Goal) {
        let group_of = |task: &BinaryTask| task.operation.kind();
        // SAFETY: the caller vouches for the tasks until they are complete.
        let go = |_, tasks: &[_]| unsafe { self.lanes.go(tasks) };
        self.groups.run(source, goal, group_of, go);
    }
}

/// A multiplication of a point: the point, which the product replaces, and the scalar.
#[derive(Clone, Copy)]
struct Multiplication {
    scalar: Words,
    x: Words,
    y: Words,
}

impl Multiplication {
    const NONE: Self = Multiplication { scalar: [0; 5], x: [0; 5], y: [0; 5] };

    fn of_base(curve: &Parameters, scalar: Words) -> Self {
        Multiplication { scalar, x: curve.x, y: curve.y }
    }

    fn wipe(&mut self) {
        self.scalar.zeroize();
        self.x.zeroize();
        self.y.zeroize();
    }
}

impl Calculator {
    /// Computes for tasks of one kind and curve.
    ///
    /// # Safety
    /// The tasks are good.
    unsafe fn go(&mut self, tasks: &[(u32, BinaryTask)]) {
        let curve = tasks[0].1.operation.curve().parameters();
        // SAFETY: the caller's.
        unsafe {
            match tasks[0].1.operation {
                Operation::Sign(..) => self.sign(curve, tasks),
                Operation::Verify(_) => self.verify(curve, tasks),
                Operation::Agree(_) => self.agree(curve, tasks),
            }
        }
    }

    /// Multiplies points, as many at a time as there are lanes. As for the y coordinates,
    /// [`multiply`](super::points::multiply) says which are right.
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
            // SAFETY: the kernel is from the table of this CPU.
            unsafe { (kernel.multiply)(curve, &scalars, &mut points, with_y) };
            for (lane, one) in now.iter_mut().enumerate() {
                (one.x, one.y) = (points.x.lane(lane), points.y.lane(lane));
            }
            scalars.zeroize();
            points.zeroize();
        }
    }

    /// Signatures.
    ///
    /// # Safety
    /// The tasks are good, and sign.
    unsafe fn sign(&mut self, curve: &Parameters, tasks: &[(u32, BinaryTask)]) {
        let order = &curve.order;
        let mut products = [Multiplication::NONE; MAX_TASKS];
        let mut nonces = [[0; 5]; MAX_TASKS];
        let (products, nonces) = (&mut products[..tasks.len()], &mut nonces[..tasks.len()]);
        for (i, (_, task)) in tasks.iter().enumerate() {
            let Operation::Sign(_, nonce) = task.operation else { continue };
            products[i] = Multiplication::of_base(curve, *nonce.scalar());
            nonces[i] = order.form(nonce.scalar());
        }
        self.multiply(curve, products, false);
        order.invert(nonces);
        for (i, (_, task)) in tasks.iter().enumerate() {
            let Operation::Sign(key, _) = task.operation else { continue };
            let r = order.reduced(products[i].x);
            // SAFETY: the caller's.
            let number = order.reduced(words(unsafe { task.input(0) }));
            let mut sum = order.sum(&number, &order.product(&order.form(&r), key.scalar()));
            let s = order.product(&nonces[i], &sum);
            let is_right = !(r.ct_eq(&[0; 5]) | s.ct_eq(&[0; 5]));
            // SAFETY: the caller's.
            unsafe { task.finish([&r, &s], public(is_right)) };
            sum.zeroize();
        }
        nonces.iter_mut().for_each(Zeroize::zeroize);
        products.iter_mut().for_each(Multiplication::wipe);
    }

    /// Shared secrets.
    ///
    /// # Safety
    /// The tasks are good, and agree.
    unsafe fn agree(&mut self, curve: &Parameters, tasks: &[(u32, BinaryTask)]) {
        let mut products = [Multiplication::NONE; MAX_TASKS];
        let products = &mut products[..tasks.len()];
        let mut good = [false; MAX_TASKS];
        for (i, (_, task)) in tasks.iter().enumerate() {
            let Operation::Agree(key) = task.operation else { continue };
            // SAFETY: the caller's.
            let point = unsafe { (from_bytes(task.input(0)), from_bytes(task.input(1))) };
            if let (Some(x), Some(y)) = point {
                products[i] = Multiplication { scalar: *key.scalar(), x, y };
                good[i] = true;
            }
        }
        self.check(curve, products, &mut good);
        self.multiply(curve, products, false);
        for (i, (_, task)) in tasks.iter().enumerate() {
            // SAFETY: the caller's.
            unsafe { task.finish([&products[i].x, &[0; 5]], good[i]) };
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
            // SAFETY: the kernel is from the table of this CPU.
            let validity = unsafe { (kernel.valid)(curve, &columns) };
            for (lane, good) in good.iter_mut().enumerate() {
                *good &= validity.in_subgroup >> lane & 1 == 1;
            }
        }
    }

    /// Verifications.
    ///
    /// # Safety
    /// The tasks are good, and verify.
    unsafe fn verify(&mut self, curve: &Parameters, tasks: &[(u32, BinaryTask)]) {
        let order = &curve.order;
        // One, where a signature is no pair of scalars.
        let mut inverses = [order.form(&[1, 0, 0, 0, 0]); MAX_TASKS];
        let inverses = &mut inverses[..tasks.len()];
        let mut rs = [None; MAX_TASKS];
        for (i, (_, task)) in tasks.iter().enumerate() {
            // SAFETY: the caller's.
            let [r, s] = unsafe { [words(task.input(1)), words(task.input(2))] };
            if bool::from(order.has(&r) & order.has(&s)) {
                (rs[i], inverses[i]) = (Some(r), order.form(&s));
            }
        }
        order.invert(inverses);
        let mut products = [Multiplication::NONE; 2 * MAX_TASKS];
        let products = &mut products[..2 * tasks.len()];
        for (i, (_, task)) in tasks.iter().enumerate() {
            let (Operation::Verify(key), Some(r)) = (task.operation, rs[i]) else { continue };
            // SAFETY: the caller's.
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
            // SAFETY: the caller's.
            unsafe { task.finish([&[0; 5]; 2], is_right) };
        }
    }

    /// The x coordinates of the sums of two products each, the first one of the base point; `None`
    /// where the sum is no point.
    fn sums(
        &mut self,
        curve: &Parameters,
        products: &[Multiplication],
    ) -> [Option<Words>; MAX_TASKS] {
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
            // SAFETY: the kernel is from the table of this CPU.
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
