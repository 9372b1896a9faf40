//! Records of TLS 1.3.

use broadloom_engine::{Registry, Session};

use super::order::ReadOrder;
use super::{HEADER, record_len};
use crate::counters::Counters;
use crate::error::{FlowError, PacketError};
use crate::flow::Flow;
use crate::frame::Frame;
use crate::plan::{Associated, Plan, Step, Work};
use crate::records::{
    ContentType, Inner, MAX_CONTENT, RecordAead, RecordKeys, Side, Use, append_inner,
};

/// The most bytes of a record behind its header (RFC 8446, 5.2).
const MAX_RECORD: usize = MAX_CONTENT + 256;

/// The last sequence number: they must not wrap (RFC 8446, 5.3).
const LAST: u64 = u64::MAX - 1;

/// What the labels of all derived keys begin with.
const PREFIX: &str = "tls13 ";

/// A `KeyUpdate` message: its type, 24, the length of its body, 1, and the body.
const KEY_UPDATE: usize = 5;

/// What accompanies a record: given when it is protected, and found when it is unprotected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordMeta {
    /// The type of the content; application data unless another is given.
    pub content_type: ContentType,
    /// Zeros behind the content type, which hide how long the content is.
    pub padding: usize,
}

/// The keys of a connection, and where its records stand.
#[derive(Clone, Copy)]
pub struct Tls13Config<'k> {
    /// The AEAD of the suite.
    pub aead: RecordAead,
    /// The keys of records that we send.
    pub write: RecordKeys<'k>,
    /// The number of the next record that we send: 0 for a new key.
    pub write_number: u64,
    /// The keys of records that the peer sends.
    pub read: RecordKeys<'k>,
    /// The number of the next record that the peer sends: 0 for a new key.
    pub read_number: u64,
}

/// A connection of TLS 1.3 after its handshake, in both directions.
///
/// Protecting needs 5 bytes of room before the content, and behind it room for the content type,
/// the padding and the tag. Records with one key are limited as [`RecordAead::record_limit`] says;
/// more are refused with [`PacketError::SequenceCycled`].
///
/// ```
/// use broadloom_engine::{Registry, Session};
/// use broadloom_lanes::Cpu;
/// use broadloom_packets::tls::{RecordAead, RecordKeys, Tls13Config, Tls13Flow};
/// use broadloom_packets::{Packet, PacketProcessor};
///
/// let mut registry = Registry::new();
/// registry.add_factory(broadloom_native::factory(&Cpu::detect()));
/// // Traffic secrets of a handshake.
/// let (client, server) = ([7; 32], [9; 32]);
/// let open = |write: &[u8], read: &[u8]| {
///     Tls13Flow::new(&registry, &Tls13Config {
///         aead: RecordAead::Aes128Gcm,
///         write: RecordKeys::Secret(write),
///         write_number: 0,
///         read: RecordKeys::Secret(read),
///         read_number: 0,
///     })
/// };
/// let (ours, theirs) = (open(&client, &server)?, open(&server, &client)?);
///
/// let mut buffer = vec![0; 5 + 7 + 17];
/// buffer[5..12].copy_from_slice(b"content");
/// let mut burst = [Packet::new(&ours, buffer, 5..12)];
/// PacketProcessor::new().protect_burst(&mut burst);
/// let record = burst[0].bytes().to_vec();
///
/// let len = record.len();
/// let mut burst = [Packet::new(&theirs, record, 0..len)];
/// PacketProcessor::new().unprotect_burst(&mut burst);
/// assert_eq!(burst[0].bytes(), b"content");
/// # Ok::<(), broadloom_packets::FlowError>(())
/// ```
pub struct Tls13Flow {
    write: Side,
    read: Side,
    order: ReadOrder,
    counters: Counters,
    aead: RecordAead,
}

impl Tls13Flow {
    /// Opens the flow of a connection.
    ///
    /// # Errors
    /// TLS 1.3 has no suite with this AEAD; a secret, a key or an IV has a wrong length; or no
    /// provider opens the AEAD or HMAC.
    pub fn new(registry: &Registry, config: &Tls13Config<'_>) -> Result<Self, FlowError> {
        let aead = config.aead;
        if matches!(aead, RecordAead::Aes256Ccm | RecordAead::Aes256Ccm8) {
            return Err(FlowError::Parameter {
                what: "the AEAD of TLS 1.3",
                value: aead.to_string(),
                valid: "AES-GCM, ChaCha20-Poly1305, AES-128-CCM".to_owned(),
            });
        }
        let open =
            |keys, usage, number| Side::open(registry, aead, keys, PREFIX, usage, (number, LAST));
        Ok(Tls13Flow {
            write: open(config.write, Use::Seal, config.write_number)?,
            read: open(config.read, Use::Open, config.read_number)?,
            order: ReadOrder::new(config.read_number),
            counters: Counters::default(),
            aead,
        })
    }

    /// Goes on to the next traffic secret for records that we send, after a `KeyUpdate` of ours was
    /// protected (RFC 8446, 4.6.3).
    ///
    /// # Errors
    /// The flow has raw keys. It is as it was.
    pub fn update_write(&mut self, registry: &Registry) -> Result<(), FlowError> {
        self.write = self.write.updated(registry, self.aead, PREFIX, Use::Seal, LAST)?;
        Ok(())
    }

    /// Goes on to the next traffic secret for records of the peer, after its `KeyUpdate` was
    /// unprotected.
    ///
    /// # Errors
    /// The flow has raw keys. It is as it was.
    pub fn update_read(&mut self, registry: &Registry) -> Result<(), FlowError> {
        self.read = self.read.updated(registry, self.aead, PREFIX, Use::Open, LAST)?;
        self.order = ReadOrder::new(0);
        Ok(())
    }

