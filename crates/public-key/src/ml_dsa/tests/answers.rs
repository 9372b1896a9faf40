//! Known answers by NIST.

use std::vec::Vec;

use sha3::{Digest, Sha3_256};

use super::*;

/// Returns the bytes of hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| core::str::from_utf8(pair).expect("ASCII"));
    pairs.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal")).collect()
}

#[test]
fn keys_are_those_of_nist() {
    let lines = include_str!("keys.txt").lines().filter(|line| !line.starts_with('#'));
    let all: Vec<Vec<&str>> = lines.map(|line| line.split(' ').collect()).collect();
    let all = all.as_chunks::<2>().0;
    for cpu in cpus() {
        for set in MlDsaSet::ALL {
            let cases: Vec<_> = all.iter().filter(|[fields, _]| fields[0] == set.name()).collect();
            assert_eq!(cases.len(), 25);
            let seeds: Vec<_> = cases.iter().map(|[fields, _]| bytes(fields[2])).collect();
            let made = generate(&cpu, set, seeds.iter().map(|seed| &seed[..]));
            for (keys, [fields, digest]) in made.iter().zip(cases) {
                let found = Sha3_256::digest(keys).to_vec();
                assert_eq!(found, bytes(digest[0]), "{set} {} on {}", fields[1], cpu.isa());
            }
        }
    }
}
