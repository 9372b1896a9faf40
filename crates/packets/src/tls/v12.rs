//! Records of TLS 1.2.

use arrayvec::ArrayVec;
use broadloom_engine::{Registry, Session};

use super::order::ReadOrder;
use super::{HEADER, record_len};
use crate::counters::Counters;
use crate::error::{FlowError, PacketError};
use crate::flow::Flow;
use crate::frame::Frame;
use crate::plan::{Associated, Plan, Step, Work};
use crate::records::{
    CbcRead, CbcWrite, ContentType, MAX_CONTENT, MacHeader, Numbers, RecordAead, RecordCipher,
    RecordKeys, Side, Use,
};

/// The most bytes of a record behind its header (RFC 5246, 6.2.3).
const MAX_RECORD: usize = MAX_CONTENT + 2048;

/// The last sequence number: they must not wrap (RFC 5246, 6.1).
const LAST: u64 = u64::MAX - 1;

const VERSION: [u8; 2] = [3, 3];

/// The keys of a connection, and where its records stand.
#[derive(Clone, Copy)]
pub struct Tls12Config<'k> {
    /// How records are protected.
    pub cipher: RecordCipher,
    /// The keys of records that we send: [`RecordKeys::Raw`] for an AEAD, else
    /// [`RecordKeys::CipherAndMac`].
    pub write: RecordKeys<'k>,
    /// The number of the next record that we send: 0 for a new key, 1 after `Finished`.
    pub write_number: u64,
    /// The keys of records that the peer sends.
    pub read: RecordKeys<'k>,
    /// The number of the next record that the peer sends.
    pub read_number: u64,
}

/// A connection of TLS 1.2 after its handshake, in both directions.
///
/// The meta of a packet is the type of its content. Protecting needs 5 bytes of room before the
/// content and what the cipher adds: 8 bytes of nonce with AES-GCM and AES-CCM, and 16 bytes of IV
/// with AES-CBC, or 24 with encrypt-then-MAC; and room behind it for the tag, or for the MAC and up
/// to 16 bytes of padding. Unprotecting with encrypt-then-MAC needs 8 bytes of room before the
/// record, which are overwritten.
///
/// With AES-CBC and the MAC under the padding, padding and MAC are checked together in constant
/// time, whatever the padding is, and a record in which either is wrong is refused with
/// [`PacketError::Integrity`]. What takes the same time is the check of records of one length:
/// which bytes the padding has, and where the MAC and the content end, shows in no branch and no
/// address until the record was accepted. This check runs on the calling thread, for one record
/// after the other; the decryption before it shares the lanes of the burst.
pub struct Tls12Flow {
    protection: Protection,
    order: ReadOrder,
    counters: Counters,
}

enum Protection {
    Aead { aead: RecordAead, write: Side, read: Side },
    Cbc { write: CbcWrite, read: CbcRead, written: Numbers, received: Numbers },
}

impl Tls12Flow {
    /// Opens the flow of a connection.
    ///
    /// # Errors
    /// The keys are of another kind, a key or an IV has a wrong length, or no provider opens the
    /// ciphers.
    pub fn new(registry: &Registry, config: &Tls12Config<'_>) -> Result<Self, FlowError> {
        let Tls12Config { cipher, write, write_number, read, read_number } = *config;
        let protection = match cipher {
            RecordCipher::Aead(aead) => {
                let open = |keys, usage, number| {
                    Side::open_12(registry, aead, keys, usage, (number, LAST))
                };
                Protection::Aead {
                    aead,
                    write: open(write, Use::Seal, write_number)?,
                    read: open(read, Use::Open, read_number)?,
                }
            }
            RecordCipher::MacThenCbc(suite) | RecordCipher::CbcThenMac(suite) => {
                let mac_is_first = matches!(cipher, RecordCipher::MacThenCbc(_));
                Protection::Cbc {
                    write: CbcWrite::open(registry, suite, write, mac_is_first)?,
                    read: CbcRead::open(registry, suite, read, mac_is_first)?,
                    written: Numbers::new(write_number, LAST + 1),
                    received: Numbers::new(read_number, LAST + 1),
                }
            }
        };
        let order = ReadOrder::new(read_number);
        Ok(Tls12Flow { protection, order, counters: Counters::default() })
    }

    /// Returns the number of the next record that is sent; `None` if the key has none left.
    pub fn next_number(&self) -> Option<u64> {
        match &self.protection {
            Protection::Aead { write, .. } => write.peek(),
            Protection::Cbc { written, .. } => written.peek(),
        }
    }

    /// Returns the number of the last record that was read under the current key; `None` if there
    /// was none.
    pub fn highest_number(&self) -> Option<u64> {
        self.order.delivered()
    }

