//! Chains of AES and HMAC: which step applies to which bytes of a packet.

use core::fmt;
use core::ops::Range;
use core::ptr;

use super::lanes::{ChainLanes, ChainTask};
use crate::aes::{Cbc, CbcLanes, Ctr, CtrLanes, Direction};
use crate::buffer::Span;
use crate::hash::{HashLanes, HmacKey, room};
use crate::job::Cipher;
use crate::kernels::aes::key::AesKey;
use crate::kernels::hash::algorithm::Hash;
use crate::manager::{Lanes, Loan};

/// The steps on a packet, in order.
///
/// ```
/// use broadloom_lanes::Steps;
///
/// // IPsec's ESP, and the way back.
/// assert_ne!(Steps::EncryptThenMac, Steps::MacThenDecrypt);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// It is encrypted, and the ciphertext authenticated.
    EncryptThenMac,
    /// The way back: the ciphertext is authenticated, and decrypted.
    MacThenDecrypt,
    /// It is authenticated, and then encrypted, its tag too if that is in the cipher's range.
    MacThenEncrypt,
    /// The way back: it is decrypted, and then authenticated.
    DecryptThenMac,
}

impl Steps {
    fn mac_first(self) -> bool {
        matches!(self, Steps::MacThenDecrypt | Steps::MacThenEncrypt)
    }

    /// Returns `true` if a tag is made, and not compared.
    pub(super) fn encrypts(self) -> bool {
        matches!(self, Steps::EncryptThenMac | Steps::MacThenEncrypt)
    }
}

/// Which bytes of a packet are for what.
///
/// ```
/// use broadloom_lanes::Ranges;
///
/// // A header of 16 bytes, two blocks of text, and a truncated tag of 12 bytes (RFC 2404).
/// let ranges = Ranges { cipher: 16..48, mac: 0..48, tag: 48..60 };
/// assert_eq!(ranges.mac.end, ranges.tag.start);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// Those that are encrypted or decrypted.
    pub cipher: Range<usize>,
    /// Those that are authenticated.
    pub mac: Range<usize>,
    /// The tag: the first bytes of the MAC, as many as the range has, at least 4. It may not
    /// overlap the authenticated bytes. On the way back the length is the one that both sides
    /// agreed on, not one from the packet. Where a tag is made, the range may be empty: the tag is
    /// then not in the packet. The tag may be in the cipher's range only if the packet is
    /// authenticated before it is encrypted, and then as a whole.
    pub tag: Range<usize>,
}

/// The steps on a packet, with keys.
///
/// ```
/// use broadloom_lanes::{AesKey, Chain, HmacKey, Ranges, Sha1, Steps};
///
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let mac_key = HmacKey::<Sha1>::new(b"key");
/// let ranges = Ranges { cipher: 16..48, mac: 0..48, tag: 48..60 };
/// let iv = [1; 16];
/// let out = Chain { steps: Steps::EncryptThenMac, key: &key, mac_key: &mac_key, iv, ranges };
/// let back = Chain { steps: Steps::MacThenDecrypt, ..out.clone() };
/// assert_eq!(out.ranges, back.ranges);
/// ```
///
/// The example of [`ChainJob`](crate::ChainJob) encrypts and decrypts a packet.
#[derive(Clone)]
pub struct Chain<'a, A: Hash> {
    /// First and last.
    pub steps: Steps,
    /// The key of the cipher.
    pub key: &'a AesKey,
    /// The key of the HMAC.
    pub mac_key: &'a HmacKey<A>,
    /// The IV of CBC, or the first counter block, of which all 128 bits count.
    /// [`CbcJob`](crate::CbcJob) and [`CtrJob`](crate::CtrJob) say which values may not be used
    /// twice.
    pub iv: [u8; 16],
    /// To which of its bytes.
    pub ranges: Ranges,
}

