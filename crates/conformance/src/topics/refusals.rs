//! Impossible jobs: each is refused with a typed error that has the numbers, and its buffers stay
//! unchanged.

use std::ops::Range;
use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, ChainOrder, CipherAlgorithm, Compression, Data, Direction,
    Extra, Job, JobError, Processor, Session,
};
use fastrand::Rng;

use crate::case::{Case, assert_same};
use crate::chunk::{Chunk, Kind, compressions};
use crate::keyed::{Keyed, random_bytes, varied};

/// Nonces one byte too short or too long, none, and far too long ones.
pub fn wrong_nonces(provider: &Arc<dyn Provider>) {
    let mut bench = Bench::new(provider, 13);
    for algorithm in varied(provider) {
        let valid = algorithm.nonce_lens();
        let (min, max) = (valid.min(), valid.max());
        let lens = [0, min.saturating_sub(1), min + 1, max.saturating_sub(1), max + 1, max + 300];
        for session in bench.sessions(algorithm) {
            for len in lens.into_iter().filter(|len| !valid.contains(*len)) {
                let error = JobError::NonceLength { len, valid };
                bench.refuses(&session, error, |job| job.nonce(&vec![1; len]));
            }
        }
    }
}

/// Texts that are no whole blocks, have wrong lengths in bits, are too long for CCM's length field
/// or read only, or whose source and destination differ in length.
pub fn wrong_lengths(provider: &Arc<dyn Provider>) {
    let mut bench = Bench::new(provider, 14);
    for algorithm in varied(provider) {
        let granularity = algorithm.granularity();
        for session in bench.sessions(algorithm) {
            let unequal = JobError::Lengths { source_len: 48, destination_len: 47 };
            bench.refuses(&session, unequal, |mut job| {
                job.set_data((vec![3; 48], vec![4; 47]));
                job
            });
            let unequal = JobError::Lengths { source_len: 48, destination_len: 64 };
            bench.refuses(&session, unequal, |mut job| {
                let sources = vec![vec![3; 40].into(), vec![3; 8].into()];
                job.set_data(Data::scattered_to(sources, vec![vec![4; 64].into()]));
                job
            });
            for len in [1, granularity - 1, granularity + 1, 3 * granularity + granularity / 2] {
                if granularity > 1 && len % granularity != 0 {
                    let error = JobError::DataLength { len, granularity };
                    bench.refuses(&session, error, |mut job| {
                        job.set_data(vec![3; len]);
                        job
                    });
                    bench.refuses(&session, error, |job| job.cipher_range(5..5 + len));
                }
            }
            for bits in [0, 95 * 8, 96 * 8 + 1, 96 * 8 + 300, usize::MAX] {
                if algorithm.counts_bits() {
                    let error = JobError::BitLength { bits, len: 96 };
                    bench.refuses(&session, error, |job| job.bits(bits));
                }
            }
            if !matches!(algorithm, Algorithm::Hash(_) | Algorithm::Mac(_)) {
                bench.refuses(&session, JobError::ReadOnly, |mut job| {
                    job.set_data(&[3; 48]);
                    job
                });
                bench.refuses(&session, JobError::ReadOnly, |mut job| {
                    job.set_data(Data::gather(vec![vec![3; 48].into()]));
                    job
                });
            }
        }
    }
    ccm_is_no_longer_than_its_length_field(provider, &mut bench);
}

fn ccm_is_no_longer_than_its_length_field(provider: &Arc<dyn Provider>, bench: &mut Bench<'_>) {
    for size in AesSize::ALL {
        let algorithm = Algorithm::Aead(AeadAlgorithm::AesCcm(size));
        if !provider.supports(algorithm) {
            continue;
        }
        for session in bench.sessions(algorithm) {
            let error = JobError::TooLong { len: 0x1_0000, max: 0xffff };
            bench.refuses(&session, error, |mut job| {
                job.set_data(vec![3; 0x1_0000]);
                job.nonce(&[1; 13])
            });
        }
        let keyed = Keyed::random(&mut bench.rng, provider, algorithm);
        let text = random_bytes(&mut bench.rng, keyed.limits.text.min(0xffff));
        let longest = Case::new(keyed.clone(), vec![1; 13], Vec::new(), Default::default(), text);
        for session in keyed.open_all(provider) {
            let mut job = longest.owned_job(&session);
            bench.processor.process_many(std::slice::from_mut(&mut job));
            longest.check(&job, "the longest that the nonce allows");
        }
    }
}

