//! AES-CBC against the RustCrypto crates, through every manager and instruction set.

use crate::common::{bytes, cbc_decrypt, cbc_encrypt, cipher_cpus, everywhere};
use broadloom_lanes::{AesKey, CbcJob, CipherBuffer, LengthError, OutOfPlace, PairError};
use proptest::prelude::*;
use proptest::sample::Index;

/// Which buffer a job works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    InPlace,
    Apart,
}

/// A buffer of either kind, so that one manager holds both; its bytes start `skip` bytes into a
/// vector.
struct Buffer {
    source: Option<Vec<u8>>,
    destination: Vec<u8>,
    skip: usize,
}

impl Buffer {
    fn new(place: Place, skip: usize, data: &[u8]) -> Self {
        let shifted = [&vec![0xee; skip], data].concat();
        match place {
            Place::InPlace => Buffer { source: None, destination: shifted, skip },
            Place::Apart => {
                let destination = vec![0xee; shifted.len()];
                Buffer { source: Some(shifted), destination, skip }
            }
        }
    }
}

// SAFETY: the vectors are owned and are neither moved nor resized as long as the value is not.
unsafe impl CipherBuffer for Buffer {
    fn length(&self) -> usize {
        self.destination.len() - self.skip
    }
    fn pointers(&mut self) -> (*const u8, *mut u8) {
        let destination = self.destination[self.skip..].as_mut_ptr();
        match &self.source {
            Some(source) => (source[self.skip..].as_ptr(), destination),
            None => (destination.cast_const(), destination),
        }
    }
    fn output(&self) -> &[u8] {
        &self.destination[self.skip..]
    }
}

/// A job to be made: its key is one of the keys of the mix.
#[derive(Clone, Debug)]
struct Recipe {
    key: Index,
    iv: [u8; 16],
    blocks: usize,
    encrypt: bool,
    place: Place,
    skip: usize,
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let blocks = prop_oneof![4 => 0..8usize, 2 => 0..64usize, 1 => Just(256usize)];
    let place = prop_oneof![Just(Place::InPlace), Just(Place::Apart)];
    (any::<Index>(), any::<[u8; 16]>(), blocks, any::<bool>(), place, 0..16usize).prop_map(
        |(key, iv, blocks, encrypt, place, skip)| Recipe { key, iv, blocks, encrypt, place, skip },
    )
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![Just(16usize), Just(24), Just(32)];
    length.prop_flat_map(|length| proptest::collection::vec(any::<u8>(), length))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 48 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn managers_agree_with_the_reference(
        keys in proptest::collection::vec(key(), 1..8),
        recipes in proptest::collection::vec(recipe(), 0..100),
        depth in 1..70usize,
    ) {
        let expanded: Vec<_> =
            keys.iter().map(|key| AesKey::new(key).expect("a good length")).collect();
        let data = |i: usize| bytes(i, 16 * recipes[i].blocks);
        let expected: Vec<_> = recipes
            .iter()
            .enumerate()
            .map(|(i, recipe)| {
                let reference = if recipe.encrypt { cbc_encrypt } else { cbc_decrypt };
                reference(recipe.key.get::<Vec<u8>>(&keys), &recipe.iv, &data(i))
            })
            .collect();
        let job = |i: usize| {
            let Recipe { key, iv, encrypt, place, skip, .. } = &recipes[i];
            let buffer = Buffer::new(*place, *skip, &data(i));
            let make = if *encrypt { CbcJob::encrypt } else { CbcJob::decrypt };
            make(key.get::<AesKey>(&expanded), *iv, buffer, i).expect("whole blocks")
        };
        for cpu in cipher_cpus() {
            everywhere(&cpu, recipes.len(), depth, job, |job| {
                assert_eq!(job.output().expect("complete"), expected[*job.user()], "{}", cpu.isa());
            });
        }
    }
}

/// The bytes around a slice in the middle of a buffer stay as they are.
#[test]
fn borrowed_slices_are_written_and_nothing_else() {
    let key = AesKey::new(&[3; 24]).expect("a good length");
    for cpu in cipher_cpus() {
        let mut buffers: Vec<_> = (0..40).map(|i| bytes(i, 16 * (i % 7) + 40)).collect();
        let before = buffers.clone();
        let jobs = buffers.iter_mut().enumerate().map(|(i, buffer)| {
            let end = buffer.len() - 24 - i % 16;
            let slice = &mut buffer[i % 16..][..end / 16 * 16];
            CbcJob::encrypt(&key, [9; 16], slice, ()).expect("whole blocks")
        });
        let mut jobs: Vec<_> = jobs.collect();
        broadloom_lanes::Planner::new(&cpu).process_many(&mut jobs);
        drop(jobs);
        for (i, (after, before)) in buffers.iter().zip(&before).enumerate() {
            let len = (before.len() - 24 - i % 16) / 16 * 16;
            let (start, rest) = before.split_at(i % 16);
            let (middle, end) = rest.split_at(len);
            let expected = [start, &cbc_encrypt(&[3; 24], &[9; 16], middle), end].concat();
            assert_eq!(*after, expected, "{} buffer {i}", cpu.isa());
        }
    }
}

#[test]
fn lengths_that_are_no_whole_blocks_are_refused_by_name() {
    let key = AesKey::new(&[0; 16]).expect("a good length");
    for length in (0..100).filter(|length| length % 16 != 0) {
        let expected = LengthError { length, block: 16 };
        let made = CbcJob::encrypt(&key, [0; 16], vec![0; length], ());
        assert_eq!(made.err(), Some(expected));
        let made = CbcJob::decrypt(&key, [0; 16], vec![0; length], ());
        assert_eq!(made.err(), Some(expected));
        let words = expected.to_string();
        assert!(words.contains(&length.to_string()) && words.contains("16"), "{words}");
    }
}

#[test]
fn a_source_and_a_destination_of_different_lengths_are_refused_and_come_back() {
    for (from, to) in [(0, 16), (16, 0), (32, 48), (48, 47)] {
        let error = OutOfPlace::new(bytes(1, from), bytes(2, to)).expect_err("lengths differ");
        let words = error.to_string();
        assert!(words.contains(&from.to_string()) && words.contains(&to.to_string()), "{words}");
        let PairError { source, destination } = error;
        assert_eq!((source, destination), (bytes(1, from), bytes(2, to)));
    }
}

/// The source of a job with two buffers is read only, and both come back.
#[test]
fn both_buffers_come_back() {
    let key = AesKey::new(&[1; 16]).expect("a good length");
    for cpu in cipher_cpus() {
        let pair = OutOfPlace::new(bytes(5, 80), vec![0; 80]).expect("equal lengths");
        let mut jobs = [CbcJob::encrypt(&key, [2; 16], pair, "mine").expect("whole blocks")];
        broadloom_lanes::Planner::new(&cpu).process_many(&mut jobs);
        let [job] = jobs;
        let (pair, user) = job.into_parts();
        let (source, destination) = pair.into_parts();
        assert_eq!(user, "mine");
        assert_eq!(source, bytes(5, 80));
        assert_eq!(destination, cbc_encrypt(&[1; 16], &[2; 16], &source));
    }
}
