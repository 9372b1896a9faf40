//! What the engine is to do with one packet.

use std::ops::Range;

use arrayvec::ArrayVec;
use broadloom_engine::Session;

/// The longest nonce of a packet, in bytes: a counter block.
pub const MAX_NONCE: usize = 16;

/// The most bytes of associated data that a protocol composes, rather than leaving them in the
/// packet: DTLS 1.2 with a connection ID of 255 bytes has 278.
pub const MAX_COMPOSED: usize = 32;

/// The longest tag that a protocol checks apart from the data: that of HMAC-SHA-512-256 in IPsec.
pub const MAX_TAG: usize = 32;

/// The associated data of an AEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Associated {
    /// None.
    None,
    /// Bytes of the buffer, which end before the first byte of [`Work::data`].
    Before(Range<usize>),
    /// Bytes that are in no buffer, up to [`MAX_COMPOSED`].
    Composed(ArrayVec<u8, MAX_COMPOSED>),
    /// Bytes that are in no buffer, more than [`MAX_COMPOSED`].
    Long(Vec<u8>),
}

impl Associated {
    /// Returns the bytes, of a packet whose buffer begins with `buffer`: all that is before the
    /// first byte of [`Work::data`] will do.
    ///
    /// # Panics
    /// If the buffer ends before the associated data.
    #[inline]
    pub fn bytes<'a>(&'a self, buffer: &'a [u8]) -> &'a [u8] {
        match self {
            Associated::None => &[],
            Associated::Before(range) => &buffer[range.clone()],
            Associated::Composed(bytes) => bytes,
            Associated::Long(bytes) => bytes,
        }
    }
}

/// Where the tag goes, or where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagPlace {
    /// There is none: the session has no tags.
    None,
    /// At this place of the buffer, within [`Work::data`].
    At(usize),
    /// A tag that is made is copied to this place of the buffer after the job. The bytes there may
    /// be authenticated by the job, as ESP's and SRTP's high sequence numbers are.
    Later(usize),
    /// A tag that is checked, taken from the packet before.
    Expected(ArrayVec<u8, MAX_TAG>),
}

/// What the engine is to do with one packet: one job.
///
/// A flow makes a plan and [writes](Plan::write) it where the burst keeps it.
#[derive(Debug, Clone)]
#[must_use]
pub struct Plan<'f> {
    /// The session, which decides algorithm, direction and key.
    pub session: &'f Session,
    /// The rest: which bytes, nonce, associated data and tag.
    pub work: Work,
}

/// What one job is about, beside its session. All places and ranges count from the beginning of the
/// packet's buffer.
// In this order, what most plans have is within two cache lines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[repr(C)]
pub struct Work {
    /// The nonce, the IV or the first counter block; empty if the session takes none.
    pub nonce: ArrayVec<u8, MAX_NONCE>,
    /// A value of the protocol's own, such as the packet's whole number.
    pub number: u64,
    /// The bytes of the buffer that the job gets.
    pub data: Range<usize>,
    /// The bytes that are encrypted or decrypted; `None` if the session has no cipher.
    pub cipher: Option<Range<usize>>,
    /// The bytes that a MAC or a chain authenticates; `None` for an AEAD or a cipher alone.
    pub mac: Option<Range<usize>>,
    /// The associated data of an AEAD.
    pub associated: Associated,
    /// The tag.
    pub tag: TagPlace,
}

impl Default for Work {
    /// Nothing to do.
    fn default() -> Self {
        Work {
            nonce: ArrayVec::new_const(),
            number: 0,
            data: 0..0,
            cipher: None,
            mac: None,
            associated: Associated::None,
            tag: TagPlace::None,
        }
    }
}

impl Work {
    /// Returns the bytes of the buffer that are encrypted, decrypted or authenticated, but for
    /// associated data.
    #[inline(always)]
    pub(crate) fn text(&self) -> Range<usize> {
        match (&self.cipher, &self.mac) {
            (Some(cipher), None) => cipher.clone(),
            (None, Some(mac)) => mac.clone(),
            (Some(cipher), Some(mac)) => cipher.start.min(mac.start)..cipher.end.max(mac.end),
            (None, None) => self.data.start..self.data.start,
        }
    }

    /// Returns `true` if the tag is in the packet behind the text.
    #[inline(always)]
    pub(crate) fn has_tag_behind(&self) -> bool {
        matches!(self.tag, TagPlace::At(tag) if self.text().end <= tag)
    }

