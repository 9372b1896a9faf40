//! `broadloom hash`: digests of many files at once, printed or checked as the coreutils do.

mod args;
mod checklist;
pub mod escape;
mod key;
pub mod line;
pub mod lists;
pub mod report;
pub mod source;

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use broadloom_hashing::order::Shared;
use broadloom_hashing::source::Source;
use broadloom_hashing::threads::Run;
use broadloom_lanes::Cpu;
use broadloom_program::message::{printed_status, reason};
use broadloom_program::progress::Progress;
use broadloom_program::quote::shown;

pub use args::HashArgs;
pub use broadloom_hashing::Algorithm;
use checklist::LineParser;
use line::LineFormat;
use lists::Lists;
use report::{CheckOptions, Mode, Report, Verbosity, message};
use source::Paths;

/// Hashes or checks what the arguments ask for.
pub fn run(args: HashArgs, cpu: &Cpu) -> ExitCode {
    if args.hmac_key_file.is_some() && !args.algorithm.has_hmac() {
        let tag = args.algorithm.tag();
        message(format!(
            "--hmac-key-file: there is no HMAC over {tag}; HMAC-SHA3-256 is: -a sha3-256"
        ));
        return ExitCode::from(2);
    }
    let key = match args.hmac_key_file.as_deref().map(key::read).transpose() {
        Ok(key) => key,
        Err(error) => {
            let path = args.hmac_key_file.unwrap_or_default();
            message(format!("{}: {}", shown(&path), reason(&error)));
            return ExitCode::FAILURE;
        }
    };
    let (algorithm, threads, chunk) = (args.algorithm, args.threads, args.chunk);
    let progress = Progress::new(|| if args.check { None } else { total_bytes(&args.paths) });
    let report = Report::new(mode(&args), progress);
    let shared = Shared::new(source(args), report);
    let shared = algorithm.visit(Run { shared, cpu, key, threads, chunk: chunk.map(u64::from) });
    let (report, error) = shared.into_task();
    match error {
        Some(error) => printed_status(report::PROGRAM, Err(error)),
        None if report.failed() => ExitCode::FAILURE,
        None => ExitCode::SUCCESS,
    }
}

/// What is to be done with results.
fn mode(args: &HashArgs) -> Mode {
    if args.check {
        let verbosity = match args {
            HashArgs { quiet: true, .. } => Verbosity::Quiet,
            HashArgs { status: true, .. } => Verbosity::Status,
            HashArgs { warn: true, .. } => Verbosity::Warn,
            _ => Verbosity::Normal,
        };
        return Mode::Check(CheckOptions {
            verbosity,
            strict: args.strict,
            ignore_missing: args.ignore_missing,
            tag: args.algorithm.tag(),
            terminal: io::stdout().is_terminal(),
        });
    }
    Mode::Print(LineFormat {
        tag: args.tag.then(|| tag(args.algorithm, args.hmac_key_file.is_some())),
        binary: args.binary,
        zero: args.zero,
        terminal: io::stdout().is_terminal(),
    })
}

/// What is to be hashed.
fn source(args: HashArgs) -> Box<dyn Source<Report>> {
    let paths = if args.paths.is_empty() { vec![OsString::from("-")] } else { args.paths };
    if args.check {
        let tag = tag(args.algorithm, args.hmac_key_file.is_some());
        Box::new(Lists::new(paths, LineParser::new(tag, args.algorithm.digest_len())))
    } else {
        Box::new(Paths::new(paths, args.recursive, args.chunk))
    }
}

/// What a tagged line begins with. An HMAC must not pass for a digest.
fn tag(algorithm: Algorithm, hmac: bool) -> String {
    format!("{}{}", if hmac { "HMAC-" } else { "" }, algorithm.tag())
}

/// Bytes in all these files, where that can be told beforehand.
pub fn total_bytes(paths: &[OsString]) -> Option<u64> {
    if paths.is_empty() {
        return None;
    }
    let size = |path: &OsString| match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Some(metadata.len()),
        Ok(_) => None,
        Err(_) => Some(0),
    };
    paths.iter().map(size).sum()
}
