//! The files named in checksum lists, as a source of things to hash.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;
use std::vec;

use broadloom_hashing::source::{Input, Item, Request, Source};
use broadloom_program::streams::StandardInput;

use super::checklist::{Entry, LineParser};
use super::report::{Notice, Report};
use super::source::Stdin;

/// Longest line that is read as one. No path can be longer, even with every byte escaped and the
/// longest digest in front; what goes on is no checksum line, and need not fit in memory.
const MAX_LINE: u64 = 64 * 1024;

/// The files named in lists.
pub struct Lists {
    paths: vec::IntoIter<OsString>,
    parser: LineParser,
    stdin: Stdin,
    current: Option<List>,
}

/// A list being read.
pub struct List {
    /// Its name.
    pub name: Arc<OsStr>,
    lines: Lines,
    /// The number of the line that was read last, from 1.
    pub number: u64,
}

enum Lines {
    Stdin(BufReader<StandardInput>),
    File(BufReader<File>),
}

impl Lists {
    /// Lists of these names (`-`: standard input), whose lines `parser` reads.
    pub fn new(paths: Vec<OsString>, parser: LineParser) -> Self {
        Lists { paths: paths.into_iter(), parser, stdin: Stdin::default(), current: None }
    }

    fn entry(list: &List, stdin: &mut Stdin, entry: Option<Entry>) -> Item<Report> {
        match entry {
            Some(Entry { name, .. }) if name == b"-" && list.is_stdin() => list.misformatted(),
            Some(Entry { name, digest }) => {
                let input = if name == b"-" { stdin.take() } else { Input::Path };
                let name = OsString::from_vec(name).into();
                Item::Hash(Request { name, expected: Some(digest), input })
            }
            None => list.misformatted(),
        }
    }
}

impl Source<Report> for Lists {
    fn next(&mut self) -> Option<Item<Report>> {
        loop {
            let Some(list) = &mut self.current else {
                let path = self.paths.next()?;
                match List::open(&path, &mut self.stdin) {
                    Ok(list) => self.current = Some(list),
                    Err(error) => {
                        return Some(Item::Notice(Notice::Failed { name: path.into(), error }));
                    }
                }
                continue;
            };
            match list.next_line() {
                Ok(Some(line)) if LineParser::is_blank(&line) => {}
                Ok(Some(line)) => {
                    let entry = self.parser.parse(&line);
                    return Some(Self::entry(list, &mut self.stdin, entry));
                }
                read => {
                    let name = self.current.take().expect("it was just read").name;
                    return Some(Item::Notice(Notice::ListEnd { name, read_error: read.is_err() }));
                }
            }
        }
    }
}

impl List {
    /// Opens the list of that name (`-`: standard input, which is then taken).
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(path: &OsStr, stdin: &mut Stdin) -> io::Result<List> {
        let (name, lines) = if path == "-" {
            stdin.take();
            (OsStr::new("standard input"), Lines::Stdin(BufReader::new(StandardInput)))
        } else {
            (path, Lines::File(BufReader::new(File::open(path)?)))
        };
        Ok(List { name: name.into(), lines, number: 0 })
    }

    /// Returns `true` if it is read from standard input.
    pub fn is_stdin(&self) -> bool {
        matches!(self.lines, Lines::Stdin(_))
    }

    fn misformatted(&self) -> Item<Report> {
        Item::Notice(Notice::Misformatted { list: self.name.clone(), line: self.number })
    }

    /// The next line without its end; of a line too long, the beginning.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        match &mut self.lines {
            Lines::Stdin(stdin) => read_line(stdin, &mut line)?,
            Lines::File(file) => read_line(file, &mut line)?,
        }
        if line.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        for end in [b"\n", b"\r"] {
            if line.ends_with(end) {
                line.pop();
            }
        }
        Ok(Some(line))
    }
}

fn read_line(from: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    from.take(MAX_LINE).read_until(b'\n', line)?;
    if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
        from.skip_until(b'\n')?;
    }
    Ok(())
}
