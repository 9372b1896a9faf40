//! What the peers compute, against the RustCrypto crates. Timing one of them would mean little if
//! it were not asked the right thing.
//!
//! A machine without a peer has nothing to test; continuous integration must have them all.

use aes::{Aes128, Aes192, Aes256};
use broadloom_engine::{AesSize, Direction, HashAlgorithm};
use broadloom_perf::experiments::workloads::direct::Direct;
use broadloom_perf::measure::contender::{Contender, check_agreement};
use broadloom_perf::measure::course::Course;
use broadloom_perf::measure::peers::buffers::Buffers;
use broadloom_perf::measure::peers::{self, Absent, ipsec_mb, openssl};
use broadloom_perf::measure::workload::Workload;
use broadloom_perf::measure::workset::Workset;
use broadloom_perf::names::Peer;
use cbc::cipher::block_padding::NoPadding;
use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use hmac::{KeyInit, Mac, SimpleHmac};
use sha1::Digest;

/// The library, or nothing where it may be missing.
fn present<T>(found: Result<T, Absent>) -> Option<T> {
    broadloom_testing::present("a comparison with a peer", found)
}

fn hash(hash: HashAlgorithm, data: &[u8]) -> Vec<u8> {
    match hash {
        HashAlgorithm::Md5 => md5::Md5::digest(data).to_vec(),
        HashAlgorithm::Sha1 => sha1::Sha1::digest(data).to_vec(),
        HashAlgorithm::Sha224 => sha2::Sha224::digest(data).to_vec(),
        HashAlgorithm::Sha256 => sha2::Sha256::digest(data).to_vec(),
        HashAlgorithm::Sha384 => sha2::Sha384::digest(data).to_vec(),
        HashAlgorithm::Sha512 => sha2::Sha512::digest(data).to_vec(),
        HashAlgorithm::Sm3 => sm3::Sm3::digest(data).to_vec(),
        other => panic!("{other} is not measured against peers"),
    }
}

fn hmac(hash: HashAlgorithm, key: &[u8], data: &[u8]) -> Vec<u8> {
    macro_rules! mac {
        ($hash:ty) => {
            SimpleHmac::<$hash>::new_from_slice(key)
                .unwrap()
                .chain_update(data)
                .finalize()
                .into_bytes()
                .to_vec()
        };
    }
    match hash {
        HashAlgorithm::Md5 => mac!(md5::Md5),
        HashAlgorithm::Sha1 => mac!(sha1::Sha1),
        HashAlgorithm::Sha224 => mac!(sha2::Sha224),
        HashAlgorithm::Sha256 => mac!(sha2::Sha256),
        HashAlgorithm::Sha384 => mac!(sha2::Sha384),
        HashAlgorithm::Sha512 => mac!(sha2::Sha512),
        HashAlgorithm::Sm3 => mac!(sm3::Sm3),
        other => panic!("{other} is not measured against peers"),
    }
}

fn cbc(size: AesSize, direction: Direction, key: &[u8], iv: &[u8; 16], data: &[u8]) -> Vec<u8> {
    macro_rules! run {
        ($aes:ty) => {
            match direction {
                Direction::Decrypt => cbc::Decryptor::<$aes>::new_from_slices(key, iv)
                    .unwrap()
                    .decrypt_padded_vec::<NoPadding>(data)
                    .unwrap(),
                _ => cbc::Encryptor::<$aes>::new_from_slices(key, iv)
                    .unwrap()
                    .encrypt_padded_vec::<NoPadding>(data),
            }
        };
    }
    match size {
        AesSize::Aes128 => run!(Aes128),
        AesSize::Aes192 => run!(Aes192),
        AesSize::Aes256 => run!(Aes256),
    }
}

fn expected(workset: &Workset, direction: Direction, index: usize) -> Vec<u8> {
    let data = workset.buffer(index);
    match Direct::try_from(workset.algorithm()).unwrap() {
        Direct::Digest(name) => hash(name, data),
        Direct::Hmac(name) => hmac(name, workset.key(index), data),
        Direct::AesCbc(size) => cbc(size, direction, workset.key(index), workset.iv(index), data),
    }
}

/// Every algorithm in every direction, over every length up to a few blocks and a mix. No buffer
/// is empty: ipsec-mb refuses those for HMAC where it checks, and no workload has one.
fn worksets() -> impl Iterator<Item = (Workset, Course)> {
    Direct::all().flat_map(|algorithm| {
        let mut lengths: Vec<usize> = (1..300).collect();
        lengths.extend(Workload::Uniform.lengths(algorithm, 100, 3));
        Direct::try_from(algorithm)
            .unwrap()
            .courses()
            .iter()
            .map(move |&course| (Workset::of_lengths(algorithm, &lengths, 17), course))
    })
}

fn check(contender: impl Contender, workset: &Workset, course: Course, burst: usize) {
    let mut one: [Box<dyn Contender + '_>; 1] = [Box::new(contender)];
    check_agreement(&mut one, workset, course, burst).unwrap();
    for index in 0..workset.len() {
        assert_eq!(
            one[0].output(index),
            expected(workset, course.of(index), index),
            "{} {course}, buffer {index} of {} bytes",
            workset.algorithm(),
            workset.buffer(index).len(),
        );
    }
}

#[test]
fn openssl_agrees_with_rustcrypto() {
    let Some(api) = present(openssl::Api::load()) else {
        return;
    };
    assert!(api.version().starts_with("OpenSSL 3."), "{}", api.version());
    for (workset, course) in worksets() {
        let contender = openssl::OpenSsl::new(&api, Buffers::apart(&workset, course));
        let contender = contender.unwrap().unwrap();
        check(contender, &workset, course, 64);
    }
}

#[test]
fn ipsec_mb_agrees_with_rustcrypto() {
    let Some(api) = present(ipsec_mb::Api::load()) else {
        return;
    };
    for (workset, course) in worksets() {
        for burst in [1, 64, 1000] {
            match ipsec_mb::IpsecMb::new(&api, Buffers::apart(&workset, course)).unwrap() {
                Ok(contender) => check(contender, &workset, course, burst),
                Err(absent) => {
                    let lacking = ["md5", "sm3", "hmac-sm3"];
                    assert!(lacking.contains(&&*workset.algorithm().to_string()), "{absent}");
                }
            }
        }
    }
}

#[test]
fn ipsec_mb_is_not_asked_for_more_than_it_can_count() {
    let Some(api) = present(ipsec_mb::Api::load()) else {
        return;
    };
    let algorithm = "hmac-sha1".parse().unwrap();
    let at = |len| Workset::of_lengths(algorithm, &[len], 1);
    let fits = at(65_534);
    let new = |workset| {
        ipsec_mb::IpsecMb::new(&api, Buffers::apart(workset, Direction::Generate.into())).unwrap()
    };
    let contender = new(&fits).unwrap();
    check(contender, &fits, Direction::Generate.into(), 1);
    let longer = at(65_535);
    let absent = new(&longer).err().unwrap();
    assert!(absent.to_string().contains("65535"), "{absent}");
}

#[test]
fn a_peer_tells_its_version_or_why_it_has_none() {
    for peer in Peer::ALL {
        match peers::version(peer) {
            Ok(version) => assert!(version.contains('.'), "{version}"),
            Err(absent) => {
                let line = absent.to_string();
                assert!(line.starts_with(peer.name()) && !line.contains('\n'), "{line}");
            }
        }
    }
}
