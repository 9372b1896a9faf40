//! Binary curves against their definitions and against OpenSSL's results, on every instruction set
//! and by every manager.

mod operations;
mod reference;

use std::println;
use std::vec::Vec;

use broadloom_lanes::{Cpu, Feature, Isa};

use super::BinaryCurveLanes;
use crate::arch;
use crate::kernels::binary::curve::BinaryCurve;
use crate::kernels::binary::element::{Column, ElementWords};
use crate::kernels::binary::kernel::BinaryKernel;
use crate::kernels::binary::order::BinaryOrder;
use crate::kernels::binary::points::Points;
use reference::{add, multiple};

/// This machine with every instruction set it has, or the one that `BROADLOOM_ISA` names, with and
/// without carry-less products.
fn cpus() -> Vec<Cpu> {
    let only = std::env::var("BROADLOOM_ISA").ok();
    let isas = Cpu::available().filter(|isa| only.as_deref().is_none_or(|name| isa.name() == name));
    let features = [Feature::Vpclmulqdq, Feature::Pclmulqdq];
    let with_isa = |isa: Isa| {
        let cpu = Cpu::with_isa(isa).expect("this machine has it");
        let fewer = features.into_iter().scan(cpu.clone(), |cpu, feature| {
            *cpu = cpu.without(feature).expect("no instruction set needs it");
            Some(cpu.clone())
        });
        core::iter::once(cpu).chain(fewer.collect::<Vec<_>>())
    };
    isas.flat_map(with_isa).collect()
}

/// So many random inputs, or few where a processor is emulated.
fn many(count: usize) -> usize {
    let is_brief = std::env::var_os("BROADLOOM_TESTS").is_some_and(|value| value == "brief");
    if is_brief { 1 } else { count }
}

/// Returns all kernels of these processors, each once.
fn kernels() -> Vec<&'static BinaryKernel> {
    let mut kernels: Vec<&BinaryKernel> = Vec::new();
    for cpu in cpus() {
        let own = cpu.pick(&arch::kernels(&cpu).binary);
        for kernel in core::iter::once(own.one).chain(own.wide.iter().map(|(_, kernel)| *kernel)) {
            if !kernels.iter().any(|known| core::ptr::eq(*known, kernel)) {
                println!("binary kernel tested: {}", kernel.name);
                kernels.push(kernel);
            }
        }
    }
    kernels
}

/// Returns the words that look random.
fn random(seed: u64) -> ElementWords {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    core::array::from_fn(|_| {
        state ^= state >> 29;
        state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ state >> 32;
        state
    })
}

/// Scalars at both ends, with long runs of bits, and others.
fn scalars(order: &BinaryOrder) -> Vec<ElementWords> {
    let mut scalars = Vec::from([[1, 0, 0, 0, 0], [2, 0, 0, 0, 0], order.minus_one()]);
    let mut below = order.minus_one();
    below[0] -= 1;
    scalars.extend([below, [0, 0, 0, 0, 1 << 23], [u64::MAX, u64::MAX, u64::MAX, 0, 0]]);
    let shortened = |mut words: ElementWords| {
        words[4] &= (1 << 24) - 1;
        words
    };
    scalars.extend((0..many(4) as u64).map(|seed| shortened(random(seed + 7))));
    scalars
}

