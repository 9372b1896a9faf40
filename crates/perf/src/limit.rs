//! The fewest cycles a buffer can take: operation counts over calibrated throughputs.

use broadloom_lanes::probe::{Operation, Unit};

use crate::calibrate::Throughput;
use crate::names::{Algorithm, HashName};
use crate::ops::{self, KernelOps};
use crate::workset::Workset;

/// The registers that a limit may count on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowed {
    /// The widest vectors.
    pub widest: Unit,
    /// Whether AES and SHA instructions count.
    pub hardware: bool,
}

impl Allowed {
    fn vectors(self) -> impl Iterator<Item = Unit> {
        [Unit::Vec128, Unit::Vec256, Unit::Vec512].into_iter().filter(move |&unit| unit <= self.widest)
    }
}

/// Cycles of one block in each of a kernel's lanes, by the tightest of its bounds, or nothing where
/// the CPU lacks an operation that it needs.
///
/// Each class of operations is a bound of its own; so are the shifts and shuffles together, which
/// share ports on some CPUs, and all operations together, at the best rate that any mix reached.
pub fn kernel_cycles(kernel: &KernelOps, throughput: &Throughput) -> Option<f64> {
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
    let sha = if kernel.lanes == 1 && counts.sha == 20 { Operation::Sha1 } else { Operation::Sha256 };
    let bounds = [
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
            &[pick(Operation::Shift, Operation::Shift64), Operation::Shuffle, Operation::ShiftShuffle],
        ),
        f64::from(counts.total()) / throughput.best(unit)?,
    ];
    bounds.into_iter().reduce(f64::max)
}

/// Cycles of one block of one buffer, and the kernel that could do it in so few, or nothing where
/// none is counted. Two kernels at work side by side on different ports are not considered.
pub fn best_kernel(
    algorithm: Algorithm,
    allowed: Allowed,
    throughput: &Throughput,
) -> Option<(f64, KernelOps)> {
    let kernels: Vec<KernelOps> = match algorithm {
        Algorithm::Digest(hash) | Algorithm::Hmac(hash) => hash_kernels(hash, allowed),
        Algorithm::AesCbc(_) if allowed.hardware => {
            allowed.vectors().map(|unit| ops::aes_cbc(algorithm, unit)).collect()
        }
        Algorithm::AesCbc(_) => Vec::new(),
    };
    kernels
        .iter()
        .filter_map(|kernel| {
            let cycles = kernel_cycles(kernel, throughput)?;
            Some((cycles / kernel.lanes as f64, *kernel))
        })
        .min_by(|(a, _), (b, _)| a.total_cmp(b))
}

fn hash_kernels(hash: HashName, allowed: Allowed) -> Vec<KernelOps> {
    let scalar = ops::hash_in_lanes(hash, Unit::Scalar);
    let hardware = ops::hash_in_hardware(hash).filter(|_| allowed.hardware);
    allowed
        .vectors()
        .map(|unit| ops::hash_in_lanes(hash, unit))
        .chain([scalar])
        .chain(hardware)
        .collect()
}

/// Blocks that a buffer of `len` bytes costs: padding included, for HMAC the outer hash too (its
/// key blocks were done when the key was expanded).
pub fn blocks(algorithm: Algorithm, len: usize) -> usize {
    match algorithm {
        Algorithm::Digest(hash) => hash.blocks(len),
        // The key block of each pass was hashed before; the message follows it, so the length
        // of the padding does not change, nor does the number of blocks left.
        Algorithm::Hmac(hash) => hash.blocks(len) + hash.blocks(hash.digest_len()),
        Algorithm::AesCbc(_) => len.div_ceil(16),
    }
}

/// Mean blocks of a buffer over the whole set.
pub fn mean_blocks(workset: &Workset) -> f64 {
    let algorithm = workset.algorithm();
    let total: usize =
        (0..workset.len()).map(|index| blocks(algorithm, workset.buffer(index).len())).sum();
    total as f64 / workset.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::AesSize;
    use crate::ops::OpCounts;

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

    #[test]
    fn the_tightest_bound_decides() {
        let rates = throughput(&[
            (Unit::Vec256, Operation::Add, 4.0),
            (Unit::Vec256, Operation::Shift, 2.0),
            (Unit::Vec256, Operation::Shuffle, 2.0),
            (Unit::Vec256, Operation::ShiftShuffle, 2.0),
        ]);
        let all = |counts| kernel_cycles(&kernel(counts), &rates).unwrap();
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
        assert_eq!(kernel_cycles(&kernel(counts), &apart), Some(50.0));
    }

    #[test]
    fn a_kernel_without_its_instructions_has_no_limit() {
        let rates = throughput(&[(Unit::Vec256, Operation::Add, 4.0)]);
        let aes = OpCounts { aes: 10, ..OpCounts::default() };
        assert_eq!(kernel_cycles(&kernel(aes), &rates), None);
        let allowed = Allowed { widest: Unit::Vec256, hardware: true };
        assert_eq!(best_kernel(Algorithm::AesCbc(AesSize::Aes128), allowed, &rates), None);
    }

    #[test]
    fn the_best_allowed_kernel_sets_the_limit() {
        let rates = throughput(&[
            (Unit::Vec128, Operation::Aes, 2.0),
            (Unit::Vec128, Operation::Logic, 4.0),
            (Unit::Vec256, Operation::Aes, 2.0),
            (Unit::Vec256, Operation::Logic, 4.0),
        ]);
        let aes = Algorithm::AesCbc(AesSize::Aes128);
        let limit = |widest, hardware| {
            best_kernel(aes, Allowed { widest, hardware }, &rates).map(|(cycles, _)| cycles)
        };
        assert_eq!(limit(Unit::Vec128, true), Some(5.0));
        assert_eq!(limit(Unit::Vec256, true), Some(2.5));
        assert_eq!(limit(Unit::Vec512, true), Some(2.5));
        assert_eq!(limit(Unit::Vec256, false), None);
    }

    #[test]
    fn hmac_pays_for_its_outer_hash() {
        let hmac = Algorithm::Hmac(HashName::Sha1);
        assert_eq!(blocks(hmac, 64), 3);
        assert_eq!(blocks(hmac, 55), 2);
        assert_eq!(blocks(Algorithm::Hmac(HashName::Sha512), 111), 2);
        assert_eq!(blocks(Algorithm::AesCbc(AesSize::Aes128), 48), 3);
        let workset = Workset::of_lengths(hmac, &[55, 64], 1);
        assert_eq!(mean_blocks(&workset), 2.5);
    }
}
