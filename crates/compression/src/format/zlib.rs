//! zlib, RFC 1950: two bytes, a deflate stream, the Adler-32 of the data.

use super::{Cause, Format, FormatError};

/// Bytes of the header.
pub const HEADER: usize = 2;

/// Bytes behind the deflate data.
pub const TRAILER: usize = 4;

const DEFLATE: u8 = 8;
const NEEDS_DICTIONARY: u8 = 0x20;

/// The contents of the header.
///
/// ```
/// use broadloom_compression::format::zlib::Header;
///
/// let header = Header::new(15, 6);
/// assert_eq!(Header::parse(&header.to_bytes()), Ok(Some(header)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The window, as a power of two: 8 to 15.
    pub window: u8,
    /// The compressor's effort, from 0 (fastest) to 3 (best).
    pub effort: u8,
}

impl Header {
    /// Reads the header at the beginning of `bytes`. `None` if there is not all of it.
    ///
    /// # Errors
    /// If it is none: its check fails, another method than deflate, a window that is too large. And
    /// if the data need a preset dictionary.
    pub fn parse(bytes: &[u8]) -> Result<Option<Self>, FormatError> {
        let Some(&found) = bytes.first_chunk::<HEADER>() else { return Ok(None) };
        let [method, flags] = found;
        if method & 0x0f != DEFLATE {
            return Err(FormatError::new(0, Cause::Magic { format: Format::Zlib, found }));
        }
        if !u16::from_be_bytes(found).is_multiple_of(31) {
            return Err(FormatError::new(0, Cause::HeaderCheck(found)));
        }
        let window = (method >> 4) + 8;
        if window > 15 {
            return Err(FormatError::new(0, Cause::Window(window)));
        }
        if flags & NEEDS_DICTIONARY != 0 {
            let Some(id) = bytes[HEADER..].first_chunk() else { return Ok(None) };
            let cause = Cause::Dictionary { id: u32::from_be_bytes(*id) };
            return Err(FormatError::new(HEADER as u64, cause));
        }
        Ok(Some(Header { window, effort: flags >> 6 }))
    }

    /// The header that zlib writes for a window of 2^`window` bytes at `level`: 1 and below are the
    /// fastest, 6 the usual, above that the best.
    ///
    /// # Panics
    /// If `window` is not within 8 and 15.
    pub fn new(window: u8, level: u8) -> Self {
        assert!((8..=15).contains(&window), "a window of 2^{window} bytes; valid: 2^8 to 2^15");
        let effort = match level {
            0 | 1 => 0,
            2..=5 => 1,
            6 => 2,
            _ => 3,
        };
        Header { window, effort }
    }

    /// The header in bytes.
    pub fn to_bytes(self) -> [u8; HEADER] {
        let method = ((self.window - 8) << 4) | DEFLATE;
        let flags = self.effort << 6;
        let rest = u16::from_be_bytes([method, flags]) % 31;
        [method, if rest == 0 { flags } else { flags + (31 - rest) as u8 }]
    }
}

/// The trailer for data with this Adler-32.
pub fn trailer(adler: u32) -> [u8; TRAILER] {
    adler.to_be_bytes()
}

/// Compares the trailer with the Adler-32 of what was decoded.
///
/// # Errors
/// If it is another. Offsets count from the beginning of the trailer.
pub fn check(trailer: &[u8; TRAILER], adler: u32) -> Result<(), FormatError> {
    let stored = u32::from_be_bytes(*trailer);
    if stored == adler {
        return Ok(());
    }
    Err(FormatError::new(0, Cause::Checksum { name: "Adler-32", computed: adler, stored }))
}
