//! The fewest cycles a buffer can take: operation counts over calibrated throughputs.

use broadloom_engine::{Algorithm, Direction, PublicKeyAlgorithm, SlhDsaSet};
use broadloom_lanes::probe::{Operation, Unit};
use broadloom_lanes::{Cpu, Isa};

use super::calibrate::Throughput;
use super::ops::{self, KernelOps, Limbs};
use super::stages::{self, Stage, stages};
use super::workset::Workset;

/// The registers that a limit may count on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowed {
    /// The widest vectors.
    pub widest: Unit,
    /// `true` if AES and SHA instructions count.
    pub hardware: bool,
}

impl Allowed {
    /// Returns what counts when the lanes are held to an instruction set: its vectors, and the AES
    /// and SHA instructions unless the lanes are to do without some feature (`restricted`).
    pub fn of(isa: Isa, restricted: bool) -> Allowed {
        let widest = match isa.vector_bits() {
            512 => Unit::Vec512,
            256 => Unit::Vec256,
            // What is written for plain integers, the compiler may put into the vectors that every
            // such machine has.
            _ => Unit::Vec128,
        };
        Allowed { widest, hardware: isa != Isa::Portable && !restricted }
    }

    /// Returns what counts for a library that uses whatever the machine has.
    pub fn by_machine() -> Allowed {
        Allowed::of(Cpu::detect().isa(), false)
    }

    /// The vectors that count.
    pub fn vectors(self) -> impl Iterator<Item = Unit> {
        [Unit::Vec128, Unit::Vec256, Unit::Vec512]
            .into_iter()
            .filter(move |&unit| unit <= self.widest)
    }
}

/// Bounds of some work in one kind of registers, in cycles: one for each class of operations that
/// the CPU may do side by side with others.
///
/// Each class of operations is a bound of its own; so are the shifts and shuffles together, which
/// share ports on some CPUs, and all operations together, at the best rate that any mix reached.
type Bounds = [f64; 13];

/// The bounds of one block in each of a kernel's lanes, or nothing where the CPU lacks an operation
/// that it needs.
fn bounds(kernel: &KernelOps, throughput: &Throughput) -> Option<Bounds> {
    let counts = &kernel.counts;
    let wide = kernel.word == 64 && kernel.unit != Unit::Scalar;
    let pick = |narrow, wide_one| if wide { wide_one } else { narrow };
    let unit = kernel.unit;
    let own = |count: u32, operation| -> Option<f64> {
        match count {
            0 => Some(0.0),
            _ => throughput.get(unit, operation).map(|rate| f64::from(count) / rate),
        }
    };
    let together = |count: u32, operations: &[Operation]| -> f64 {
        let rates = operations.iter().filter_map(|&operation| throughput.get(unit, operation));
        rates.reduce(f64::max).map_or(0.0, |rate| f64::from(count) / rate)
    };
    let sha =
        if kernel.lanes == 1 && counts.sha == 20 { Operation::Sha1 } else { Operation::Sha256 };
    Some([
        own(counts.multiply, Operation::Multiply)?,
        own(counts.fused, Operation::Fused)?,
        own(counts.carry_less, Operation::CarryLess)?,
        own(counts.aes, Operation::Aes)?,
        own(counts.sha, sha)?,
        own(counts.rotate, pick(Operation::Rotate, Operation::Rotate64))?,
        together(counts.add, &[pick(Operation::Add, Operation::Add64)]),
        together(counts.logic, &[Operation::Logic]),
        together(counts.ternary, &[Operation::Ternary]),
        together(counts.shift + counts.rotate, &[pick(Operation::Shift, Operation::Shift64)]),
        together(counts.shuffle, &[Operation::Shuffle]),
        together(
            counts.shift + counts.rotate + counts.shuffle,
            &[
                pick(Operation::Shift, Operation::Shift64),
                Operation::Shuffle,
                Operation::ShiftShuffle,
            ],
        ),
        f64::from(counts.total()) / throughput.best(unit)?,
    ])
}

/// Cycles of so many blocks of each of some kernels, side by side, by the tightest of their bounds,
/// or nothing where the CPU lacks an operation that one needs. Work in different kinds of registers
/// does not wait for each other.
pub fn cycles(work: &[(KernelOps, f64)], throughput: &Throughput) -> Option<f64> {
    let mut sums: Vec<(Unit, Bounds)> = Vec::new();
    for (kernel, blocks) in work {
        let bounds =
            bounds(kernel, throughput)?.map(|cycles| cycles * blocks / kernel.lanes as f64);
        match sums.iter_mut().find(|(unit, _)| *unit == kernel.unit) {
            Some((_, sum)) => sum.iter_mut().zip(bounds).for_each(|(sum, cycles)| *sum += cycles),
            None => sums.push((kernel.unit, bounds)),
        }
    }
    sums.into_iter().flat_map(|(_, bounds)| bounds).reduce(f64::max)
}

