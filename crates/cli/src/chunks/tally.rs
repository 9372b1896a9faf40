//! What de-duplication saves.

use std::collections::HashSet;

use serde_json::{Value, json};

/// Sums over chunks.
#[derive(Default)]
pub struct Tally {
    /// Files that were read to their ends.
    pub files: u64,
    bytes: u64,
    chunks: u64,
    smallest: u64,
    largest: u64,
    /// Digests of chunks that differ.
    seen: HashSet<[u8; 32]>,
    unique_bytes: u64,
}

impl Tally {
    /// Counts a chunk.
    pub fn count(&mut self, digest: &[u8], len: u64) {
        let digest = digest.try_into().expect("a SHA-256 digest has 32 bytes");
        self.smallest = if self.chunks == 0 { len } else { self.smallest.min(len) };
        self.largest = self.largest.max(len);
        self.bytes += len;
        self.chunks += 1;
        if self.seen.insert(digest) {
            self.unique_bytes += len;
        }
    }

    /// As lines of text.
    pub fn lines(&self) -> String {
        let sizes = match self.chunks {
            0 => String::new(),
            _ => format!(
                "smallest chunk  {}\naverage chunk   {:.0}\nlargest chunk   {}\n",
                self.smallest,
                self.average(),
                self.largest
            ),
        };
        format!(
            "files           {}\nbytes           {}\nchunks          {}\n{sizes}\
             unique chunks   {}\nunique bytes    {}\nratio           {:.3}\n",
            self.files,
            self.bytes,
            self.chunks,
            self.seen.len(),
            self.unique_bytes,
            self.ratio()
        )
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({
            "files": self.files,
            "bytes": self.bytes,
            "chunks": self.chunks,
            "smallest_chunk": self.smallest,
            "average_chunk": self.average(),
            "largest_chunk": self.largest,
            "unique_chunks": self.seen.len(),
            "unique_bytes": self.unique_bytes,
            "ratio": self.ratio(),
        })
    }

    fn average(&self) -> f64 {
        self.bytes as f64 / self.chunks.max(1) as f64
    }

    /// Returns how many times as large all chunks are as those that differ: 1 if there are none.
    fn ratio(&self) -> f64 {
        if self.bytes == 0 { 1.0 } else { self.bytes as f64 / self.unique_bytes as f64 }
    }
}
