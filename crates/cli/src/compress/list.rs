//! The table of `--list`.

use std::fmt::Write;

use broadloom::compression::Format;

/// A compressed file, as the table shows it.
pub struct Entry {
    /// Its format.
    pub format: Format,
    /// Its chunks.
    pub chunks: u64,
    /// Its bytes.
    pub compressed: u64,
    /// The bytes that it stands for.
    pub uncompressed: u64,
    /// Their name.
    pub name: String,
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
    /// A table without rows. `verbose`: with formats and chunks.
    pub fn new(verbose: bool) -> Table {
        Table { verbose, ..Table::default() }
    }

    /// The line of an entry, after the header if it is the first.
    pub fn row(&mut self, entry: &Entry) -> String {
        let mut text = String::new();
        if self.rows == 0 {
            if self.verbose {
                text += "format       chunks ";
            }
            text += "         compressed        uncompressed  ratio uncompressed_name\n";
        }
        self.rows += 1;
        self.compressed += entry.compressed;
        self.uncompressed += entry.uncompressed;
        if self.verbose {
            write!(text, "{:<8} {:>10} ", entry.format, entry.chunks).expect("a string takes any text");
        }
        text + &sizes(entry.compressed, entry.uncompressed, &entry.name)
    }

    /// The line of totals, where there is more than one row.
    pub fn end(&self) -> Option<String> {
        let indent = if self.verbose { " ".repeat(20) } else { String::new() };
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

    fn entry(compressed: u64, uncompressed: u64, name: &str) -> Entry {
        Entry { format: Format::Bgzf, chunks: 12, compressed, uncompressed, name: name.to_owned() }
    }

    #[test]
    fn columns_stand_below_each_other() {
        let mut table = Table::new(false);
        let mut text = table.row(&entry(25, 100, "a"));
        assert_eq!(table.end(), None);
        text += &table.row(&entry(20, 0, "b"));
        text += &table.end().expect("two rows have totals");
        assert_eq!(
            text,
            "         compressed        uncompressed  ratio uncompressed_name\n\
             \x20                25                 100  75.0% a\n\
             \x20                20                   0   0.0% b\n\
             \x20                45                 100  55.0% (totals)\n"
        );
        let mut table = Table::new(true);
        let text = [table.row(&entry(25, 100, "a")), table.row(&entry(300, 100, "b"))].concat();
        assert_eq!(
            text + &table.end().expect("two rows have totals"),
            "format       chunks          compressed        uncompressed  ratio uncompressed_name\n\
             bgzf             12                  25                 100  75.0% a\n\
             bgzf             12                 300                 100 -200.0% b\n\
             \x20                                   325                 200 -62.5% (totals)\n"
        );
    }
}
