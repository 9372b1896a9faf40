//! A packet within its buffer, with the room around it.

use std::ops::Range;

use crate::error::PacketError;

/// A packet in its buffer, as a protocol changes it: headers grow into the room before the packet,
/// padding and tags into the room behind it.
///
/// ```
/// use broadloom_packets::Frame;
///
/// let mut buffer = *b"....payload....";
/// let mut range = 4..11;
/// let mut frame = Frame::new(&mut buffer, &mut range);
/// frame.prepend(2)?.copy_from_slice(b"h:");
/// frame.append(1)?[0] = b'!';
/// assert_eq!(frame.bytes(), b"h:payload!");
/// # Ok::<(), broadloom_packets::PacketError>(())
/// ```
#[derive(Debug)]
pub struct Frame<'f> {
    buffer: &'f mut [u8],
    range: &'f mut Range<usize>,
}

impl<'f> Frame<'f> {
    /// Returns the frame of the packet that occupies a range of a buffer.
    ///
    /// # Panics
    /// If the range is not within the buffer.
    #[inline]
    pub fn new(buffer: &'f mut [u8], range: &'f mut Range<usize>) -> Self {
        assert!(
            range.start <= range.end && range.end <= buffer.len(),
            "the packet at {range:?} is not within its buffer of {} bytes",
            buffer.len()
        );
        Frame { buffer, range }
    }

    /// Returns the packet.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }

    /// Returns the packet, to be changed.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[self.range.clone()]
    }

    /// Returns the bytes of the packet.
    #[inline]
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Returns `true` if the packet has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns where the packet begins in its buffer. The ranges of a [`Work`](crate::Work) count
    /// from the beginning of the buffer.
    #[inline]
    pub fn start(&self) -> usize {
        self.range.start
    }

    /// Returns where the packet ends in its buffer.
    #[inline]
    pub fn end(&self) -> usize {
        self.range.end
    }

    /// Returns the whole buffer, which the ranges of a [`Work`](crate::Work) refer to.
    #[inline]
    pub fn buffer(&self) -> &[u8] {
        self.buffer
    }

    /// Returns the whole buffer, to be changed.
    #[inline]
    pub fn buffer_mut(&mut self) -> &mut [u8] {
        self.buffer
    }

    /// Checks that there is room before and behind the packet, so that a protocol changes nothing
    /// of a packet that it has to refuse.
    ///
    /// # Errors
    /// [`PacketError::NoHeadRoom`] or [`PacketError::NoTailRoom`].
    #[inline]
    pub fn has_room(&self, head: usize, tail: usize) -> Result<(), PacketError> {
        let behind = self.buffer.len() - self.range.end;
        if self.range.start < head {
            return Err(PacketError::NoHeadRoom { need: head, have: self.range.start });
        }
        if behind < tail {
            return Err(PacketError::NoTailRoom { need: tail, have: behind });
        }
        Ok(())
    }

    /// Checks that the packet has at least `min` bytes.
    ///
    /// # Errors
    /// [`PacketError::Runt`].
    #[inline]
    pub fn has_at_least(&self, min: usize) -> Result<(), PacketError> {
        match self.range.len() < min {
            true => Err(PacketError::Runt { len: self.range.len(), min }),
            false => Ok(()),
        }
    }

    /// Lets the packet begin `len` bytes earlier, and returns those bytes.
    ///
    /// # Errors
    /// [`PacketError::NoHeadRoom`]; the packet is as it was.
    #[inline]
    pub fn prepend(&mut self, len: usize) -> Result<&mut [u8], PacketError> {
        self.has_room(len, 0)?;
        self.range.start -= len;
        Ok(&mut self.buffer[self.range.start..][..len])
    }

    /// Lets the packet end `len` bytes later, and returns those bytes.
    ///
    /// # Errors
    /// [`PacketError::NoTailRoom`]; the packet is as it was.
    #[inline]
    pub fn append(&mut self, len: usize) -> Result<&mut [u8], PacketError> {
        self.has_room(0, len)?;
        let end = self.range.end;
        self.range.end += len;
        Ok(&mut self.buffer[end..end + len])
    }

    /// Takes `len` bytes away from the beginning of the packet.
    ///
    /// # Errors
    /// [`PacketError::Runt`]; the packet is as it was.
    #[inline]
    pub fn remove_front(&mut self, len: usize) -> Result<(), PacketError> {
        self.has_at_least(len)?;
        self.range.start += len;
        Ok(())
    }

    /// Takes `len` bytes away from the end of the packet.
    ///
    /// # Errors
    /// [`PacketError::Runt`]; the packet is as it was.
    #[inline]
    pub fn remove_back(&mut self, len: usize) -> Result<(), PacketError> {
        self.has_at_least(len)?;
        self.range.end -= len;
        Ok(())
    }
}
