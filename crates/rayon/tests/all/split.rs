//! What needs more than one session to be split: XTS, GCM and BLAKE3. The result is always that of
//! one job of the unsplit session.

use std::sync::Arc;

use broadloom_engine::provider::{Buffers, Provider, ProviderError};
use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, CipherAlgorithm, Direction, HashAlgorithm, Job, JobError,
    MacAlgorithm, Processor, Session, Transform, XtsSize,
};
use broadloom_lanes::Cpu;
use broadloom_native::Native;
use broadloom_rayon::{PoolProcessor, SplitBlake3, SplitGcm, SplitXts};

use crate::pool;
use crate::pool::BrokenAt;

/// Bytes that are worth a thread.
const PART: usize = PoolProcessor::LEAST_PART;
/// Bytes that parts are a multiple of, and that GCM encrypts and authenticates at once.
const STEP: usize = 128 << 10;

fn open(transform: &Transform) -> Result<Session, ProviderError> {
    let native: Arc<dyn Provider> = Arc::new(Native::new(Cpu::detect()));
    Session::open(native, transform)
}

/// Returns bytes that have no period of a power of two.
fn text(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 5 + at / 251) as u8).collect()
}

fn xts(size: XtsSize, direction: Direction) -> Transform {
    let key: Vec<u8> = (0..size.key_len()).map(|at| (at * 7 + 1) as u8).collect();
    let cipher = Algorithm::Cipher(CipherAlgorithm::AesXts(size));
    Transform::new(cipher, direction, &key, &[]).build().expect("the key fits")
}

fn gcm(size: AesSize, direction: Direction, tag_len: usize) -> Transform {
    let key: Vec<u8> = (0..size.key_len()).map(|at| (at * 7 + 1) as u8).collect();
    let aead = Algorithm::Aead(AeadAlgorithm::AesGcm(size));
    let transform = Transform::new(aead, direction, &key, &[]).tag_len(tag_len);
    transform.build().expect("key and tag fit")
}

#[test]
fn data_units_of_xts_in_parts_come_to_what_one_job_comes_to() {
    let mut lens = vec![0, 15, 16, 17, 2 * PART - 1, 3 * PART - 1, 3 * PART + 17];
    // Every length of a last block, and one more.
    lens.extend((0..=17).map(|more| 2 * PART + more));
    lens.extend((0..=17).map(|more| 2 * PART + 3 * STEP + more));
    // The longest data unit, and one that is too long.
    lens.extend([(16 << 20) - 1, 16 << 20, (16 << 20) + 1]);
    let pools = [pool(2), pool(3), pool(8)];
    let mut processor = PoolProcessor::new();
    for size in XtsSize::ALL {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let xts = SplitXts::open(&xts(size, direction), open).expect("native has it");
            for (number, len) in lens.iter().copied().enumerate() {
                let (pool, original) = (&pools[number % pools.len()], text(len));
                let tweak = [[0; 16], [0xff; 16], *b"a tweak of bytes"][number / 3 % 3];
                let what = format!("{size:?} {direction}, {len} bytes");

                let mut expected = original.clone();
                let mut job = [Job::new(xts.session(), &mut expected).nonce(&tweak)];
                Processor::new().process_many(&mut job);
                let outcome = job[0].status().expect("it is complete");
                drop(job);
                assert_eq!(outcome.is_ok(), (16..=16 << 20).contains(&len), "{what}");

                let mut own = original.clone();
                assert_eq!(processor.process_xts(pool, &xts, &tweak, &mut own), outcome, "{what}");
                assert!(own == expected, "{what}");
                let mut other = vec![0xa5; len];
                let apart = Buffers::Apart(&original, &mut other);
                assert_eq!(processor.process_xts(pool, &xts, &tweak, apart), outcome, "{what}");
                assert!(outcome.is_err() || other == expected, "{what}");
            }
        }
    }
}

#[test]
fn the_engine_says_what_is_wrong_with_a_data_unit() {
    let xts = SplitXts::open(&xts(XtsSize::Aes128, Direction::Encrypt), open).expect("native");
    let (pool, mut processor) = (pool(2), PoolProcessor::new());
    let mut unit = text(2 * PART);
    let done = processor.process_xts(&pool, &xts, &[0; 15], &mut unit);
    assert!(matches!(done, Err(JobError::NonceLength { len: 15, .. })), "{done:?}");
    assert!(unit == text(2 * PART), "a refused data unit is as it was");
    let mut short = vec![0; 2 * PART - 1];
    let apart = Buffers::Apart(&unit, &mut short);
    assert!(processor.process_xts(&pool, &xts, &[0; 16], apart).is_err());
}

