//! Records of DTLS 1.3.

use std::sync::atomic::{AtomicU64, Ordering};

use arrayvec::ArrayVec;
use broadloom_engine::{AeadAlgorithm, CipherAlgorithm, Registry, Session, Transform};

use super::header::{Unified, check_id};
use super::meta::HeaderState;
use super::v12::check_id_len;
use super::{DtlsMeta, LAST};
use crate::counters::Counters;
use crate::error::{FlowError, PacketError};
use crate::flow::Flow;
use crate::frame::Frame;
use crate::plan::{Associated, Mask, Plan, Step, Work};
use crate::records::{
    Inner, MAX_CONTENT, RecordAead, RecordKeys, Side, Use, append_inner, expand_label,
};
use crate::replay::ReplayWindow;

/// What the labels of all derived keys begin with (RFC 9147, 5.9).
const PREFIX: &str = "dtls13";

/// Bytes of ciphertext from which the mask over a record number is made.
const SAMPLE: usize = 16;

/// The most bytes of a record behind its header (RFC 9147, 4).
const MAX_RECORD: usize = MAX_CONTENT + 256;

/// The secrets of a connection, and where its records stand.
#[derive(Clone, Copy)]
pub struct Dtls13Config<'k> {
    /// The AEAD of the suite.
    pub aead: RecordAead,
    /// The traffic secret of records that we send.
    pub write_secret: &'k [u8],
    /// The epoch of records that we send: 2 for the handshake, 3 for application data.
    pub write_epoch: u64,
    /// The number of the next record that we send: 0 for a new secret.
    pub write_number: u64,
    /// The traffic secret of records that the peer sends.
    pub read_secret: &'k [u8],
    /// The epoch of records that the peer sends.
    pub read_epoch: u64,
    /// Records in the replay window of each epoch, 32 to 65,536; RFC 9147 prefers 64.
    pub window: u32,
    /// The connection ID that the peer wants in our records; empty for none.
    pub write_id: &'k [u8],
    /// The connection ID that the peer's records have; empty for none.
    pub read_id: &'k [u8],
    /// `true` if our record numbers have 16 bits on the wire rather than 8.
    pub long_numbers: bool,
    /// `true` if our records say how long they are. A record that does not is the last of its
    /// datagram.
    pub lengths: bool,
}

/// One direction under one secret.
struct Epoch {
    side: Side,
    /// The cipher that encrypts record numbers.
    numbers: Session,
    epoch: u64,
}

/// One epoch of records that the peer sends.
struct ReadEpoch {
    keys: Epoch,
    window: ReplayWindow,
    /// Records that were not authentic.
    forgeries: AtomicU64,
}

/// A connection of DTLS 1.3, in both directions.
///
/// Protecting needs room before the content for the header, up to 5 bytes and the connection ID;
/// and room behind it for the content type, the padding and the tag. A record whose ciphertext
/// would be shorter than 16 bytes is padded. With one secret the records that are sent are limited
/// as [`RecordAead::record_limit`] says; more are refused with [`PacketError::SequenceCycled`]. The
/// forgeries that are received in one epoch are limited as [`RecordAead::forgery_limit`] says; the
/// epoch then refuses all records with [`PacketError::Ended`].
///
/// ```
/// use broadloom_engine::Registry;
/// use broadloom_lanes::Cpu;
/// use broadloom_packets::dtls::{Dtls13Config, Dtls13Flow, RecordAead};
/// use broadloom_packets::{Packet, PacketProcessor};
///
/// let mut registry = Registry::new();
/// registry.add_factory(broadloom_native::factory(&Cpu::detect()));
/// // Traffic secrets of a handshake.
/// let (client, server) = ([7; 32], [9; 32]);
/// let open = |write: &[u8], read: &[u8]| {
///     Dtls13Flow::new(&registry, &Dtls13Config {
///         aead: RecordAead::Aes128Gcm,
///         write_secret: write,
///         write_epoch: 3,
///         write_number: 0,
///         read_secret: read,
///         read_epoch: 3,
///         window: 64,
///         write_id: &[],
///         read_id: &[],
///         long_numbers: true,
///         lengths: true,
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
/// assert_eq!((burst[0].bytes(), burst[0].meta().number), (&b"content"[..], 0));
/// # Ok::<(), broadloom_packets::FlowError>(())
/// ```
pub struct Dtls13Flow {
    write: Epoch,
    /// Epochs of reading, each at the place that its lowest two bits say.
    read: [Option<ReadEpoch>; 4],
    /// The newest epoch of reading.
    newest: u64,
    counters: Counters,
    aead: RecordAead,
    window: u32,
    write_id: Box<[u8]>,
    read_id: Box<[u8]>,
    long_numbers: bool,
    lengths: bool,
}