    /// Reads the header of a record, and plans to decrypt it.
    fn begin(
        &self,
        frame: &mut Frame<'_>,
        content_type: &mut ContentType,
    ) -> Result<Plan<'_>, PacketError> {
        frame.has_at_least(HEADER)?;
        let record = frame.bytes();
        let found = ContentType(record[0]);
        if !(20..=24).contains(&found.0) {
            return Err(PacketError::Malformed { field: "content type", value: found.0.into() });
        }
        if record[1..3] != VERSION {
            let value = u16::from_be_bytes([record[1], record[2]]).into();
            return Err(PacketError::Malformed { field: "version", value });
        }
        if record_len(record) != Some(record.len()) {
            let value = u16::from_be_bytes([record[3], record[4]]).into();
            return Err(PacketError::Malformed { field: "length", value });
        }
        if record.len() > HEADER + MAX_RECORD {
            return Err(PacketError::TooLong { len: record.len(), max: HEADER + MAX_RECORD });
        }
        *content_type = found;
        match &self.protection {
            Protection::Aead { aead, read, .. } => {
                let explicit = aead.explicit_len();
                frame.has_at_least(HEADER + explicit + aead.tag_len())?;
                let number = read.take()?;
                let nonce = match explicit {
                    0 => number,
                    _ => {
                        let carried = frame.bytes()[HEADER..HEADER + 8].try_into();
                        u64::from_be_bytes(carried.expect("8 bytes"))
                    }
                };
                let text = frame.start() + HEADER + explicit..frame.end() - aead.tag_len();
                let associated = associated(number, found, text.len());
                let plan = Plan::aead(&read.session, &read.nonce(nonce), text.clone(), text.end);
                Ok(plan.associated(associated).number(number))
            }
            Protection::Cbc { read, received, .. } => {
                read.check(frame, HEADER)?;
                Ok(read.plan(frame, HEADER, covered(received.take()?, found)))
            }
        }
    }

    /// Takes the content out of a record that was decrypted.
    fn strip(
        &self,
        frame: &mut Frame<'_>,
        content_type: ContentType,
        number: u64,
    ) -> Result<(), PacketError> {
        match &self.protection {
            Protection::Aead { aead, .. } => {
                frame.remove_front(HEADER + aead.explicit_len())?;
                frame.remove_back(aead.tag_len())?;
            }
            Protection::Cbc { read, .. } => {
                read.strip(frame, HEADER, covered(number, content_type))?;
            }
        }
        content_type.check_content(frame.len())
    }
}

/// Returns what a MAC covers before the data.
fn covered(number: u64, content_type: ContentType) -> MacHeader {
    MacHeader { number, content_type, version: VERSION }
}

/// Returns the associated data of an AEAD: number, type, version, and the length of the content
/// (RFC 5246, 6.2.3.3).
fn associated(number: u64, content_type: ContentType, len: usize) -> Associated {
    let mut bytes = ArrayVec::new_const();
    bytes.extend(number.to_be_bytes());
    bytes.extend([content_type.0, VERSION[0], VERSION[1]]);
    bytes.extend((len as u16).to_be_bytes());
    Associated::Composed(bytes)
}

/// Writes the header of the record in a frame.
fn write_header(frame: &mut Frame<'_>, content_type: ContentType) {
    let len = (frame.len() - HEADER) as u16;
    let header = &mut frame.bytes_mut()[..HEADER];
    header[..3].copy_from_slice(&[content_type.0, VERSION[0], VERSION[1]]);
    header[3..].copy_from_slice(&len.to_be_bytes());
}

impl Flow for Tls12Flow {
    type Meta = ContentType;

    fn protect(
        &self,
        frame: &mut Frame<'_>,
        content_type: &mut ContentType,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        content_type.check_content(frame.len())?;
        match &self.protection {
            Protection::Aead { aead, write, .. } => {
                let (explicit, tag) = (aead.explicit_len(), aead.tag_len());
                frame.has_room(HEADER + explicit, tag)?;
                let number = write.take()?;
                let text = frame.start()..frame.end();
                frame.append(tag)?;
                let head = frame.prepend(HEADER + explicit)?;
                head[HEADER..].copy_from_slice(&number.to_be_bytes()[..explicit]);
                write_header(frame, *content_type);
                let associated = associated(number, *content_type, text.len());
                let nonce = write.nonce(number);
                let plan = Plan::aead(&write.session, &nonce, text.clone(), text.end);
                Ok(plan.associated(associated).number(number).write(work))
            }
            Protection::Cbc { write, written, .. } => {
                write.has_room(frame, HEADER)?;
                let plan = write.plan(frame, HEADER, covered(written.take()?, *content_type))?;
                Ok(plan.write(work))
            }
        }
    }

    fn protected(
        &self,
        frame: &mut Frame<'_>,
        content_type: &mut ContentType,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        let Protection::Cbc { write, .. } = &self.protection else { return Ok(Step::Complete) };
        let second = match work.cipher {
            None => write.second(frame, HEADER, work.number)?,
            Some(_) => None,
        };
        write_header(frame, *content_type);
        Ok(second.map_or(Step::Complete, Step::Again))
    }

    fn unprotect(
        &self,
        frame: &mut Frame<'_>,
        content_type: &mut ContentType,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        self.order.check()?;
        let plan = self.begin(frame, content_type).map_err(|error| self.order.end(error))?;
        Ok(plan.write(work))
    }

    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        content_type: &mut ContentType,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        let delivered = self.order.deliver(work.number);
        let read = delivered.and_then(|()| self.strip(frame, *content_type, work.number));
        match read {
            Ok(()) => Ok(Step::Complete),
            Err(error) => {
                frame.bytes_mut().fill(0);
                Err(self.order.end(error))
            }
        }
    }

    fn failed(&self, frame: &mut Frame<'_>, content_type: &mut ContentType, work: &Work) {
        // As in TLS 1.3. The header of a record with encrypt-then-MAC has another length meanwhile.
        if work.mac.is_some() && work.cipher.is_some() {
            write_header(frame, *content_type);
        }
        self.order.end(PacketError::Integrity);
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}
