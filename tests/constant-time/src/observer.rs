//! The two observers.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use broadloom_lanes::{Cpu, Isa};
use broadloom_memcheck as memcheck;

#[cfg(target_arch = "x86_64")]
use crate::trace::{self, Tracer};
use crate::{Held, held};

/// The tool that watches.
pub enum Observer {
    /// Valgrind, which runs the program.
    Memcheck,
    /// The tracer, which is part of the program.
    #[cfg(target_arch = "x86_64")]
    Tracer(Box<Tracer>),
    /// An emulator that runs the program, with a plugin that records. The program is told which run
    /// it is.
    Emulator(usize),
}

/// `true` if an emulator records what lies between two marks.
static MARKS: AtomicBool = AtomicBool::new(false);

impl Observer {
    /// Memcheck.
    ///
    /// # Errors
    /// The program does not run under it.
    pub fn memcheck() -> Result<Self, String> {
        let watches = memcheck::errors().is_some();
        watches
            .then_some(Observer::Memcheck)
            .ok_or_else(|| "nothing watches; run it under valgrind --tool=memcheck".to_owned())
    }

    /// The tracer.
    ///
    /// # Errors
    /// It does not know this machine's instructions, or the system refuses what it needs.
    pub fn tracer() -> Result<Self, String> {
        #[cfg(target_arch = "x86_64")]
        return Tracer::new().map(|tracer| Observer::Tracer(Box::new(tracer)));
        #[cfg(not(target_arch = "x86_64"))]
        Err("the tracer knows x86-64 alone".to_owned())
    }

    /// The emulator, in a run with its own secrets.
    pub fn emulator(run: usize) -> Self {
        MARKS.store(true, Relaxed);
        Observer::Emulator(run)
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Observer::Memcheck => "memcheck",
            #[cfg(target_arch = "x86_64")]
            Observer::Tracer(_) => "trace",
            Observer::Emulator(_) => "emulator",
        }
    }

    /// The CPUs whose kernels it can watch: instruction sets with and without the features that
    /// choose among kernels.
    pub fn cpus(&self) -> Vec<Held> {
        const NOT_RUN: [&str; 3] = ["sha", "vaes", "vpclmulqdq"];
        let wanted: Vec<(Isa, Vec<&'static str>)> = match self {
            Observer::Memcheck => vec![
                (Isa::Portable, vec![]),
                (Isa::Sse4, vec!["sha", "aes"]),
                (Isa::Sse4, vec!["sha"]),
                (Isa::Avx2, [&NOT_RUN[..], &["aes"]].concat()),
                (Isa::Avx2, [&NOT_RUN[..], &["pclmulqdq"]].concat()),
                (Isa::Avx2, NOT_RUN.to_vec()),
            ],
            #[cfg(target_arch = "x86_64")]
            Observer::Tracer(_) => [Isa::Sse4, Isa::Avx2, Isa::Avx512]
                .into_iter()
                .flat_map(|isa| {
                    [
                        vec![],
                        vec!["vpclmulqdq"],
                        vec!["vaes", "vpclmulqdq"],
                        vec!["avx512ifma"],
                        vec!["fp256"],
                        vec!["fp512"],
                        vec!["sha"],
                        vec!["sha", "fp256"],
                        vec!["aes"],
                    ]
                    .map(|lacks| (isa, lacks))
                })
                .collect(),
            Observer::Emulator(_) => [
                vec![],
                vec!["sha512"],
                vec!["sha2", "sha512"],
                vec!["pmull"],
                vec!["aes", "pmull"],
            ]
            .map(|lacks| (Isa::Neon, lacks))
            .to_vec(),
        };
        wanted.into_iter().filter_map(|(isa, lacks)| held(isa, &lacks)).collect()
    }

    /// Returns `true` if it says itself what it found, and leaves nothing to compare.
    pub fn reports(&self) -> bool {
        !matches!(self, Observer::Emulator(_))
    }

    /// Returns `true` if it knows the instructions of AVX-512, and the machine has them.
    pub fn sees_wide_vectors(&self) -> bool {
        self.sees_divisions() && Cpu::with_isa(Isa::Avx512).is_ok()
    }

    /// Returns `true` if it watches the operands of instructions whose time depends on them.
    pub fn sees_divisions(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return matches!(self, Observer::Tracer(_));
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Makes a check, and returns what is wrong with it. The check returns whether secrets reached
    /// what it wrote.
    pub fn observe(&mut self, name: &str, run: impl Fn() -> bool) -> Vec<String> {
        match self {
            Observer::Memcheck => {
                crate::secrets::begin(0);
                let before = memcheck::errors();
                let reached = run();
                let errors =
                    memcheck::errors().zip(before).map_or(0, |(after, before)| after - before);
                let mut found = Vec::new();
                if errors > 0 {
                    found.push(format!("{errors} branches or addresses depend on secrets"));
                }
                if !reached {
                    found.push("what it wrote does not depend on secrets".to_owned());
                }
                found
            }
            #[cfg(target_arch = "x86_64")]
            Observer::Tracer(tracer) => tracer.observe(run),
            // The plugin adds a line for each recording; tests/constant-time/compare reads all of
            // them.
            Observer::Emulator(number) => {
                println!("check {name}");
                crate::secrets::begin(*number);
                run();
                println!("made {:016x}", crate::secrets::made());
                Vec::new()
            }
        }
    }
}

/// Runs what is to be watched. Nothing else is recorded; memcheck watches everything.
#[inline(never)]
pub fn watch<R>(run: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    return trace::record(run);
    #[cfg(target_arch = "aarch64")]
    if MARKS.load(Relaxed) {
        // Hints that mean nothing to the processor, and the begin and the end of a recording to the
        // plugin. SAFETY: such hints do nothing.
        unsafe { core::arch::asm!("hint #96") };
        let result = run();
        // SAFETY: the same.
        unsafe { core::arch::asm!("hint #97") };
        return result;
    }
    #[cfg(not(target_arch = "x86_64"))]
    run()
}
