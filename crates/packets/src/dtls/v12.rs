//! Records of DTLS 1.2.

use arrayvec::ArrayVec;
use broadloom_engine::{Registry, Session};

use super::header::{HEADER_12, VERSION_12, check_id};
use super::{DtlsMeta, LAST, MAX_CONNECTION_ID};
use crate::counters::Counters;
use crate::error::{FlowError, PacketError};
use crate::flow::Flow;
use crate::frame::Frame;
use crate::plan::{Associated, MAX_COMPOSED, Plan, Step, Work};
use crate::records::{
    CbcRead, CbcWrite, ContentType, Inner, MAX_CONTENT, MacHeader, Numbers, RecordAead,
    RecordCipher, RecordKeys, Side, Use, append_inner,
};
use crate::replay::ReplayWindow;

/// The most bytes of a record behind its header (RFC 5246, 6.2.3: an AEAD adds at most 1024).
const MAX_RECORD: usize = MAX_CONTENT + 1024;

/// The same with AES-CBC, which may add 2048.
const MAX_CBC_RECORD: usize = MAX_CONTENT + 2048;

/// The keys of a connection, and where its records stand.
#[derive(Clone, Copy)]
pub struct Dtls12Config<'k> {
    /// How records are protected.
    pub cipher: RecordCipher,
    /// The keys of records that we send: [`RecordKeys::Raw`] for an AEAD, else
    /// [`RecordKeys::CipherAndMac`].
    pub write: RecordKeys<'k>,
    /// The number of the next record that we send: 0 for a new key.
    pub write_number: u64,
    /// The keys of records that the peer sends, of the same kind.
    pub read: RecordKeys<'k>,
    /// The epoch of both directions: 1 after the first handshake.
    pub epoch: u16,
    /// Records in the replay window, 32 to 65,536; RFC 6347 prefers 64.
    pub window: u32,
    /// The connection ID that the peer wants in our records (RFC 9146); empty for none, as it is
    /// with AES-CBC.
    pub write_id: &'k [u8],
    /// The connection ID that the peer's records have; empty for none.
    pub read_id: &'k [u8],
}

/// A connection of DTLS 1.2 in one epoch, in both directions.
///
/// Protecting needs room before the content for the header, 13 bytes and the connection ID, and for
/// 8 bytes of nonce unless the AEAD is ChaCha20-Poly1305; and room behind it for the tag and, with
/// a connection ID, the content type and the padding. AES-CBC needs 16 bytes of IV behind the
/// header, and behind the content room for the MAC and up to 16 bytes of padding.
///
/// With AES-CBC and the MAC under the padding, both are checked together in constant time, as in
/// TLS 1.2 ([`Tls12Flow`](crate::tls::Tls12Flow)): a record in which either is wrong is wiped and
/// refused with [`PacketError::Integrity`].
pub struct Dtls12Flow {
    protection: Protection,
    window: ReplayWindow,
    counters: Counters,
    epoch: u16,
    write_id: Box<[u8]>,
    read_id: Box<[u8]>,
}

enum Protection {
    Aead { aead: RecordAead, write: Side, read: Side },
    Cbc { write: CbcWrite, read: CbcRead, written: Numbers },
}

impl Dtls12Flow {
    /// Opens the flow of a connection.
    ///
    /// # Errors
    /// The keys are of another kind, a key or an IV has a wrong length, a connection ID is longer
    /// than [`MAX_CONNECTION_ID`] or belongs to a suite with AES-CBC, the window has no such size,
    /// or no provider opens the ciphers.
    pub fn new(registry: &Registry, config: &Dtls12Config<'_>) -> Result<Self, FlowError> {
        let Dtls12Config { cipher, write, write_number, read, .. } = *config;
        for id in [config.write_id, config.read_id] {
            check_id_len(id)?;
        }
        let protection = match cipher {
            RecordCipher::Aead(aead) => {
                let open = |keys, usage, number| {
                    Side::open_12(registry, aead, keys, usage, (number, LAST))
                };
                Protection::Aead {
                    aead,
                    write: open(write, Use::Seal, write_number)?,
                    read: open(read, Use::Open, 0)?,
                }
            }
            RecordCipher::MacThenCbc(suite) | RecordCipher::CbcThenMac(suite) => {
                let id_len = config.write_id.len().max(config.read_id.len());
                if id_len > 0 {
                    return Err(FlowError::Parameter {
                        what: "the length of a connection ID with AES-CBC",
                        value: id_len.to_string(),
                        valid: "0".to_owned(),
                    });
                }
                let mac_is_first = matches!(cipher, RecordCipher::MacThenCbc(_));
                Protection::Cbc {
                    write: CbcWrite::open(registry, suite, write, mac_is_first)?,
                    read: CbcRead::open(registry, suite, read, mac_is_first)?,
                    written: Numbers::new(write_number, LAST + 1),
                }
            }
        };
        Ok(Dtls12Flow {
            protection,
            window: ReplayWindow::new(config.window)?,
            counters: Counters::default(),
            epoch: config.epoch,
            write_id: config.write_id.into(),
            read_id: config.read_id.into(),
        })
    }

