//! The four workloads of source 000, buffers of one size, and mixes of sizes.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use broadloom_engine::{Algorithm, CipherAlgorithm};
use fastrand::Rng;

use super::sizes::Imix;
use super::workset::fit;
use crate::error::PerfError;
use crate::names;

/// The largest buffer that can be asked for by size, in bytes.
pub const MAX_SIZE: usize = 1 << 16;

/// A rule that says how long buffers are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Workload {
    /// Workload 0: all of the smallest size, 64 bytes for hashes and HMAC, 48 for AES.
    Small,
    /// Workload 1: 66 % of 64 bytes, 21 % of 544, 13 % of 1360.
    ThreeSizes,
    /// Workload 2: 40 % uniform in 48..=100, 20 % in 101..=1023, 40 % in 1024..=1450.
    Uniform,
    /// Workload 3: all of 2048 bytes.
    Large,
    /// Not of source 000: all of the given number of bytes.
    Size(usize),
    /// Not of source 000: several sizes in fixed shares.
    Imix(Imix),
}

impl Workload {
    /// The four of source 000, in its order.
    pub const PAPER: [Workload; 4] =
        [Workload::Small, Workload::ThreeSizes, Workload::Uniform, Workload::Large];

    /// Its number in source 000, or the name of its mix; nothing where it is one size.
    pub fn name(&self) -> Option<String> {
        match self {
            Workload::Small => Some("0".to_owned()),
            Workload::ThreeSizes => Some("1".to_owned()),
            Workload::Uniform => Some("2".to_owned()),
            Workload::Large => Some("3".to_owned()),
            Workload::Size(_) => None,
            Workload::Imix(mix) => Some(mix.to_string()),
        }
    }

    /// The classes of length for this algorithm, each with its weight.
    fn classes(&self, algorithm: Algorithm) -> Vec<(usize, RangeInclusive<usize>)> {
        match self {
            Workload::Small => {
                let len = if matches!(algorithm, Algorithm::Cipher(CipherAlgorithm::AesCbc(_))) {
                    48
                } else {
                    64
                };
                vec![(100, len..=len)]
            }
            Workload::ThreeSizes => vec![(66, 64..=64), (21, 544..=544), (13, 1360..=1360)],
            Workload::Uniform => vec![(40, 48..=100), (20, 101..=1023), (40, 1024..=1450)],
            Workload::Large => vec![(100, 2048..=2048)],
            &Workload::Size(len) => vec![(1, len..=len)],
            Workload::Imix(mix) => {
                mix.parts().iter().map(|&(size, weight)| (weight, size..=size)).collect()
            }
        }
    }

    /// Returns `true` if every buffer has the same length.
    pub const fn is_fixed(&self) -> bool {
        matches!(self, Workload::Small | Workload::Large | Workload::Size(_))
    }

    /// The lengths in bytes of `count` buffers, the same for the same `seed`.
    ///
    /// Each class gets its share of `count` exactly (what rounding leaves goes to the first), its
    /// lengths are drawn uniformly, and the whole is shuffled: any run of them looks like an
    /// independent draw, yet the mean does not depend on luck. Each length is then rounded **up**
    /// to a multiple of the algorithm's granularity, 16 for AES-CBC.
    pub fn lengths(&self, algorithm: Algorithm, count: usize, seed: u64) -> Vec<usize> {
        let mut rng = Rng::with_seed(seed);
        let classes = self.classes(algorithm);
        let total: usize = classes.iter().map(|(weight, _)| weight).sum();
        let shares: Vec<usize> = classes.iter().map(|(weight, _)| count * weight / total).collect();
        let left = count - shares.iter().sum::<usize>();
        let mut lengths = Vec::with_capacity(count);
        for (index, (_, range)) in classes.into_iter().enumerate() {
            let share = shares[index] + if index == 0 { left } else { 0 };
            lengths.extend((0..share).map(|_| fit(algorithm, rng.usize(range.clone()))));
        }
        rng.shuffle(&mut lengths);
        lengths
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Workload::Size(bytes) => f.pad(&format!("{bytes} B")),
            named => f.pad(&named.name().unwrap_or_default()),
        }
    }
}

