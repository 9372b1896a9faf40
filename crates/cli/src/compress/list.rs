//! The table of `--list`.

use std::fmt::Write;

use broadloom::compression::decompress::Listed;
use broadloom::compression::format::Format;

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
    /// The bytes that it stands for.
    pub uncompressed: u64,
}

impl Entry {
    /// Adds a member.
    pub fn add(&mut self, member: &Listed) {
        self.format.get_or_insert(member.format);
        self.checksum = if self.members == 0 { member.checksum } else { None };
        self.members += 1;
        self.compressed += member.compressed;
        self.uncompressed += member.uncompressed;
    }
}

/// The table, row by row.
#[derive(Default)]
pub struct Table {
    verbose: bool,
    rows: u64,
    compressed: u64,
    uncompressed: u64,
}

impl Table {
    /// A table without rows. `verbose`: with formats, members and checksums.
    pub fn new(verbose: bool) -> Table {
        Table { verbose, ..Table::default() }
    }

    /// The line of an entry, after the header if it is the first.
    pub fn row(&mut self, entry: &Entry, name: &str) -> String {
        let mut text = String::new();
        if self.rows == 0 {
            if self.verbose {
                text += "format      members checksum ";
            }
            text += "         compressed        uncompressed  ratio uncompressed_name\n";
        }
        self.rows += 1;
        self.compressed += entry.compressed;
        self.uncompressed += entry.uncompressed;
        if self.verbose {
            let format = entry.format.map_or("-", Format::name);
            let checksum = entry.checksum.map_or("-".to_owned(), |checksum| format!("{checksum:08x}"));
            write!(text, "{format:<8} {:>10} {checksum:>8} ", entry.members)
                .expect("a string takes any text");
        }
        text + &sizes(entry.compressed, entry.uncompressed, name)
    }

    /// The line of totals, where there is more than one row.
    pub fn end(&self) -> Option<String> {
        let indent = if self.verbose { " ".repeat(29) } else { String::new() };
        let sizes = || sizes(self.compressed, self.uncompressed, "(totals)");
        (self.rows > 1).then(|| indent + &sizes())
    }
}

fn sizes(compressed: u64, uncompressed: u64, name: &str) -> String {
    let saved = saved(compressed, uncompressed);
    format!("{compressed:>19} {uncompressed:>19} {saved} {name}\n")
}

/// The share of its bytes that a file saves by being compressed, in the width of its column.
pub fn saved(compressed: u64, uncompressed: u64) -> String {
    let share = match uncompressed {
        0 => 0.0,
        _ => 1.0 - compressed as f64 / uncompressed as f64,
    };
    format!("{:>5.1}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(compressed: u64, uncompressed: u64) -> Entry {
        let checksum = (compressed == 25).then_some(0x1234);
        Entry { format: Some(Format::Bgzf), members: 12, checksum, compressed, uncompressed }
    }

    #[test]
    fn columns_stand_below_each_other() {
        let mut table = Table::new(false);
        let mut text = table.row(&entry(25, 100), "a");
        assert_eq!(table.end(), None);
        text += &table.row(&entry(20, 0), "b");
        text += &table.end().expect("two rows have totals");
        assert_eq!(
            text,
            "         compressed        uncompressed  ratio uncompressed_name\n\
             \x20                25                 100  75.0% a\n\
             \x20                20                   0   0.0% b\n\
             \x20                45                 100  55.0% (totals)\n"
        );
        let mut table = Table::new(true);
        let text = [table.row(&entry(25, 100), "a"), table.row(&entry(300, 100), "b")].concat();
        assert_eq!(
            text + &table.end().expect("two rows have totals"),
            "format      members checksum          compressed        uncompressed  ratio uncompressed_name\n\
             bgzf             12 00001234                  25                 100  75.0% a\n\
             bgzf             12        -                 300                 100 -200.0% b\n\
             \x20                                            325                 200 -62.5% (totals)\n"
        );
    }
}