/// The fewest cycles for so many blocks of each stage, and the kernels that could do it in so few,
/// or nothing where there are none. Two kernels at work side by side on the same blocks are not
/// considered, nor vectors of two widths, which share their ports.
pub fn best_kernels(
    stages: &[(&Stage, f64)],
    throughput: &Throughput,
) -> Option<(f64, Vec<KernelOps>)> {
    let mut choices = vec![Vec::new()];
    for (stage, blocks) in stages {
        let more = choices.iter().flat_map(|choice: &Vec<(KernelOps, f64)>| {
            let fits = |kernel: &&KernelOps| {
                let mut vectors =
                    choice.iter().map(|(other, _)| other.unit).filter(|unit| *unit != Unit::Scalar);
                kernel.unit == Unit::Scalar || vectors.all(|unit| unit == kernel.unit)
            };
            let kernels = stage.kernels.iter().filter(fits);
            kernels.map(|kernel| [choice.as_slice(), &[(*kernel, *blocks)]].concat())
        });
        choices = more.collect();
    }
    let costs = choices.into_iter().filter_map(|choice| {
        let kernels = choice.iter().map(|(kernel, _)| *kernel).collect();
        Some((cycles(&choice, throughput)?, kernels))
    });
    costs.min_by(|(a, _), (b, _)| a.total_cmp(b))
}

/// Mean blocks of a buffer over the whole set, of the first thing that its algorithm does.
///
/// # Panics
/// On an algorithm that is not counted.
pub fn mean_blocks(workset: &Workset) -> f64 {
    let allowed = Allowed { widest: Unit::Vec128, hardware: true };
    let stages = stages(workset.algorithm(), allowed).expect("operations that are counted");
    mean_blocks_of(&stages[0], workset)
}

fn mean_blocks_of(stage: &Stage, workset: &Workset) -> f64 {
    let total: usize =
        (0..workset.len()).map(|index| stage.blocks(workset.buffer(index).len())).sum();
    total as f64 / workset.len().max(1) as f64
}

/// The fewest cycles of the counter that an operation with a public or private key can take on one
/// core, and the operations that set this limit. Nothing where they are not counted.
pub fn of_public_key(
    algorithm: PublicKeyAlgorithm,
    direction: Direction,
    allowed: Allowed,
    throughput: &Throughput,
) -> Option<(f64, String)> {
    if let PublicKeyAlgorithm::SlhDsa(set) = algorithm {
        return of_slh_dsa(set, direction, allowed, throughput);
    }
    // Nobody knows whether lanes that do without some feature have the fused products.
    if allowed.widest == Unit::Vec512 && !allowed.hardware {
        return None;
    }
    let limbs = Limbs::ALL.into_iter().filter(|limbs| limbs.unit() <= allowed.widest);
    let primes = limbs.filter_map(|limbs| match (algorithm, direction) {
        (PublicKeyAlgorithm::Rsa(size), Direction::Sign) => Some(ops::rsa_private(size, limbs)),
        (PublicKeyAlgorithm::Rsa(size), Direction::Verify) => Some(ops::rsa_public(size, limbs)),
        _ => ops::prime_curve(algorithm, direction, limbs),
    });
    let vectors = allowed.vectors().filter(|_| allowed.hardware);
    let binary = vectors.filter_map(|unit| ops::binary_curve(algorithm, direction, unit));
    let costs = primes.chain(binary).filter_map(|kernel| {
        let blocks = 1.0;
        Some((cycles(&[(kernel, blocks)], throughput)?, kernel.name()))
    });
    costs.min_by(|(a, _), (b, _)| a.total_cmp(b))
}

/// The fewest cycles of the counter that an operation of SLH-DSA can take on one core, by its
/// hashes. Nothing for directions that are no signatures.
fn of_slh_dsa(
    set: SlhDsaSet,
    direction: Direction,
    allowed: Allowed,
    throughput: &Throughput,
) -> Option<(f64, String)> {
    let stages = stages::of_slh_dsa(set, direction, allowed)?;
    let work: Vec<_> = stages.iter().map(|(stage, blocks)| (stage, *blocks)).collect();
    let (cycles, kernels) = best_kernels(&work, throughput)?;
    let mut names: Vec<String> = kernels.iter().map(KernelOps::name).collect();
    names.dedup();
    Some((cycles, names.join(" and ")))
}

