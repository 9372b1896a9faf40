//! `broadloom top`: what a program does with Broadloom while it runs.

mod args;
mod draw;
mod figures;
mod once;
mod screen;
mod source;
mod state;
mod table;
#[cfg(test)]
mod tests;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use broadloom_metrics::change::Change;
use broadloom_program::columns::columns;
use broadloom_program::message::{complain, printed_status};
use broadloom_program::metrics::TOKEN;
use broadloom_program::streams::StandardOutput;

pub use args::TopArgs;
use once::Report;
use source::SnapshotSource;
use state::TopView;

const PROGRAM: &str = "broadloom top";

/// Shows what the arguments ask for.
pub fn run(args: TopArgs) -> ExitCode {
    match show(args) {
        Ok(shown) => printed_status(PROGRAM, shown),
        Err(error) => {
            complain(PROGRAM, &error);
            ExitCode::FAILURE
        }
    }
}

/// Shows it. The outer error is a message, the inner one an output that cannot be written.
fn show(args: TopArgs) -> Result<io::Result<()>, String> {
    if !args.once {
        screen::check_terminal()?;
    }
    let source = SnapshotSource::find(args.target.as_deref(), env::var(TOKEN).ok())?;
    if args.once {
        let text = once(&args, &source)?;
        return Ok(StandardOutput.write_all(text.as_bytes()));
    }
    // A program that does not answer is told before the screen changes.
    source.read()?;
    let state = TopView::new(args.by, args.only);
    screen::show(source, args.interval, state)
        .map(Ok)
        .map_err(|error| format!("the terminal cannot show figures: {error}"))
}

/// Reads the figures of one interval.
fn once(args: &TopArgs, source: &SnapshotSource) -> Result<String, String> {
    let before = source.read()?;
    thread::sleep(args.interval);
    let snapshot = source.read()?;
    let change = Change::between(&before, &snapshot).map_err(|error| error.to_string())?;
    let report =
        Report { snapshot: &snapshot, change: &change, dimension: args.by, filters: &args.only };
    Ok(match args.json {
        true => format!("{:#}\n", report.json()),
        false => report.text(columns(&io::stdout())),
    })
}
