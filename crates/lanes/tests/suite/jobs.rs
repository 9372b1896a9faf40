//! The jobs of the modes of packets: through every manager, with tags that are wrong, and refused.

use crate::allocations::allocations;
use crate::common::chacha::ChaChaOpen;
use crate::common::packet_kinds::{Typed, every_packet_kind};
use crate::common::packets::{CcmOpen, Message, Open};
use crate::common::sequence::run;
use crate::common::{Kind, Numbered, brief, bytes, cpus, everywhere};
use crate::sequences::op;
use broadloom_lanes::{
    Aead, AeadJob, AesKey, CbcLanes, CcmError, CcmJob, ChaChaJob, ChaChaKey, ChaChaPolyJob, Chain,
    ChainJob, CmacJob, CmacKey, CounterError, Cpu, CtrJob, DesJob, DesKey, EcbJob, F8Job, F9Job,
    GcmError, GcmJob, GcmKey, GmacJob, HashJob, HmacKey, InOrder, Job, KasumiError, KasumiKey,
    LengthError, LinkDirection, OutOfOrder, OutOfPlace, Planner, Ranges, Sha1, Sha384, Steps,
    TagError, XtsJob, XtsKey, XtsLengthError,
};
use proptest::prelude::*;
use std::mem::ManuallyDrop;

/// Calls a generic check with every kind of packet job.
macro_rules! every_job {
    ($check:ident($($argument:expr),*)) => {
        every_packet_kind!($check($($argument),*));
        $check::<crate::chains::Jobs>($($argument),*);
        $check::<crate::des::Jobs>($($argument),*);
        $check::<crate::rc4::Jobs>($($argument),*);
    };
}

