//! Random calls of the managers, out of a fuzzer's bytes. The driver is the one of the property
//! test `crates/lanes/tests/suite/sequences.rs`: it compares every result with the RustCrypto
//! crates, and what is in flight with what was submitted.

pub mod age_files;
pub mod baselines;
pub mod checklists;
pub mod formats;
pub mod frames;
mod guarded;
pub mod keys;
pub mod openssl_enc;
pub mod pkcs11_files;
pub mod providers;
pub mod repositories;
pub mod server_answers;
pub mod signature_files;
pub mod snapshot_files;
pub mod unprotect;
pub mod zip_files;

#[allow(dead_code, unused_imports, unused_macros, reason = "the suite uses more of it")]
#[path = "../../crates/lanes/tests/suite/common/mod.rs"]
mod common;

use broadloom_lanes::{Cpu, Md5, Sha1, Sha256, Sha512};
use common::packet_kinds::every_packet_kind;
use common::sequence::{self, Op};
use common::{Ciphers, Hashes, Kind, cpus};
use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};

/// A sequence of calls, and what to call.
#[derive(Debug)]
pub struct Calls {
    cpu: usize,
    kind: u8,
    depth: usize,
    ops: Vec<Op>,
}

impl<'a> Arbitrary<'a> for Calls {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Calls {
            cpu: bytes.choose_index(cpus().len())?,
            kind: bytes.arbitrary()?,
            depth: bytes.int_in_range(1..=100)?,
            ops: bytes.arbitrary_iter()?.collect::<Result<_, _>>()?,
        })
    }
}

impl<'a> Arbitrary<'a> for Op {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(match bytes.int_in_range(0..=19)? {
            0 | 1 => Op::Flush,
            2 | 3 => Op::Expire { now: bytes.arbitrary()? },
            4 => Op::Close,
            5 => Op::Drop,
            6 | 7 => {
                Op::Submit { len: bytes.int_in_range(0..=5000)?, deadline: bytes.arbitrary()? }
            }
            _ => Op::Submit { len: bytes.arbitrary::<u8>()?.into(), deadline: bytes.arbitrary()? },
        })
    }
}

/// The calls with jobs of one hash.
pub fn hash_jobs(Calls { cpu, kind, depth, ops }: Calls) {
    let run = match kind % 4 {
        0 => sequence::run::<Hashes<Md5>>,
        1 => sequence::run::<Hashes<Sha1>>,
        2 => sequence::run::<Hashes<Sha256>>,
        _ => sequence::run::<Hashes<Sha512>>,
    };
    run(&cpus()[cpu], depth, &ops);
}

/// The calls with jobs of AES-CBC.
pub fn cbc_jobs(Calls { cpu, depth, ops, .. }: Calls) {
    sequence::run::<Ciphers>(&cpus()[cpu], depth, &ops);
}

/// The calls with jobs of one of the modes of packets.
pub fn packet_jobs(Calls { cpu, kind, depth, ops }: Calls) {
    type Run = fn(&Cpu, usize, &[Op]);
    fn add<K: Kind>(runs: &mut Vec<Run>) {
        runs.push(sequence::run::<K>);
    }
    let mut runs = Vec::new();
    every_packet_kind!(add(&mut runs));
    runs[usize::from(kind) % runs.len()](&cpus()[cpu], depth, &ops);
}
