//! `broadloom verify-signatures`: detached signatures of many files, verified side by side.

mod args;
mod claim;
mod keyring;
mod line;
mod minisign;
mod report;
mod signature;
mod signify;
mod source;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

use broadloom_hashing::function::HashMode;
use broadloom_hashing::order::Shared;
use broadloom_hashing::threads::Run;
use broadloom_lanes::Cpu;
use broadloom_program::message::{complain, printed_status};
use broadloom_program::progress::Progress;

pub use args::VerifyArgs;
use keyring::Keyring;
use report::{Options, PROGRAM, Report};
use source::Signed;

use crate::hash::report::Verbosity;

/// Verifies what the arguments ask for.
pub fn run(args: VerifyArgs, cpu: &Cpu) -> ExitCode {
    let ring = match Keyring::open(&args, cpu) {
        Ok(ring) => Arc::new(ring),
        Err((message, status)) => {
            complain(PROGRAM, &message);
            return ExitCode::from(status);
        }
    };
    let report = Report::new(options(&args), Progress::new(|| None));
    let algorithm = args.hash.algorithm();
    let threads = args.threads;
    let shared = Shared::new(Box::new(source(args, ring)), report);
    let run = Run { algorithm, shared, cpu, mode: HashMode::default(), threads, chunk: None };
    let (report, error) = run.hash().into_task();
    match error {
        Some(error) => printed_status(PROGRAM, Err(error)),
        None if report.failed() => ExitCode::FAILURE,
        None => ExitCode::SUCCESS,
    }
}

fn options(args: &VerifyArgs) -> Options {
    let verbosity = match args {
        VerifyArgs { quiet: true, .. } => Verbosity::Quiet,
        VerifyArgs { status: true, .. } => Verbosity::Status,
        VerifyArgs { warn: true, .. } => Verbosity::Warn,
        _ => Verbosity::Normal,
    };
    Options {
        verbosity,
        details: args.verbose,
        strict: args.strict,
        ignore_missing: args.ignore_missing,
        terminal: io::stdout().is_terminal(),
    }
}

fn source(args: VerifyArgs, ring: Arc<Keyring>) -> Signed {
    let max_message = args.max_message.get();
    if !args.check {
        return Signed::files(args.paths, args.suffix, ring, max_message);
    }
    let lists = if args.paths.is_empty() { vec![OsString::from("-")] } else { args.paths };
    Signed::lists(lists, ring, max_message)
}