impl Epoch {
    fn open(
        registry: &Registry,
        aead: RecordAead,
        secret: &[u8],
        usage: Use,
        (epoch, number): (u64, u64),
    ) -> Result<Self, FlowError> {
        let keys = RecordKeys::Secret(secret);
        let side = Side::open(registry, aead, keys, PREFIX, usage, (number, LAST))?;
        let key = expand_label(registry, aead.hash(), secret, PREFIX, "sn", aead.key_len())?;
        let cipher = match aead.algorithm() {
            AeadAlgorithm::AesGcm(size) | AeadAlgorithm::AesCcm(size) => {
                CipherAlgorithm::AesEcb(size)
            }
            _ => CipherAlgorithm::ChaCha20,
        };
        let numbers = registry.open(&Transform::cipher(cipher, &key).encrypt()?)?;
        Ok(Epoch { side, numbers, epoch })
    }

    /// Returns how the mask over a record number is made of a sample of the ciphertext.
    fn mask(&self, aead: RecordAead, sample: [u8; SAMPLE]) -> Mask<'_> {
        let session = &self.numbers;
        match aead {
            // The sample is the counter of the first block, and the nonce.
            RecordAead::ChaCha20Poly1305 => {
                Mask { session, nonce: ArrayVec::from(sample), block: [0; SAMPLE] }
            }
            _ => Mask { session, nonce: ArrayVec::new_const(), block: sample },
        }
    }
}

impl Dtls13Flow {
    /// Opens the flow of a connection.
    ///
    /// # Errors
    /// DTLS 1.3 has no suite with this AEAD, a secret has a wrong length, a connection ID is longer
    /// than [`MAX_CONNECTION_ID`](super::MAX_CONNECTION_ID), the window has no such size, or no
    /// provider opens the ciphers.
    pub fn new(registry: &Registry, config: &Dtls13Config<'_>) -> Result<Self, FlowError> {
        let aead = config.aead;
        if matches!(aead, RecordAead::Aes256Ccm | RecordAead::Aes256Ccm8) {
            return Err(FlowError::Parameter {
                what: "the AEAD of DTLS 1.3",
                value: aead.to_string(),
                valid: "AES-GCM, ChaCha20-Poly1305, AES-128-CCM".to_owned(),
            });
        }
        for id in [config.write_id, config.read_id] {
            check_id_len(id)?;
        }
        let numbers = (config.write_epoch, config.write_number);
        let mut flow = Dtls13Flow {
            write: Epoch::open(registry, aead, config.write_secret, Use::Seal, numbers)?,
            read: [None, None, None, None],
            newest: config.read_epoch,
            counters: Counters::default(),
            aead,
            window: config.window,
            write_id: config.write_id.into(),
            read_id: config.read_id.into(),
            long_numbers: config.long_numbers,
            lengths: config.lengths,
        };
        flow.add_read_epoch(registry, config.read_epoch, config.read_secret)?;
        Ok(flow)
    }

    /// Adds an epoch of records that the peer sends, with its secret. It takes the place of the
    /// epoch four before it; the others go on.
    ///
    /// # Errors
    /// The secret has a wrong length. The flow is as it was.
    pub fn add_read_epoch(
        &mut self,
        registry: &Registry,
        epoch: u64,
        secret: &[u8],
    ) -> Result<(), FlowError> {
        let keys = Epoch::open(registry, self.aead, secret, Use::Open, (epoch, 0))?;
        let window = ReplayWindow::new(self.window)?;
        let place = &mut self.read[epoch as usize & 3];
        *place = Some(ReadEpoch { keys, window, forgeries: AtomicU64::new(0) });
        self.newest = self.newest.max(epoch);
        Ok(())
    }

    /// Removes the epochs of reading before `epoch`, and wipes their keys.
    pub fn remove_read_epochs_before(&mut self, epoch: u64) {
        for place in &mut self.read {
            if place.as_ref().is_some_and(|read| read.keys.epoch < epoch) {
                *place = None;
            }
        }
    }

    /// Goes on to the next epoch and traffic secret for records that we send (RFC 9147, 8), when
    /// the peer has acknowledged our `KeyUpdate`.
    ///
    /// # Errors
    /// No provider opens the ciphers. The flow is as it was.
    pub fn update_write(&mut self, registry: &Registry) -> Result<(), FlowError> {
        let next = self.write.side.next_secret(registry, self.aead, PREFIX)?;
        let numbers = (self.write.epoch + 1, 0);
        self.write = Epoch::open(registry, self.aead, &next, Use::Seal, numbers)?;
        Ok(())
    }

