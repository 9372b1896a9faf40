//! The table of `--list`.

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use broadloom::compression::decompress::Listed;
use broadloom::compression::format::Format;
use broadloom::compression::framed;
use crc32fast::Hasher;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::seconds::from_seconds;
use crate::files::Verbosity;

/// A compressed file, as the table shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// Its members, or frames, each decompressed on its own.
    members: u64,
    /// The format of its first frame, if it consists of frames.
    frames: Option<framed::Format>,
    /// The checksum of all its data; of zlib data with several members there is none.
    checksum: Option<u32>,
    /// The name that its first member stores of the original.
    pub name: Option<Vec<u8>>,
    /// The time that its first member stores.
    pub stored: Option<SystemTime>,
    /// Its bytes.
    pub compressed: u64,
    /// The same without headers and trailers.
    pub streams: u64,
    /// The bytes that it stands for.
    pub uncompressed: u64,
    /// When it was modified, or the file that it was made of; 1970 where nothing says it.
    pub modified: Option<SystemTime>,
}

impl Entry {
    /// Adds a member.
    pub fn add(&mut self, member: &Listed) {
        if self.members == 0 {
            self.checksum = member.checksum;
            (self.name, self.stored) = (member.name.clone(), from_seconds(member.mtime));
        } else {
            self.checksum = self.checksum.and_then(|before| joined(before, member));
        }
        self.members += 1;
        self.compressed += member.compressed;
        self.streams += member.stream;
        self.uncompressed += member.uncompressed;
    }
}

impl Entry {
    /// Adds a frame.
    pub fn add_frame(&mut self, frame: &framed::decompress::Listed) {
        self.frames = self.frames.or(Some(frame.format));
        self.members += 1;
        self.compressed += frame.compressed;
        self.streams += frame.compressed;
        self.uncompressed += frame.uncompressed;
    }

    /// The name of its method, in the width of its column.
    fn method(&self) -> &'static str {
        match self.frames {
            Some(framed::Format::Lz4) => "lz4  ",
            Some(framed::Format::Zstd) => "zstd ",
            None => METHOD,
        }
    }
}

/// The CRC-32 of data with this one and of those of a member behind them.
fn joined(before: u32, member: &Listed) -> Option<u32> {
    if !matches!(member.format, Format::Gzip | Format::Bgzf) {
        return None;
    }
    let mut sum = Hasher::new_with_initial(before);
    sum.combine(&Hasher::new_with_initial_len(member.checksum?, member.uncompressed));
    Some(sum.finalize())
}

/// The table, row by row.
pub struct Table {
    verbosity: Verbosity,
    rows: u64,
    compressed: u64,
    streams: u64,
    uncompressed: u64,
}

/// What stands before the sizes where all is told, as gzip has it.
const DETAILS: &str = "method  crc     date  time  ";

/// How gzip calls deflate.
const METHOD: &str = "defla";

impl Table {
    /// A table without rows. Where all is told: with methods, checksums and times; where nothing
    /// but errors is: of entries alone, for programs.
    pub fn new(verbosity: Verbosity) -> Table {
        Table { verbosity, rows: 0, compressed: 0, streams: 0, uncompressed: 0 }
    }

    fn verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// The line of an entry, after the header if it is the first.
    pub fn row(&mut self, entry: &Entry, name: &[u8]) -> Vec<u8> {
        let mut text = String::new();
        if self.rows == 0 && self.verbosity != Verbosity::Quiet {
            if self.verbose() {
                text += DETAILS;
            }
            text += "         compressed        uncompressed  ratio uncompressed_name\n";
        }
        self.rows += 1;
        self.compressed += entry.compressed;
        self.streams += entry.streams;
        self.uncompressed += entry.uncompressed;
        if self.verbose() {
            let checksum =
                entry.checksum.map_or("-".repeat(8), |checksum| format!("{checksum:08x}"));
            let time = time(entry.modified.unwrap_or(UNIX_EPOCH));
            let time = time.unwrap_or_else(|| "??? ?? ??:??".to_owned());
            write!(text, "{} {checksum} {time} ", entry.method()).expect("a string takes any text");
        }
        text += &sizes(entry.compressed, entry.streams, entry.uncompressed);
        [text.as_bytes(), name, b"\n"].concat()
    }

