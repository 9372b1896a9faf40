//! What `broadloom-perf stalls` can be asked for.

use super::Load;
use crate::names::named;
use crate::report::row::Row;

/// The provider in rows of code that is written as the articles have it.
pub(super) const TEXTBOOK: &str = "textbook";

/// A figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Three ways of writing RC4's loop.
    Rc4,
    /// KASUMI by small and by large tables.
    Kasumi,
}

use Topic::*;

named!(Topic, "figure", {
    Rc4 => "rc4",
    Kasumi => "kasumi",
});

impl Topic {
    /// The title of its part of a report.
    pub const fn title(self) -> &'static str {
        match self {
            Rc4 => "RC4: three ways of writing its loop",
            Kasumi => "KASUMI F8: small tables, large tables, lanes",
        }
    }

    /// What is asked, and how it is answered.
    pub const fn question(self) -> &'static str {
        match self {
            Rc4 => {
                "Version 1 loads again what it has just stored, version 2 keeps what it loaded, \
                 and version 3 uses each byte of the key stream a turn later. An article at Sun \
                 found version 3 to be 15 % faster than version 1. The lanes cipher four buffers \
                 side by side."
            }
            Kasumi => {
                "The function FI is computed with the tables S7 and S9 of the standard, or with \
                 two tables of 65,536 entries. An article at Sun counts 22 instructions for the \
                 first and five for the second, which waits for the second-level cache instead; \
                 so the eight threads of one core did nearly eight times the work of one. The \
                 lanes have no tables at all."
            }
        }
    }

    /// How much is ciphered: little enough for the nearest cache with RC4, and as many buffers as
    /// there are bitsliced lanes with KASUMI.
    pub(super) const fn load(self) -> Load {
        match self {
            Rc4 => Load { buffers: 8, len: 1024, turns: [2000, 100] },
            Kasumi => Load { buffers: 512, len: 256, turns: [60, 4] },
        }
    }

    /// Returns `true` if a row is of this figure.
    pub(super) fn has(self, row: &Row) -> bool {
        row.algorithm.starts_with(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_and_wrong_ones_name_the_right_ones() {
        for topic in Topic::ALL {
            assert_eq!(topic.name().parse::<Topic>().unwrap(), topic);
        }
        let error = "des".parse::<Topic>().unwrap_err().to_string();
        assert_eq!(error, "unknown figure \"des\"; valid: rc4, kasumi");
    }
}
