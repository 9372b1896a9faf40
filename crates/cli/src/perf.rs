//! `broadloom perf`: hands its arguments to the program `broadloom-perf`.

use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use broadloom_program::message::{complain, reason};
use clap::Args;

/// The program that measures.
const PROGRAM: &str = "broadloom-perf";

/// Measure how fast this machine is, with the program broadloom-perf
///
/// All arguments go to broadloom-perf, which lies beside this program or in PATH.
#[derive(Args)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub struct PerfArgs {
    /// Command and options of broadloom-perf
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    rest: Vec<OsString>,
}

/// Becomes the program `broadloom-perf`. Returns only if that fails.
pub fn run(args: &PerfArgs) -> ExitCode {
    let beside = beside();
    let program = beside.clone().filter(|path| path.exists()).unwrap_or_else(|| PROGRAM.into());
    let error = Command::new(&program).args(&args.rest).exec();
    let text = match error.kind() {
        ErrorKind::NotFound => {
            let beside = beside.map(|path| format!("there is no {}, and ", path.display()));
            format!(
                "{}{PROGRAM} is not in PATH: `cargo install {PROGRAM}` installs it",
                beside.unwrap_or_default()
            )
        }
        _ => format!("cannot run {}: {}", program.display(), reason(&error)),
    };
    complain("broadloom perf", &text);
    ExitCode::FAILURE
}

/// Returns the place of `broadloom-perf` in the directory of this program, if that is known.
fn beside() -> Option<PathBuf> {
    Some(env::current_exe().ok()?.with_file_name(PROGRAM))
}
