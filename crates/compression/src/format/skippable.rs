//! Skippable frames, which LZ4 and zstd share (RFC 8878, section 3.1.2): a magic number, a length,
//! and bytes that a decoder passes over.

/// Bytes before the content.
pub const HEADER: usize = 8;

/// The first byte of the first of the sixteen magic numbers; the others follow it.
const FIRST: u8 = 0x50;
/// The bytes behind the first one.
const REST: [u8; 3] = [0x2a, 0x4d, 0x18];

/// Returns `true` if a skippable frame begins with these bytes.
pub fn begins(magic: [u8; 4]) -> bool {
    magic[0] & 0xf0 == FIRST && magic[1..] == REST
}

/// Returns the header of a skippable frame.
///
/// ```
/// use broadloom_compression::format::skippable;
///
/// let header = skippable::header(0xe, 17);
/// assert!(skippable::begins([header[0], header[1], header[2], header[3]]));
/// assert_eq!(skippable::content(&header), 17);
/// ```
///
/// # Panics
/// If `kind` is above 15.
pub fn header(kind: u8, content: u32) -> [u8; HEADER] {
    assert!(kind < 16, "a kind of skippable frame is 0 to 15, not {kind}");
    let [a, b, c, d] = content.to_le_bytes();
    [FIRST + kind, REST[0], REST[1], REST[2], a, b, c, d]
}

/// The length of the content, in bytes, by what stands before it.
pub fn content(header: &[u8; HEADER]) -> u32 {
    u32::from_le_bytes([header[4], header[5], header[6], header[7]])
}