impl FromStr for Workload {
    type Err = PerfError;

    /// Parses "0" to "3".
    fn from_str(name: &str) -> Result<Self, PerfError> {
        names::parse("workload", name, Workload::PAPER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadloom_engine::{AesSize, HashAlgorithm, MacAlgorithm};

    const HMAC: Algorithm = Algorithm::Mac(MacAlgorithm::Hmac(HashAlgorithm::Sha1));
    const AES: Algorithm = Algorithm::Cipher(CipherAlgorithm::AesCbc(AesSize::Aes128));

    fn count_in(lengths: &[usize], range: RangeInclusive<usize>) -> usize {
        lengths.iter().filter(|len| range.contains(len)).count()
    }

    #[test]
    fn the_smallest_buffers_differ_between_hashes_and_aes() {
        assert!(Workload::Small.lengths(HMAC, 50, 1).iter().all(|&len| len == 64));
        assert!(Workload::Small.lengths(AES, 50, 1).iter().all(|&len| len == 48));
        assert!(Workload::Large.lengths(HMAC, 50, 1).iter().all(|&len| len == 2048));
    }

    #[test]
    fn the_three_sizes_come_in_their_exact_shares() {
        for algorithm in [HMAC, AES] {
            let lengths = Workload::ThreeSizes.lengths(algorithm, 1000, 7);
            assert_eq!(count_in(&lengths, 64..=64), 660);
            assert_eq!(count_in(&lengths, 544..=544), 210);
            assert_eq!(count_in(&lengths, 1360..=1360), 130);
        }
    }

    #[test]
    fn the_uniform_mix_fills_its_three_ranges() {
        let lengths = Workload::Uniform.lengths(HMAC, 1000, 7);
        assert_eq!(count_in(&lengths, 48..=100), 400);
        assert_eq!(count_in(&lengths, 101..=1023), 200);
        assert_eq!(count_in(&lengths, 1024..=1450), 400);
        let mean = lengths.iter().sum::<usize>() as f64 / 1000.0;
        assert!((mean - 637.0).abs() < 20.0, "mean {mean}");
    }

    #[test]
    fn every_run_of_a_mix_is_mixed() {
        let lengths = Workload::ThreeSizes.lengths(HMAC, 1024, 3);
        for burst in lengths.chunks(64) {
            assert!((20..64).contains(&count_in(burst, 64..=64)), "{burst:?}");
        }
    }

    #[test]
    fn aes_lengths_round_up_to_blocks() {
        let hmac = Workload::Uniform.lengths(HMAC, 500, 11);
        let aes = Workload::Uniform.lengths(AES, 500, 11);
        for (plain, rounded) in hmac.into_iter().zip(aes) {
            assert_eq!(rounded % 16, 0);
            assert!(rounded >= plain && rounded < plain + 16);
        }
    }

    #[test]
    fn the_seed_alone_decides() {
        let draw = |seed| Workload::Uniform.lengths(HMAC, 300, seed);
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }

    #[test]
    fn what_rounding_leaves_goes_to_the_first_class() {
        let lengths = Workload::ThreeSizes.lengths(HMAC, 10, 1);
        assert_eq!(count_in(&lengths, 64..=64), 7);
        assert_eq!(lengths.len(), 10);
    }

    #[test]
    fn a_mix_has_its_sizes_in_their_shares() {
        let lengths = Workload::Imix(Imix::default()).lengths(HMAC, 1200, 3);
        assert_eq!(count_in(&lengths, 64..=64), 700);
        assert_eq!(count_in(&lengths, 594..=594), 400);
        assert_eq!(count_in(&lengths, 1518..=1518), 100);
    }

    #[test]
    fn a_wrong_name_is_told_the_right_ones() {
        let error = "4".parse::<Workload>().unwrap_err().to_string();
        assert!(error.contains("\"4\"") && error.contains("0, 1, 2, 3"), "{error}");
    }
}
