//! Standard input and standard output whose errors are all reported.
//!
//! Rust's own handles take a closed stream for an empty input, and for an output that accepts
//! everything. A program would then succeed with its data lost.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};

use rustix::event::PollFlags;
use rustix::stdio::{dup2_stdin, dup2_stdout};

use crate::at_start;
use crate::patient::wait_for;

/// From now on, a standard input or output that was closed when the program started gives an error
/// to all who use it, save through Rust's own handles. Its place stays taken, so that no file that
/// is opened later becomes a standard stream.
///
/// # Errors
/// If the system does not let it.
pub fn refuse_closed() -> io::Result<()> {
    if at_start::stdin_was_closed() {
        dup2_stdin(File::options().write(true).open("/dev/null")?)?;
    }
    if at_start::stdout_was_closed() {
        dup2_stdout(File::open("/dev/null")?)?;
    }
    Ok(())
}

/// Standard input without a buffer. A read waits, also where the stream does not block.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandardInput;

impl Read for StandardInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let stdin = io::stdin();
        wait_for(&stdin, PollFlags::IN, || Ok(rustix::io::read(&stdin, &mut *buffer)?))
    }
}

/// Standard output without a buffer. A write waits, also where the stream does not block.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandardOutput;

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let stdout = io::stdout();
        wait_for(&stdout, PollFlags::OUT, || Ok(rustix::io::write(&stdout, bytes)?))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Prints help or a version, as clap has them, to standard output.
///
/// # Errors
/// If standard output cannot be written.
pub fn print(help: &clap::Error) -> io::Result<()> {
    if io::stdout().is_terminal() {
        // With colours, where the terminal has them.
        help.print()?;
        return io::stdout().flush();
    }
    StandardOutput.write_all(help.render().to_string().as_bytes())
}
