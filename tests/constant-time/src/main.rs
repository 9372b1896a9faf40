//! Whether branches or addresses depend on keys, texts or tags. `tests/constant-time/run` runs this
//! program.
//!
//! ```text
//! broadloom-constant-time memcheck    to be run under valgrind's memcheck
//! broadloom-constant-time trace       to be run as it is
//! broadloom-constant-time emulator N  to be run under qemu, with record.c: run N, with its secrets
//! ```
//!
//! With `--control` after that, the program leaks secrets on purpose, which must be reported.
//!
//! There are three observers.
//!
//! Memcheck: secrets are marked as undefined. Memcheck follows what is computed from them, bit by
//! bit, and reports every branch and every address that depends on them. It does not know the
//! instructions of AVX-512, the SHA extensions, VAES and VPCLMULQDQ. The program must be built with
//! `--cfg constant_time`, so that the outcome of a comparison of tags is declared public where it
//! is branched on.
//!
//! Trace: every check runs on this processor, several times with different secrets and the same
//! public values, and is translated block by block so that every branch and every address is
//! recorded. All runs must have the same record. The observer sees every instruction that the
//! processor has, but only these secrets.
//!
//! Emulator: the same for AArch64. A plugin of qemu records branches and addresses, and `compare`
//! compares the records of runs.
//!
//! None sees time that an instruction takes by itself.
//!
//! Signing with SLH-DSA is checked by memcheck alone: other secrets choose other leaves, which is
//! public, as it follows from the signature. So is key generation with ML-KEM and ML-DSA: other
//! seeds have another matrix, which is public. So is signing with ML-DSA: with other secrets, other
//! attempts are rejected, which is public.
//!
//! RC4 is left out: its addresses depend on the key, as its documentation says.

mod binary;
mod blake3;
mod check;
mod ciphers;
mod comparisons;
mod controls;
mod curves;
mod engine;
mod hashes;
mod keys;
mod ml_dsa;
mod ml_kem;
mod observer;
mod others;
mod records;
mod rsa;
mod secrets;
mod slh_dsa;
mod sponges;
#[cfg(target_arch = "x86_64")]
mod trace;

use std::process::ExitCode;

use broadloom_lanes::{Cpu, Isa, KernelInfo};

use check::{Checks, Seen};
use observer::Observer;

#[cfg(target_arch = "x86_64")]
#[global_allocator]
static ALLOCATOR: trace::Allocator = trace::Allocator;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let (observer, rest) = match arguments[..] {
        ["memcheck", ref rest @ ..] => (Observer::memcheck(), rest),
        ["trace", ref rest @ ..] => (Observer::tracer(), rest),
        ["emulator", run, ref rest @ ..] => (emulator(run), rest),
        _ => (Err("name an observer: memcheck, trace, or emulator and a run".to_owned()), &[][..]),
    };
    let mut observer = match observer {
        Ok(observer) => observer,
        Err(error) => return refuse(&error),
    };
    match rest {
        [] => check_all(&mut observer),
        ["--control"] => controls::check_all(&mut observer),
        [other, ..] => refuse(&format!("{other} is not known; only --control may follow")),
    }
}

fn emulator(run: &str) -> Result<Observer, String> {
    match run.parse() {
        Ok(run @ 0..=2) => Ok(Observer::emulator(run)),
        _ => Err(format!("{run} is no run: there are 0, 1 and 2")),
    }
}

fn refuse(error: &str) -> ExitCode {
    eprintln!("broadloom-constant-time: {error}");
    ExitCode::from(2)
}

fn check_all(observer: &mut Observer) -> ExitCode {
    let mut failed = 0;
    let mut seen = Seen::new();
    for (cpu, lacks) in observer.cpus() {
        let isa = cpu.isa();
        let kernels = named(&kernels(&cpu));
        let mut checks = Checks::new(cpu, observer, &mut seen);
        keys::check(&mut checks);
        hashes::check(&mut checks);
        sponges::check(&mut checks);
        blake3::check(&mut checks);
        ciphers::check(&mut checks);
        others::check(&mut checks);
        rsa::check(&mut checks);
        curves::check(&mut checks);
        binary::check(&mut checks);
        slh_dsa::check(&mut checks);
        ml_kem::check(&mut checks);
        ml_dsa::check(&mut checks);
        comparisons::check(&mut checks);
        records::check(&mut checks);
        engine::check(&mut checks);
        let (done, these) = (checks.done, checks.failed.len());
        let without = lacks.iter().map(|name| format!(" without {name}")).collect::<String>();
        if observer.reports() {
            println!("{}: {isa}{without}: {these} of {done} checks failed", observer.name());
        }
        println!("{}: kernels on {isa}{without}: {kernels}", observer.name());
        failed += these;
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The kernels that algorithms get on a CPU.
fn kernels(cpu: &Cpu) -> Vec<KernelInfo> {
    [broadloom_lanes::kernels(cpu), broadloom_public_key::kernels(cpu)].concat()
}

/// Their names.
fn named(kernels: &[KernelInfo]) -> String {
    let names = kernels.iter().map(|info| match info.kernel == info.single {
        true => format!("{} {}", info.algorithm, info.kernel),
        false => format!("{} {} and {}", info.algorithm, info.kernel, info.single),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// A CPU, and the names of features that it is said to lack.
type Held = (Cpu, Vec<&'static str>);

/// A machine's instruction set without some features; `None` if it needs one of them.
fn held(isa: Isa, lacks: &[&'static str]) -> Option<Held> {
    let cpu = Cpu::with_isa(isa).ok()?;
    let cpu = lacks
        .iter()
        .try_fold(cpu, |cpu, name| cpu.without(name.parse().expect("a feature")))
        .ok()?;
    Some((cpu, lacks.to_vec()))
}
