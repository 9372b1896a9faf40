//! Finds the cause and the position of damage in a deflate stream that a fast decoder refused.
//!
//! Fast decoders that take a whole stream only say that it is wrong. This decoder says at which
//! byte.

use zlib_rs::{Inflate, InflateError, InflateFlush, Status};

use crate::format::{Cause, FormatError, Part};

/// The finding of a slow look at a deflate stream.
///
/// ```
/// use broadloom_compression::diagnose::{Finding, diagnose};
///
/// // An empty final block, and half of one.
/// assert_eq!(diagnose(&[3, 0]), Finding::Sound { stream: 2, data: 0 });
/// assert!(matches!(diagnose(&[3]), Finding::Wrong(_)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// Nothing wrong: the stream ends after so many bytes, with so many bytes of data. Then it is
    /// the decoder that refused it which is to blame.
    Sound {
        /// Bytes up to the end of the final block.
        stream: u64,
        /// Bytes of data.
        data: u64,
    },
    /// It is wrong, or cut off, at the given byte of it.
    Wrong(FormatError),
}

/// Looks for what is wrong with the deflate stream at the beginning of `stream`. Offsets count from
/// there, and are exact: it is the byte with which a decoder can notice, and no earlier one.
pub fn diagnose(stream: &[u8]) -> Finding {
    // At full speed the decoder stops at the right byte, but has one word for several causes. Byte
    // by byte it tells them apart.
    match attempt(stream, stream.len()) {
        Finding::Wrong(FormatError { offset, cause: Cause::Deflate(_) }) => {
            attempt(stream, (offset as usize).saturating_sub(SLOWLY))
        }
        found => found,
    }
}

/// The number of bytes before the wrong one that are decoded one by one: more than any code has.
const SLOWLY: usize = 64;

/// Decodes `fast` bytes of the stream at once, the others one by one.
fn attempt(stream: &[u8], fast: usize) -> Finding {
    let mut state = Inflate::new(false, 15);
    let mut room = vec![0; 1 << 16];
    let (fast, slow) = stream.split_at(fast);
    for piece in std::iter::once(fast).chain(slow.chunks(1)) {
        let end = state.total_in() + piece.len() as u64;
        loop {
            let before = (state.total_in(), state.total_out());
            let rest = &piece[piece.len() - (end - before.0) as usize..];
            match state.decompress(rest, &mut room, InflateFlush::NoFlush) {
                Ok(Status::StreamEnd) => {
                    return Finding::Sound { stream: state.total_in(), data: state.total_out() };
                }
                Ok(Status::Ok | Status::BufError) => {}
                Err(error) => return Finding::Wrong(wrong(&state, error)),
            }
            if before == (state.total_in(), state.total_out()) {
                break;
            }
        }
    }
    Finding::Wrong(FormatError::new(stream.len() as u64, Cause::Truncated(Part::Deflate)))
}

/// Why the decoder stopped, and at which byte of its stream.
pub(crate) fn wrong(state: &Inflate, error: InflateError) -> FormatError {
    let message = match state.error_message() {
        // The decoder's fast loop finds errors without naming them.
        None | Some("repeated call with bad state") => "invalid code or distance",
        Some(message) => message,
    };
    let cause = match error {
        InflateError::NeedDict { dict_id } => Cause::Dictionary { id: dict_id },
        _ => Cause::Deflate(message),
    };
    FormatError::new(state.total_in().saturating_sub(1), cause)
}
