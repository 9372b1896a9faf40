//! The rows of `broadloom-perf storage`, and what source 001 printed for them.

use super::side::Over;
use crate::names::named;
use crate::report::row::Row;

/// Bytes of an operation that streams.
pub(super) const PIECE: usize = 1 << 20;

/// Bytes of an operation at a random place, and of a synchronous one.
pub(super) const BLOCK: usize = 8 << 10;

/// Bytes of a file that is created.
pub(super) const FILE: usize = 16 << 10;

/// A row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// A set is read from its beginning to its end, out of no cache.
    StreamingReadCold,
    /// The same out of the page cache.
    StreamingReadWarm,
    /// A new set is written, and synchronised at its end.
    StreamingWrite,
    /// 8 KiB are read at random places of a set.
    RandomRead,
    /// 8 KiB are overwritten at random places of a set.
    RandomWrite,
    /// 8 KiB are written and synchronised, again and again.
    SynchronousWrite,
    /// Small files are created.
    Create,
    /// Small files are deleted.
    Delete,
    /// Small files are asked for their attributes.
    Stat,
}

use Topic::*;

/// A line of source 001: eighteen clients of a Sun Storage 7410.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Printed {
    /// Threads of each client.
    pub threads: usize,
    /// MB/s, or operations a second where [`Topic::streams`] does not hold.
    pub rate: f64,
    /// The part of its sixteen cores that was busy, in per cent.
    pub busy: f64,
}

/// Cores of the source's server.
pub(super) const CORES: f64 = 16.0;

const fn printed(threads: usize, rate: f64, busy: f64) -> Printed {
    Printed { threads, rate, busy }
}

named!(Topic, "figure", {
    StreamingReadCold => "streaming-read-cold",
    StreamingReadWarm => "streaming-read",
    StreamingWrite => "streaming-write",
    RandomRead => "random-read",
    RandomWrite => "random-write",
    SynchronousWrite => "synchronous-write",
    Create => "create",
    Delete => "delete",
    Stat => "stat",
});

impl Topic {
    /// The title of its part of a report.
    pub const fn title(self) -> &'static str {
        match self {
            StreamingReadCold => "Streaming read, cold",
            StreamingReadWarm => "Streaming read, warm",
            StreamingWrite => "Streaming write",
            RandomRead => "Random reads of 8 KiB",
            RandomWrite => "Random writes of 8 KiB",
            SynchronousWrite => "Synchronous writes of 8 KiB",
            Create => "Creates",
            Delete => "Deletes",
            Stat => "Stats",
        }
    }

    /// Returns what is done.
    pub const fn question(self) -> &'static str {
        match self {
            StreamingReadCold => {
                "Each client reads its set from the beginning to the end. The pages of the set \
                 were dropped from the cache before. An operation is 1 MiB; over a repository it \
                 is a chunk, of 1 MiB in the mean."
            }
            StreamingReadWarm => {
                "Each client reads its set from the beginning to the end, as before. The set is in \
                 the page cache."
            }
            StreamingWrite => {
                "Each client writes a new set and synchronises it at the end. An operation is 1 \
                 MiB. Over a repository the set is a stream that is backed up; an operation ends \
                 when the backup has taken its bytes."
            }
            RandomRead => {
                "Each client reads 8 KiB at random places of its set. Over encrypted files each \
                 read opens the header, and decrypts the chunks of the place and the last chunk. \
                 Over a repository each read decrypts a chunk, of 1 MiB in the mean."
            }
            RandomWrite => "Each client overwrites 8 KiB at random places of its set.",
            SynchronousWrite => {
                "Each client writes 8 KiB at a random place and waits until they are on the disk. \
                 Over encrypted files each write is a new file. Over a repository each write is a \
                 snapshot: a pack, an index and the snapshot itself are synchronised."
            }
            Create => {
                "Each client creates files of 16 KiB. Over a repository one backup saves all of \
                 them, so that no file has a time of its own. The files of fio are empty."
            }
            Delete => "Each client deletes files of 16 KiB, one after another.",
            Stat => {
                "Each client asks for the attributes of files of 16 KiB. Over a repository each \
                 path is looked up in the trees of a snapshot."
            }
        }
    }

    /// Why the row has no meaning over a kind of storage.
    pub(super) const fn meaningless(self, over: Over) -> Option<&'static str> {
        match (self, over) {
            (RandomWrite, Over::Encrypted) => {
                Some("a file of age is written once: its bytes do not change in place")
            }
            (RandomWrite, Over::Repository) => {
                Some("a snapshot is written once: its bytes do not change in place")
            }
            (Delete, Over::Repository) => {
                Some("a snapshot keeps its files: `forget` drops whole snapshots")
            }
            _ => None,
        }
    }

    /// The direction in a row.
    pub(super) const fn direction(self) -> &'static str {
        match self {
            StreamingReadCold | StreamingReadWarm | RandomRead => "read",
            StreamingWrite | RandomWrite | SynchronousWrite => "write",
            Create => "create",
            Delete => "delete",
            Stat => "stat",
        }
    }

    /// Bytes that an operation moves; of a deletion and of a stat, none.
    pub(super) const fn bytes(self) -> usize {
        match self {
            StreamingReadCold | StreamingReadWarm | StreamingWrite => PIECE,
            RandomRead | RandomWrite | SynchronousWrite => BLOCK,
            Create => FILE,
            Delete | Stat => 0,
        }
    }

    /// Returns `true` if the source gives MB/s, and not operations a second.
    pub(super) const fn streams(self) -> bool {
        self.bytes() == PIECE
    }

    /// Operations of a client in one pass, over a set of so many bytes.
    pub(super) fn operations(self, over: Over, set: u64, quick: bool) -> usize {
        match self {
            _ if self.streams() => usize::try_from(set / PIECE as u64).unwrap_or(usize::MAX),
            SynchronousWrite if over == Over::Repository => [24, 2][usize::from(quick)],
            SynchronousWrite => [200, 8][usize::from(quick)],
            _ => [1000, 40][usize::from(quick)],
        }
    }

    /// Returns what source 001 printed, or nothing if it has no such line.
    pub(super) const fn source(self) -> &'static [Printed] {
        match self {
            StreamingReadCold => &const { [printed(1, 871.0, 82.0), printed(20, 924.2, 88.0)] },
            StreamingReadWarm => &const { [printed(1, 1012.6, 68.0), printed(10, 1005.9, 83.0)] },
            StreamingWrite => &const { [printed(1, 461.5, 68.0), printed(20, 444.5, 81.0)] },
            RandomRead => &const { [printed(20, 6204.0, 14.0), printed(128, 7047.0, 23.0)] },
            SynchronousWrite => &const { [printed(128, 24555.0, 73.0)] },
            RandomWrite | Create | Delete | Stat => &[],
        }
    }

    /// Returns `true` if a row is of this part.
    pub(super) fn has(self, row: &Row) -> bool {
        row.pass.as_ref().is_some_and(|pass| pass.figure == self.name())
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
        let error = "read".parse::<Topic>().unwrap_err().to_string();
        assert!(
            error.starts_with("unknown figure \"read\"; valid: streaming-read-cold, "),
            "{error}"
        );
    }

    #[test]
    fn the_source_has_nine_lines() {
        assert_eq!(Topic::ALL.map(|topic| topic.source().len()).iter().sum::<usize>(), 9);
    }
}
