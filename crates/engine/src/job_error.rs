//! Why a job failed.

use std::error::Error;
use std::fmt;

use crate::algorithm::{Algorithm, Direction, Lengths};
use crate::extra::Extra;

/// What an accelerator did instead of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceFault {
    /// No response came in time.
    Timeout,
    /// It was reset while it had the job.
    Reset,
    /// It is gone.
    Removed,
    /// Its output was damaged on the way, or was wrong.
    Corrupted,
    /// It had no memory for the job.
    OutOfMemory,
}

impl fmt::Display for DeviceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceFault::Timeout => f.write_str("did not respond in time"),
            DeviceFault::Reset => f.write_str("was reset while it had the job"),
            DeviceFault::Removed => f.write_str("is gone"),
            DeviceFault::Corrupted => f.write_str("gave output that is wrong"),
            DeviceFault::OutOfMemory => f.write_str("had no memory for the job"),
        }
    }
}

impl Error for DeviceFault {}

/// Why a job failed.
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use broadloom_engine::{
///     AeadAlgorithm, AesSize, Job, JobError, Processor, Transform,
/// };
///
/// let gcm = AeadAlgorithm::AesGcm(AesSize::Aes128);
/// let session = registry.open(&Transform::aead(gcm, &[7; 16]).open()?)?;
/// let forged = Job::new(&session, vec![0; 64]).nonce(&[1; 12]).expect_tag(&[0; 16]);
/// let mut jobs = [forged];
/// Processor::new().process_many(&mut jobs);
/// assert_eq!(jobs[0].status(), Some(Err(JobError::TagMismatch)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobError {
    /// The tag is wrong. What was deciphered is wiped.
    TagMismatch,
    /// A tag to check of another length than the session's.
    TagLength {
        /// Its length, in bytes; 0 where none was given.
        len: usize,
        /// That of the session's tags.
        valid: usize,
    },
    /// A nonce or IV of a length that the algorithm does not have.
    NonceLength {
        /// Its length, in bytes; 0 where none was given.
        len: usize,
        /// The lengths that fit.
        valid: Lengths,
    },
    /// A nonce with bits set that are no part of any of its fields.
    NonceBits {
        /// Which byte, from 0 on.
        at: usize,
        /// Its value.
        byte: u8,
        /// The bits that may be set.
        mask: u8,
    },
    /// Data of a length that the algorithm does not have.
    DataLength {
        /// Bytes to be ciphered.
        len: usize,
        /// What they must be a multiple of.
        granularity: usize,
    },
    /// More data than one nonce allows, or than the provider can take at once. Data in place are as
    /// they were.
    TooLong {
        /// Bytes to be ciphered, hashed or authenticated.
        len: usize,
        /// The most that can be.
        max: u64,
    },
    /// More associated data than the provider can take at once. Data in place are as they were.
    AssociatedTooLong {
        /// Bytes of associated data.
        len: usize,
        /// The most that can be.
        max: u64,
    },
    /// Less data than the algorithm takes: XTS has no data unit of less than a block.
    TooShort {
        /// Bytes to be ciphered.
        len: usize,
        /// The fewest that can be.
        min: usize,
    },
    /// A length in bits that does not end in the last byte of the text.
    BitLength {
        /// The length in bits.
        bits: usize,
        /// Bytes of text.
        len: usize,
    },
    /// A counter of 32 bits that would pass zero, so that key stream would be used twice.
    CounterWraps {
        /// The counter's first value.
        first: u32,
        /// Blocks that the data have.
        blocks: u64,
    },
    /// A range, or a place for a tag, that is not within the data.
    Range {
        /// Which: a range for the cipher or for the MAC, or a tag's place.
        what: Extra,
        /// Where it starts.
        start: usize,
        /// Where it ends.
        end: usize,
        /// Bytes of data.
        len: usize,
    },
    /// A tag that would be written over ciphertext or over the bytes that it is the tag of, or is
    /// to be read from there; or that would be encrypted in part. Give the cipher a
    /// [range](crate::Job::cipher_range) beside it, or the MAC [one](crate::Job::mac_range).
    TagOverlap {
        /// Where the tag starts.
        start: usize,
        /// Where it ends.
        end: usize,
        /// Which range: the cipher's or the MAC's.
        range: Extra,
        /// Where the range starts.
        range_start: usize,
        /// Where it ends.
        range_end: usize,
    },
    /// Something that the job's session has no use for. It is not ignored: what is asked to be
    /// authenticated and is not would not be missed.
    NotTaken {
        /// What it is.
        extra: Extra,
        /// The session's algorithm.
        algorithm: Algorithm,
        /// The session's direction.
        direction: Direction,
    },
    /// A cipher, an AEAD or a chain was given data that can only be read.
    ReadOnly,
    /// A tag that is made should go to a place in data that can only be read.
    ReadOnlyTag,
    /// A source and a destination of different lengths.
    Lengths {
        /// Bytes of the source.
        source_len: usize,
        /// Bytes of the destination.
        destination_len: usize,
    },
    /// The provider could not open a queue for this thread; some have no more than so many at a
    /// time. Data in place are as they were. A second attempt asks the provider again.
    NoQueue,
    /// One of the provider's own calls failed; the number is the provider's.
    Provider {
        /// The provider's own number for it.
        code: i64,
    },
    /// Something to be decompressed is not what any compression makes.
    Malformed,
    /// Something to be decompressed ends too early.
    Truncated,
    /// Decompressed data would be more than the job's [limit](crate::Job::limit).
    OutputLimit {
        /// The limit, in bytes.
        limit: u64,
    },
    /// Something to be compressed is, as the provider has it, more than several times as much room
    /// as it can need.
    NeverFits {
        /// Bytes to be compressed.
        len: usize,
        /// Bytes of room that there were for all that is made of them.
        room: usize,
    },
    /// There is no memory for the output of a compression, a decompression or a public-key
    /// algorithm.
    OutOfMemory {
        /// Bytes of output for which the job needed memory.
        len: usize,
    },
    /// The output of a compression or of a public-key algorithm is the job's own, and its data are
    /// only read.
    OwnOutput,
    /// The signature is not one of the data under this key.
    SignatureMismatch,
    /// The ciphertext is none that was made with the public key. Nothing more is said.
    Decryption,
    /// Data of another length than a public-key algorithm takes.
    InputLength {
        /// Bytes of data.
        len: usize,
        /// The shortest that fits.
        min: usize,
        /// The longest that fits.
        max: usize,
    },
    /// Data of another length than the two that the algorithm takes: without randomness, which the
    /// provider then draws, and with it.
    EitherLength {
        /// Bytes of the data.
        len: usize,
        /// The length without randomness.
        without: usize,
        /// The length with randomness.
        with: usize,
    },
    /// A number that is not less than the modulus of the RSA key.
    NotBelowModulus,
    /// The other side's public key is no point of the curve, or of a small order; or is a key of
    /// ML-KEM with a number that is not below 3329. The ciphertext of a hybrid holds a public key,
    /// too.
    PublicKey,
    /// The randomness that the data bring for a hybrid holds a private key of P-256 that is zero,
    /// or not below the order.
    Scalar,
    /// An accelerator failed. Data in place are as they were.
    Device(DeviceFault),
    /// The provider gave the job back without having done it.
    NotDone,
    /// The provider panicked while it worked on the job or on others beside it.
    Panicked,
    /// The queue pair was dropped before the job was processed.
    Cancelled,
}