#[test]
fn every_mode_through_every_manager() {
    fn check<K: Kind>() {
        let (count, depths) = if brief() { (20, &[7][..]) } else { (150, &[5, 64][..]) };
        let len =
            |number: usize| [number * 37 % 300, number % 20, 64, number * 151 % 1100][number % 4];
        let expected: Vec<_> = (0..count).map(|number| K::expected(number, len(number))).collect();
        for cpu in cpus() {
            for depth in depths {
                let job = |number| K::job(number, len(number));
                everywhere(&cpu, count, *depth, job, |job| {
                    let (number, result) = (job.number(), job.result());
                    let what = || format!("{} {number} on {}", K::NAME, cpu.isa());
                    assert_eq!(result.as_ref(), Some(&expected[number]), "{}", what());
                });
            }
        }
    }
    every_job!(check());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if brief() { 1 } else { 24 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_call_keeps_its_word(
        ops in proptest::collection::vec(op(), 0..if brief() { 30 } else { 120 }),
        depth in 1..80usize,
        cpu in any::<prop::sample::Index>(),
    ) {
        let cpu = &cpus()[cpu.index(cpus().len())];
        every_job!(run(cpu, depth, &ops));
    }
}

/// All that there is to spoil in a message: by number, after those that are left as they are.
fn spoil(number: usize, message: &mut Message, text: &mut [u8], tag: &mut [u8]) -> bool {
    let flip = |bytes: &mut [u8]| match bytes.len() {
        0 => false,
        len => {
            bytes[number % len] ^= 1 << (number % 8);
            true
        }
    };
    match number % 5 {
        0 => false,
        1 => flip(tag),
        2 => flip(text),
        3 => flip(&mut message.associated),
        _ => flip(&mut message.nonce),
    }
}

#[test]
fn what_came_with_a_wrong_tag_is_wiped() {
    fn check<M: Typed<Job = AeadJob<A, Vec<u8>, Vec<u8>, usize>>, A: Aead>() {
        let key = Box::leak(Box::new(M::key(&bytes(1, 16))));
        let mut refused = 0;
        for cpu in cpus() {
            let (mut jobs, mut expected) = (Vec::new(), Vec::new());
            for number in 0..if brief() { 20 } else { 60 } {
                let message = Message::new::<M>(number, 16, number * 13 % 300);
                let mut message = Message { key: bytes(1, 16), ..message };
                let (mut text, plain, mut tag) = message.texts::<M>();
                let spoiled = spoil(number, &mut message, &mut text, &mut tag[..4]);
                jobs.push(M::job(key, &message, text, &tag, number));
                expected.push(if spoiled { Err(TagError) } else { Ok(plain) });
            }
            Planner::new(&cpu).process_many(&mut jobs);
            for (job, expected) in jobs.into_iter().zip(expected) {
                let what = format!("{} {} on {}", M::NAME, job.number(), cpu.isa());
                assert_eq!(job.tag(), None, "{what}");
                assert_eq!(
                    job.output(),
                    Some(expected.as_deref().map_err(|error| *error)),
                    "{what}"
                );
                let (text, ..) = job.into_parts();
                refused += usize::from(expected.is_err());
                assert_eq!(text, expected.unwrap_or(vec![0; text.len()]), "{what}");
            }
        }
        assert!(refused > 10 * cpus().len());
    }
    check::<Open, _>();
    check::<CcmOpen, _>();
    check::<ChaChaOpen, _>();
}

#[test]
fn only_the_plaintext_of_a_wrong_tag_is_wiped() {
    let key = GcmKey::new(&[1; 16]).expect("a good length");
    let (source, mut destination) = (bytes(3, 100), vec![7; 100]);
    let buffer = OutOfPlace::new(&source[..], &mut destination[..]).expect("equal lengths");
    let job = GcmJob::open(&key, [1; 12], b"", buffer, &[0; 16], ()).expect("good lengths");
    assert_eq!(job.output(), None);
    let mut manager = OutOfOrder::new(&Cpu::detect(), 4);
    assert!(manager.submit(job).is_none());
    let job = manager.flush().expect("held");
    assert_eq!(job.output(), Some(Err(TagError)));
    drop((job, manager));
    assert_eq!((source, destination), (bytes(3, 100), vec![0; 100]));
}

/// Whatever is to be refused, in one place: each error names what was given.
#[test]
fn what_will_not_do_is_refused_by_name() {
    let aes = AesKey::new(&[1; 16]).expect("a good length");
    let gcm = GcmKey::new(&[1; 16]).expect("a good length");
    let chacha = ChaChaKey::new(&[1; 32]);
    let des = DesKey::new(&[1; 8]).expect("a good length");
    let kasumi = KasumiKey::new(&[1; 16]);
    let xts = XtsKey::new(&bytes(1, 32)).expect("a good key");
    let text = |len: usize| vec![0; len];
    let up = LinkDirection::Uplink;

    let error = LengthError { length: 17, block: 16 };
    assert_eq!(EcbJob::encrypt(&aes, text(17), ()).err(), Some(error));
    assert_eq!(EcbJob::decrypt(&aes, text(17), ()).err(), Some(error));
    let error = LengthError { length: 9, block: 8 };
    assert_eq!(DesJob::cbc_encrypt(&des, [0; 8], text(9), ()).err(), Some(error));
    assert_eq!(DesJob::cbc_decrypt(&des, [0; 8], text(9), ()).err(), Some(error));
    assert_eq!(DesJob::ecb_encrypt(&des, text(9), ()).err(), Some(error));
    assert_eq!(DesJob::ecb_decrypt(&des, text(9), ()).err(), Some(error));
    for len in [0, 15, (16 << 20) + 1] {
        assert_eq!(
            XtsJob::encrypt(&xts, [0; 16], text(len), ()).err(),
            Some(XtsLengthError { len })
        );
        assert_eq!(
            XtsJob::decrypt(&xts, [0; 16], text(len), ()).err(),
            Some(XtsLengthError { len })
        );
    }

    let error = CounterError { first: u32::MAX, blocks: 2 };
    assert_eq!(CtrJob::ctr32(&aes, [0xff; 16], text(17), ()).err(), Some(error));
    assert!(CtrJob::ctr32(&aes, [0xff; 16], text(16), ()).is_ok());
    assert_eq!(ChaChaJob::chacha20(&chacha, u32::MAX, &[0; 12], text(65), ()).err(), Some(error));
    assert!(ChaChaJob::chacha20(&chacha, u32::MAX, &[0; 12], text(64), ()).is_ok());

    assert_eq!(GcmJob::seal(&gcm, [], b"", text(1), ()).err(), Some(GcmError::Nonce));
    assert_eq!(GmacJob::gmac(&gcm, [], b"", ()).err(), Some(GcmError::Nonce));
    for len in 0..=20 {
        let (nonce, tag) = ([0; 12], text(len));
        let job = GcmJob::open_truncated(&gcm, nonce, b"", text(1), &tag, len, ());
        let good = matches!(len, 4 | 8 | 12..=16);
        assert_eq!(job.err(), (!good).then_some(GcmError::Tag { len }));
        let job = CcmJob::open(&aes, &[0; 13], b"", text(1), &tag, len, ());
        let good = matches!(len, 4 | 6 | 8 | 10 | 12 | 14 | 16);
        assert_eq!(job.err(), (!good).then_some(CcmError::Tag { len }));
        let job = CcmJob::seal(&aes, &text(len), b"", text(1), 8, ());
        let good = (7..=13).contains(&len);
        assert_eq!(job.err(), (!good).then_some(CcmError::Nonce { len }));
    }
    let error = CcmError::Text { len: 65_536, max: 65_535 };
    assert_eq!(CcmJob::seal(&aes, &[0; 13], b"", text(65_536), 8, ()).err(), Some(error));
    assert!(GcmError::Tag { len: 3 }.to_string().ends_with("not 3"));

    let error = KasumiError::Bits { given: 17, bytes: 2 };
    assert_eq!(F8Job::f8(&kasumi, 0, 0, up, text(2), 17, ()).err(), Some(error));
    assert_eq!(F9Job::f9(&kasumi, 0, 0, up, text(2), 17, ()).err(), Some(error));
    let error = KasumiError::Bearer { given: 32 };
    assert_eq!(F8Job::f8(&kasumi, 0, 32, up, text(2), 16, ()).err(), Some(error));
}

/// The receiver says how long tags are: a sender that cuts one gets an error, whatever its bytes.
#[test]
fn a_tag_of_another_length_than_expected_is_refused() {
    let aes = AesKey::new(&[1; 16]).expect("a good length");
    let gcm = GcmKey::new(&[1; 16]).expect("a good length");
    let text = |len: usize| vec![0; len];
    for len in 0..=20 {
        let (nonce, tag) = ([0; 12], text(len));
        let error = (len != 16).then_some(GcmError::Received { len, expected: 16 });
        let job = GcmJob::open(&gcm, nonce, b"", text(1), &tag, ());
        assert_eq!(job.err(), error, "{len} bytes of tag");
        let error = (len != 12).then_some(GcmError::Received { len, expected: 12 });
        let job = GcmJob::open_truncated(&gcm, nonce, b"", text(1), &tag, 12, ());
        assert_eq!(job.err(), error, "{len} bytes of tag");
        let error = (len != 8).then_some(CcmError::Received { len, expected: 8 });
        let job = CcmJob::open(&aes, &[0; 13], b"", text(1), &tag, 8, ());
        assert_eq!(job.err(), error, "{len} bytes of tag");
    }
    let words = "a tag of 4 bytes was received, where tags have 16";
    assert_eq!(GcmError::Received { len: 4, expected: 16 }.to_string(), words);
    assert_eq!(CcmError::Received { len: 4, expected: 16 }.to_string(), words);
}

/// Drops a job where it is, and says how often its memory has the first bytes of the tag before and
/// after.
fn tags_left<J: Job>(job: J, tag: impl Fn(&J) -> Vec<u8>) -> [usize; 2] {
    let mut job = ManuallyDrop::new(process(job));
    let tag = tag(&job);
    assert!(tag.len() >= 4 && tag.iter().any(|byte| *byte != 0));
    let count = |job: &ManuallyDrop<J>| {
        let place = (&raw const *job).cast::<u8>();
        // SAFETY: `at` is within the job; bytes between its fields may hold anything.
        let read = |at| unsafe { place.add(at).read_volatile() };
        let bytes: Vec<u8> = (0..size_of::<J>()).map(read).collect();
        bytes.windows(tag.len()).filter(|window| *window == tag).count()
    };
    let before = count(&job);
    // SAFETY: it is dropped once, and nothing but its memory is used after that.
    unsafe { ManuallyDrop::drop(&mut job) };
    [before, count(&job)]
}

fn process<J: Job>(job: J) -> J {
    let mut jobs = [job];
    Planner::new(&Cpu::detect()).process_many(&mut jobs);
    let [job] = jobs;
    job
}

#[test]
fn a_job_that_is_dropped_leaves_no_tag_behind() {
    let (aes, gcm, chacha) = (
        AesKey::new(&[1; 16]).expect("a good length"),
        GcmKey::new(&[1; 16]).expect("a good length"),
        ChaChaKey::new(&[1; 32]),
    );
    let cmac = CmacKey::new(&[1; 16]).expect("a good length");
    let kasumi = KasumiKey::new(&[1; 16]);
    let hmac = HmacKey::<Sha384>::new(b"key");
    let text = || vec![5; 40];
    let tag = |tag: &[u8]| tag.to_vec();
    let job = HashJob::<Sha1, _, _>::digest(text(), ());
    assert_eq!(tags_left(job, |job| tag(job.output().expect("complete"))), [1, 0]);
    let job = HashJob::hmac(&hmac, text(), ());
    assert_eq!(tags_left(job, |job| tag(job.output().expect("complete"))), [1, 0]);
    let job = CmacJob::cmac(&cmac, text(), ());
    assert_eq!(tags_left(job, |job| tag(job.output().expect("complete"))), [1, 0]);
    let job = GmacJob::gmac(&gcm, [1; 12], text(), ()).expect("a nonce");
    assert_eq!(tags_left(job, |job| tag(job.output().expect("complete"))), [1, 0]);
    let job = F9Job::f9(&kasumi, 1, 2, LinkDirection::Uplink, text(), 320, ()).expect("good bits");
    assert_eq!(tags_left(job, |job| tag(job.output().expect("complete"))), [1, 0]);
    let job = GcmJob::seal(&gcm, [1; 12], b"", text(), ()).expect("a nonce");
    assert_eq!(tags_left(job, |job| tag(job.tag().expect("complete"))), [1, 0]);
    let job = CcmJob::seal(&aes, &[1; 12], b"", text(), 16, ()).expect("good lengths");
    assert_eq!(tags_left(job, |job| tag(job.tag().expect("complete"))), [1, 0]);
    let job = ChaChaPolyJob::seal(&chacha, &[1; 12], b"", text(), ()).expect("a good length");
    assert_eq!(tags_left(job, |job| tag(job.tag().expect("complete"))), [1, 0]);
    let ranges = Ranges { cipher: 0..16, mac: 0..20, tag: 20..40 };
    let steps = Steps::EncryptThenMac;
    let chain = Chain { steps, key: &aes, mac_key: &hmac, iv: [1; 16], ranges };
    let job = ChainJob::<CbcLanes, _, _, _>::over(chain, text(), ()).expect("good ranges");
    assert_eq!(tags_left(job, |job| tag(job.tag().expect("complete"))), [1, 0]);
}

#[test]
fn managers_allocate_nothing() {
    fn check<K: Kind>() {
        for cpu in cpus() {
            let burst = if brief() { 10 } else { 50 };
            let make = || (0..burst).map(|i| K::job(i, i * 29 % 400)).collect::<Vec<_>>();
            let (mut planner, mut jobs) = (Planner::new(&cpu), make());
            let mut count = allocations(|| planner.process_many(&mut jobs));
            let (mut manager, jobs) = (OutOfOrder::new(&cpu, burst / 2), make());
            count += allocations(|| {
                jobs.into_iter().for_each(|job| drop(manager.submit(job)));
                while manager.flush().is_some() {}
            });
            let (mut manager, jobs) = (InOrder::new(&cpu, burst / 2), make());
            count += allocations(|| {
                jobs.into_iter().for_each(|job| drop(manager.submit(job)));
                while manager.flush().is_some() {}
            });
            assert_eq!(count, 0, "{} on {}", K::NAME, cpu.isa());
        }
    }
    every_job!(check());
}
