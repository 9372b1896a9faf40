//! One long message of BLAKE3, hashed as subtrees.

use broadloom_engine::{Algorithm, HashAlgorithm, MacAlgorithm, Transform};
use broadloom_lanes::{Blake3Job, Blake3Key, Blake3Lanes, Blake3Stream, Cpu, Planner};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::one;

/// Bytes of a part, whose chunks are a complete subtree: a power of two.
const PART: usize = one::PART;
const _: () = assert!(PART.is_power_of_two() && PART >= 1024);

/// BLAKE3 of messages that are split over threads.
///
/// The chunks of a message are the leaves of a binary tree. A thread hashes the chunks of a part to
/// the value of their subtree, in the lanes of its own, and the values of all parts are then
/// combined. The result is that of one job. The key is wiped when it is dropped.
///
/// ```
/// use broadloom_engine::{HashAlgorithm, Transform};
/// use broadloom_lanes::Cpu;
/// use broadloom_rayon::SplitBlake3;
///
/// let blake3 = SplitBlake3::new(&Transform::hash(HashAlgorithm::Blake3), &Cpu::detect());
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// let digest = blake3.hash(&pool, b"abc");
/// assert_eq!(digest[..4], [0x64, 0x37, 0xb3, 0xac]);
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
pub struct SplitBlake3 {
    key: Blake3Key,
    cpu: Cpu,
    len: usize,
}

impl SplitBlake3 {
    /// Returns the hash, or the keyed hash, of a transform. Its output has as many bytes as the
    /// transform's tag.
    ///
    /// # Panics
    /// If the transform is neither one of BLAKE3, nor one that generates tags of BLAKE3's keyed
    /// hash.
    pub fn new(transform: &Transform, cpu: &Cpu) -> SplitBlake3 {
        use broadloom_engine::Direction::{Digest, Generate};
        let key = match (transform.algorithm(), transform.direction()) {
            (Algorithm::Hash(HashAlgorithm::Blake3), Digest) => Blake3Key::new(),
            (Algorithm::Mac(MacAlgorithm::Blake3Keyed), Generate) => {
                Blake3Key::keyed(transform.key().try_into().expect("a key has 32 bytes"))
            }
            (other, direction) => panic!("{other} {direction} makes no digest or tag of BLAKE3"),
        };
        SplitBlake3 { key, cpu: cpu.clone(), len: transform.tag_len() }
    }

    /// Returns the digest or the tag of a message. A message of less than two times
    /// [`LEAST_PART`](crate::PoolProcessor::LEAST_PART) is hashed on the calling thread.
    pub fn hash(&self, pool: &ThreadPool, message: &[u8]) -> Vec<u8> {
        let mut whole = Blake3Stream::new(&self.key);
        let mut rest = message;
        if pool.current_num_threads() > 1 && message.len() >= 2 * PART {
            let part = |(number, part): (usize, &[u8])| {
                let mut stream = Blake3Stream::part(&self.key, (number * PART) as u64);
                let mut job = [Blake3Job::update(&mut stream, part, Vec::new(), ())];
                self.planner().process_many(&mut job);
                drop(job);
                stream
            };
            let parts: Vec<Blake3Stream> =
                pool.install(|| message.par_chunks(PART).enumerate().map(part).collect());
            parts.iter().for_each(|part| whole.append(part));
            rest = &[];
        }
        let mut last = [Blake3Job::finish(&mut whole, rest, vec![0; self.len], ())];
        self.planner().process_many(&mut last);
        let [last] = last;
        let (_, digest, ()) = last.into_parts();
        digest
    }

    fn planner(&self) -> Planner<Blake3Lanes> {
        Planner::new(&self.cpu)
    }
}