    /// Adds the next epoch of reading, with the next traffic secret, after a `KeyUpdate` of the
    /// peer. Records of epochs before it are still accepted, until
    /// [`remove_read_epochs_before`](Dtls13Flow::remove_read_epochs_before).
    ///
    /// # Errors
    /// No provider opens the ciphers, or the newest epoch was removed. The flow is as it was.
    pub fn update_read(&mut self, registry: &Registry) -> Result<(), FlowError> {
        let Some(newest) = &self.read[self.newest as usize & 3] else {
            return Err(FlowError::Parameter {
                what: "the newest epoch",
                value: format!("{}, which was removed", self.newest),
                valid: "an epoch of the flow".to_owned(),
            });
        };
        let next = newest.keys.side.next_secret(registry, self.aead, PREFIX)?;
        self.add_read_epoch(registry, self.newest + 1, &next)
    }

    /// Returns the number of the next record that is sent; `None` if the epoch has none left.
    pub fn next_number(&self) -> Option<u64> {
        self.write.side.peek()
    }

    /// Returns the highest number of an authentic record in the newest epoch; `None` if there was
    /// none.
    pub fn highest_number(&self) -> Option<u64> {
        self.read[self.newest as usize & 3].as_ref()?.window.highest()
    }

    /// Returns the epoch of records that we send.
    pub fn write_epoch(&self) -> u64 {
        self.write.epoch
    }

    /// Reads the header of a received record, and returns its description, its length, and the
    /// epoch.
    fn header(&self, record: &[u8]) -> Result<(Unified, usize, &ReadEpoch), PacketError> {
        let first = *record.first().ok_or(PacketError::Runt { len: 0, min: 1 })?;
        let unified = Unified::read(first)?;
        if unified.has_id() == self.read_id.is_empty() {
            return Err(PacketError::Malformed { field: "unified header", value: first.into() });
        }
        let header = unified.len(self.read_id.len());
        let min = header + SAMPLE.max(1 + self.aead.tag_len());
        if record.len() < min {
            return Err(PacketError::Runt { len: record.len(), min });
        }
        check_id(&record[1..1 + self.read_id.len()], &self.read_id)?;
        let body = record.len() - header;
        if unified.has_length() {
            let len = u16::from_be_bytes([record[header - 2], record[header - 1]]);
            if usize::from(len) != body {
                return Err(PacketError::Malformed { field: "length", value: len.into() });
            }
        }
        if body > MAX_RECORD {
            return Err(PacketError::TooLong { len: record.len(), max: header + MAX_RECORD });
        }
        let bits = unified.epoch_bits();
        let epoch = self.read[bits].as_ref();
        let epoch = epoch.ok_or(PacketError::WrongFlow { found: bits as u64 })?;
        Ok((unified, header, epoch))
    }

    /// Returns the bytes of the number in a header.
    fn number_place(&self, unified: Unified, id: &[u8]) -> std::ops::Range<usize> {
        let at = if unified.has_id() { 1 + id.len() } else { 1 };
        at..at + unified.number_len()
    }

    /// Plans to decrypt a record whose number was decrypted.
    fn plan(&self, frame: &Frame<'_>, meta: &mut DtlsMeta) -> Result<Plan<'_>, PacketError> {
        let record = frame.bytes();
        let (unified, header, epoch) = self.header(record)?;
        if epoch.forgeries.load(Ordering::Relaxed) >= self.aead.forgery_limit() {
            return Err(PacketError::Ended);
        }
        let part = &record[self.number_place(unified, &self.read_id)];
        let part = part.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let bits = 8 * unified.number_len() as u32;
        let number = whole_number(epoch.window.highest(), part, bits);
        epoch.window.check(number)?;
        (meta.epoch, meta.number) = (epoch.keys.epoch, number);
        let (start, tag) = (frame.start(), frame.end() - self.aead.tag_len());
        let text = start + header..tag;
        let side = &epoch.keys.side;
        let plan = Plan::aead(&side.session, &side.nonce(number), text, tag);
        Ok(plan.associated(Associated::Before(start..start + header)).number(number))
    }

    /// Puts the number of a received header back as it came.
    fn restore(&self, frame: &mut Frame<'_>, meta: &mut DtlsMeta) {
        if let HeaderState::Unmasked(mask) = meta.header {
            let place = self.number_place(Unified(frame.bytes()[0]), &self.read_id);
            apply(&mut frame.bytes_mut()[place], &mask);
            meta.header = HeaderState::Received;
        }
    }
}

/// Combines a record number with its mask by exclusive or.
fn apply(number: &mut [u8], mask: &[u8; 2]) {
    number.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
}

/// Returns the whole number whose lowest `bits` are `part` and that is closest to the number after
/// the highest one (RFC 9147, 4.2.2).
fn whole_number(highest: Option<u64>, part: u64, bits: u32) -> u64 {
    let expected = highest.map_or(0, |highest| highest + 1);
    let (range, half) = (1 << bits, 1 << (bits - 1));
    let near = expected & !(range - 1) | part;
    if near + half <= expected && near + range <= LAST {
        near + range
    } else if near > expected + half && near >= range {
        near - range
    } else {
        near
    }
}

impl Flow for Dtls13Flow {
    type Meta = DtlsMeta;

