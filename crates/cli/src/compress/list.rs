//! The table of `--list`.

use std::fmt::Write;
use std::time::SystemTime;

use broadloom::compression::decompress::Listed;
use broadloom::compression::format::Format;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::files::Verbosity;

/// A compressed file, as the table shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// The format of its first member.
    pub format: Option<Format>,
    /// Its members, each decompressed on its own.
    pub members: u64,
    /// The checksum of its data, where it has but one member.
    pub checksum: Option<u32>,
    /// Its bytes.
    pub compressed: u64,
    /// The same without headers and trailers.
    pub streams: u64,
    /// The bytes that it stands for.
    pub uncompressed: u64,
    /// When it was modified, or the file that it was made of.
    pub modified: Option<SystemTime>,
}

impl Entry {
    /// Adds a member.
    pub fn add(&mut self, member: &Listed) {
        self.format.get_or_insert(member.format);
        self.checksum = if self.members == 0 { member.checksum } else { None };
        self.members += 1;
        self.compressed += member.compressed;
        self.streams += member.stream;
        self.uncompressed += member.uncompressed;
    }
}

/// The table, row by row.
pub struct Table {
    verbosity: Verbosity,
    rows: u64,
    compressed: u64,
    streams: u64,
    uncompressed: u64,
}

/// What stands before the sizes where all is told.
const DETAILS: &str = "format      members checksum     date  time ";

impl Table {
    /// A table without rows. Where all is told: with formats, members, checksums and times; where
    /// nothing but errors is: of entries alone, for programs.
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
            let format = entry.format.map_or("-", Format::name);
            let checksum =
                entry.checksum.map_or("-".to_owned(), |checksum| format!("{checksum:08x}"));
            let time = entry.modified.and_then(time).unwrap_or("-".to_owned());
            write!(text, "{format:<8} {:>10} {checksum:>8} {time:>12} ", entry.members)
                .expect("a string takes any text");
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
        let (format, modified) = (Some(Format::Bgzf), None);
        Entry {
            format,
            members: 12,
            checksum,
            compressed,
            streams: compressed - 10,
            uncompressed,
            modified,
        }
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
        assert_eq!(
            text(&rows, table.end()),
            "format      members checksum     date  time          compressed        uncompressed  ratio \
             uncompressed_name\n\
             bgzf             12 00001234            -                  25                 100  85.0% a\n\
             bgzf             12        -            -                 310                 100 -200.0% b\n\
             \x20                                                           335                 200 -57.5% \
             (totals)\n"
        );
    }

    #[test]
    fn names_come_as_they_are() {
        let row = Table::new(Verbosity::Normal).row(&entry(25, 100), b"\xff");
        assert!(row.ends_with(b" \xff\n"));
    }
}