/// Bits of a nonce that are no part of it, counters of 32 bits that would pass zero, and data units
/// for XTS that are less than a block or more than 2^20 of them.
pub fn wrong_blocks(provider: &Arc<dyn Provider>) {
    let mut bench = Bench::new(provider, 18);
    for algorithm in varied(provider) {
        for session in bench.sessions(algorithm) {
            let len = algorithm.nonce_lens().max().min(16);
            for at in (0..len).filter(|at| algorithm.nonce_mask(*at) != 0xff) {
                let mask = algorithm.nonce_mask(at);
                let mut nonce = vec![0; len];
                nonce[at] = !mask;
                let error = JobError::NonceBits { at, byte: !mask, mask };
                bench.refuses(&session, error, |job| job.nonce(&nonce));
            }
        }
        let Algorithm::Cipher(cipher) = algorithm else { continue };
        let counter = |first: u32| match cipher {
            CipherAlgorithm::AesCtr32(_) => {
                Some([[9; 12].as_slice(), &first.to_be_bytes()].concat())
            }
            CipherAlgorithm::ChaCha20 => Some([&first.to_le_bytes(), [9; 12].as_slice()].concat()),
            _ => None,
        };
        for session in bench.sessions(algorithm) {
            let blocks = 96usize.div_ceil(cipher.block_len()) as u64;
            for first in [u32::MAX, u32::MAX - blocks as u32 + 2] {
                if let Some(nonce) = counter(first) {
                    let error = JobError::CounterWraps { first, blocks };
                    bench.refuses(&session, error, |job| job.nonce(&nonce));
                }
            }
            for len in (0..cipher.min_len()).step_by(5) {
                let error = JobError::TooShort { len, min: cipher.min_len() };
                bench.refuses(&session, error, |job| job.cipher_range(3..3 + len));
                bench.refuses(&session, error, |mut job| {
                    job.set_data(vec![3; len]);
                    job
                });
            }
            let max = cipher.max_len();
            // Limits beyond any memory are not for a test.
            if let Some(len) = usize::try_from(max).ok().filter(|max| *max < 1 << 30) {
                let len = len + 1;
                bench.refuses(&session, JobError::TooLong { len, max }, |mut job| {
                    job.set_data(vec![3; len]);
                    job
                });
            }
        }
        // The last values of a counter are valid (except the very last one, which the reference's
        // ChaCha20 does not take).
        if let Some(nonce) = counter(u32::MAX - 2) {
            let keyed = Keyed::random(&mut bench.rng, provider, algorithm);
            let text = random_bytes(&mut bench.rng, 2 * cipher.block_len());
            let case = Case::new(keyed.clone(), nonce, Vec::new(), Default::default(), text);
            for session in keyed.open_all(provider) {
                let mut job = case.owned_job(&session);
                bench.processor.process_many(std::slice::from_mut(&mut job));
                case.check(&job, "up to the last value of the counter");
            }
        }
    }
}

/// Ranges that end beyond the data, begin there, or end before they begin; and a place for the tag
/// that is not within the data, cannot be written to, or is where the ciphertext goes or among what
/// it is the tag of.
pub fn wrong_ranges(provider: &Arc<dyn Provider>) {
    let mut bench = Bench::new(provider, 15);
    for algorithm in varied(provider) {
        for session in bench.sessions(algorithm) {
            // Wrong on purpose: the second ends before it begins.
            let wrong =
                [(0, 97), (64, 48), (96, 112), (200, 216), (usize::MAX - 16, usize::MAX - 1)];
            for (start, end) in wrong {
                let error = |what| JobError::Range { what, start, end, len: 96 };
                let range = Range { start, end };
                if !matches!(algorithm, Algorithm::Hash(_) | Algorithm::Mac(_)) {
                    let error = error(Extra::CipherRange);
                    bench.refuses(&session, error, |job| job.cipher_range(range.clone()));
                }
                if !matches!(algorithm, Algorithm::Cipher(_) | Algorithm::Aead(_)) {
                    bench.refuses(&session, error(Extra::MacRange), |job| job.mac_range(range));
                }
            }
            let tag_len = session.tag_len();
            if tag_len == 0 {
                continue;
            }
            for start in [96 - tag_len + 1, 96, 1000, usize::MAX] {
                let end = start.saturating_add(tag_len);
                let error = JobError::Range { what: Extra::TagPlace, start, end, len: 96 };
                bench.refuses(&session, error, |job| job.tag_at(start));
            }
            if !session.direction().checks() {
                let writes = !matches!(algorithm, Algorithm::Hash(_) | Algorithm::Mac(_));
                let error = if writes { JobError::ReadOnly } else { JobError::ReadOnlyTag };
                bench.refuses(&session, error, |mut job| {
                    job.set_data(&[3; 96]);
                    job.tag_at(0)
                });
            }
            let ciphers_tag = match algorithm {
                Algorithm::Aead(_) => false,
                Algorithm::Chain(.., order) => order == ChainOrder::MacThenCipher,
                _ => true,
            };
            if !ciphers_tag {
                let (range_start, range_end) = (16, 64);
                for start in [range_start + 1 - tag_len.min(17), 40, range_end - 1] {
                    let (end, range) = (start + tag_len, Extra::CipherRange);
                    if end <= 96 {
                        let error =
                            JobError::TagOverlap { start, end, range, range_start, range_end };
                        bench.refuses(&session, error, |job| {
                            job.cipher_range(range_start..range_end).tag_at(start)
                        });
                    }
                }
            }
            a_tag_in_what_it_is_of(&mut bench, &session);
            a_tag_ciphered_in_part(&mut bench, &session);
        }
    }
}