#[test]
#[should_panic(expected = "aes-128-ecb is not AES-XTS")]
fn only_xts_is_split_as_xts() {
    let cipher = CipherAlgorithm::AesEcb(AesSize::Aes128);
    let transform = Transform::cipher(cipher, &[7; 16]).encrypt().expect("the key fits");
    let _ = SplitXts::open(&transform, open);
}

/// A data unit that a provider fails at in one of its parts is wiped in all of them.
#[test]
fn no_part_of_a_data_unit_stays_where_another_failed() {
    let open = |transform: &Transform| match transform.algorithm() {
        Algorithm::Cipher(CipherAlgorithm::AesXts(_)) => {
            Session::open(Arc::new(BrokenAt(0xbd)) as Arc<dyn Provider>, transform)
        }
        _ => open(transform),
    };
    let xts = SplitXts::open(&xts(XtsSize::Aes256, Direction::Encrypt), open).expect("it opens");
    let mut unit = vec![7; 2 * PART];
    unit[PART] = 0xbd;
    let done = PoolProcessor::new().process_xts(&pool(2), &xts, &[0; 16], &mut unit);
    assert_eq!(done, Err(JobError::Provider { code: 3 }));
    assert!(unit.iter().all(|byte| *byte == 0));
}

/// Processes a message as one job; returns the tag.
fn one_job(
    session: &Session,
    nonce: &[u8],
    associated: &[u8],
    text: &mut [u8],
    tag: Option<&[u8]>,
) -> Result<Vec<u8>, JobError> {
    let job = Job::new(session, text).nonce(nonce).associated(associated);
    let mut jobs = [match tag {
        Some(tag) => job.expect_tag(tag),
        None => job,
    }];
    Processor::new().process_many(&mut jobs);
    jobs[0].status().expect("it is complete")?;
    Ok(jobs[0].tag().unwrap_or_default().to_vec())
}

#[test]
fn messages_of_gcm_in_parts_come_to_what_one_job_comes_to() {
    let mut lens = vec![0, 1, 2 * PART - 1, 3 * PART + 5 * STEP + 7, 9 * PART - 16];
    lens.extend((0..=17).map(|more| 2 * PART + more));
    // The last piece of a part has any length, with and without whole pieces before it.
    lens.extend((0..=17).map(|more| 2 * PART + STEP - 1 + more));
    lens.extend((0..=17).map(|more| 3 * PART - STEP - 1 + more));
    let pools = [pool(2), pool(3), pool(8)];
    let mut processor = PoolProcessor::new();
    for (size, tag_len) in [(AesSize::Aes128, 16), (AesSize::Aes192, 12), (AesSize::Aes256, 4)] {
        let seal = SplitGcm::open(&gcm(size, Direction::Seal, tag_len), open).expect("native");
        let open = SplitGcm::open(&gcm(size, Direction::Open, tag_len), open).expect("native");
        for (number, len) in lens.iter().copied().enumerate() {
            let (pool, original) = (&pools[number % pools.len()], text(len));
            let associated = text([0, 1, 16, 45, 3 * STEP + 5][number % 5]);
            // Only messages with nonces of 12 bytes are split.
            let nonce = text(if number % 7 == 6 { [1, 16, 60][number % 3] } else { 12 });
            let what = format!("{size:?}, {len} bytes, {} associated", associated.len());

            let mut expected = original.clone();
            let tag = one_job(seal.session(), &nonce, &associated, &mut expected, None);
            let tag = tag.expect("native seals");
            let mut own = original.clone();
            let made = processor.seal_one(pool, &seal, &nonce, &associated, &mut own);
            assert_eq!(made.as_ref(), Ok(&tag), "{what}");
            assert!(own == expected, "{what}");
            let mut other = vec![0xa5; len];
            let apart = Buffers::Apart(&original, &mut other);
            let made = processor.seal_one(pool, &seal, &nonce, &associated, apart);
            assert_eq!(made.as_ref(), Ok(&tag), "{what}");
            assert!(other == expected, "{what}");

            let apart = Buffers::Apart(&own, &mut other);
            let opened = processor.open_one(pool, &open, &nonce, &associated, apart, &tag);
            assert_eq!(opened, Ok(()), "{what}");
            assert!(other == original, "{what}");
            let opened = processor.open_one(pool, &open, &nonce, &associated, &mut own, &tag);
            assert_eq!(opened, Ok(()), "{what}");
            assert!(own == original, "{what}");
        }
    }
}