/// Gives every kind of error a name and a number.
macro_rules! kinds {
    (
        $($kind:ident => $name:literal,)+;
        $($fault:ident => $fault_name:literal,)+
    ) => {
        /// The names of all kinds of errors, by their numbers.
        pub(crate) const NAMES: [&str; KINDS] = [$($name,)+ $($fault_name,)+];
        const KINDS: usize = [$($name,)+ $($fault_name,)+].len();

        /// The kinds of errors of which there is one each.
        enum Kind {
            $($kind,)+
            /// The number of the first device fault.
            FirstFault,
        }

        impl JobError {
            /// Returns the number of the kind of error, less than the number of
            /// [names](NAMES).
            pub(crate) fn number(self) -> usize {
                match self {
                    $(JobError::$kind { .. } => Kind::$kind as usize,)+
                    $(JobError::Device(DeviceFault::$fault) => {
                        Kind::FirstFault as usize + DeviceFault::$fault as usize
                    })+
                }
            }
        }
    };
}

kinds! {
    TagMismatch => "tag-mismatch",
    TagLength => "tag-length",
    NonceLength => "nonce-length",
    NonceBits => "nonce-bits",
    DataLength => "data-length",
    TooLong => "too-long",
    AssociatedTooLong => "associated-too-long",
    TooShort => "too-short",
    BitLength => "bit-length",
    CounterWraps => "counter-wraps",
    Range => "range",
    TagOverlap => "tag-overlap",
    NotTaken => "not-taken",
    ReadOnly => "read-only",
    ReadOnlyTag => "read-only-tag",
    Lengths => "lengths",
    NoQueue => "no-queue",
    Provider => "provider",
    Malformed => "malformed",
    Truncated => "truncated",
    OutputLimit => "output-limit",
    NeverFits => "never-fits",
    OutOfMemory => "out-of-memory",
    OwnOutput => "own-output",
    SignatureMismatch => "signature-mismatch",
    Decryption => "decryption",
    InputLength => "input-length",
    EitherLength => "either-length",
    NotBelowModulus => "not-below-modulus",
    PublicKey => "public-key",
    Scalar => "scalar",
    NotDone => "not-done",
    Panicked => "panicked",
    Cancelled => "cancelled",
    ;
    Timeout => "device-timeout",
    Reset => "device-reset",
    Removed => "device-removed",
    Corrupted => "device-corrupted",
    OutOfMemory => "device-out-of-memory",
}