/// Where a chain encrypts last: the whole tag is encrypted, or none of it.
fn a_tag_ciphered_in_part(bench: &mut Bench<'_>, session: &Session) {
    let Algorithm::Chain(.., ChainOrder::MacThenCipher) = session.algorithm() else { return };
    let (range_start, range_end, range) = (16, 64, Extra::CipherRange);
    for start in [range_start - 1, range_end - 1] {
        let end = start + session.tag_len();
        if end <= 96 {
            let error = JobError::TagOverlap { start, end, range, range_start, range_end };
            bench.refuses(session, error, |job| {
                job.cipher_range(range_start..range_end).mac_range(0..8).tag_at(start)
            });
        }
    }
}

/// All of the data, or a range that ends with the tag's first byte or begins with its last.
fn a_tag_in_what_it_is_of(bench: &mut Bench<'_>, session: &Session) {
    if matches!(session.algorithm(), Algorithm::Aead(_)) {
        return;
    }
    let (start, end, range) = (32, 32 + session.tag_len(), Extra::MacRange);
    for hashed in [None, Some(0..start + 1), Some(end - 1..96)] {
        let Range { start: range_start, end: range_end } = hashed.clone().unwrap_or(0..96);
        let error = JobError::TagOverlap { start, end, range, range_start, range_end };
        bench.refuses(session, error, |mut job| {
            if matches!(session.algorithm(), Algorithm::Chain(..)) {
                job.set_cipher_range(Some(0..start));
            }
            job.set_mac_range(hashed);
            job.tag_at(start)
        });
    }
}

/// Ranges, a place for a tag, associated data and a tag to check, where the algorithm has no use
/// for them: what is to be authenticated is not left out in silence.
pub fn useless_extras(provider: &Arc<dyn Provider>) {
    let mut bench = Bench::new(provider, 21);
    for algorithm in varied(provider) {
        for session in bench.sessions(algorithm) {
            refuses_useless(&mut bench, &session);
        }
    }
    for algorithm in compressions(provider) {
        let chunk = Chunk::new(algorithm, Compression::default(), Kind::Text.bytes(96));
        for direction in [Direction::Compress, Direction::Decompress] {
            refuses_useless(&mut bench, &chunk.open(provider, direction));
        }
    }
}

fn refuses_useless(bench: &mut Bench<'_>, session: &Session) {
    let (algorithm, direction) = (session.algorithm(), session.direction());
    let (ciphers, hashes) = match algorithm {
        Algorithm::Hash(_) | Algorithm::Mac(_) => (false, true),
        Algorithm::Cipher(_) | Algorithm::Aead(_) => (true, false),
        Algorithm::Chain(..) => (true, true),
        _ => (false, false),
    };
    let has_tag = session.tag_len() > 0;
    let extras = [
        (Extra::CipherRange, ciphers),
        (Extra::MacRange, hashes),
        (Extra::TagPlace, has_tag),
        (Extra::Associated, matches!(algorithm, Algorithm::Aead(_))),
        (Extra::ExpectedTag, has_tag && direction.checks()),
        (Extra::Bits, algorithm.counts_bits()),
    ];
    for (extra, _) in extras.into_iter().filter(|(_, is_taken)| !is_taken) {
        let error = JobError::NotTaken { extra, algorithm, direction };
        bench.refuses(session, error, |job| match extra {
            Extra::CipherRange => job.cipher_range(0..96),
            Extra::MacRange => job.mac_range(0..96),
            Extra::TagPlace => job.tag_at(0),
            Extra::Associated => job.associated(b"header"),
            Extra::Bits => job.bits(96 * 8),
            Extra::ExpectedTag => job.expect_tag(&[5]),
            other => panic!("no {other} is tried here"),
        });
    }
}

