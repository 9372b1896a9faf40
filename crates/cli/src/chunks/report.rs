//! Chunks as they are told: lines on standard output, messages on standard error.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

use broadloom_hashing::digest::Digest;
use broadloom_program::message::{complain, reason};
use broadloom_program::progress::Progress;
use broadloom_program::quote::quote;
use serde_json::{Value, json};

use super::cut::Event;
use super::tally::Tally;
use crate::hash::line::LineFormat;
use crate::hash::report::write_lines;

/// What the messages begin with.
pub const PROGRAM: &str = "broadloom chunks";

/// Bytes of lines that are written at once.
const LINES: usize = 64 << 10;

/// What is printed.
pub enum Mode {
    /// A line for each chunk.
    Lines(LineFormat),
    /// A line of JSON for each chunk.
    JsonLines,
    /// Sums.
    Sums {
        /// As JSON.
        json: bool,
        /// How chunks were cut.
        cut: Value,
    },
}

/// Tells chunks, in the order they are handed in.
pub struct Report {
    mode: Mode,
    progress: Progress,
    tally: Tally,
    /// Lines not yet written.
    out: Vec<u8>,
    failed: bool,
}

impl Report {
    /// Nothing told yet.
    pub fn new(mode: Mode, progress: Progress) -> Self {
        Report { mode, progress, tally: Tally::default(), out: vec![], failed: false }
    }

    /// Returns `true` if anything could not be read.
    pub fn failed(&self) -> bool {
        self.failed
    }

    /// Tells one event.
    ///
    /// # Errors
    /// Lines cannot be written.
    pub fn tell(&mut self, event: Event, digest: Option<Digest>) -> io::Result<()> {
        match (event, digest) {
            (Event::Chunk { name, offset, data }, Some(digest)) => {
                self.chunk(&name, offset, data.len() as u64, &digest)
            }
            (Event::Failed { name, error }, _) => {
                self.failed = true;
                write_lines(&mut self.out, &self.progress)?;
                let text = format!("{}: {}", quote(name.as_bytes()), reason(&error));
                self.progress.hidden(|| complain(PROGRAM, &text));
                Ok(())
            }
            _ => {
                self.tally.files += 1;
                Ok(())
            }
        }
    }

    /// Tells what is left, and sums.
    ///
    /// # Errors
    /// Lines cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        if let Mode::Sums { json, cut } = &self.mode {
            let text = match (json, self.tally.json()) {
                (true, Value::Object(mut sums)) => {
                    sums.insert("cut".to_owned(), cut.clone());
                    format!("{:#}\n", Value::Object(sums))
                }
                _ => self.tally.lines(),
            };
            self.out.extend(text.as_bytes());
        }
        write_lines(&mut self.out, &self.progress)
    }

    fn chunk(&mut self, name: &OsStr, offset: u64, len: u64, digest: &Digest) -> io::Result<()> {
        self.progress.advance(len);
        match &self.mode {
            Mode::Sums { .. } => {
                self.tally.count(digest.as_bytes(), len);
                return Ok(());
            }
            Mode::Lines(format) => {
                format.chunk(digest, offset, len, name.as_bytes(), &mut self.out);
            }
            Mode::JsonLines => {
                let mut sha256 = vec![];
                digest.write_hex(&mut sha256);
                let line = json!({
                    "sha256": String::from_utf8_lossy(&sha256),
                    "offset": offset,
                    "length": len,
                    "name": name.to_string_lossy(),
                });
                self.out.extend(line.to_string().as_bytes());
                self.out.push(b'\n');
            }
        }
        if self.out.len() < LINES {
            return Ok(());
        }
        write_lines(&mut self.out, &self.progress)
    }
}
