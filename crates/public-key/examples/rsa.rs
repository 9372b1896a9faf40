//! Measures private operations of RSA-2048 by the number of jobs outstanding, in turn with
//! `openssl speed`, which does one at a time:
//!
//! ```text
//! cargo run --release -p broadloom-public-key --example rsa
//! ```
//!
//! Both run on one core, and both say seconds of the clock on the wall: a busy machine falsifies
//! them.

use std::process::Command;
use std::time::Instant;

use broadloom_lanes::{Cpu, Planner};
use broadloom_public_key::{RsaBlinding, RsaJob, RsaPrivateKey};

/// Keys that OpenSSL made, for the tests.
const KEYS: &str = include_str!("../src/rsa/tests/keys.txt");

fn main() {
    let key = key();
    let mut planner = Planner::new(&Cpu::detect());
    println!("outstanding   microseconds an operation   openssl's   ratio");
    for outstanding in [1, 2, 3, 4, 8, 16, 64] {
        let mut best = [f64::MAX; 2];
        for _ in 0..3 {
            best[0] = best[0].min(ours(&mut planner, &key, outstanding));
            best[1] = best[1].min(openssl().unwrap_or(f64::NAN));
        }
        let [ours, theirs] = best;
        println!("{outstanding:11}   {ours:25.1}   {theirs:9.1}   {:5.2}", theirs / ours);
    }
}

/// The first key of 2048 bits.
fn key() -> RsaPrivateKey {
    let record = KEYS.split("\n\n").find(|record| record.contains("2048")).expect("there is one");
    let number = |name: &str| -> Vec<u8> {
        let digits = record.lines().find_map(|line| line.strip_prefix(name)).expect("a number");
        let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
        (0..digits.len()).step_by(2).map(byte).collect()
    };
    let [n, e, p, q, d] = ["n: ", "e: ", "p: ", "q: ", "d: "].map(number);
    RsaPrivateKey::from_exponent(&n, &e, [&p, &q], &d).expect("a key of OpenSSL's")
}

/// Microseconds that an operation takes, its blind among them.
fn ours<'a>(
    planner: &mut Planner<broadloom_public_key::RsaLanes>,
    key: &'a RsaPrivateKey,
    outstanding: usize,
) -> f64 {
    let random: Vec<u8> = (0..key.size()).map(|i| (i * 41 + 7) as u8).collect();
    let mut blinding = RsaBlinding::new(key, &random).expect("as many bytes as the modulus");
    let mut best = f64::MAX;
    for _ in 0..200_usize.div_ceil(outstanding) {
        let begin = Instant::now();
        let mut jobs: Vec<RsaJob<'a, Vec<u8>>> = (0..outstanding)
            .map(|i| {
                let input = vec![i as u8 / 2; key.size()];
                RsaJob::private(key, blinding.next_blind(), input, ()).expect("a small number")
            })
            .collect();
        planner.process_many(&mut jobs);
        best = best.min(begin.elapsed().as_secs_f64());
        assert!(jobs.iter().all(|job| matches!(job.output(), Some(Ok(_)))));
    }
    1e6 * best / outstanding as f64
}

/// Microseconds that a signature takes with OpenSSL, if it is installed.
fn openssl() -> Option<f64> {
    let arguments = ["speed", "-elapsed", "-mr", "-seconds", "1", "rsa2048"];
    let output = Command::new("openssl").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().find(|line| line.starts_with("+F2:"))?;
    // Signatures a second, then verifications.
    Some(1e6 / line.split(':').nth(3)?.parse::<f64>().ok()?)
}
