//! ASCII armour: the whole file in base64, between two lines that say so (strict RFC 7468).

use std::io::{self, BufRead, BufReader, Read, Write};

use base64ct::{Base64, Encoding};

const BEGIN: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";
const END: &[u8] = b"-----END AGE ENCRYPTED FILE-----";

/// Characters of a full line, and the bytes that they stand for.
const COLUMNS: usize = 64;
const BYTES: usize = COLUMNS / 4 * 3;

/// Most bytes of white space before and behind the armour.
const MAX_SPACE: u64 = 1024;

/// Why a text is no armour.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the armour: {cause}")]
pub struct ArmorError {
    /// The line, from 1 on, counted from the line that begins the armour.
    pub line: u64,
    /// What is wrong.
    pub cause: &'static str,
}

/// Whether data begin as an armour does, perhaps behind white space. `None`: that is not yet to be
/// told.
pub(super) fn begins(bytes: &[u8]) -> Option<bool> {
    let bytes = bytes.trim_ascii_start();
    match bytes.len() < BEGIN.len() {
        true if BEGIN.starts_with(bytes) => None,
        _ => Some(bytes.starts_with(BEGIN)),
    }
}

/// Writes armour around what is written. [`finish`](Armor::finish) ends it.
pub(super) struct Armor<W> {
    output: W,
    /// Bytes that fill no line yet.
    rest: Vec<u8>,
    text: String,
}

impl<W: Write> Armor<W> {
    pub(super) fn new(mut output: W) -> io::Result<Self> {
        output.write_all(BEGIN)?;
        output.write_all(b"\n")?;
        Ok(Armor { output, rest: Vec::with_capacity(BYTES), text: String::new() })
    }

    /// Writes the end of the armour, and says how many bytes the last line had.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.rest);
        self.lines(&rest)?;
        self.output.write_all(END)?;
        self.output.write_all(b"\n")
    }

    fn lines(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.text.clear();
        for line in bytes.chunks(BYTES) {
            let mut columns = [0; COLUMNS];
            let text = Base64::encode(line, &mut columns).expect("a line has room for 48 bytes");
            self.text.push_str(text);
            self.text.push('\n');
        }
        self.output.write_all(self.text.as_bytes())
    }
}

impl<W: Write> Write for Armor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut left = bytes;
        if !self.rest.is_empty() {
            let (more, behind) = left.split_at(left.len().min(BYTES - self.rest.len()));
            self.rest.extend_from_slice(more);
            left = behind;
            if self.rest.len() < BYTES {
                return Ok(bytes.len());
            }
            let line = std::mem::take(&mut self.rest);
            self.lines(&line)?;
        }
        let (lines, rest) = left.split_at(left.len() - left.len() % BYTES);
        self.lines(lines)?;
        self.rest.extend_from_slice(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Reads what is in an armour. Nothing but white space may follow it.
pub(super) struct Dearmor<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    number: u64,
    /// Decoded bytes, and how many of them were read.
    decoded: ([u8; BYTES], usize, usize),
    /// The last line of base64 was shorter than a full one.
    short: bool,
    ended: bool,
}

impl<R: Read> Dearmor<R> {
    pub(super) fn new(input: R) -> Self {
        Dearmor {
            input: BufReader::with_capacity(1 << 16, input),
            line: Vec::new(),
            number: 0,
            decoded: ([0; BYTES], 0, 0),
            short: false,
            ended: false,
        }
    }

    fn wrong<T>(&self, cause: &'static str) -> io::Result<T> {
        Err(io::Error::other(ArmorError { line: self.number, cause }))
    }

    /// Reads a line of at most so many bytes; LF and CRLF end it.
    fn read_line(&mut self, most: u64) -> io::Result<()> {
        self.line.clear();
        self.number += 1;
        self.input.by_ref().take(most).read_until(b'\n', &mut self.line)?;
        if self.line.pop_if(|&mut byte| byte == b'\n').is_some() {
            self.line.pop_if(|&mut byte| byte == b'\r');
        }
        Ok(())
    }

    fn begin(&mut self) -> io::Result<()> {
        let mut space = 0;
        while let Some(&byte) = self.input.fill_buf()?.first() {
            if !byte.is_ascii_whitespace() {
                break;
            }
            space += 1;
            if space > MAX_SPACE {
                return self.wrong("more than 1024 bytes of white space come before it");
            }
            self.input.consume(1);
        }
        self.read_line(BEGIN.len() as u64 + 2)?;
        match self.line == BEGIN {
            true => Ok(()),
            false => self.wrong("it is not \"-----BEGIN AGE ENCRYPTED FILE-----\""),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        let mut rest = Vec::new();
        self.input.by_ref().take(MAX_SPACE + 1).read_to_end(&mut rest)?;
        self.number += 1;
        if !rest.iter().all(u8::is_ascii_whitespace) {
            return self.wrong("data follow the end of the armour");
        }
        if rest.len() as u64 > MAX_SPACE {
            return self.wrong("more than 1024 bytes of white space follow");
        }
        self.ended = true;
        Ok(())
    }

    /// Decodes the next line, unless the armour ends there.
    fn next(&mut self) -> io::Result<()> {
        if self.number == 0 {
            self.begin()?;
        }
        self.read_line(COLUMNS as u64 + 2)?;
        if self.line == END {
            return self.end();
        }
        if self.short {
            return self.wrong("only the last line before the end has fewer than 64 characters");
        }
        if self.line.is_empty() {
            return self.wrong("it is empty, or the end of the armour is missing");
        }
        if self.line.len() > COLUMNS {
            return self.wrong("it has more than 64 characters");
        }
        self.short = self.line.len() < COLUMNS;
        match Base64::decode(&self.line, &mut self.decoded.0) {
            Ok(decoded) => {
                self.short |= decoded.len() < BYTES;
                (self.decoded.1, self.decoded.2) = (decoded.len(), 0);
                Ok(())
            }
            Err(_) => self.wrong("it is not canonical base64"),
        }
    }
}

impl<R: Read> Read for Dearmor<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let (bytes, len, read) = &mut self.decoded;
            if read < len {
                let count = (*len - *read).min(buffer.len() - filled);
                buffer[filled..filled + count].copy_from_slice(&bytes[*read..*read + count]);
                *read += count;
                filled += count;
            } else if self.ended {
                break;
            } else {
                self.next()?;
            }
        }
        Ok(filled)
    }
}
