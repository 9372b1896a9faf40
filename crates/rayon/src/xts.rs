//! One data unit of AES-XTS, cut into parts.
//!
//! XTS masks block *j* of a data unit with E<sub>K2</sub>(tweak)·α<sup>j</sup>, where α is an
//! element of GF(2<sup>128</sup>), K1 is the key for data and K2 that for tweaks. So the blocks
//! from *j* on are a data unit of their own, whose tweak is
//! D<sub>K2</sub>(E<sub>K2</sub>(tweak)·α<sup>j</sup>).

use broadloom_engine::provider::Buffers;
use broadloom_engine::{
    AesSize, Algorithm, CipherAlgorithm, Job, JobError, Processor, Session, Transform,
    TransformError, XtsSize,
};
use rayon::ThreadPool;
use zeroize::Zeroizing;

use crate::{PoolProcessor, one, status};

/// Bytes of a block.
const BLOCK: usize = 16;
/// Bytes of the longest data unit (SP 800-38E, 4).
const LONGEST: usize = 16 << 20;

/// A session of AES-XTS whose data units can be split over threads, for
/// [`PoolProcessor::process_xts`].
///
/// A part of a data unit needs a tweak that only the second half of the key can make. A session
/// does not show its keys, so this holds two more sessions, which encrypt and decrypt single blocks
/// under that half. The keys are wiped when it is dropped.
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use broadloom_engine::{CipherAlgorithm, Transform, XtsSize};
/// use broadloom_rayon::{PoolProcessor, SplitXts};
///
/// # let key: Vec<u8> = (0..64).collect();
/// let cipher = CipherAlgorithm::AesXts(XtsSize::Aes256);
/// let transform = Transform::cipher(cipher, &key).encrypt()?;
/// let xts = SplitXts::open(&transform, |transform| registry.open(transform))?;
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// let mut unit = vec![7; 8 << 20];
/// PoolProcessor::new().process_xts(&pool, &xts, &[1; 16], &mut unit)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SplitXts {
    data: Session,
    /// ECB under the key for tweaks, in both directions.
    tweaks: [Session; 2],
}

impl SplitXts {
    /// Opens all that is needed for a transform of AES-XTS, each by a call of `open`: one session
    /// of the transform itself, and two of AES-ECB.
    ///
    /// # Errors
    /// The first error of `open`.
    ///
    /// # Panics
    /// If the transform is not one of AES-XTS.
    pub fn open<E>(
        transform: &Transform,
        mut open: impl FnMut(&Transform) -> Result<Session, E>,
    ) -> Result<SplitXts, E> {
        let size = match transform.algorithm() {
            Algorithm::Cipher(CipherAlgorithm::AesXts(XtsSize::Aes128)) => AesSize::Aes128,
            Algorithm::Cipher(CipherAlgorithm::AesXts(XtsSize::Aes256)) => AesSize::Aes256,
            other => panic!("{other} is not AES-XTS"),
        };
        let (_, key) = transform.key().split_at(transform.key().len() / 2);
        let ecb = || Transform::cipher(CipherAlgorithm::AesEcb(size), key);
        let mut tweaks = |ecb: Result<Transform, TransformError>| {
            let ecb = ecb.expect("half a key of XTS is one of ECB");
            open(&ecb.label(transform.session_label()).expect("another transform has the label"))
        };
        let tweaks = [tweaks(ecb().encrypt())?, tweaks(ecb().decrypt())?];
        Ok(SplitXts { data: open(transform)?, tweaks })
    }

    /// Returns the session of the transform itself.
    pub fn session(&self) -> &Session {
        &self.data
    }

    /// Returns the tweaks of the parts that begin at these bytes of a data unit. The first one
    /// begins at its first byte.
    fn tweaks(
        &self,
        processor: &mut Processor,
        tweak: &[u8; BLOCK],
        starts: &[usize],
    ) -> Result<Vec<Vec<u8>>, JobError> {
        let mut ecb = |session: &Session, blocks: &mut [u8]| {
            let mut jobs = [Job::new(session, blocks)];
            processor.process_many(&mut jobs);
            status(&jobs[0])
        };
        let [encrypt, decrypt] = &self.tweaks;
        let mut first = Zeroizing::new(*tweak);
        ecb(encrypt, &mut first[..])?;
        let first = Zeroizing::new(u128::from_le_bytes(*first));
        let mut masks = Zeroizing::new(vec![0; BLOCK * starts.len()]);
        for (mask, start) in masks.chunks_exact_mut(BLOCK).zip(starts) {
            mask.copy_from_slice(&times(*first, alpha_to(start / BLOCK)).to_le_bytes());
        }
        ecb(decrypt, &mut masks[..])?;
        Ok(masks.chunks_exact(BLOCK).map(<[u8]>::to_vec).collect())
    }
}