/// The fewest cycles of the counter that a buffer of the set can take on one core, on average, and
/// the operations that set this limit. Nothing where the algorithm's operations are not counted.
/// The two halves of a chain may be side by side, or one after the other, each in the registers
/// that suit it.
pub fn per_buffer(
    workset: &Workset,
    allowed: Allowed,
    throughput: &Throughput,
) -> Option<(f64, String)> {
    let halves = match workset.algorithm() {
        Algorithm::Chain(cipher, mac, _) => {
            vec![stages(Algorithm::Cipher(cipher), allowed)?, stages(Algorithm::Mac(mac), allowed)?]
        }
        simple => vec![stages(simple, allowed)?],
    };
    let limit = |stages: &mut dyn Iterator<Item = &Stage>| {
        let work: Vec<_> = stages.map(|stage| (stage, mean_blocks_of(stage, workset))).collect();
        let (cycles, kernels) = best_kernels(&work, throughput)?;
        let mut names: Vec<String> = kernels.iter().map(KernelOps::name).collect();
        names.dedup();
        Some((cycles, names.join(" and ")))
    };
    let apart = halves.iter().map(|half| limit(&mut half.iter())).collect::<Option<Vec<_>>>()?;
    let cycles = apart.iter().map(|(cycles, _)| cycles).sum();
    let names: Vec<_> = apart.into_iter().map(|(_, name)| name).collect();
    let side_by_side = limit(&mut halves.iter().flatten());
    let one_after_the_other = (cycles, names.join(", "));
    Some(
        side_by_side
            .filter(|(cycles, _)| *cycles < one_after_the_other.0)
            .unwrap_or(one_after_the_other),
    )
}

#[cfg(test)]
mod tests {
    use super::super::ops::{Mode, OpCounts};
    use super::*;
    use broadloom_engine::AesSize;

    fn throughput(rates: &[(Unit, Operation, f64)]) -> Throughput {
        let mut throughput = Throughput::default();
        for &(unit, operation, rate) in rates {
            throughput.set(unit, operation, rate);
        }
        throughput
    }

    fn kernel(counts: OpCounts) -> KernelOps {
        KernelOps { unit: Unit::Vec256, word: 32, lanes: 8, counts }
    }

    /// Cycles of one block in each lane.
    fn block(kernel: KernelOps, rates: &Throughput) -> Option<f64> {
        cycles(&[(kernel, kernel.lanes as f64)], rates)
    }

    /// The fewest cycles of one block of an algorithm.
    fn of_block(name: &str, allowed: Allowed, rates: &Throughput) -> Option<f64> {
        let stages = stages(name.parse().unwrap(), allowed).unwrap();
        best_kernels(&[(&stages[0], 1.0)], rates).map(|(cycles, _)| cycles)
    }

    #[test]
    fn the_tightest_bound_decides() {
        let rates = throughput(&[
            (Unit::Vec256, Operation::Add, 4.0),
            (Unit::Vec256, Operation::Shift, 2.0),
            (Unit::Vec256, Operation::Shuffle, 2.0),
            (Unit::Vec256, Operation::ShiftShuffle, 2.0),
        ]);
        let all = |counts| block(kernel(counts), &rates).unwrap();
        // Nothing but additions: the ports together.
        assert_eq!(all(OpCounts { add: 100, ..OpCounts::default() }), 25.0);
        // Shifts bind before the total does.
        assert_eq!(all(OpCounts { add: 20, shift: 80, ..OpCounts::default() }), 40.0);
        // Shifts and shuffles share ports here.
        assert_eq!(all(OpCounts { shift: 40, shuffle: 40, ..OpCounts::default() }), 40.0);
        // And here they do not, but neither goes faster alone.
        let apart = throughput(&[
            (Unit::Vec256, Operation::Add, 3.0),
            (Unit::Vec256, Operation::Shift, 1.0),
            (Unit::Vec256, Operation::Shuffle, 1.0),
            (Unit::Vec256, Operation::ShiftShuffle, 2.0),
        ]);
        let counts = OpCounts { shift: 50, shuffle: 30, ..OpCounts::default() };
        assert_eq!(block(kernel(counts), &apart), Some(50.0));
    }

