//! The padding and the MAC of TLS records in CBC mode: nobody may learn how long a padding is, or
//! whether it was the padding or the MAC that was wrong.

use broadloom_engine::HashAlgorithm;
use broadloom_lanes::{Cpu, Hash, HashLanes, HmacKey, Loan, Planner, Sha1, Sha256, Sha384};

use crate::check::Checks;
use crate::observer::watch;
use crate::secrets::{conceal, disclose, made_from_secrets, run, secret};

/// What checks them, as `broadloom-packets` has it.
#[path = "../../../crates/packets/src/records/padded_mac.rs"]
#[allow(dead_code)]
mod padded_mac;

use padded_mac::PaddedMac;

pub fn check(checks: &mut Checks) {
    check_hash::<Sha1>(checks, HashAlgorithm::Sha1);
    check_hash::<Sha256>(checks, HashAlgorithm::Sha256);
    check_hash::<Sha384>(checks, HashAlgorithm::Sha384);
}

fn check_hash<A: Hash>(checks: &mut Checks, hash: HashAlgorithm) {
    checks.check(&format!("tls records, padding and hmac-{hash}"), right_records::<A>);
    checks.check(&format!("tls records, wrong padding or hmac-{hash}"), wrong_records::<A>);
}

/// Bytes of a record, of which its length is public.
const LEN: usize = 320;

/// What the MAC covers before the length of the content.
const HEADER: [u8; 11] = [0, 0, 0, 0, 0, 0, 0, 9, 23, 3, 3];

/// The length of the padding: another one in every run.
fn padding() -> usize {
    [3, 171, 64][run() % 3]
}

/// Returns a decrypted record with this padding, all of it secret, and the bytes of its content.
fn record<A: Hash>(cpu: &Cpu, key: &[u8], padding: usize) -> (Vec<u8>, usize) {
    let len = LEN - A::DIGEST_LEN - padding - 1;
    let mut record = secret(3, len);
    let header = [&HEADER[..], &(len as u16).to_be_bytes()].concat();
    let message = [&header[..], &record].concat();
    let mut mac = vec![0; A::DIGEST_LEN];
    let key = HmacKey::<A>::new(key);
    Planner::<HashLanes<A>>::new(cpu).process_each([Loan::hmac(&key, &message, &mut mac)]);
    record.extend(mac);
    record.extend(vec![padding as u8; padding + 1]);
    conceal(&mut record);
    (record, len)
}

/// Has a record checked, and returns what that comes to.
fn content_len<A: Hash>(key: &[u8], record: &[u8]) -> Option<usize> {
    let hash = match A::DIGEST_LEN {
        20 => HashAlgorithm::Sha1,
        32 => HashAlgorithm::Sha256,
        _ => HashAlgorithm::Sha384,
    };
    let mac = PaddedMac::new(hash, key);
    watch(|| mac.content_len(&HEADER, record))
}

/// Every run has another padding, and the same record of branches and addresses.
fn right_records<A: Hash>(cpu: &Cpu) -> bool {
    let key = secret(1, A::DIGEST_LEN);
    let (record, expected) = record::<A>(cpu, &key, padding());
    let len = content_len::<A>(&key, &record).expect("padding and MAC are right");
    let mut bytes = len.to_le_bytes();
    // The upper bytes of a length are zero in every record.
    let reached = made_from_secrets(&mut bytes[..2]);
    disclose(&mut bytes);
    assert_eq!(usize::from_le_bytes(bytes), expected);
    reached
}

/// Every run has something else that is wrong.
fn wrong_records<A: Hash>(cpu: &Cpu) -> bool {
    let key = secret(1, A::DIGEST_LEN);
    let (mut record, len) = record::<A>(cpu, &key, padding());
    match run() % 3 {
        // The first byte of the padding.
        0 => record[len + A::DIGEST_LEN] ^= 0x40,
        // The last byte of the MAC.
        1 => record[len + A::DIGEST_LEN - 1] ^= 1,
        // A padding that begins in the content.
        _ => record[LEN - 1] = 255,
    }
    conceal(&mut record);
    assert_eq!(content_len::<A>(&key, &record), None);
    made_from_secrets(&mut record)
}
