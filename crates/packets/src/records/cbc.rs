//! AES-CBC with HMAC, as records of TLS 1.2 and DTLS 1.2 have them.
//!
//! A record is a header, an IV of one block, and whole blocks of ciphertext. The MAC covers 13
//! bytes before the data, which are not on the wire in this order: the number, the type, the
//! version and a length. They are written into the buffer where they are needed, and overwritten by
//! the header.
//!
//! The IV has to be unpredictable. It is the encryption of the record's number under the same key
//! (SP 800-38A, appendix C): the number becomes a first block of plaintext, encrypted with an IV of
//! zeros, and what comes out is the IV on the wire.

use broadloom_engine::{CipherAlgorithm, MacAlgorithm, Registry, Session, Transform};

use super::padded_mac::PaddedMac;
use super::{CbcHmac, ContentType, RecordKeys};
use crate::error::{FlowError, PacketError};
use crate::frame::Frame;
use crate::plan::Plan;

/// Bytes of a block, and of an IV.
const BLOCK: usize = 16;

/// Bytes that the MAC covers before the data.
const MAC_HEADER: usize = 13;

/// What the MAC covers before the data, without the length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MacHeader {
    /// The number of the record, in DTLS with its epoch.
    pub(crate) number: u64,
    pub(crate) content_type: ContentType,
    pub(crate) version: [u8; 2],
}

impl MacHeader {
    fn bytes(self) -> [u8; MAC_HEADER - 2] {
        let mut bytes = [0; MAC_HEADER - 2];
        bytes[..8].copy_from_slice(&self.number.to_be_bytes());
        bytes[8] = self.content_type.0;
        bytes[9..].copy_from_slice(&self.version);
        bytes
    }

    /// Writes the bytes before place `at` of a buffer.
    fn write(self, frame: &mut Frame<'_>, at: usize, len: usize) {
        let to = &mut frame.buffer_mut()[at - MAC_HEADER..at];
        to[..MAC_HEADER - 2].copy_from_slice(&self.bytes());
        to[MAC_HEADER - 2..].copy_from_slice(&(len as u16).to_be_bytes());
    }
}

/// The keys of one direction, of the right lengths.
struct Keys<'k> {
    suite: CbcHmac,
    key: &'k [u8],
    mac_key: &'k [u8],
}

impl<'k> Keys<'k> {
    fn new(suite: CbcHmac, keys: RecordKeys<'k>) -> Result<Self, FlowError> {
        let RecordKeys::CipherAndMac { key, mac_key } = keys else {
            return Err(FlowError::Parameter {
                what: "the keys of AES-CBC with HMAC",
                value: "keys of another kind".to_owned(),
                valid: "a key of AES and a key of HMAC".to_owned(),
            });
        };
        let len = suite.hash().digest_len();
        if mac_key.len() != len {
            return Err(FlowError::KeyLength {
                what: "a MAC key",
                len: mac_key.len(),
                algorithm: suite.to_string(),
                valid: len.to_string(),
            });
        }
        Ok(Keys { suite, key, mac_key })
    }

    fn cipher(&self) -> CipherAlgorithm {
        CipherAlgorithm::AesCbc(self.suite.size())
    }

    fn mac(&self) -> MacAlgorithm {
        MacAlgorithm::Hmac(self.suite.hash())
    }
}

/// The direction that sends.
pub(crate) enum CbcWrite {
    /// The MAC first, over the content, in a job of its own.
    MacFirst { mac: Session, cipher: Session },
    /// The MAC last, over the ciphertext.
    MacLast(Session),
}