    const MASKS: bool = true;

    fn protect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut DtlsMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let (tag, id) = (self.aead.tag_len(), &*self.write_id);
        let Epoch { side, epoch, .. } = &self.write;
        let unified = Unified::new(!id.is_empty(), self.long_numbers, self.lengths, *epoch);
        let header = unified.len(id.len());
        let padding = meta.padding.max(SAMPLE.saturating_sub(tag + 1 + frame.len()));
        frame.has_room(header, 1 + padding + tag)?;
        meta.content_type.check_inner(frame.len(), padding)?;
        let number = side.take()?;
        append_inner(frame, meta.content_type, padding)?;
        let text = frame.start()..frame.end();
        frame.append(tag)?;
        let head = frame.prepend(header)?;
        let place = self.number_place(unified, id);
        head[0] = unified.0;
        head[1..place.start].copy_from_slice(id);
        head[place.clone()].copy_from_slice(&number.to_be_bytes()[8 - place.len()..]);
        if self.lengths {
            let len = (text.len() + tag) as u16;
            head[header - 2..].copy_from_slice(&len.to_be_bytes());
        }
        (meta.epoch, meta.number) = (*epoch, number);
        meta.header = HeaderState::Written;
        let associated = Associated::Before(text.start - header..text.start);
        let plan = Plan::aead(&side.session, &side.nonce(number), text.clone(), text.end);
        Ok(plan.associated(associated).number(number).write(work))
    }

    fn mask(&self, frame: &Frame<'_>, meta: &DtlsMeta) -> Result<Option<Mask<'_>>, PacketError> {
        let record = frame.bytes();
        let sample = |header: usize| record[header..][..SAMPLE].try_into().expect("16 bytes");
        if meta.header == HeaderState::Written {
            let header = Unified(record[0]).len(self.write_id.len());
            return Ok(Some(self.write.mask(self.aead, sample(header))));
        }
        let (_, header, epoch) = self.header(record)?;
        Ok(Some(epoch.keys.mask(self.aead, sample(header))))
    }

    fn masked(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut DtlsMeta,
        mask: &[u8; 16],
        protects: bool,
    ) -> Result<(), PacketError> {
        let id = if protects { &self.write_id } else { &self.read_id };
        let place = self.number_place(Unified(frame.bytes()[0]), id);
        let mask = [mask[0], mask[1]];
        apply(&mut frame.bytes_mut()[place], &mask);
        meta.header = if protects { HeaderState::Received } else { HeaderState::Unmasked(mask) };
        Ok(())
    }

    fn unprotect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut DtlsMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let plan = self.plan(frame, meta);
        if plan.is_err() {
            self.restore(frame, meta);
        }
        Ok(plan?.write(work))
    }

    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut DtlsMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        meta.header = HeaderState::Received;
        let (_, header, epoch) = self.header(frame.bytes())?;
        epoch.window.accept(work.number)?;
        let inner = &frame.bytes()[header..frame.len() - self.aead.tag_len()];
        let Inner { content, content_type, padding } = Inner::read(inner)?;
        (meta.content_type, meta.padding) = (content_type, padding);
        frame.remove_front(header)?;
        frame.remove_back(frame.len() - content)?;
        Ok(Step::Complete)
    }

    fn failed(&self, frame: &mut Frame<'_>, meta: &mut DtlsMeta, _: &Work) {
        if matches!(meta.header, HeaderState::Unmasked(_))
            && let Ok((_, _, epoch)) = self.header(frame.bytes())
        {
            epoch.forgeries.fetch_add(1, Ordering::Relaxed);
        }
        self.restore(frame, meta);
        meta.header = HeaderState::Received;
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_closest_to_the_next_one() {
        let whole = |highest, part, bits| whole_number(highest, part, bits);
        assert_eq!(whole(None, 0, 8), 0);
        assert_eq!(whole(None, 255, 8), 255, "there is none below 0");
        assert_eq!(whole(Some(254), 3, 8), 259);
        assert_eq!(whole(Some(259), 250, 8), 250);
        assert_eq!(whole(Some(0xffff), 0, 16), 0x1_0000);
        assert_eq!(whole(Some(0x1_0004), 0xfff0, 16), 0xfff0);
        assert_eq!(whole(Some(LAST - 1), 0, 16), LAST & !0xffff, "there is none above the last");
        for expected in 200..1000_u64 {
            for ahead in 0..=128 {
                let number = expected + ahead;
                assert_eq!(whole(Some(expected - 1), number & 0xff, 8), number);
            }
            for behind in 1..128 {
                let number = expected - behind;
                assert_eq!(whole(Some(expected - 1), number & 0xff, 8), number);
            }
        }
    }
}
