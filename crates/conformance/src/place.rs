//! Buffers at chosen offsets, between bytes that must not change.

/// The byte that surrounds buffers.
const GUARD: u8 = 0xa5;
/// The base of alignments, in bytes: a cache line, which is also the widest vector.
pub(crate) const LINE: usize = 64;

/// A buffer that starts a given number of bytes after a multiple of [`LINE`].
pub(crate) struct Placed {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Placed {
    /// A buffer with these contents.
    pub fn new(offset: usize, contents: &[u8]) -> Self {
        let mut bytes = vec![GUARD; 2 * LINE + offset + contents.len() + LINE];
        let start = bytes.as_ptr().align_offset(LINE) + LINE + offset;
        bytes[start..start + contents.len()].copy_from_slice(contents);
        Placed { bytes, start, len: contents.len() }
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }

    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }

    /// Returns `true` if the bytes around it are as they were.
    pub fn is_unharmed(&self) -> bool {
        let (before, rest) = self.bytes.split_at(self.start);
        before.iter().chain(&rest[self.len..]).all(|byte| *byte == GUARD)
    }
}
