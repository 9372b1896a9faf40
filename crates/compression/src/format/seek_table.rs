//! The seek table of zstd's seekable format (the document *Zstandard Seekable Format*, version
//! 0.1.0): the lengths of all frames, in a skippable frame at the end of a file.

use super::skippable;

/// The most frames that a table has.
pub const MAX_FRAMES: usize = 0x0800_0000;

/// The kind of the skippable frame.
const KIND: u8 = 0xe;
/// The last bytes of a file that has a table.
const MAGIC: [u8; 4] = [0xb1, 0xea, 0x92, 0x8f];
/// Bytes of an entry: the length of a frame, and that of its content.
const ENTRY: usize = 8;
/// Bytes behind the entries.
const FOOTER: usize = 9;

/// The lengths of frames, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Of the frame.
    pub compressed: u32,
    /// Of its content.
    pub uncompressed: u32,
}

/// The table as bytes, without checksums, which each frame has itself.
///
/// ```
/// use broadloom_compression::format::seek_table::{Entry, table};
///
/// let bytes = table(&[Entry { compressed: 13, uncompressed: 4 }]);
/// assert_eq!(bytes.len(), 8 + 8 + 9);
/// assert!(bytes.ends_with(&[1, 0, 0, 0, 0, 0xb1, 0xea, 0x92, 0x8f]));
/// ```
///
/// # Panics
/// If there are more than [`MAX_FRAMES`].
pub fn table(entries: &[Entry]) -> Vec<u8> {
    assert!(entries.len() <= MAX_FRAMES, "a seek table has at most {MAX_FRAMES} frames");
    let content = entries.len() * ENTRY + FOOTER;
    let mut bytes = Vec::with_capacity(skippable::HEADER + content);
    bytes.extend(skippable::header(KIND, content as u32));
    for entry in entries {
        bytes.extend(entry.compressed.to_le_bytes());
        bytes.extend(entry.uncompressed.to_le_bytes());
    }
    bytes.extend((entries.len() as u32).to_le_bytes());
    // No checksums, and nothing reserved.
    bytes.push(0);
    bytes.extend(MAGIC);
    bytes
}