    /// Copies the tag that may be to check out of a packet whose tag is not behind the text.
    #[inline(never)]
    pub(crate) fn take_tag(&self, buffer: &[u8], tag: &mut [u8]) {
        match &self.tag {
            TagPlace::At(at) => tag.copy_from_slice(&buffer[*at..*at + tag.len()]),
            TagPlace::Expected(expected) if expected.len() == tag.len() => {
                tag.copy_from_slice(expected);
            }
            _ => {}
        }
    }

    /// Copies the tag that a session made into a packet whose tag is not behind the text.
    #[inline(never)]
    pub(crate) fn put_tag(&self, session: &Session, buffer: &mut [u8], tag: &[u8]) {
        let tag = &tag[..session.tag_len()];
        if let TagPlace::At(at) | TagPlace::Later(at) = self.tag {
            buffer[at..at + tag.len()].copy_from_slice(tag);
        }
    }
}

impl<'f> Plan<'f> {
    /// Returns a plan for an AEAD: it encrypts or decrypts `cipher`, and the tag is at `tag`,
    /// behind it.
    #[inline(always)]
    pub fn aead(session: &'f Session, nonce: &[u8], cipher: Range<usize>, tag: usize) -> Self {
        let data = cipher.start..tag + session.tag_len();
        Plan::new(session, nonce, data, Some(cipher), None, TagPlace::At(tag))
    }

    /// Returns a plan for a chain: it encrypts or decrypts `cipher` and authenticates `mac`, and
    /// the tag is at `tag`, behind both.
    #[inline(always)]
    pub fn chain(
        session: &'f Session,
        nonce: &[u8],
        cipher: Range<usize>,
        mac: Range<usize>,
        tag: usize,
    ) -> Self {
        let data = mac.start.min(cipher.start)..tag + session.tag_len();
        Plan::new(session, nonce, data, Some(cipher), Some(mac), TagPlace::At(tag))
    }

    /// Returns a plan for a MAC alone over `mac`, with the tag behind it.
    #[inline(always)]
    pub fn mac(session: &'f Session, nonce: &[u8], mac: Range<usize>, tag: usize) -> Self {
        let data = mac.start..tag + session.tag_len();
        Plan::new(session, nonce, data, None, Some(mac), TagPlace::At(tag))
    }

    /// Returns a plan for a cipher alone.
    #[inline(always)]
    pub fn cipher(session: &'f Session, nonce: &[u8], cipher: Range<usize>) -> Self {
        Plan::new(session, nonce, cipher.clone(), Some(cipher), None, TagPlace::None)
    }

    #[inline(always)]
    fn new(
        session: &'f Session,
        nonce: &[u8],
        data: Range<usize>,
        cipher: Option<Range<usize>>,
        mac: Option<Range<usize>>,
        tag: TagPlace,
    ) -> Self {
        let nonce = ArrayVec::try_from(nonce).expect("a nonce has at most 16 bytes");
        let associated = Associated::None;
        Plan { session, work: Work { nonce, data, cipher, mac, associated, tag, number: 0 } }
    }

    /// Writes the plan to a place that is used again for packet after packet, and returns the
    /// session.
    #[inline(always)]
    pub fn write(self, place: &mut Work) -> &'f Session {
        let Work { nonce, number, data, cipher, mac, associated, tag } = self.work;
        // Not all at once, so that nothing is put together elsewhere and then moved.
        place.nonce = nonce;
        place.number = number;
        place.data = data;
        place.cipher = cipher;
        place.mac = mac;
        place.associated = associated;
        place.tag = tag;
        self.session
    }

    /// Returns the plan with a number of the protocol's own.
    #[inline(always)]
    pub fn number(mut self, number: u64) -> Self {
        self.work.number = number;
        self
    }

    /// Returns the plan with associated data.
    #[inline(always)]
    pub fn associated(mut self, associated: Associated) -> Self {
        self.work.associated = associated;
        self
    }

    /// Returns the plan with another place for the tag.
    #[inline(always)]
    pub fn tag(mut self, tag: TagPlace) -> Self {
        self.work.tag = tag;
        self
    }
}

/// What follows a job.
#[derive(Debug)]
pub enum Step<'f> {
    /// The packet is complete.
    Complete,
    /// The packet needs one more job, after which its flow is asked again.
    Again(Plan<'f>),
}

/// A mask over a packet's header: the encryption of a sample of the ciphertext.
#[derive(Debug, Clone)]
pub struct Mask<'f> {
    /// The session of a cipher that encrypts: ECB over the sample, or a key stream from it.
    pub session: &'f Session,
    /// The nonce; empty where the cipher takes none.
    pub nonce: ArrayVec<u8, MAX_NONCE>,
    /// What is encrypted: the sample for ECB, zeros for a key stream.
    pub block: [u8; 16],
}
