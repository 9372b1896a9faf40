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

use broadloom::HashAlgorithm;
use broadloom_hashing::function::{HashMode, Keying};
use broadloom_hashing::list_tag;
use broadloom_hashing::order::Shared;
use broadloom_hashing::source::Source;
use broadloom_hashing::threads::Run;
use broadloom_lanes::Cpu;
use broadloom_program::message::{printed_status, reason};
use broadloom_program::progress::Progress;
use broadloom_program::quote::shown;

pub use args::HashArgs;
use checklist::LineParser;
use line::LineFormat;
use lists::Lists;
use report::{CheckOptions, Mode, Report, Verbosity, message};
use source::Paths;

/// Hashes or checks what the arguments ask for.
pub fn run(args: HashArgs, cpu: &Cpu) -> ExitCode {
    if args.hmac_key_file.is_some() && args.algorithm.is_extendable() {
        let tag = list_tag(args.algorithm);
        message(format!(
            "--hmac-key-file: there is no HMAC over {tag}; HMAC-SHA3-256 is: -a sha3-256"
        ));
        return ExitCode::from(2);
    }
    if args.algorithm != HashAlgorithm::Blake3
        && let Some(option) = option_of_blake3(&args)
    {
        let name = args.algorithm;
        message(format!("{option}: {name} has no such mode; blake3 has it: -a blake3"));
        return ExitCode::from(2);
    }
    let keying = match keying(&args) {
        Ok(keying) => keying,
        Err(error) => {
            message(error);
            return ExitCode::FAILURE;
        }
    };
    let hash_mode = HashMode { keying, len: args.length };
    let (algorithm, threads, chunk) = (args.algorithm, args.threads, args.chunk);
    let progress = Progress::new(|| if args.check { None } else { total_bytes(&args.paths) });
    let report = Report::new(mode(&args), progress);
    let shared = Shared::new(source(args), report);
    let chunk = chunk.map(u64::from);
    let run = Run { algorithm, shared, cpu, mode: hash_mode, threads, chunk };
    let (report, error) = run.hash().into_task();
    match error {
        Some(error) => printed_status(report::PROGRAM, Err(error)),
        None if report.failed() => ExitCode::FAILURE,
        None => ExitCode::SUCCESS,
    }
}

/// Returns the first option that was given and that only BLAKE3 has.
fn option_of_blake3(args: &HashArgs) -> Option<&'static str> {
    match args {
        HashArgs { keyed: true, .. } => Some("--keyed"),
        HashArgs { derive_key: Some(_), .. } => Some("--derive-key"),
        HashArgs { length: Some(_), .. } => Some("--length"),
        _ => None,
    }
}

/// Reads the key that the arguments name.
///
/// # Errors
/// The message that says what is wrong with it.
fn keying(args: &HashArgs) -> Result<Option<Keying>, String> {
    if let Some(path) = &args.hmac_key_file {
        let key = key::read(path);
        let key = key.map_err(|error| format!("{}: {}", shown(path), reason(&error)))?;
        return Ok(Some(Keying::Key(key)));
    }
    if let Some(context) = &args.derive_key {
        return Ok(Some(Keying::Context(context.clone())));
    }
    if !args.keyed {
        return Ok(None);
    }
    if args.paths.is_empty() || args.paths.iter().any(|path| path == "-") {
        return Err("--keyed reads the key from standard input: name the files".to_owned());
    }
    let key = key::read_keyed(io::stdin().lock());
    let key = key.map_err(|error| format!("--keyed: standard input: {}", reason(&error)))?;
    Ok(Some(Keying::Key(key)))
}

/// Returns what is to be done with results.
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
            tag: list_tag(args.algorithm),
            terminal: io::stdout().is_terminal(),
        });
    }
    Mode::Print(LineFormat {
        tag: args.tag.then(|| tag(args.algorithm, args.hmac_key_file.is_some())),
        unnamed: args.no_names,
        binary: args.binary,
        zero: args.zero,
        terminal: io::stdout().is_terminal(),
    })
}

/// Returns the source of what is to be hashed.
fn source(args: HashArgs) -> Box<dyn Source<Report>> {
    let paths = if args.paths.is_empty() { vec![OsString::from("-")] } else { args.paths };
    if args.check {
        let tag = tag(args.algorithm, args.hmac_key_file.is_some());
        Box::new(Lists::new(
            paths,
            LineParser::new(tag, args.length.unwrap_or(args.algorithm.digest_len())),
        ))
    } else {
        Box::new(Paths::new(paths, args.recursive, args.chunk))
    }
}

/// Returns the beginning of a tagged line. An HMAC must not pass for a digest.
fn tag(algorithm: HashAlgorithm, hmac: bool) -> String {
    format!("{}{}", if hmac { "HMAC-" } else { "" }, list_tag(algorithm))
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