    /// Returns the number of the next record that is sent; `None` if the key has none left.
    pub fn next_number(&self) -> Option<u64> {
        match &self.protection {
            Protection::Aead { write, .. } => write.peek(),
            Protection::Cbc { written, .. } => written.peek(),
        }
    }

    /// Returns the highest number of an authentic record; `None` if there was none.
    pub fn highest_number(&self) -> Option<u64> {
        self.window.highest()
    }

    /// Returns the epoch and a number, as one number of 64 bits.
    fn whole(&self, number: u64) -> u64 {
        u64::from(self.epoch) << 48 | number
    }

    /// Returns what a MAC covers before the data.
    fn covered(&self, number: u64, content_type: ContentType) -> MacHeader {
        MacHeader { number: self.whole(number), content_type, version: VERSION_12 }
    }

    /// Returns the bytes of nonce that a record carries, and those of its tag; those of a record
    /// with AES-CBC are seen to by [`CbcWrite`] and [`CbcRead`].
    fn overhead(&self) -> (usize, usize) {
        match &self.protection {
            Protection::Aead { aead, .. } => (aead.explicit_len(), aead.tag_len()),
            Protection::Cbc { .. } => (0, 0),
        }
    }

    /// Writes the header of a record without a connection ID, which the frame has room for at its
    /// beginning.
    fn write_header(&self, frame: &mut Frame<'_>, content_type: ContentType, number: u64) {
        let len = (frame.len() - HEADER_12) as u16;
        let header = &mut frame.bytes_mut()[..HEADER_12];
        header[0] = content_type.0;
        header[1..3].copy_from_slice(&VERSION_12);
        header[3..11].copy_from_slice(&self.whole(number).to_be_bytes());
        header[11..].copy_from_slice(&len.to_be_bytes());
    }

    /// Takes the content out of a record of AES-CBC that was decrypted, and enters its number if it
    /// is authentic.
    fn strip_cbc(
        &self,
        read: &CbcRead,
        frame: &mut Frame<'_>,
        meta: &DtlsMeta,
    ) -> Result<(), PacketError> {
        // With encrypt-then-MAC, what the MAC covers stands in the place of the header.
        self.write_header(frame, meta.content_type, meta.number);
        let text = frame.start() + HEADER_12..frame.end();
        let stripped = read.strip(frame, HEADER_12, self.covered(meta.number, meta.content_type));
        if let Err(error) = stripped {
            frame.buffer_mut()[text].fill(0);
            return Err(error);
        }
        self.window.accept(meta.number)?;
        meta.content_type.check_content(frame.len())
    }
}

/// Checks the length of a connection ID.
pub(super) fn check_id_len(id: &[u8]) -> Result<(), FlowError> {
    match id.len() > MAX_CONNECTION_ID {
        true => Err(FlowError::Parameter {
            what: "the length of a connection ID",
            value: id.len().to_string(),
            valid: format!("0 to {MAX_CONNECTION_ID} bytes"),
        }),
        false => Ok(()),
    }
}

/// Returns the associated data of a record: its whole number, type, version and the length of what
/// is encrypted (RFC 5246, 6.2.3.3), or with a connection ID as RFC 9146, 5.3 has it.
fn associated(whole: u64, content_type: ContentType, id: &[u8], len: usize) -> Associated {
    let len = (len as u16).to_be_bytes();
    let mut composed = ArrayVec::<u8, { 23 + MAX_CONNECTION_ID }>::new_const();
    let mut add = |bytes: &[u8]| {
        composed.try_extend_from_slice(bytes).expect("an ID has at most 255 bytes");
    };
    if id.is_empty() {
        add(&whole.to_be_bytes());
        add(&[content_type.0]);
        add(&VERSION_12);
        add(&len);
    } else {
        add(&[0xff; 8]);
        add(&[ContentType::TLS12_CID.0, id.len() as u8, ContentType::TLS12_CID.0]);
        add(&VERSION_12);
        add(&whole.to_be_bytes());
        add(id);
        add(&len);
    }
    match composed.len() <= MAX_COMPOSED {
        true => Associated::Composed(composed.iter().copied().collect()),
        false => Associated::Long(composed.to_vec()),
    }
}

impl Flow for Dtls12Flow {
    type Meta = DtlsMeta;