    /// The line of totals, where there is more than one row.
    pub fn end(&self) -> Option<String> {
        let indent = if self.verbose() { " ".repeat(DETAILS.len()) } else { String::new() };
        let sizes = || sizes(self.compressed, self.streams, self.uncompressed);
        let told = self.rows > 1 && self.verbosity != Verbosity::Quiet;
        told.then(|| indent + &sizes() + "(totals)\n")
    }
}

fn sizes(compressed: u64, streams: u64, uncompressed: u64) -> String {
    let saved = saved(streams, uncompressed);
    format!("{compressed:>19} {uncompressed:>19} {saved} ")
}

/// A time in the local time zone, as gzip has it.
fn time(time: SystemTime) -> Option<String> {
    let time = Timestamp::try_from(time).ok()?.to_zoned(TimeZone::system());
    Some(time.strftime("%b %e %H:%M").to_string())
}

/// The share of its bytes that a file saves by being compressed, headers and trailers left out as
/// gzip does it, in the width of its column.
pub fn saved(streams: u64, uncompressed: u64) -> String {
    let share = match uncompressed {
        0 => 0.0,
        _ => 1.0 - streams as f64 / uncompressed as f64,
    };
    format!("{:>5.1}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(compressed: u64, uncompressed: u64) -> Entry {
        let checksum = (compressed == 25).then_some(0x1234);
        let streams = compressed - 10;
        Entry { checksum, compressed, streams, uncompressed, ..Entry::default() }
    }

    fn text(rows: &[Vec<u8>], totals: Option<String>) -> String {
        String::from_utf8(rows.concat()).expect("it is text")
            + &totals.expect("two rows have totals")
    }

    #[test]
    fn columns_stand_below_each_other() {
        let mut table = Table::new(Verbosity::Normal);
        let first = table.row(&entry(25, 100), b"a");
        assert_eq!(table.end(), None);
        let rows = [first, table.row(&entry(20, 0), b"b")];
        assert_eq!(
            text(&rows, table.end()),
            "         compressed        uncompressed  ratio uncompressed_name\n\
             \x20                25                 100  85.0% a\n\
             \x20                20                   0   0.0% b\n\
             \x20                45                 100  75.0% (totals)\n"
        );
        let mut table = Table::new(Verbosity::Verbose);
        let rows = [table.row(&entry(25, 100), b"a"), table.row(&entry(310, 100), b"b")];
        let lines = text(&rows, table.end());
        let lines: Vec<&str> = lines.lines().collect();
        let columns = "         compressed        uncompressed  ratio uncompressed_name";
        assert_eq!(lines[0], format!("method  crc     date  time  {columns}"));
        assert!(lines[1].starts_with("defla 00001234 "), "{}", lines[1]);
        assert!(lines[2].starts_with("defla -------- "), "{}", lines[2]);
        for (line, sizes) in lines[1..].iter().zip([
            "                 25                 100  85.0% a",
            "                310                 100 -200.0% b",
            "                335                 200 -57.5% (totals)",
        ]) {
            assert_eq!(&line[DETAILS.len()..], sizes);
        }
    }

    #[test]
    fn members_have_the_checksum_of_all_their_data() {
        let member = |data: &[u8], format| Listed {
            format,
            offset: 0,
            compressed: 30,
            stream: 12,
            uncompressed: data.len() as u64,
            checksum: Some(crc32fast::hash(data)),
            decoded: true,
            mtime: data.len() as u32,
            name: Some(data.to_vec()),
        };
        let mut entry = Entry::default();
        entry.add(&member(b"the ", Format::Gzip));
        entry.add(&member(b"warp", Format::Gzip));
        assert_eq!(entry.checksum, Some(crc32fast::hash(b"the warp")));
        assert_eq!((entry.name.as_deref(), entry.stored), (Some(&b"the "[..]), from_seconds(4)));
        entry.add(&member(b"!", Format::Zlib));
        assert_eq!(entry.checksum, None);
    }

    #[test]
    fn names_come_as_they_are() {
        let row = Table::new(Verbosity::Normal).row(&entry(25, 100), b"\xff");
        assert!(row.ends_with(b" \xff\n"));
    }
}