    #[test]
    fn a_kernel_without_its_instructions_has_no_limit() {
        let rates = throughput(&[(Unit::Vec256, Operation::Add, 4.0)]);
        let aes = OpCounts { aes: 10, ..OpCounts::default() };
        assert_eq!(block(kernel(aes), &rates), None);
        let allowed = Allowed { widest: Unit::Vec256, hardware: true };
        assert_eq!(of_block("aes-128-cbc", allowed, &rates), None);
    }

    #[test]
    fn the_best_allowed_kernel_sets_the_limit() {
        let rates = throughput(&[
            (Unit::Vec128, Operation::Aes, 2.0),
            (Unit::Vec128, Operation::Logic, 4.0),
            (Unit::Vec256, Operation::Aes, 2.0),
            (Unit::Vec256, Operation::Logic, 4.0),
        ]);
        let limit =
            |widest, hardware| of_block("aes-128-cbc", Allowed { widest, hardware }, &rates);
        assert_eq!(limit(Unit::Vec128, true), Some(5.0));
        assert_eq!(limit(Unit::Vec256, true), Some(2.5));
        assert_eq!(limit(Unit::Vec512, true), Some(2.5));
        assert_eq!(limit(Unit::Vec256, false), None);
    }

    #[test]
    fn what_runs_side_by_side_is_bound_by_each_class_and_by_all() {
        let rates = throughput(&[
            (Unit::Vec128, Operation::Aes, 2.0),
            (Unit::Vec128, Operation::CarryLess, 0.5),
            (Unit::Vec128, Operation::Logic, 4.0),
            (Unit::Scalar, Operation::Multiply, 1.0),
            (Unit::Scalar, Operation::Add, 4.0),
        ]);
        let aes = ops::aes(AesSize::Aes128, Mode::Chained, Unit::Vec128);
        let ghash = ops::ghash(Unit::Vec128);
        // 10 rounds a block at 2 a cycle; 3 products a block at one in 2 cycles.
        assert_eq!(cycles(&[(aes, 4.0)], &rates), Some(20.0));
        assert_eq!(cycles(&[(aes, 4.0), (ghash, 2.0)], &rates), Some(20.0));
        assert_eq!(cycles(&[(aes, 4.0), (ghash, 5.0)], &rates), Some(30.0));
        // Two uses of AES rounds wait for each other, and integers for nothing but integers.
        assert_eq!(cycles(&[(aes, 4.0), (aes, 4.0)], &rates), Some(40.0));
        assert_eq!(cycles(&[(aes, 4.0), (ops::poly1305(), 3.0)], &rates), Some(20.0));
    }

    #[test]
    fn vectors_of_two_widths_are_not_mixed() {
        // Wide AES rounds are twice as fast; products are there in narrow registers alone.
        let rates = throughput(&[
            (Unit::Vec128, Operation::Aes, 1.0),
            (Unit::Vec256, Operation::Aes, 1.0),
            (Unit::Vec128, Operation::CarryLess, 1.0),
        ]);
        let allowed = Allowed { widest: Unit::Vec256, hardware: true };
        let workset = |name: &str| Workset::of_lengths(name.parse().unwrap(), &[64], 1);
        let (_, ctr) = per_buffer(&workset("aes-128-ctr"), allowed, &rates).unwrap();
        assert_eq!(ctr, "256-bit AES rounds");
        let (_, gcm) = per_buffer(&workset("aes-128-gcm"), allowed, &rates).unwrap();
        assert_eq!(gcm, "128-bit AES rounds and 128-bit carry-less products");
        let (_, ccm) = per_buffer(&workset("aes-128-ccm"), allowed, &rates).unwrap();
        assert_eq!(ccm, "256-bit AES rounds");
    }

    #[test]
    fn blocks_are_those_of_the_mean_buffer() {
        assert_eq!(
            mean_blocks(&Workset::of_lengths("hmac-sha1".parse().unwrap(), &[55, 64], 1)),
            2.5
        );
    }

    /// Rates at which AES is done in narrow vectors or in wide ones, and hashes on integers or in
    /// narrow vectors.
    fn rates_of_chains(wide: f64, integers: f64) -> Throughput {
        let every = [Operation::Add, Operation::Logic, Operation::Shift, Operation::Rotate];
        let mut rates = throughput(&every.map(|operation| (Unit::Scalar, operation, integers)));
        for operation in [Operation::Aes, Operation::Sha1, Operation::Logic] {
            rates.set(Unit::Vec128, operation, 1.0);
        }
        rates.set(Unit::Vec256, Operation::Aes, wide);
        rates
    }

