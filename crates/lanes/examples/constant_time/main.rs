//! Whether branches or addresses depend on keys and texts: to be run under valgrind's memcheck, as
//! `tests/constant-time/run` does.
//!
//!     constant_time              every algorithm but RC4, on every instruction set that valgrind can run
//!     constant_time --control    a branch and an address that depend on a secret, which must be reported
//!
//! Keys and texts are marked as undefined. Memcheck follows what is computed from them, bit by bit, and reports
//! every branch and every address that depends on them. What it cannot see: time that an instruction takes by
//! itself, and kernels whose instructions it does not know, which are those for AVX-512, the SHA extensions,
//! VAES and VPCLMULQDQ.
//!
//! RC4 is left out: its addresses depend on the key, as its documentation says.

mod check;
mod ciphers;
mod hashes;
mod memcheck;
mod others;

use std::hint::black_box;
use std::process::ExitCode;

use broadloom_lanes::{Cpu, Isa};

use check::{Checks, secret};

fn main() -> ExitCode {
    if memcheck::errors().is_none() {
        eprintln!("constant_time: nothing watches; run it under valgrind --tool=memcheck");
        return ExitCode::from(2);
    }
    match std::env::args().nth(1).as_deref() {
        None => check_all(),
        Some("--control") => {
            leak();
            ExitCode::SUCCESS
        }
        Some(other) => {
            eprintln!("constant_time: {other} is not known; only --control is");
            ExitCode::from(2)
        }
    }
}

fn check_all() -> ExitCode {
    let mut failed = 0;
    for cpu in cpus() {
        let isa = cpu.isa();
        let with_aes = cpu.features().iter().any(|f| f.name == "aes" && f.usable);
        let aes = if with_aes && isa != Isa::Portable { "with" } else { "without" };
        let mut checks = Checks { cpu, done: 0, failed: 0 };
        hashes::check(&mut checks);
        ciphers::check(&mut checks);
        others::check(&mut checks);
        let Checks { done, failed: these, .. } = checks;
        println!("{isa}, {aes} AES instructions: {these} of {done} checks failed");
        failed += these;
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What valgrind can run, with and without the instructions that choose among kernels.
fn cpus() -> Vec<Cpu> {
    const NOT_RUN: [&str; 3] = ["sha", "vaes", "vpclmulqdq"];
    let with = |isa| {
        let cpu = Cpu::with_isa(isa).expect("valgrind can run it");
        NOT_RUN.iter().fold(cpu, |cpu, name| cpu.without(name).expect("no instruction set needs it"))
    };
    let avx2 = with(Isa::Avx2);
    let without_aes = avx2.without("aes").expect("AVX2 does not need it");
    vec![with(Isa::Portable), without_aes, avx2]
}

/// A branch and an address that depend on a secret.
fn leak() {
    let table = black_box([1u8; 256]);
    let bytes = secret(1, 2);
    if black_box(bytes[0]) & 1 == 1 {
        black_box(&table);
    }
    black_box(table[usize::from(bytes[1])]);
}
