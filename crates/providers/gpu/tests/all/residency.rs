//! Data that stay on the device: jobs over them are right, transfer little, and the copy goes away.

use broadloom_engine::{
    AesSize, CipherAlgorithm, HashAlgorithm, Job, MacAlgorithm, Processor, Session, Transform,
};
use broadloom_gpu::{Gpu, ResidencyError, Resident};

use crate::common::{digest, gpu, native, open, sha256, text};

const BYTES: usize = 300_000;

fn kept(test: &str, options: &[(&str, &str)]) -> Option<(Gpu, Resident)> {
    let options: Vec<_> =
        [("residency", "1M"), ("batch", "64K")].iter().chain(options).copied().collect();
    let gpu = gpu(test, &options)?;
    let data = gpu.keep(text(3, BYTES)).expect("there is room");
    assert_eq!(&data[..], text(3, BYTES));
    Some((gpu, data))
}

fn tags(session: &Session, texts: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut jobs: Vec<_> = texts.iter().map(|text| Job::new(session, *text)).collect();
    Processor::new().process_many(&mut jobs);
    let tag = |job: &Job<'_>| {
        assert_eq!(job.status(), Some(Ok(())));
        job.tag().expect("it has one").to_vec()
    };
    jobs.iter().map(tag).collect()
}

#[test]
fn hashes_of_any_part_are_those_of_native() {
    let Some((gpu, data)) = kept("parts", &[]) else { return };
    // Of every length around blocks, at places where words begin and where they do not.
    let mut parts: Vec<&[u8]> = Vec::new();
    for len in [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 4096, 70_000] {
        parts.extend([0, 8, 64, 3, 4, 1001, 200_000].map(|at| &data[at..at + len]));
    }
    parts.extend([&data[..], &data[8..], &data[BYTES - 64..], &data[BYTES..]]);
    let hashes = [HashAlgorithm::Sha1, HashAlgorithm::Sha256, HashAlgorithm::Sha512];
    let plain = hashes.map(Transform::hash);
    let keyed = hashes.map(|hash| {
        Transform::mac(MacAlgorithm::Hmac(hash), &[5; 40]).generate().expect("it fits")
    });
    let other = [Transform::hash(HashAlgorithm::Sha3_256)];
    for transform in plain.iter().chain(&keyed).chain(&other) {
        let own = tags(&open(&gpu, transform), &parts);
        assert!(own == tags(&native(transform), &parts), "{}", transform.algorithm());
    }
    // A cipher reads what the host has.
    let ctr = CipherAlgorithm::AesCtr(AesSize::Aes128);
    let ctr = Transform::cipher(ctr, &[1; 16]).encrypt().expect("it fits");
    let [own, right] = [open(&gpu, &ctr), native(&ctr)].map(|session| {
        let mut jobs = [Job::new(&session, data[..5000].to_vec()).nonce(&[2; 16])];
        Processor::new().process_many(&mut jobs);
        jobs[0].data().output().expect("it is there").to_vec()
    });
    assert!(own == right);
}

#[test]
fn data_that_stay_are_transferred_once() {
    let Some((gpu, data)) = kept("transfer", &[]) else { return };
    let before = gpu.statistics().uploaded;
    assert!(before >= BYTES as u64, "{before}");
    let parts: Vec<_> = data.chunks(10_000).collect();
    let own = tags(&open(&gpu, &sha256()), &parts);
    for (tag, part) in own.iter().zip(&parts) {
        assert_eq!(*tag, digest(part));
    }
    // A last block, a task and a share of the state for each.
    let used = gpu.statistics().uploaded - before;
    assert!(used < 300 * parts.len() as u64, "{used} bytes");
    // The same bytes elsewhere are other data.
    let copy = data.to_vec();
    tags(&open(&gpu, &sha256()), &copy.chunks(10_000).collect::<Vec<_>>());
    assert!(gpu.statistics().uploaded - before - used >= BYTES as u64);
}

#[test]
fn room_is_counted_and_comes_back() {
    let Some((gpu, data)) = kept("room", &[]) else { return };
    let refused = gpu.keep(vec![0; 800_000]).expect_err("it is too long");
    let (len, free, room) = (800_000, (1 << 20) - BYTES.next_multiple_of(64), 1 << 20);
    assert_eq!(refused, ResidencyError::NoRoom { len, free, room });
    assert!(refused.to_string().contains("800000 bytes do not fit"), "{refused}");
    let same = data.clone();
    drop(data);
    assert!(gpu.keep(vec![0; 800_000]).is_err(), "a clone has it");
    drop(same);
    let whole = gpu.keep(text(9, 1 << 20)).expect("all is free");
    assert_eq!(tags(&open(&gpu, &sha256()), &[&whole]), [digest(&text(9, 1 << 20))]);
    // What was dropped is no more known by its address.
    drop(whole);
    let small = gpu.keep(vec![1; 64]).expect("all is free");
    assert_eq!(tags(&open(&gpu, &sha256()), &[&small]), [digest(&[1; 64])]);
}

#[test]
fn without_the_option_nothing_stays() {
    let Some(gpu) = gpu("residency of the host", &[]) else { return };
    assert_eq!(gpu.residency(), 0);
    let refused = gpu.keep(vec![0; 10]).expect_err("it is off");
    assert_eq!(refused, ResidencyError::Off);
    assert!(refused.to_string().contains("residency=1G"), "{refused}");
}