impl PoolProcessor {
    /// Encrypts or decrypts one data unit of AES-XTS on all threads of the pool: in place, or from
    /// a source to a destination of the same length. The result is that of one job.
    ///
    /// A data unit of less than two times [`LEAST_PART`](PoolProcessor::LEAST_PART) goes through
    /// one thread. A data unit has at most 16 MiB, whatever it is cut into.
    ///
    /// # Errors
    /// As of a job of the session. If the provider failed at a part, what was to be written is
    /// wiped.
    ///
    /// # Panics
    /// If a provider panics, and what was to be written is then wiped.
    pub fn process_xts<'a>(
        &mut self,
        pool: &ThreadPool,
        xts: &SplitXts,
        tweak: &[u8],
        unit: impl Into<Buffers<'a>>,
    ) -> Result<(), JobError> {
        let unit = unit.into();
        let len = unit.input().len();
        let part = one::part(len, pool.current_num_threads());
        let part = part.filter(|_| len <= LONGEST && one::are_equal(&unit));
        let (part, tweaks) = match (part, <&[u8; BLOCK]>::try_from(tweak)) {
            (Some(part), Ok(tweak)) => {
                (part, xts.tweaks(&mut self.caller, tweak, &starts(len, part))?)
            }
            // All of it is one job, of which the engine says what is wrong.
            _ => (len, vec![tweak.to_vec()]),
        };
        self.process_parts(pool, &xts.data, unit, part, &tweaks)
    }
}

/// Returns the first bytes of the parts of a data unit. The last part has at least one block: less
/// would have to steal its ciphertext from the part before.
fn starts(len: usize, part: usize) -> Vec<usize> {
    let mut starts: Vec<usize> = (0..len).step_by(part).collect();
    if starts.len() > 1 && !len.is_multiple_of(part) && len % part < BLOCK {
        starts.pop();
    }
    starts
}

/// Returns the product of an element and α, in constant time.
const fn double(element: u128) -> u128 {
    // x^128 = x^7 + x^2 + x + 1 (IEEE 1619, 5.2).
    (element << 1) ^ ((element >> 127).wrapping_neg() & 0x87)
}

/// Returns the product of a secret element and a public one, in constant time for the secret one.
fn times(secret: u128, public: u128) -> u128 {
    let (mut product, mut shifted) = (0, secret);
    for bit in 0..u128::BITS {
        if public >> bit & 1 == 1 {
            product ^= shifted;
        }
        shifted = double(shifted);
    }
    product
}

/// Returns a power of α.
fn alpha_to(exponent: usize) -> u128 {
    let bits = usize::BITS - exponent.leading_zeros();
    (0..bits).rev().fold(1, |power, bit| {
        let square = times(power, power);
        if exponent >> bit & 1 == 1 { double(square) } else { square }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_of_alpha_is_that_many_doublings() {
        let mut power = 1;
        for exponent in 0..1000 {
            assert_eq!(alpha_to(exponent), power, "{exponent}");
            power = double(power);
        }
        // The order of the group is 2^128 - 1, so that squares lead back to where they began.
        let alpha = (0..128).fold(2, |power, _| times(power, power));
        assert_eq!(alpha, 2);
    }

    #[test]
    fn products_are_distributive_and_commute() {
        let [a, b, c] = [u128::MAX / 3, 0x87 << 120 | 5, 1 << 127 | 1];
        assert_eq!(times(a, b), times(b, a));
        assert_eq!(times(a, b ^ c), times(a, b) ^ times(a, c));
        assert_eq!(times(times(a, b), c), times(a, times(b, c)));
        assert_eq!(times(a, alpha_to(1)), double(a));
    }

    #[test]
    fn the_last_part_has_a_block_at_least() {
        assert_eq!(starts(0, 64), []);
        assert_eq!(starts(64, 64), [0]);
        for tail in 1..16 {
            assert_eq!(starts(64 + tail, 64), [0], "{tail}");
            assert_eq!(starts(128 + tail, 64), [0, 64], "{tail}");
        }
        assert_eq!(starts(128 + 16, 64), [0, 64, 128]);
        assert_eq!(starts(128 + 17, 64), [0, 64, 128]);
    }
}