/// A tag to check that is shorter or longer than the session's, or that was not given.
pub fn wrong_tag_lengths(provider: &Arc<dyn Provider>) {
    let mut bench = Bench::new(provider, 16);
    for algorithm in varied(provider) {
        for session in bench.sessions(algorithm) {
            let valid = session.tag_len();
            if !session.direction().checks() || valid == 0 {
                continue;
            }
            for len in [0, 1, valid - 1, valid + 1, 64, 65, 200, 300, 256 + valid] {
                if len != valid {
                    let error = JobError::TagLength { len, valid };
                    bench.refuses(&session, error, |job| job.expect_tag(&vec![9; len]));
                }
            }
        }
    }
}

/// One bad job among good ones of other sessions: it fails, they do not.
pub fn bad_among_good(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(17);
    let mut processor = Processor::new();
    let keyed: Vec<_> = varied(provider)
        .into_iter()
        .map(|algorithm| Keyed::random(&mut rng, provider, algorithm))
        .collect();
    let sessions: Vec<_> = keyed.iter().map(|keyed| keyed.open_all(provider)).collect();
    let cases: Vec<_> = keyed.iter().map(|keyed| Case::random(&mut rng, keyed, 100)).collect();
    for bad_at in 0..cases.len() {
        let mut jobs: Vec<_> = cases
            .iter()
            .zip(&sessions)
            .map(|(case, sessions)| case.owned_job(&sessions[0]))
            .collect();
        jobs[bad_at].set_nonce(&[0; 100_000]);
        let outcome = processor.process_many(&mut jobs);
        assert_eq!(outcome.failed, 1, "job {bad_at} alone is bad");
        for (index, (job, case)) in jobs.iter().zip(&cases).enumerate() {
            if index == bad_at {
                let status = job.status();
                assert!(matches!(status, Some(Err(JobError::NonceLength { .. }))), "{status:?}");
            } else {
                case.check(job, format_args!("beside a bad job of {}", keyed[bad_at].algorithm));
            }
        }
    }
}

/// The data for refused jobs.
struct Bench<'p> {
    provider: &'p Arc<dyn Provider>,
    processor: Processor,
    rng: Rng,
}

impl<'p> Bench<'p> {
    fn new(provider: &'p Arc<dyn Provider>, seed: u64) -> Self {
        Bench { provider, processor: Processor::new(), rng: Rng::with_seed(seed) }
    }

    fn sessions(&mut self, algorithm: Algorithm) -> Vec<Session> {
        Keyed::random(&mut self.rng, self.provider, algorithm).open_all(self.provider)
    }

    /// A good job of 96 bytes in place, made bad, is refused with this error, its bytes as they
    /// were.
    fn refuses(
        &mut self,
        session: &Session,
        error: JobError,
        make_bad: impl FnOnce(Job<'static>) -> Job<'static>,
    ) {
        let algorithm = session.algorithm();
        let lens = algorithm.nonce_lens();
        let nonce_len = if lens.contains(12) { 12 } else { lens.min() };
        let nonce: Vec<u8> = (0..nonce_len).map(|at| 1 & algorithm.nonce_mask(at)).collect();
        let job = Job::new(session.clone(), vec![3; 96]).nonce(&nonce);
        let tag = vec![5; session.tag_len()];
        let job = if session.direction().checks() { job.expect_tag(&tag) } else { job };
        let mut job = make_bad(job);
        let contents =
            |job: &Job<'_>| job.data().output_pieces().flatten().copied().collect::<Vec<u8>>();
        let before = contents(&job);
        let outcome = self.processor.process_many(std::slice::from_mut(&mut job));
        assert_eq!(job.status(), Some(Err(error)), "{session:?}");
        assert_eq!((outcome.completed, outcome.failed), (1, 1));
        assert_eq!((job.tag(), job.output()), (None, None));
        assert_same(&contents(&job), &before, || format!("a refused job's buffer, {session:?}"));
    }
}
