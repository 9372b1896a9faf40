//! What is encrypted in a record whose type is hidden: the content, its type, and zeros.

use super::{ContentType, MAX_CONTENT};
use crate::error::PacketError;
use crate::frame::Frame;

impl ContentType {
    /// Checks that a record of this type may have `len` bytes of content and so much padding.
    ///
    /// # Errors
    /// As those of [`check_content`](ContentType::check_content); the type is 0; or content and
    /// padding are too long together.
    #[inline]
    pub(crate) fn check_inner(self, len: usize, padding: usize) -> Result<(), PacketError> {
        self.check_content(len)?;
        if self.0 == 0 {
            return Err(PacketError::Malformed { field: "inner content type", value: 0 });
        }
        match padding > MAX_CONTENT - len {
            true => {
                let len = len.saturating_add(padding);
                Err(PacketError::TooLong { len, max: MAX_CONTENT })
            }
            false => Ok(()),
        }
    }
}

/// Appends a content type and its padding to the content in a frame, which has room for them.
#[inline]
pub(crate) fn append_inner(
    frame: &mut Frame<'_>,
    content_type: ContentType,
    padding: usize,
) -> Result<(), PacketError> {
    frame.append(1)?[0] = content_type.0;
    frame.append(padding)?.fill(0);
    Ok(())
}

/// The parts of what was encrypted (RFC 8446, 5.4). Padding is searched for from the end, in a time
/// that tells how long it is, as the standard expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inner {
    /// Bytes of content, at the beginning.
    pub(crate) content: usize,
    pub(crate) content_type: ContentType,
    /// Zeros at the end.
    pub(crate) padding: usize,
}

impl Inner {
    /// Finds the parts.
    ///
    /// # Errors
    /// There is no content type, or the content is too long or too short for it.
    pub(crate) fn read(inner: &[u8]) -> Result<Inner, PacketError> {
        let Some(content) = inner.iter().rposition(|byte| *byte != 0) else {
            return Err(PacketError::Malformed { field: "inner content type", value: 0 });
        };
        if inner.len() > MAX_CONTENT + 1 {
            return Err(PacketError::TooLong { len: inner.len(), max: MAX_CONTENT + 1 });
        }
        let content_type = ContentType(inner[content]);
        content_type.check_content(content)?;
        Ok(Inner { content, content_type, padding: inner.len() - content - 1 })
    }
}
