//! Secrets, and what becomes of them, for either observer.
//!
//! Memcheck is told that secrets are undefined bytes. The tracer runs a check several times, each
//! time with other secrets.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use broadloom_memcheck as memcheck;

/// The run of a check under the tracer: each has its own secrets. Memcheck's only run is the first.
static RUN: AtomicUsize = AtomicUsize::new(0);

/// A checksum of what was made from secrets in this run.
static MADE: AtomicU64 = AtomicU64::new(0);

/// Begins a run.
pub fn begin(run: usize) {
    RUN.store(run, Relaxed);
    MADE.store(0, Relaxed);
}

/// The number of the run.
pub fn run() -> usize {
    RUN.load(Relaxed)
}

/// A checksum of what was made from secrets since the run began.
pub fn made() -> u64 {
    MADE.load(Relaxed)
}

/// Bytes that differ from place to place and with the seed, and are the same in every run.
pub fn public(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|i| (seed.wrapping_mul(167) ^ i.wrapping_mul(31) ^ (i >> 7)) as u8).collect()
}

/// Undefined bytes; other ones in every run.
pub fn secret(seed: usize, len: usize) -> Vec<u8> {
    let run = RUN.load(Relaxed);
    let mut bytes = public(seed, len);
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte ^= (run * (0x5d + 2 * at + ((at * at) >> 3))) as u8;
    }
    memcheck::undefine(&mut bytes);
    bytes
}

/// The same as an array.
pub fn secret_array<const N: usize>(seed: usize) -> [u8; N] {
    secret(seed, N).try_into().expect("as many bytes")
}

/// Returns `true` if every byte was made from secrets, as far as the observer can tell at once.
/// They are public afterwards: results are, or their owner's to look at.
pub fn made_from_secrets(bytes: &mut [u8]) -> bool {
    let made = memcheck::errors().is_none()
        || memcheck::undefined_bits(bytes).iter().all(|bits| *bits != 0);
    disclose(bytes);
    let sum = bytes.iter().fold(MADE.load(Relaxed), |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    MADE.store(sum, Relaxed);
    made
}

/// Makes bytes secret, as far as the observer follows them.
pub fn conceal(bytes: &mut [u8]) {
    memcheck::undefine(bytes);
}

/// Makes bytes public.
pub fn disclose(bytes: &mut [u8]) {
    memcheck::define(bytes);
}

/// Changes a byte of a tag that arrives: the first, the last or one between, a different one in
/// every run.
pub fn forge(tag: &mut [u8]) {
    let at = [0, tag.len() - 1, tag.len() / 2][RUN.load(Relaxed) % 3];
    tag[at] ^= 0x40;
}