impl<A: Hash> Chain<'_, A> {
    /// Refuses what does not fit a packet of so many bytes.
    pub(super) fn check<C: ChainCipher>(&self, len: usize) -> Result<(), ChainError> {
        let Ranges { cipher, mac, tag } = &self.ranges;
        for range in [cipher, mac, tag] {
            let Range { start, end } = *range;
            if start > end || end > len {
                return Err(ChainError::Range { start, end, len });
            }
        }
        if !cipher.len().is_multiple_of(C::GRANULARITY) {
            return Err(ChainError::CipherLength {
                len: cipher.len(),
                granularity: C::GRANULARITY,
            });
        }
        if !tag.is_empty() && !(MIN_TAG..=A::DIGEST_LEN).contains(&tag.len()) {
            return Err(ChainError::tag_length::<A>(tag.len()));
        }
        let overlaps = |range: &Range<usize>| tag.start.max(range.start) < tag.end.min(range.end);
        let encloses = |range: &Range<usize>| range.start <= tag.start && tag.end <= range.end;
        let covered = matches!(self.steps, Steps::MacThenEncrypt | Steps::DecryptThenMac);
        let other = if overlaps(mac) {
            mac
        } else if overlaps(cipher) && !(covered && encloses(cipher)) {
            cipher
        } else {
            return Ok(());
        };
        let Range { start, end } = *tag;
        Err(ChainError::TagOverlap { start, end, other_start: other.start, other_end: other.end })
    }

    /// Returns the steps of the MAC's kernel that a packet keeps a lane for: the longer part by
    /// far.
    #[inline(always)]
    pub(super) fn cost(&self) -> usize {
        self.ranges.mac.len() / A::BLOCK_LEN
    }

    /// Returns the work on a packet that its ranges were [checked](Chain::check) for. A tag that is
    /// made is put into it.
    ///
    /// The packet, and at `tag` room for a digest, are good for the loan's lifetime.
    #[inline(always)]
    pub(super) fn lend<'l, C: ChainCipher>(
        &self,
        packet: *mut u8,
        tag: *mut u8,
    ) -> Loan<'l, ChainLanes<C, HashLanes<A>>> {
        let Chain { steps, key, mac_key, iv, ranges: Ranges { cipher, mac, tag: place } } = self;
        // SAFETY: the ranges are within the packet, which is valid for the loan's lifetime.
        let [ciphered, covered, placed] =
            unsafe { [cipher, mac, place].map(|range| packet.add(range.start)) };
        let cipher = C::half(steps.encrypts(), key, iv, ciphered, cipher.len());
        let mac = Loan::hmac_at(mac_key, ptr::slice_from_raw_parts(covered, mac.len()), tag);
        let place_len = if steps.encrypts() { place.len() } else { 0 };
        let mac_first = steps.mac_first();
        let task = ChainTask { cipher, mac: mac.task, mac_first, tag, place: placed, place_len };
        Loan::new(task, self.cost())
    }
}

/// The shortest tag that is put into a packet or compared, in bytes.
const MIN_TAG: usize = 4;

/// Ranges that a chain cannot work on.
///
/// ```
/// use broadloom_lanes::{AesKey, CbcLanes, Chain, ChainJob, HmacKey, Ranges, Sha1, Steps};
///
/// let error = {
///     let key = AesKey::new(&[7; 16]).expect("16 bytes");
///     let mac_key = HmacKey::<Sha1>::new(b"key");
///     let ranges = Ranges { cipher: 0..80, mac: 0..64, tag: 64..64 };
///     let steps = Steps::EncryptThenMac;
///     let chain = Chain { steps, key: &key, mac_key: &mac_key, iv: [1; 16], ranges };
///     let job = ChainJob::<CbcLanes, _, _, _>::over(chain, vec![0; 64], ());
///     job.err().expect("16 bytes too many")
/// };
/// assert_eq!(error.to_string(), "0..80 is not within a packet of 64 bytes");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainError {
    /// A range that is not within the packet.
    Range {
        /// Its start.
        start: usize,
        /// Its end.
        end: usize,
        /// Bytes that the packet has.
        len: usize,
    },
    /// A range of the cipher that is no whole number of blocks.
    CipherLength {
        /// Its bytes.
        len: usize,
        /// The number that lengths must be a multiple of.
        granularity: usize,
    },
    /// A range of the tag that is shorter than 4 bytes or longer than the MAC; or an empty range
    /// where a tag is to be compared.
    TagLength {
        /// Its bytes.
        len: usize,
        /// The least.
        min: usize,
        /// The most.
        max: usize,
    },
    /// A range of the tag that overlaps the authenticated bytes; or one that overlaps the ciphered
    /// bytes, unless the MAC comes first and the cipher covers the whole tag.
    TagOverlap {
        /// Its start.
        start: usize,
        /// Its end.
        end: usize,
        /// The start of the other range.
        other_start: usize,
        /// The end of the other range.
        other_end: usize,
    },
}

impl ChainError {
    /// Makes the error for a tag that the hash `A` does not make, or that is too short.
    pub(super) fn tag_length<A: Hash>(len: usize) -> Self {
        ChainError::TagLength { len, min: MIN_TAG, max: A::DIGEST_LEN }
    }
}

impl fmt::Display for ChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChainError::Range { start, end, len } => {
                write!(f, "{start}..{end} is not within a packet of {len} bytes")
            }
            ChainError::CipherLength { len, granularity } => {
                write!(f, "{len} bytes to be ciphered are no multiple of {granularity}")
            }
            ChainError::TagLength { len, min, max } => {
                write!(f, "a tag of {len} bytes, where there may be {min} to {max}")
            }
            ChainError::TagOverlap { start, end, other_start, other_end } => {
                write!(
                    f,
                    "the tag at {start}..{end} overlaps what is authenticated or ciphered, "
                )?;
                write!(f, "{other_start}..{other_end}")
            }
        }
    }
}