/// A message with a wrong bit anywhere is refused, and nothing of it is left.
#[test]
fn a_wrong_message_leaves_no_plaintext() {
    let transform = |direction| gcm(AesSize::Aes256, direction, 16);
    let seal = SplitGcm::open(&transform(Direction::Seal), open).expect("native");
    let open = SplitGcm::open(&transform(Direction::Open), open).expect("native");
    let (pool, mut processor) = (pool(3), PoolProcessor::new());
    let (len, nonce, associated) = (3 * PART + 9, [3; 12], text(20));
    let mut sealed = text(len);
    let tag = processor.seal_one(&pool, &seal, &nonce, &associated, &mut sealed).expect("it seals");

    let mut refuses = |at: Option<usize>, nonce: &[u8], associated: &[u8], tag: &[u8]| {
        let mut damaged = sealed.clone();
        if let Some(at) = at {
            damaged[at] ^= 0x10;
        }
        let mut other = vec![0xa5; len];
        let apart = Buffers::Apart(&damaged, &mut other);
        let done = processor.open_one(&pool, &open, nonce, associated, apart, tag);
        assert_eq!(done, Err(JobError::TagMismatch), "{at:?}");
        assert!(other.iter().all(|byte| *byte == 0), "{at:?}");
        let done = processor.open_one(&pool, &open, nonce, associated, &mut damaged, tag);
        assert_eq!(done, Err(JobError::TagMismatch), "{at:?}");
        assert!(damaged.iter().all(|byte| *byte == 0), "{at:?}");
    };
    for at in [0, STEP - 1, STEP, PART, PART + STEP, 2 * PART + 1, len - 1] {
        refuses(Some(at), &nonce, &associated, &tag);
    }
    refuses(None, &[4; 12], &associated, &tag);
    refuses(None, &nonce, &associated[1..], &tag);
    for at in [0, 15] {
        let mut wrong = tag.clone();
        wrong[at] ^= 1;
        refuses(None, &nonce, &associated, &wrong);
    }
    // A tag of another length is refused before anything is deciphered.
    let mut own = sealed.clone();
    let done = processor.open_one(&pool, &open, &nonce, &associated, &mut own, &tag[..15]);
    assert_eq!(done, Err(JobError::TagLength { len: 15, valid: 16 }));
}

/// A message that a provider fails at in one of its parts is wiped in all of them, whichever of the
/// sessions it was.
#[test]
fn no_part_of_a_message_stays_where_another_failed() {
    let open = |transform: &Transform| match transform.algorithm() {
        Algorithm::Cipher(CipherAlgorithm::AesCtr32(_)) => {
            Session::open(Arc::new(BrokenAt(0xbd)) as Arc<dyn Provider>, transform)
        }
        _ => open(transform),
    };
    let gcm = SplitGcm::open(&gcm(AesSize::Aes128, Direction::Seal, 16), open).expect("it opens");
    let mut message = vec![7; 2 * PART];
    message[PART + STEP] = 0xbd;
    let done = PoolProcessor::new().seal_one(&pool(2), &gcm, &[0; 12], &[], &mut message);
    assert_eq!(done, Err(JobError::Provider { code: 3 }));
    assert!(message.iter().all(|byte| *byte == 0));
}

#[test]
#[should_panic(expected = "the direction of the transform")]
fn what_opens_does_not_seal() {
    let open = SplitGcm::open(&gcm(AesSize::Aes128, Direction::Open, 16), open).expect("native");
    let _ = PoolProcessor::new().seal_one(&pool(2), &open, &[0; 12], &[], &mut [0; 100]);
}

#[test]
fn messages_of_blake3_in_parts_come_to_what_one_job_comes_to() {
    let mut lens = vec![0, 1, 1024, 2 * PART - 1, 5 * PART + 17];
    for whole in [2 * PART, 3 * PART, 3 * PART + 1024, 4 * PART] {
        lens.extend([whole - 1, whole, whole + 1, whole + 64]);
    }
    let blake3 = Algorithm::Hash(HashAlgorithm::Blake3);
    let keyed = Algorithm::Mac(MacAlgorithm::Blake3Keyed);
    let pools = [pool(1), pool(2), pool(3)];
    let transforms = [
        Transform::new(blake3, Direction::Digest, &[], &[]),
        Transform::new(blake3, Direction::Digest, &[], &[]).tag_len(64),
        Transform::new(keyed, Direction::Generate, &[9; 32], &[]).tag_len(20),
    ];
    for transform in transforms {
        let transform = transform.build().expect("key and length fit");
        let session = open(&transform).expect("native has it");
        let split = SplitBlake3::new(&transform, &Cpu::detect());
        for len in &lens {
            let message = text(*len);
            let mut jobs = [Job::new(&session, &message)];
            Processor::new().process_many(&mut jobs);
            let expected = jobs[0].tag().expect("native hashes");
            for pool in &pools {
                assert_eq!(split.hash(pool, &message), expected, "{transform:?}, {len} bytes");
            }
        }
    }
}

#[test]
#[should_panic(expected = "sha256 digest makes no digest or tag of BLAKE3")]
fn only_blake3_is_split_as_blake3() {
    SplitBlake3::new(&Transform::hash(HashAlgorithm::Sha256), &Cpu::detect());
}