#[test]
fn multiples_are_those_of_the_definition() {
    for kernel in kernels() {
        for curve in BinaryCurve::ALL.map(BinaryCurve::parameters) {
            let base = Some((curve.x, curve.y));
            let other = multiple(curve, &[12345, 0, 0, 0, 0], base);
            let all: Vec<_> = scalars(&curve.order)
                .into_iter()
                .zip([base, other].into_iter().cycle())
                .map(|(scalar, point)| {
                    let right = multiple(curve, &scalar, point).expect("below the order");
                    (scalar, point.expect("no neutral element"), right)
                })
                .collect();
            for with_y in [false, true] {
                for chunk in all.chunks(kernel.lanes) {
                    let (mut column, mut points) = (Column::ZERO, Points::ZERO);
                    for (lane, (scalar, (x, y), _)) in chunk.iter().enumerate() {
                        column.put(lane, scalar);
                        points.x.put(lane, x);
                        points.y.put(lane, y);
                    }
                    // SAFETY: the kernel is from the table of this CPU.
                    unsafe { (kernel.multiply)(curve, &column, &mut points, with_y) };
                    for (lane, (scalar, _, right)) in chunk.iter().enumerate() {
                        let context = (kernel.name, scalar, with_y);
                        if !with_y || *scalar != curve.order.minus_one() {
                            assert_eq!(points.x.lane(lane), right.0, "{context:?}");
                        }
                        if with_y && *scalar != curve.order.minus_one() {
                            assert_eq!(points.y.lane(lane), right.1, "{context:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn sums_are_those_of_the_definition() {
    for kernel in kernels() {
        for curve in BinaryCurve::ALL.map(BinaryCurve::parameters) {
            let base = Some((curve.x, curve.y));
            let of = |scalar| multiple(curve, &[scalar, 0, 0, 0, 0], base).expect("a point");
            let (mut first, mut second) = (Points::ZERO, Points::ZERO);
            for lane in 0..kernel.lanes {
                for (points, (x, y)) in
                    [(&mut first, of(lane as u64 + 3)), (&mut second, of(1000 - lane as u64))]
                {
                    points.x.put(lane, &x);
                    points.y.put(lane, &y);
                }
            }
            // SAFETY: the kernel is from the table of this CPU.
            unsafe { (kernel.add)(curve, &mut first, &second) };
            for lane in 0..kernel.lanes {
                assert_eq!(first.x.lane(lane), of(1003).0, "{} {lane}", kernel.name);
            }
        }
    }
}

/// Points of all kinds: multiples of the base point, those with a part of a small order, those off
/// the curve.
#[test]
fn points_are_told_apart() {
    for kernel in kernels() {
        for curve in BinaryCurve::ALL.map(BinaryCurve::parameters) {
            let base = Some((curve.x, curve.y));
            // The point of order two: y is the root of b.
            let root = (0..282).fold(curve.b, |b, _| reference::product(&b, &b));
            let two = Some(([0; 5], root));
            let mut cases = Vec::from([
                (two, true, false),
                (base, true, true),
                (add(curve, base, two), true, false),
                (multiple(curve, &random(5), base), true, true),
                (base.map(|(x, y)| (x, reference::plus(&y, &[1, 0, 0, 0, 0]))), false, false),
                (Some(([0; 5], [0; 5])), false, false),
                (Some(([1, 0, 0, 0, 0], [1 << 7, 0, 0, 0, 3])), false, false),
            ]);
            if !curve.a {
                // Of order four, where x^4 is b: (1, 1) and (1, 0) on K-283.
                let four = Some(([1, 0, 0, 0, 0], [1, 0, 0, 0, 0]));
                assert_eq!(add(curve, four, four), two);
                cases.push((four, true, false));
                cases.push((add(curve, base, four), true, false));
                cases.push((multiple(curve, &[4, 0, 0, 0, 0], add(curve, base, four)), true, true));
            }
            for chunk in cases.chunks(kernel.lanes) {
                let mut points = Points::ZERO;
                for (lane, (point, ..)) in chunk.iter().enumerate() {
                    let (x, y) = point.expect("a point");
                    points.x.put(lane, &x);
                    points.y.put(lane, &y);
                }
                // SAFETY: the kernel is from the table of this CPU.
                let validity = unsafe { (kernel.valid)(curve, &points) };
                for (lane, (point, on_curve, in_subgroup)) in chunk.iter().enumerate() {
                    let bits = [validity.on_curve, validity.in_subgroup];
                    let found = bits.map(|bits| bits >> lane & 1 == 1);
                    assert_eq!(found, [*on_curve, *in_subgroup], "{} {point:x?}", kernel.name);
                }
            }
        }
    }
}

#[test]
fn inverses_and_products_modulo_the_order() {
    use num_bigint::BigUint;
    let number = |words: &ElementWords| {
        words.iter().rev().fold(BigUint::ZERO, |sum, word| (sum << 64) + BigUint::from(*word))
    };
    for curve in BinaryCurve::ALL.map(BinaryCurve::parameters) {
        let order = &curve.order;
        let modulus = number(&order.minus_one()) + 1_u32;
        let all = scalars(order);
        for a in &all {
            for b in &all {
                let product = order.product(&order.form(a), b);
                assert_eq!(number(&product), number(a) * number(b) % &modulus);
                assert_eq!(number(&order.sum(a, b)), (number(a) + number(b)) % &modulus);
            }
        }
        for count in 1..=all.len().min(broadloom_lanes::inside::MAX_TASKS) {
            let mut inverses: Vec<ElementWords> =
                all[..count].iter().map(|scalar| order.form(scalar)).collect();
            order.invert(&mut inverses);
            for (inverse, scalar) in inverses.iter().zip(&all) {
                assert_eq!(order.product(inverse, scalar), [1, 0, 0, 0, 0]);
            }
        }
        for mut long in [[u64::MAX; 5], random(3), order.minus_one()] {
            long[4] &= (1 << 27) - 1;
            assert_eq!(number(&order.reduced(long)), number(&long) % &modulus);
        }
    }
}

#[test]
fn what_a_processor_gets_is_said() {
    for cpu in cpus() {
        let info = BinaryCurveLanes::kernel_info(&cpu);
        assert_eq!(info.algorithm, "binary curves");
        let pairs = if cpu.has(Feature::Vpclmulqdq) && cpu.isa() >= Isa::Avx2 { 2 } else { 1 };
        assert!(info.lanes >= pairs, "{info:?}");
    }
}