impl CbcWrite {
    pub(crate) fn open(
        registry: &Registry,
        suite: CbcHmac,
        keys: RecordKeys<'_>,
        mac_is_first: bool,
    ) -> Result<Self, FlowError> {
        let keys = Keys::new(suite, keys)?;
        let (cipher, mac) = (keys.cipher(), keys.mac());
        Ok(match mac_is_first {
            true => CbcWrite::MacFirst {
                mac: registry.open(&Transform::mac(mac, keys.mac_key).generate()?)?,
                cipher: registry.open(&Transform::cipher(cipher, keys.key).encrypt()?)?,
            },
            false => {
                let chain = Transform::cipher_then_mac(cipher, keys.key, mac, keys.mac_key);
                CbcWrite::MacLast(registry.open(&chain.encrypt()?)?)
            }
        })
    }

    fn mac_len(&self) -> usize {
        match self {
            CbcWrite::MacFirst { mac, .. } => mac.tag_len(),
            CbcWrite::MacLast(chain) => chain.tag_len(),
        }
    }

    /// Returns the bytes of padding behind `len` bytes of content, 1 to 16.
    fn padding(&self, len: usize) -> usize {
        match self {
            CbcWrite::MacFirst { .. } => BLOCK - (len + self.mac_len()) % BLOCK,
            CbcWrite::MacLast(_) => BLOCK - len % BLOCK,
        }
    }

    /// Checks that there is room for a header of `header` bytes and all the rest.
    pub(crate) fn has_room(&self, frame: &Frame<'_>, header: usize) -> Result<(), PacketError> {
        let head = match self {
            CbcWrite::MacFirst { .. } => header,
            CbcWrite::MacLast(_) => header.max(MAC_HEADER),
        };
        frame.has_room(head + BLOCK, self.padding(frame.len()) + self.mac_len())
    }

    /// Plans the first job for the content in a frame, which has room.
    pub(crate) fn plan(
        &self,
        frame: &mut Frame<'_>,
        header: usize,
        covered: MacHeader,
    ) -> Result<Plan<'_>, PacketError> {
        let (padding, mac_len) = (self.padding(frame.len()), self.mac_len());
        let plan = match self {
            CbcWrite::MacFirst { mac, .. } => {
                let content = frame.start()..frame.end();
                frame.append(mac_len + padding)?[mac_len..].fill(padding as u8 - 1);
                covered.write(frame, content.start, content.len());
                Plan::mac(mac, &[], content.start - MAC_HEADER..content.end, content.end)
            }
            CbcWrite::MacLast(chain) => {
                frame.append(padding)?.fill(padding as u8 - 1);
                let end = frame.end();
                frame.append(mac_len)?;
                let iv = self.begin(frame, header, covered.number)?;
                covered.write(frame, iv, end - iv);
                Plan::chain(chain, &[0; BLOCK], iv..end, iv - MAC_HEADER..end, end)
            }
        };
        Ok(plan.number(covered.number))
    }

    /// Lets the packet begin with room for the header, and with the number as a block. Returns
    /// where that block is.
    fn begin(
        &self,
        frame: &mut Frame<'_>,
        header: usize,
        number: u64,
    ) -> Result<usize, PacketError> {
        let block = &mut frame.prepend(header + BLOCK)?[header..];
        block[..8].copy_from_slice(&number.to_be_bytes());
        block[8..].fill(0);
        Ok(frame.start() + header)
    }

    /// Returns the second job, after the MAC was made; `None` if there is only one. Afterwards the
    /// packet has room for its header at its beginning, of `header` bytes.
    pub(crate) fn second(
        &self,
        frame: &mut Frame<'_>,
        header: usize,
        number: u64,
    ) -> Result<Option<Plan<'_>>, PacketError> {
        let CbcWrite::MacFirst { cipher, .. } = self else { return Ok(None) };
        let iv = self.begin(frame, header, number)?;
        Ok(Some(Plan::cipher(cipher, &[0; BLOCK], iv..frame.end()).number(number)))
    }
}

/// The direction that receives.
pub(crate) enum CbcRead {
    /// The MAC is under the padding, and checked in constant time after the decryption.
    MacFirst { cipher: Session, mac: PaddedMac, mac_len: usize },
    /// The MAC is behind the ciphertext, and checked before it is decrypted.
    MacLast(Session),
}

