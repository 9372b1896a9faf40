//! What files are hashed for: to print digests, to compare them, or to verify signatures.

use std::ffi::OsStr;
use std::io;

use crate::order::Turn;
use crate::outcome::{Found, Outcome};

/// What a run hashes files for. It tells results in the order in which they were asked for.
pub trait Task: Send + Sized + 'static {
    /// What is known of a file before it is read.
    type Expected: Send + Default;
    /// Something to tell that comes of no file.
    type Notice: Send;

    /// Reads a file that has no place in the lanes, and says how many bytes it had.
    ///
    /// # Errors
    /// The file cannot be read.
    fn read_apart(name: &OsStr, expected: &mut Self::Expected) -> io::Result<(Found, u64)>;

    /// Looks at outcomes together, on the thread that hashed the files, before they are told.
    fn settle(_outcomes: &mut [(Turn, Outcome<Self>)]) {}

    /// Tells what came of a file.
    ///
    /// # Errors
    /// Standard output cannot be written.
    fn outcome(&mut self, outcome: Outcome<Self>) -> io::Result<()>;

    /// Tells a notice.
    ///
    /// # Errors
    /// Standard output cannot be written.
    fn notice(&mut self, notice: Self::Notice) -> io::Result<()>;

    /// Counts bytes hashed, for the progress bar.
    fn advance(&mut self, bytes: u64);

    /// Writes the lines told so far.
    ///
    /// # Errors
    /// Standard output cannot be written.
    fn flush(&mut self) -> io::Result<()>;
}
