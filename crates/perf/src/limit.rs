//! The fewest cycles a buffer can take: operation counts over calibrated throughputs.

use broadloom_engine::{Algorithm, HashAlgorithm};
use broadloom_lanes::Isa;
use broadloom_lanes::probe::{Operation, Unit};

use crate::calibrate::Throughput;
use crate::direct::Direct;
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
    /// What counts when the lanes are held to an instruction set: its vectors, and the AES and SHA
    /// instructions unless the lanes are to do without some feature (`restricted`).
    pub fn of(isa: Isa, restricted: bool) -> Allowed {
        let widest = match isa {
            Isa::Avx512 => Unit::Vec512,
            Isa::Avx2 => Unit::Vec256,
            // What is written for plain integers, the compiler may put into the vectors that every
            // such machine has.
            Isa::Neon | Isa::Portable => Unit::Vec128,
        };
        Allowed { widest, hardware: isa != Isa::Portable && !restricted }
    }

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
    direct: Direct,
    allowed: Allowed,
    throughput: &Throughput,
) -> Option<(f64, KernelOps)> {
    let kernels: Vec<KernelOps> = match direct {
        Direct::Digest(hash) | Direct::Hmac(hash) => hash_kernels(hash, allowed),
        Direct::AesCbc(size) if allowed.hardware => {
            allowed.vectors().map(|unit| ops::aes_cbc(size, unit)).collect()
        }
        Direct::AesCbc(_) => Vec::new(),
    };
    kernels
        .iter()
        .filter_map(|kernel| {
            let cycles = kernel_cycles(kernel, throughput)?;
            Some((cycles / kernel.lanes as f64, *kernel))
        })
        .min_by(|(a, _), (b, _)| a.total_cmp(b))
}

fn hash_kernels(hash: HashAlgorithm, allowed: Allowed) -> Vec<KernelOps> {
    let scalar = ops::hash_in_lanes(hash, Unit::Scalar);
    let hardware = ops::hash_in_hardware(hash).filter(|_| allowed.hardware);
    allowed
        .vectors()
        .map(|unit| ops::hash_in_lanes(hash, unit))
        .chain([scalar])
        .chain(hardware)
        .collect()
}

/// Compressions that a message of `len` bytes costs, its padding included.
fn hash_blocks(hash: HashAlgorithm, len: usize) -> usize {
    let padding = 1 + hash.block_len() / 8;
    (len + padding).div_ceil(hash.block_len())
}

/// Blocks that a buffer of `len` bytes costs: padding included, for HMAC the outer hash too (its
/// key blocks were done when the key was expanded).
pub fn blocks(direct: Direct, len: usize) -> usize {
    match direct {
        Direct::Digest(hash) => hash_blocks(hash, len),
        // The key block of each pass was hashed before; the message follows it, so the length
        // of the padding does not change, nor does the number of blocks left.
        Direct::Hmac(hash) => hash_blocks(hash, len) + hash_blocks(hash, hash.digest_len()),
        Direct::AesCbc(_) => len.div_ceil(16),
    }
}

/// Mean blocks of a buffer over the whole set.
pub fn mean_blocks(direct: Direct, workset: &Workset) -> f64 {
    let total: usize = (0..workset.len()).map(|index| blocks(direct, workset.buffer(index).len())).sum();
    total as f64 / workset.len().max(1) as f64
}

/// The fewest cycles of the counter that a buffer of the set can take on one core, on average, and
/// the operations that set this limit. Nothing where the algorithm's operations are not counted. The
/// two halves of a chain are taken one after the other.
pub fn per_buffer(
    workset: &Workset,
    allowed: Allowed,
    throughput: &Throughput,
) -> Option<(f64, String)> {
    let halves = match workset.algorithm() {
        Algorithm::Chain(cipher, mac, _) => vec![Algorithm::Cipher(cipher), Algorithm::Mac(mac)],
        simple => vec![simple],
    };
    let limits = halves.into_iter().map(|half| {
        let direct = Direct::try_from(half).ok()?;
        let (block, kernel) = best_kernel(direct, allowed, throughput)?;
        Some((block * mean_blocks(direct, workset), kernel.name()))
    });
    let limits = limits.collect::<Option<Vec<_>>>()?;
    let names: Vec<String> = limits.iter().map(|(_, name)| name.clone()).collect();
    Some((limits.iter().map(|(cycles, _)| cycles).sum(), names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::OpCounts;
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
        assert_eq!(best_kernel(Direct::AesCbc(AesSize::Aes128), allowed, &rates), None);
    }

    #[test]
    fn the_best_allowed_kernel_sets_the_limit() {
        let rates = throughput(&[
            (Unit::Vec128, Operation::Aes, 2.0),
            (Unit::Vec128, Operation::Logic, 4.0),
            (Unit::Vec256, Operation::Aes, 2.0),
            (Unit::Vec256, Operation::Logic, 4.0),
        ]);
        let aes = Direct::AesCbc(AesSize::Aes128);
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
        let hmac = Direct::Hmac(HashAlgorithm::Sha1);
        assert_eq!(blocks(hmac, 64), 3);
        assert_eq!(blocks(hmac, 55), 2);
        assert_eq!(blocks(Direct::Hmac(HashAlgorithm::Sha512), 111), 2);
        assert_eq!(blocks(Direct::AesCbc(AesSize::Aes128), 48), 3);
        let workset = Workset::of_lengths("hmac-sha1".parse().unwrap(), &[55, 64], 1);
        assert_eq!(mean_blocks(hmac, &workset), 2.5);
    }

    #[test]
    fn a_chain_pays_for_both_halves_and_what_is_not_counted_has_no_limit() {
        let every = [Operation::Add, Operation::Logic, Operation::Shift, Operation::Rotate];
        let mut rates = throughput(&every.map(|operation| (Unit::Scalar, operation, 1.0)));
        rates.set(Unit::Vec128, Operation::Aes, 1.0);
        rates.set(Unit::Vec128, Operation::Logic, 1.0);
        let allowed = Allowed { widest: Unit::Vec128, hardware: true };
        let limit = |name: &str| {
            let workset = Workset::of_lengths(name.parse().unwrap(), &[64, 128], 1);
            per_buffer(&workset, allowed, &rates)
        };
        let (cipher, mac) = (limit("aes-128-cbc").unwrap(), limit("hmac-sha1").unwrap());
        let chain = limit("aes-128-cbc+hmac-sha1").unwrap();
        assert_eq!(chain.0, cipher.0 + mac.0);
        assert_eq!(chain.1, format!("{}, {}", cipher.1, mac.1));
        assert_eq!(limit("aes-128-gcm"), None);
    }
}
