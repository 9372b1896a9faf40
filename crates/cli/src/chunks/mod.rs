//! `broadloom chunks`: chunks of files, and what de-duplication saves.

mod args;
mod cut;
mod hashed;
mod report;
mod tally;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use broadloom_chunking::Chunker;
use broadloom_lanes::Cpu;
use broadloom_program::message::{USAGE, complain, printed_status};
use broadloom_program::progress::Progress;
use serde_json::json;

pub use args::ChunksArgs;
use cut::{Cutter, Events};
use report::{Mode, PROGRAM, Report};

use crate::hash::line::LineFormat;
use crate::hash::source::Paths;
use crate::hash::total_bytes;

/// Cuts what the arguments ask for.
pub fn run(args: ChunksArgs, cpu: &Cpu) -> ExitCode {
    let (cutter, cut) = match args.size.map(args::bytes) {
        Some(size) => (Cutter::Fixed(size), json!({ "size": size })),
        None => match args.sizes() {
            Ok(sizes) => (
                Cutter::Content(Chunker::on(cpu, args.polynomial, sizes)),
                json!({
                    "polynomial": args.polynomial.to_string(),
                    "min": sizes.min(),
                    "average": sizes.average(),
                    "max": sizes.max(),
                }),
            ),
            Err(error) => {
                complain(PROGRAM, &error);
                return ExitCode::from(USAGE);
            }
        },
    };
    let mode = match (args.dedup, args.json) {
        (true, json) => Mode::Sums { json, cut },
        (false, true) => Mode::JsonLines,
        (false, false) => {
            let (zero, terminal) = (args.zero, io::stdout().is_terminal());
            Mode::Lines(LineFormat { tag: None, unnamed: false, binary: false, zero, terminal })
        }
    };
    let mut report = Report::new(mode, Progress::new(|| total_bytes(&args.paths)));
    let paths = if args.paths.is_empty() { vec![OsString::from("-")] } else { args.paths };
    let events = Events::new(Paths::new(paths, args.recursive, None), cutter);
    let told = hashed::hash(events, cpu, args.threads, |event, digest| report.tell(event, digest));
    match told.and_then(|()| report.finish()) {
        Err(error) => printed_status(PROGRAM, Err(error)),
        Ok(()) if report.failed() => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
    }
}