impl JobError {
    /// Returns the name of the kind of error, by which metrics count it: `tag-mismatch`. It does
    /// not change between versions.
    pub fn name(self) -> &'static str {
        NAMES[self.number()]
    }

    /// Returns `true` if a provider that says so has written nothing: it had no queue, its device
    /// failed, or the job is beyond what it takes. Another provider may have the data.
    pub(crate) fn leaves_data(self) -> bool {
        matches!(
            self,
            JobError::NoQueue
                | JobError::Device(_)
                | JobError::TooLong { .. }
                | JobError::AssociatedTooLong { .. }
        )
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JobError::TagMismatch => f.write_str("the tag is wrong"),
            JobError::TagLength { len, valid } => {
                write!(f, "{}, and the session's tags have {valid} bytes", given_tag(*len))
            }
            JobError::NonceLength { len, valid } => write!(f, "{}", wrong_nonce(*len, *valid)),
            JobError::NonceBits { at, byte, mask } => write!(
                f,
                "byte {at} of the nonce is {byte:#04x}, where no bits but {mask:#04x} may be set"
            ),
            JobError::DataLength { len, granularity } => write!(
                f,
                "{len} bytes to be ciphered are no multiple of the block length, {granularity}"
            ),
            JobError::TooLong { len, max } => {
                write!(f, "{len} bytes of data are too many for one job; at most {max}")
            }
            JobError::AssociatedTooLong { len, max } => {
                write!(f, "{len} bytes of associated data are too many for one job; at most {max}")
            }
            JobError::TooShort { len, min } => {
                write!(f, "{len} bytes to be ciphered are too few; at least {min}")
            }
            JobError::BitLength { bits, len } => {
                write!(f, "{bits} bits take {} bytes, and the text has {len}", bits.div_ceil(8))
            }
            JobError::CounterWraps { first, blocks } => write!(
                f,
                "a counter that starts at {first:#010x} has {} blocks left, not {blocks}",
                (1 << 32) - u64::from(*first)
            ),
            JobError::Range { what, start, end, len } => {
                write!(f, "the {what}, {start}..{end}, is not within {len} bytes of data")
            }
            JobError::TagOverlap { start, end, range, range_start, range_end } => write!(
                f,
                "the tag's place {start}..{end} overlaps the {range}, {range_start}..{range_end}"
            ),
            JobError::NotTaken { extra, algorithm, direction } => {
                write!(f, "{algorithm} {direction} takes no {extra}")
            }
            JobError::ReadOnly => {
                f.write_str("the output needs data that can be written, and these can only be read")
            }
            JobError::ReadOnlyTag => {
                f.write_str("the tag's place is in data that can only be read")
            }
            JobError::Lengths { source_len, destination_len } => write!(
                f,
                "{source_len} bytes of input need as many of output, not {destination_len}"
            ),
            JobError::NoQueue => f.write_str("the provider has no queue for this thread"),
            JobError::Provider { code } => write!(f, "the provider failed with code {code}"),
            JobError::Malformed => f.write_str("the compressed data are malformed"),
            JobError::Truncated => f.write_str("the compressed data end too early"),
            JobError::OutputLimit { limit } => {
                write!(f, "the decompressed data are more than the limit of {limit} bytes")
            }
            JobError::NeverFits { len, room } => {
                write!(f, "{len} bytes do not fit into {room}, as the provider compresses them")
            }
            JobError::OutOfMemory { len } => {
                write!(f, "there is no memory for {len} bytes of output")
            }
            JobError::OwnOutput => f.write_str(
                "a compression and a public-key algorithm take data to read only, and make room \
                 for their output themselves",
            ),
            JobError::SignatureMismatch => f.write_str("the signature is wrong"),
            JobError::Decryption => f.write_str("the ciphertext cannot be decrypted"),
            JobError::InputLength { len, min, max } if min == max => {
                write!(f, "{len} bytes of data do not fit; valid: {min}")
            }
            JobError::InputLength { len, min, max } => {
                write!(f, "{len} bytes of data do not fit; valid: {min} to {max}")
            }
            JobError::EitherLength { len, without, with } => {
                write!(f, "{len} bytes of data do not fit; valid: {without} or {with}")
            }
            JobError::NotBelowModulus => {
                f.write_str("the data are a number that is not less than the modulus of the key")
            }
            JobError::PublicKey => f.write_str("the other side's public key is not valid"),
            JobError::Scalar => f.write_str(
                "the private key of P-256 in the randomness is zero or not below the order",
            ),
            JobError::Device(cause) => write!(f, "the device {cause}"),
            JobError::NotDone => f.write_str("the provider did not do it"),
            JobError::Panicked => f.write_str(
                "the provider panicked while it worked on the job or on others beside it",
            ),
            JobError::Cancelled => {
                f.write_str("the queue pair was dropped before the job's turn came")
            }
        }
    }
}