    fn protect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut DtlsMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let (explicit, tag) = self.overhead();
        let id = &*self.write_id;
        let header = HEADER_12 + id.len();
        let inner = if id.is_empty() { 0 } else { 1 + meta.padding };
        match &self.protection {
            Protection::Aead { .. } => frame.has_room(header + explicit, inner + tag)?,
            Protection::Cbc { write, .. } => write.has_room(frame, header)?,
        }
        let content_type = meta.content_type;
        match id.is_empty() {
            true if meta.padding > 0 => {
                let value = meta.padding as u64;
                return Err(PacketError::Malformed { field: "padding without an ID", value });
            }
            true => content_type.check_content(frame.len())?,
            false => content_type.check_inner(frame.len(), meta.padding)?,
        }
        let write = match &self.protection {
            Protection::Aead { write, .. } => write,
            Protection::Cbc { write, written, .. } => {
                let number = written.take()?;
                (meta.epoch, meta.number) = (self.epoch.into(), number);
                let plan = write.plan(frame, header, self.covered(number, content_type))?;
                return Ok(plan.number(number).write(work));
            }
        };
        let number = write.take()?;
        let whole = self.whole(number);
        if !id.is_empty() {
            append_inner(frame, content_type, meta.padding)?;
        }
        let text = frame.start()..frame.end();
        frame.append(tag)?;
        let len = (explicit + text.len() + tag) as u16;
        let head = frame.prepend(header + explicit)?;
        let outer = if id.is_empty() { content_type } else { ContentType::TLS12_CID };
        head[0] = outer.0;
        head[1..3].copy_from_slice(&VERSION_12);
        head[3..11].copy_from_slice(&whole.to_be_bytes());
        head[11..header - 2].copy_from_slice(id);
        head[header - 2..header].copy_from_slice(&len.to_be_bytes());
        head[header..].copy_from_slice(&whole.to_be_bytes()[..explicit]);
        (meta.epoch, meta.number) = (self.epoch.into(), number);
        let associated = associated(whole, content_type, id, text.len());
        let plan = Plan::aead(&write.session, &write.nonce(whole), text.clone(), text.end);
        Ok(plan.associated(associated).number(number).write(work))
    }

    fn protected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut DtlsMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        let Protection::Cbc { write, .. } = &self.protection else { return Ok(Step::Complete) };
        let second = match work.cipher {
            None => write.second(frame, HEADER_12, self.whole(work.number))?,
            Some(_) => None,
        };
        self.write_header(frame, meta.content_type, work.number);
        Ok(second.map_or(Step::Complete, |plan| Step::Again(plan.number(work.number))))
    }

    fn unprotect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut DtlsMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let (explicit, tag) = self.overhead();
        let id = &*self.read_id;
        let header = HEADER_12 + id.len();
        frame.has_at_least(header + explicit + tag)?;
        let record = frame.bytes();
        let content_type = ContentType(record[0]);
        if id.is_empty() == (content_type == ContentType::TLS12_CID) {
            let value = content_type.0.into();
            return Err(PacketError::Malformed { field: "content type", value });
        }
        if record[1..3] != VERSION_12 {
            let value = u16::from_be_bytes([record[1], record[2]]).into();
            return Err(PacketError::Malformed { field: "version", value });
        }
        let number = |at: usize| u64::from_be_bytes(record[at..at + 8].try_into().expect("8"));
        let whole = number(3);
        if whole >> 48 != u64::from(self.epoch) {
            return Err(PacketError::WrongFlow { found: whole >> 48 });
        }
        check_id(&record[11..header - 2], id)?;
        let len = u16::from_be_bytes([record[header - 2], record[header - 1]]);
        if usize::from(len) != record.len() - header {
            return Err(PacketError::Malformed { field: "length", value: len.into() });
        }
        let max = match &self.protection {
            Protection::Aead { .. } => MAX_RECORD,
            Protection::Cbc { .. } => MAX_CBC_RECORD,
        };
        if usize::from(len) > max {
            return Err(PacketError::TooLong { len: record.len(), max: header + max });
        }
        self.window.check(whole & LAST)?;
        let nonce = if explicit == 0 { whole } else { number(header) };
        (meta.content_type, meta.padding) = (content_type, 0);
        (meta.epoch, meta.number) = (self.epoch.into(), whole & LAST);
        let read = match &self.protection {
            Protection::Aead { read, .. } => read,
            Protection::Cbc { read, .. } => {
                read.check(frame, header)?;
                let plan = read.plan(frame, header, self.covered(meta.number, content_type));
                return Ok(plan.number(meta.number).write(work));
            }
        };
        let text = frame.start() + header + explicit..frame.end() - tag;
        let associated = associated(whole, content_type, id, text.len());
        let plan = Plan::aead(&read.session, &read.nonce(nonce), text.clone(), text.end);
        Ok(plan.associated(associated).number(whole & LAST).write(work))
    }

    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut DtlsMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        if let Protection::Cbc { read, .. } = &self.protection {
            self.strip_cbc(read, frame, meta)?;
            return Ok(Step::Complete);
        }
        let (explicit, tag) = self.overhead();
        self.window.accept(work.number)?;
        frame.remove_front(HEADER_12 + self.read_id.len() + explicit)?;
        frame.remove_back(tag)?;
        match self.read_id.is_empty() {
            true => meta.content_type.check_content(frame.len())?,
            false => {
                let Inner { content, content_type, padding } = Inner::read(frame.bytes())?;
                (meta.content_type, meta.padding) = (content_type, padding);
                frame.remove_back(frame.len() - content)?;
            }
        }
        Ok(Step::Complete)
    }

    fn failed(&self, frame: &mut Frame<'_>, meta: &mut DtlsMeta, work: &Work) {
        // A chain's MAC covers other bytes in the place of the header.
        if work.mac.is_some() && work.cipher.is_some() {
            self.write_header(frame, meta.content_type, meta.number);
        }
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}