impl CbcRead {
    pub(crate) fn open(
        registry: &Registry,
        suite: CbcHmac,
        keys: RecordKeys<'_>,
        mac_is_first: bool,
    ) -> Result<Self, FlowError> {
        let keys = Keys::new(suite, keys)?;
        let (cipher, mac) = (keys.cipher(), keys.mac());
        Ok(match mac_is_first {
            true => CbcRead::MacFirst {
                cipher: registry.open(&Transform::cipher(cipher, keys.key).decrypt()?)?,
                mac: PaddedMac::new(suite.hash(), keys.mac_key),
                mac_len: suite.hash().digest_len(),
            },
            false => {
                let chain = Transform::cipher_then_mac(cipher, keys.key, mac, keys.mac_key);
                CbcRead::MacLast(registry.open(&chain.decrypt()?)?)
            }
        })
    }

    /// Checks that a record with a header of `header` bytes has whole blocks, and enough of them;
    /// and that there is room before it for what the MAC covers.
    pub(crate) fn check(&self, frame: &Frame<'_>, header: usize) -> Result<(), PacketError> {
        let (blocks, behind) = match self {
            CbcRead::MacFirst { mac_len, .. } => ((mac_len + 1).next_multiple_of(BLOCK), 0),
            CbcRead::MacLast(chain) => {
                frame.has_room(MAC_HEADER.saturating_sub(header), 0)?;
                (BLOCK, chain.tag_len())
            }
        };
        frame.has_at_least(header + BLOCK + blocks + behind)?;
        let body = frame.len() - header;
        match (body - behind) % BLOCK {
            0 => Ok(()),
            _ => Err(PacketError::Malformed { field: "length", value: body as u64 }),
        }
    }

    /// Plans to decrypt a record that was checked.
    pub(crate) fn plan(
        &self,
        frame: &mut Frame<'_>,
        header: usize,
        covered: MacHeader,
    ) -> Plan<'_> {
        let iv = frame.start() + header;
        let text = iv + BLOCK;
        let nonce: [u8; BLOCK] = frame.buffer()[iv..text].try_into().expect("16 bytes");
        let plan = match self {
            CbcRead::MacFirst { cipher, .. } => Plan::cipher(cipher, &nonce, text..frame.end()),
            CbcRead::MacLast(chain) => {
                let tag = frame.end() - chain.tag_len();
                covered.write(frame, iv, tag - iv);
                Plan::chain(chain, &nonce, text..tag, iv - MAC_HEADER..tag, tag)
            }
        };
        plan.number(covered.number)
    }

    /// Takes the content out of a record that was decrypted.
    ///
    /// # Errors
    /// [`PacketError::Integrity`] if the MAC or the padding under it is wrong, with no difference
    /// between the two; [`PacketError::BadPadding`] if the MAC was right and the padding is wrong.
    pub(crate) fn strip(
        &self,
        frame: &mut Frame<'_>,
        header: usize,
        covered: MacHeader,
    ) -> Result<(), PacketError> {
        let len = match self {
            CbcRead::MacFirst { mac, .. } => {
                let text = &frame.bytes()[header + BLOCK..];
                mac.content_len(&covered.bytes(), text).ok_or(PacketError::Integrity)?
            }
            CbcRead::MacLast(chain) => {
                let text = &frame.bytes()[header + BLOCK..frame.len() - chain.tag_len()];
                let padding = text[text.len() - 1];
                let len = text.len().checked_sub(usize::from(padding) + 1);
                let len = len.ok_or(PacketError::BadPadding)?;
                if text[len..].iter().any(|byte| *byte != padding) {
                    return Err(PacketError::BadPadding);
                }
                len
            }
        };
        frame.remove_front(header + BLOCK)?;
        frame.remove_back(frame.len() - len)
    }
}