    /// Changes the keys of records that we send, as [`update_write`](Tls13Flow::update_write) does,
    /// to other keys: those after the handshake, or raw keys of another implementation.
    ///
    /// # Errors
    /// As those of [`new`](Tls13Flow::new). The flow is as it was.
    pub fn replace_write(
        &mut self,
        registry: &Registry,
        keys: RecordKeys<'_>,
    ) -> Result<(), FlowError> {
        self.write = Side::open(registry, self.aead, keys, PREFIX, Use::Seal, (0, LAST))?;
        Ok(())
    }

    /// Changes the keys of records of the peer, as
    /// [`replace_write`](Tls13Flow::replace_write) changes ours.
    ///
    /// # Errors
    /// As those of [`new`](Tls13Flow::new). The flow is as it was.
    pub fn replace_read(
        &mut self,
        registry: &Registry,
        keys: RecordKeys<'_>,
    ) -> Result<(), FlowError> {
        self.read = Side::open(registry, self.aead, keys, PREFIX, Use::Open, (0, LAST))?;
        self.order = ReadOrder::new(0);
        Ok(())
    }

    /// Returns `true` if the last record that was unprotected is a `KeyUpdate`: no more records are
    /// unprotected before [`update_read`](Tls13Flow::update_read).
    pub fn awaits_update(&self) -> bool {
        self.order.is_blocked()
    }

    /// Returns the number of the next record that is sent; `None` if the key has none left.
    pub fn next_number(&self) -> Option<u64> {
        self.write.peek()
    }

    /// Returns the number of the last record that was read under the current key; `None` if there
    /// was none.
    pub fn highest_number(&self) -> Option<u64> {
        self.order.delivered()
    }

    /// Reads the header of a record, and returns the number that it gets.
    fn begin(&self, frame: &Frame<'_>) -> Result<u64, PacketError> {
        let tag = self.aead.tag_len();
        frame.has_at_least(HEADER + 1 + tag)?;
        let record = frame.bytes();
        if record[0] != ContentType::APPLICATION_DATA.0 {
            let value = record[0].into();
            return Err(PacketError::Malformed { field: "content type", value });
        }
        if record_len(record) != Some(record.len()) {
            let value = u16::from_be_bytes([record[3], record[4]]).into();
            return Err(PacketError::Malformed { field: "length", value });
        }
        if record.len() > HEADER + MAX_RECORD {
            return Err(PacketError::TooLong { len: record.len(), max: HEADER + MAX_RECORD });
        }
        let number = self.read.take()?;
        if record.len() == HEADER + KEY_UPDATE + 1 + tag {
            self.order.wait_for(number);
        }
        Ok(number)
    }

    /// Takes the content out of a record that was decrypted.
    fn strip(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut RecordMeta,
        number: u64,
    ) -> Result<(), PacketError> {
        let inner = &frame.bytes()[HEADER..frame.len() - self.aead.tag_len()];
        let Inner { content, content_type, padding } = Inner::read(inner)?;
        let is_update = content_type == ContentType::HANDSHAKE
            && content == KEY_UPDATE
            && inner[..KEY_UPDATE - 1] == [24, 0, 0, 1];
        match is_update {
            true => self.order.wait_for(number),
            false => self.order.pass(number),
        }
        *meta = RecordMeta { content_type, padding };
        frame.remove_front(HEADER)?;
        frame.remove_back(frame.len() - content)
    }
}

impl Flow for Tls13Flow {
    type Meta = RecordMeta;

    fn protect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut RecordMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let RecordMeta { content_type, padding } = *meta;
        let tag = self.aead.tag_len();
        frame.has_room(HEADER, 1 + padding + tag)?;
        content_type.check_inner(frame.len(), padding)?;
        let number = self.write.take()?;
        append_inner(frame, content_type, padding)?;
        let text = frame.start()..frame.end();
        frame.append(tag)?;
        let len = (text.len() + tag) as u16;
        let header = frame.prepend(HEADER)?;
        header[..3].copy_from_slice(&[ContentType::APPLICATION_DATA.0, 3, 3]);
        header[3..].copy_from_slice(&len.to_be_bytes());
        let plan =
            Plan::aead(&self.write.session, &self.write.nonce(number), text.clone(), text.end);
        let associated = Associated::Before(text.start - HEADER..text.start);
        Ok(plan.associated(associated).number(number).write(work))
    }

    fn unprotect(
        &self,
        frame: &mut Frame<'_>,
        _: &mut RecordMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        self.order.check()?;
        let number = self.begin(frame).map_err(|error| self.order.end(error))?;
        let (start, tag) = (frame.start(), frame.end() - self.aead.tag_len());
        let text = start + HEADER..tag;
        let plan = Plan::aead(&self.read.session, &self.read.nonce(number), text, tag);
        Ok(plan.associated(Associated::Before(start..start + HEADER)).number(number).write(work))
    }

    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut RecordMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        let delivered = self.order.deliver(work.number);
        let read = delivered.and_then(|()| self.strip(frame, meta, work.number));
        match read {
            Ok(()) => Ok(Step::Complete),
            Err(error) => {
                frame.bytes_mut().fill(0);
                Err(self.order.end(error))
            }
        }
    }

    fn failed(&self, _: &mut Frame<'_>, _: &mut RecordMeta, _: &Work) {
        // If a record that we send fails, which only a broken provider does, its number is missing
        // in the stream: the connection is lost in this case, too.
        self.order.end(PacketError::Integrity);
    }

    #[inline]
    fn touch(&self, protects: bool) -> Option<&Session> {
        Some(if protects { &self.write.session } else { &self.read.session })
    }

    #[inline]
    fn counters(&self) -> &Counters {
        &self.counters
    }
}
