//! What programs say on standard error, and which errors are worth saying.

use std::error::Error;
use std::io;
use std::process::ExitCode;

use crate::quote::visible;
use crate::signals;

/// The exit status of a command line, or an environment, that is wrong.
pub const USAGE: u8 = 2;

/// Writes a message to standard error. Nobody can be told if that fails. Parts of it may be the
/// words of somebody else, which do nothing to the terminal.
pub fn complain(program: &str, text: &str) {
    let lines: Vec<_> = text.split('\n').map(visible).collect();
    let text = lines.join("\n");
    let _ = io::Write::write_fmt(&mut io::stderr(), format_args!("{program}: {text}\n"));
}

/// An error in the system's words alone, without its number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(code) => text.trim_end_matches(&format!(" (os error {code})")).to_owned(),
        None => text,
    }
}

/// Returns `true` if an error comes of a reader that has left: then nobody wants to hear of it.
pub fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    causes.any(|cause| {
        let io = cause.downcast_ref::<io::Error>();
        io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// The exit status of a command that only prints. A reader that has left ends the program.
pub fn printed_status(program: &str, printed: io::Result<()>) -> ExitCode {
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => signals::die_of_broken_pipe(),
        Err(error) => {
            complain(program, &format!("write error: {}", reason(&error)));
            ExitCode::FAILURE
        }
    }
}