impl Error for JobError {}

/// Describes what was given to be checked.
fn given_tag(len: usize) -> String {
    match len {
        0 => "no tag to check was given".to_owned(),
        _ => format!("a tag of {len} bytes is to be checked"),
    }
}

fn wrong_nonce(len: usize, valid: Lengths) -> String {
    match len {
        0 => format!("no nonce was given; valid lengths, in bytes: {valid}"),
        _ if valid.is_none() => format!("a nonce of {len} bytes was given, and none is taken"),
        _ => format!("a nonce of {len} bytes does not fit; valid: {valid}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_a_name_of_its_own() {
        let distinct: std::collections::HashSet<_> = NAMES.into_iter().collect();
        assert_eq!(distinct.len(), NAMES.len());
        let faults = [DeviceFault::Timeout, DeviceFault::OutOfMemory].map(JobError::Device);
        assert_eq!(faults.map(JobError::name), ["device-timeout", "device-out-of-memory"]);
        let others = [JobError::TagMismatch, JobError::TooLong { len: 2, max: 1 }];
        assert_eq!(others.map(JobError::name), ["tag-mismatch", "too-long"]);
        assert_eq!(JobError::Cancelled.name(), "cancelled");
    }

    /// Messages for a user who has only these words: each names what it is about.
    #[test]
    fn messages_say_what_they_are_about() {
        let range = |what, start, end| JobError::Range { what, start, end, len: 8 };
        for (error, text) in [
            (
                JobError::AssociatedTooLong { len: 133, max: 46 },
                "133 bytes of associated data are too many for one job; at most 46",
            ),
            (
                JobError::TooLong { len: 70, max: 64 },
                "70 bytes of data are too many for one job; at most 64",
            ),
            (
                JobError::NonceLength { len: 3, valid: Lengths::NONE },
                "a nonce of 3 bytes was given, and none is taken",
            ),
            (
                JobError::NonceLength { len: 0, valid: Lengths::exactly(16) },
                "no nonce was given; valid lengths, in bytes: 16",
            ),
            (
                JobError::NonceLength { len: 6, valid: Lengths::range(7, 13) },
                "a nonce of 6 bytes does not fit; valid: 7 to 13",
            ),
            (
                JobError::TagLength { len: 0, valid: 16 },
                "no tag to check was given, and the session's tags have 16 bytes",
            ),
            (
                JobError::TagLength { len: 12, valid: 16 },
                "a tag of 12 bytes is to be checked, and the session's tags have 16 bytes",
            ),
            (
                JobError::ReadOnly,
                "the output needs data that can be written, and these can only be read",
            ),
            (JobError::BitLength { bits: 65, len: 8 }, "65 bits take 9 bytes, and the text has 8"),
            (JobError::ReadOnlyTag, "the tag's place is in data that can only be read"),
            (
                range(Extra::CipherRange, 4, 9),
                "the range for the cipher, 4..9, is not within 8 bytes of data",
            ),
            (
                range(Extra::TagPlace, 0, 16),
                "the place for a tag, 0..16, is not within 8 bytes of data",
            ),
            (
                JobError::DataLength { len: 15, granularity: 16 },
                "15 bytes to be ciphered are no multiple of the block length, 16",
            ),
        ] {
            assert_eq!(error.to_string(), text);
        }
    }
}
