//! Everything that can go wrong.

use std::io;

use broadloom_engine::{JobError, OpenError, TransformError};

use crate::age::Recipient;
use crate::age::armor::ArmorError;
use crate::age::damage::PayloadError;
use crate::age::header::HeaderError;

/// Why an input is not encrypted or decrypted. Offsets are those of the file: of the input, or of
/// the output where it cannot be written. Where an input is armoured, offsets behind its armour are
/// those of the decoded bytes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncryptionError {
    /// The input cannot be read.
    #[error("at byte {offset}: cannot be read: {error}")]
    Read {
        /// Where.
        offset: u64,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The output cannot be written.
    #[error("at byte {offset} of the output: cannot be written: {error}")]
    Write {
        /// Where.
        offset: u64,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The operating system gives no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
    /// No provider can do the work.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A key does not fit its algorithm.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// A provider failed.
    #[error("at byte {offset}: {error}")]
    Job {
        /// The first byte of the chunk.
        offset: u64,
        /// Why.
        #[source]
        error: JobError,
    },
    /// The armour is damaged.
    #[error(transparent)]
    Armor(#[from] ArmorError),
    /// The header is damaged, or is none.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// No key or passphrase fits.
    #[error("no {tried} fits: the file is for {recipients}")]
    NoMatch {
        /// What was tried: identity, passphrase, or both.
        tried: &'static str,
        /// For whom the file is, in words.
        recipients: String,
    },
    /// A recipient whose point is of low order: whoever encrypts to it, everybody can decrypt.
    #[error("the recipient {0} is a point of low order, for which anybody can decrypt")]
    LowOrder(Recipient),
    /// Nobody gave the passphrase that the file needs.
    #[error("the passphrase: {0}")]
    Passphrase(#[source] io::Error),
    /// A file for a passphrase asks for more work than is allowed.
    #[error("the passphrase asks for 2^{work_factor} rounds of work; valid: at most 2^{most}")]
    WorkFactor {
        /// The logarithm of the work.
        work_factor: u8,
        /// The largest that is allowed.
        most: u8,
    },
    /// The header was changed after it was written.
    #[error("the header's authentication code is wrong: the header was changed")]
    HeaderMac,
    /// A chunk of the payload is not what was encrypted there.
    #[error("at byte {offset}: {cause}")]
    Payload {
        /// The first byte of the chunk, or where the input ends.
        offset: u64,
        /// What is wrong.
        #[source]
        cause: PayloadError,
    },
    /// The input is not what `openssl enc` writes.
    #[error(
        "the file begins with {found:?}, not with \"Salted__\": it is not of openssl enc with a \
         salt"
    )]
    NotSalted {
        /// Its first bytes, at most eight.
        found: String,
    },
    /// The input ends before the salt of `openssl enc` does.
    #[error(
        "at byte {offset}: the input ends within the 16 bytes of \"Salted__\" and a salt with which \
         files of openssl enc begin: it was cut off, or is none"
    )]
    PartialHeader {
        /// Where the input ends.
        offset: u64,
    },
    /// Data in CBC without a block, of which there is one even where nothing was encrypted.
    #[error("at byte {offset}: the input ends before its first block: it was cut off")]
    NoBlock {
        /// Where the input ends.
        offset: u64,
    },
    /// The padding of CBC is wrong.
    #[error(
        "at byte {offset}: the padding is wrong: another passphrase, cipher or number of \
         iterations, or a file that was damaged or cut off"
    )]
    Padding {
        /// The last block.
        offset: u64,
    },
    /// Data in CBC that are no whole number of blocks.
    #[error("at byte {offset}: the input ends within a block of 16 bytes")]
    PartialBlock {
        /// Where the input ends.
        offset: u64,
    },
    /// A range of bytes that the plaintext does not have.
    #[error("the range begins at byte {start}, and the plaintext has {len} bytes")]
    Range {
        /// Its first byte.
        start: u64,
        /// Bytes of the plaintext.
        len: u64,
    },
}
