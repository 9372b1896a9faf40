//! Chains of AES and HMAC, and what they are for in a packet.

use core::ops::Range;
use core::ptr;

use super::lanes::{ChainLanes, ChainTask};
use crate::aes::{AesKey, CbcLanes, Ctr, CtrLanes, Direction};
use crate::buffer::Span;
use crate::hash::{Hash, HashLanes, HmacKey, room};
use crate::job::Cipher;
use crate::manager::{Lanes, Loan};

/// What is done to a packet, first and last.
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

    fn direction(self) -> Direction {
        match self {
            Steps::EncryptThenMac | Steps::MacThenEncrypt => Direction::Encrypt,
            Steps::MacThenDecrypt | Steps::DecryptThenMac => Direction::Decrypt,
        }
    }
}

/// Which bytes of a packet are for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// Those that are encrypted or decrypted.
    pub cipher: Range<usize>,
    /// Those that are authenticated.
    pub mac: Range<usize>,
    /// Where as many bytes of the tag are put once it is made; nowhere if empty.
    pub tag: Range<usize>,
}

/// A cipher that goes together with a MAC: the lanes of AES in [CBC](CbcLanes) and in
/// [counter mode](CtrLanes).
pub trait ChainCipher: Lanes + Sized + sealed::Sealed {
    /// A packet's work.
    ///
    /// The bytes are good for the loan's lifetime.
    #[doc(hidden)]
    fn half<'a>(
        direction: Direction,
        key: &'a AesKey,
        iv: &[u8; 16],
        bytes: *mut u8,
        len: usize,
    ) -> Loan<'a, Self>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::CbcLanes {}
    impl Sealed for super::CtrLanes {}
}

impl ChainCipher for CbcLanes {
    #[inline(always)]
    fn half<'a>(
        direction: Direction,
        key: &'a AesKey,
        iv: &[u8; 16],
        bytes: *mut u8,
        len: usize,
    ) -> Loan<'a, Self> {
        Loan::blocks(direction, key, iv, Span { src: bytes, dst: bytes, len })
    }
}

impl ChainCipher for CtrLanes {
    #[inline(always)]
    fn half<'a>(
        _: Direction,
        key: &'a AesKey,
        counter: &[u8; 16],
        bytes: *mut u8,
        len: usize,
    ) -> Loan<'a, Self> {
        Ctr::new(key, counter).lend(Span { src: bytes, dst: bytes, len })
    }
}

impl<'a, C: ChainCipher, A: Hash> Loan<'a, ChainLanes<C, HashLanes<A>>> {
    /// AES and HMAC over a packet, one after the other, in place. The MAC is written to the start of `tag`,
    /// and as much of it as `ranges` says into the packet as soon as it is made.
    ///
    /// On the way back the caller compares `tag` with the one that came, and wipes what was decrypted if it
    /// is another.
    ///
    /// ```
    /// use broadloom_lanes::{AesKey, CbcLanes, ChainLanes, Cpu, HashLanes, HmacKey};
    /// use broadloom_lanes::{Loan, Planner, Ranges, Sha1, Steps};
    ///
    /// type Esp = ChainLanes<CbcLanes, HashLanes<Sha1>>;
    /// let (key, mac_key) = (AesKey::new(&[7; 16])?, HmacKey::<Sha1>::new(&[8; 20]));
    /// let mut packets = [[1u8; 8 + 16 + 32 + 12], [2; 68], [3; 68]];
    /// let mut tags = [[0; 20]; 3];
    /// let mut planner = Planner::<Esp>::new(&Cpu::detect());
    /// planner.process_each(packets.iter_mut().zip(&mut tags).map(|(packet, tag)| {
    ///     let ranges = Ranges { cipher: 24..56, mac: 0..56, tag: 56..68 };
    ///     let iv = packet[8..24].try_into().expect("16 bytes");
    ///     Loan::chain(Steps::EncryptThenMac, (&key, &mac_key), &iv, packet, ranges, tag)
    /// }));
    /// assert_eq!(packets[2][56..], tags[2][..12]);
    /// # Ok::<(), broadloom_lanes::KeyLengthError>(())
    /// ```
    ///
    /// # Panics
    /// If a range is not within the packet, or that of the tag is longer than the MAC; if CBC is to work on
    /// what are no whole blocks; or if `tag` is shorter than [`DIGEST_LEN`](Hash::DIGEST_LEN).
    #[inline(always)]
    pub fn chain(
        steps: Steps,
        (key, mac_key): (&'a AesKey, &'a HmacKey<A>),
        iv: &[u8; 16],
        packet: &'a mut [u8],
        ranges: Ranges,
        tag: &'a mut [u8],
    ) -> Self {
        let Ranges { cipher, mac, tag: place } = ranges;
        let len = packet.len();
        for range in [&cipher, &mac, &place] {
            let Range { start, end } = *range;
            assert!(start <= end && end <= len, "{start}..{end} is not within a packet of {len} bytes");
        }
        assert!(place.len() <= A::DIGEST_LEN, "{} bytes of a tag of {}", place.len(), A::DIGEST_LEN);
        let bytes = packet.as_mut_ptr();
        // SAFETY: the ranges are within the packet.
        let [ciphered, covered, placed] =
            unsafe { [&cipher, &mac, &place].map(|range| bytes.add(range.start)) };
        let cipher = C::half(steps.direction(), key, iv, ciphered, cipher.len());
        let tag = room::<A>(tag);
        let mac = Loan::hmac_at(mac_key, ptr::slice_from_raw_parts(covered, mac.len()), tag);
        let task = ChainTask {
            cipher: cipher.task,
            tag,
            mac: mac.task,
            mac_first: steps.mac_first(),
            place: placed,
            place_len: place.len(),
        };
        Loan::new(task, mac.cost)
    }
}