    fn limit_of(name: &str, rates: &Throughput) -> Option<(f64, String)> {
        let allowed = Allowed { widest: Unit::Vec256, hardware: true };
        per_buffer(&Workset::of_lengths(name.parse().unwrap(), &[64, 128], 1), allowed, rates)
    }

    #[test]
    fn the_halves_of_a_chain_go_side_by_side_where_that_is_less() {
        let rates = rates_of_chains(0.1, 0.1);
        let chain = limit_of("aes-128-cbc+hmac-sha1", &rates).unwrap();
        let (cipher, mac) =
            (limit_of("aes-128-cbc", &rates).unwrap(), limit_of("hmac-sha1", &rates).unwrap());
        // All operations together, of which there is one a cycle: 12 a block of AES, 20 of SHA-1.
        assert_eq!((cipher.0, mac.0), (12.0 * 6.0, 20.0 * 3.5));
        assert_eq!(chain.0, cipher.0 + mac.0);
        assert_eq!(chain.1, "128-bit AES rounds, SHA instructions");
        let rates = rates_of_chains(0.1, 100.0);
        let chain = limit_of("aes-128-cbc+hmac-sha1", &rates).unwrap();
        assert_eq!(chain.0, cipher.0.max(limit_of("hmac-sha1", &rates).unwrap().0));
        assert_eq!(chain.1, "128-bit AES rounds and integers");
    }

    #[test]
    fn and_one_after_the_other_in_registers_of_two_widths() {
        let rates = rates_of_chains(2.0, 0.1);
        let chain = limit_of("aes-128-cbc+hmac-sha1", &rates).unwrap();
        let (cipher, mac) =
            (limit_of("aes-128-cbc", &rates).unwrap(), limit_of("hmac-sha1", &rates).unwrap());
        assert_eq!(chain.0, cipher.0 + mac.0);
        assert_eq!(chain.1, "256-bit AES rounds, SHA instructions");
    }

    #[test]
    fn public_keys_are_limited_by_products_of_limbs() {
        let rates = throughput(&[
            (Unit::Scalar, Operation::Multiply, 1.0),
            (Unit::Scalar, Operation::Add, 4.0),
            (Unit::Vec256, Operation::Multiply, 0.5),
            (Unit::Vec256, Operation::Add64, 4.0),
            (Unit::Vec512, Operation::Fused, 1.0),
            (Unit::Vec512, Operation::CarryLess, 0.5),
        ]);
        let limit = |name: &str, direction, widest, hardware| {
            let algorithm = name.parse().unwrap();
            let Algorithm::PublicKey(algorithm) = algorithm else { panic!("{name}") };
            of_public_key(algorithm, direction, Allowed { widest, hardware }, &rates)
        };
        let sign = |widest| limit("ecdsa-p256", Direction::Sign, widest, true).unwrap();
        // 418 products and 156 squares; in eight lanes, two instructions for each product of limbs.
        let fused = (2.0 * (418.0 * 40.0 + 156.0 * 30.0) / 8.0, "fused products of 52 bits");
        assert_eq!(sign(Unit::Vec512), (fused.0, fused.1.to_owned()));
        assert_eq!(sign(Unit::Vec256).1, "integers");
        assert!(limit("ecdsa-p256", Direction::Sign, Unit::Vec512, false).is_none());
        let binary = limit("ecdsa-k283", Direction::Sign, Unit::Vec512, true).unwrap();
        assert_eq!(binary, (16.0 * 1422.0 / 4.0 / 0.5, "512-bit carry-less products".to_owned()));
        for (name, direction) in [
            ("rsa-2048", Direction::Sign),
            ("ecdh-p256", Direction::Agree),
            ("ecdsa-p384", Direction::Verify),
            ("ecdh-p384", Direction::Agree),
            ("ecdsa-p521", Direction::Sign),
            ("ecdh-p521", Direction::Agree),
            ("ecdsa-secp256k1", Direction::Verify),
            ("x25519", Direction::Agree),
            ("ed25519", Direction::Verify),
            ("ecdsa-b283", Direction::Verify),
            ("ecdh-k283", Direction::Agree),
        ] {
            assert!(limit(name, direction, Unit::Vec512, true).is_some(), "{name}");
        }
        assert!(limit("x25519", Direction::Sign, Unit::Vec512, true).is_none());
    }

    #[test]
    fn what_is_not_counted_has_no_limit() {
        let rates = rates_of_chains(1.0, 1.0);
        assert_eq!(limit_of("rc4", &rates), None);
        assert_eq!(limit_of("aes-128-gcm", &rates), None);
    }
}