impl core::error::Error for ChainError {}

/// A cipher that goes together with a MAC: the lanes of AES in [CBC](CbcLanes) and in
/// [counter mode](CtrLanes).
///
/// ```
/// use broadloom_lanes::{ChainCipher, ChainLanes, CtrLanes, Hash, HashLanes, Planner, Sha256};
///
/// /// A planner for chains of any cipher and HMAC over any hash.
/// type Chains<C, A> = Planner<ChainLanes<C, HashLanes<A>>>;
///
/// fn lanes<C: ChainCipher, A: Hash>(planner: &Chains<C, A>) -> usize {
///     planner.lanes()
/// }
/// assert!(lanes::<CtrLanes, Sha256>(&Planner::new(&broadloom_lanes::Cpu::detect())) > 0);
/// ```
pub trait ChainCipher: Lanes + sealed::Sealed {
    /// Lengths in bytes must be multiples of this number.
    const GRANULARITY: usize;

    /// Returns the task for bytes that are good until it is complete, as the key is.
    #[doc(hidden)]
    fn half(encrypts: bool, key: &AesKey, iv: &[u8; 16], bytes: *mut u8, len: usize) -> Self::Task;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::CbcLanes {}
    impl Sealed for super::CtrLanes {}
}

impl ChainCipher for CbcLanes {
    const GRANULARITY: usize = 16;

    #[inline(always)]
    fn half(encrypts: bool, key: &AesKey, iv: &[u8; 16], bytes: *mut u8, len: usize) -> Self::Task {
        let direction = if encrypts { Direction::Encrypt } else { Direction::Decrypt };
        let mode = Cbc::new(direction, key, iv, len).expect("chains are checked for whole blocks");
        mode.task(Span { src: bytes, dst: bytes, len })
    }
}

impl ChainCipher for CtrLanes {
    const GRANULARITY: usize = 1;

    #[inline(always)]
    fn half(_: bool, key: &AesKey, counter: &[u8; 16], bytes: *mut u8, len: usize) -> Self::Task {
        Ctr::new(key, counter).task(Span { src: bytes, dst: bytes, len })
    }
}

impl<'a, C: ChainCipher, A: Hash> Loan<'a, ChainLanes<C, HashLanes<A>>> {
    /// Makes a loan for AES and HMAC over a packet, one after the other, in place. The MAC is
    /// written to the start of `tag`. A MAC that is made for the packet also goes to the chain's
    /// range.
    ///
    /// On the way back the caller compares `tag` with the received tag, and wipes the decrypted
    /// bytes if they differ.
    ///
    /// ```
    /// use broadloom_lanes::{AesKey, CbcLanes, Chain, ChainLanes, Cpu, HashLanes, HmacKey};
    /// use broadloom_lanes::{Loan, Planner, Ranges, Sha1, Steps};
    ///
    /// type Esp = ChainLanes<CbcLanes, HashLanes<Sha1>>;
    /// let (key, mac_key) = (AesKey::new(&[7; 16])?, HmacKey::<Sha1>::new(&[8; 20]));
    /// let mut packets = [[1u8; 8 + 16 + 32 + 12], [2; 68], [3; 68]];
    /// let mut tags = [[0; 20]; 3];
    /// let mut planner = Planner::<Esp>::new(&Cpu::detect());
    /// planner.process_each(packets.iter_mut().zip(&mut tags).map(|(packet, tag)| {
    ///     let iv = packet[8..24].try_into().expect("16 bytes");
    ///     let ranges = Ranges { cipher: 24..56, mac: 0..56, tag: 56..68 };
    ///     let steps = Steps::EncryptThenMac;
    ///     Loan::chain(&Chain { steps, key: &key, mac_key: &mac_key, iv, ranges }, packet, tag)
    /// }));
    /// assert_eq!(packets[2][56..], tags[2][..12]);
    /// # Ok::<(), broadloom_lanes::KeyLengthError>(())
    /// ```
    ///
    /// # Panics
    /// If the ranges do not fit the packet: the panic then has the message of [`ChainError`]; or if
    /// `tag` is shorter than [`DIGEST_LEN`](Hash::DIGEST_LEN).
    #[inline(always)]
    pub fn chain(chain: &Chain<'a, A>, packet: &'a mut [u8], tag: &'a mut [u8]) -> Self {
        if let Err(error) = chain.check::<C>(packet.len()) {
            refuse(error);
        }
        chain.lend(packet.as_mut_ptr(), room::<A>(tag))
    }
}

#[cold]
fn refuse(error: ChainError) -> ! {
    panic!("{error}")
}
