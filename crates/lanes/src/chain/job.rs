//! Packets for chains.

use core::marker::PhantomData;
use core::ptr;

use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use super::lanes::ChainLanes;
use super::mode::{Chain, ChainCipher, ChainError};
use crate::buffer::{CipherBuffer, Span};
use crate::hash::HashLanes;
use crate::job::{PacketJob, TagError, Work};
use crate::kernels::hash::algorithm::Hash;
use crate::manager::Lanes;
use crate::outcome::public;
use crate::wiped::Wiped;

/// A packet to be encrypted and authenticated, or authenticated and decrypted, with AES and HMAC.
///
/// `C` is the cipher, `A` the hash, `B` the buffer of the packet, owned or borrowed, in place or
/// apart ([`CipherBuffer`]). What neither is ciphered nor is the tag comes out as it was.
///
/// A packet on the way back is compared with its tag when it is complete, in constant time. If that
/// is not the right one, the bytes that were decrypted are wiped, and [`output`](ChainJob::output)
/// says so.
///
/// ```
/// use broadloom_lanes::{AesKey, CbcLanes, Chain, ChainJob, Cpu, HmacKey};
/// use broadloom_lanes::{OutOfOrder, Ranges, Sha256, Steps};
///
/// let (key, mac_key) = (AesKey::new(&[7; 16]).expect("16 bytes"), HmacKey::<Sha256>::new(b"key"));
/// let mut manager = OutOfOrder::new(&Cpu::detect(), 64);
/// let ranges = Ranges { cipher: 16..48, mac: 0..48, tag: 48..64 };
/// let (steps, iv) = (Steps::EncryptThenMac, [1; 16]);
/// let there = Chain { steps, key: &key, mac_key: &mac_key, iv, ranges };
/// let back = Chain { steps: Steps::MacThenDecrypt, ..there.clone() };
/// manager.submit(ChainJob::<CbcLanes, _, _, _>::over(there, vec![5; 64], ())?);
/// let (packet, ()) = manager.flush().expect("one was submitted").into_parts();
/// assert_ne!(packet, [5; 64]);
/// manager.submit(ChainJob::over(back, packet, ())?);
/// let job = manager.flush().expect("one was submitted");
/// assert_eq!(&job.output().expect("complete").expect("the tag is right")[..48], [5; 48]);
/// # Ok::<(), broadloom_lanes::ChainError>(())
/// ```
pub type ChainJob<'a, C, A, B, T = ()> = PacketJob<ChainWork<'a, C, A, B>, T>;

/// A packet, and its chain.
pub struct ChainWork<'a, C, A: Hash, B> {
    chain: Chain<'a, A>,
    buffer: B,
    /// The computed tag.
    tag: Wiped<A::Digest>,
    authentic: bool,
    cipher: PhantomData<fn() -> C>,
}

// SAFETY: `pointers` gives the same buffers as long as the job is not touched (the contract of
// `CipherBuffer`), the digest is in the job itself, and keys are borrowed; so the task is good.
unsafe impl<C: ChainCipher, A: Hash, B: CipherBuffer> Work for ChainWork<'_, C, A, B> {
    type Lanes = ChainLanes<C, HashLanes<A>>;

    #[inline(always)]
    fn task(&mut self) -> <Self::Lanes as Lanes>::Task {
        let Span { src, dst, len } = Span::of(&mut self.buffer);
        if src != dst.cast_const() {
            // SAFETY: `src` is readable and `dst` writable for `len` bytes, and they are apart if
            // they are not equal, by the contract of `CipherBuffer`.
            unsafe { ptr::copy_nonoverlapping(src, dst, len) };
        }
        self.chain.lend::<C>(dst, self.tag.as_mut().as_mut_ptr()).task
    }

    #[inline(always)]
    fn cost(&self) -> usize {
        self.chain.cost()
    }

    #[inline(always)]
    fn finish(&mut self) {
        if !self.chain.steps.encrypts() {
            self.authenticate();
        }
    }
}

impl<C: ChainCipher, A: Hash, B: CipherBuffer> ChainWork<'_, C, A, B> {
    /// Compares the tags of a packet on the way back, and wipes what must not be seen.
    fn authenticate(&mut self) {
        let Span { dst, len, .. } = Span::of(&mut self.buffer);
        // SAFETY: `dst` is writable for `len` bytes, by the contract of `CipherBuffer`; the packet
        // was written there, and the task is over.
        let packet = unsafe { core::slice::from_raw_parts_mut(dst, len) };
        let came = &packet[self.chain.ranges.tag.clone()];
        self.authentic = public(self.tag.as_ref()[..came.len()].ct_eq(came));
        self.tag.wipe();
        if !self.authentic {
            packet[self.chain.ranges.cipher.clone()].zeroize();
        }
    }
}

impl<'a, C: ChainCipher, A: Hash, B: CipherBuffer, T> ChainJob<'a, C, A, B, T> {
    /// Returns a job for a packet.
    ///
    /// # Errors
    /// [`ChainError`] if the chain's ranges do not fit it, or if there is no tag to compare.
    pub fn over(chain: Chain<'a, A>, buffer: B, user: T) -> Result<Self, ChainError> {
        chain.check::<C>(buffer.length())?;
        if !chain.steps.encrypts() && chain.ranges.tag.is_empty() {
            return Err(ChainError::tag_length::<A>(0));
        }
        let (tag, cipher) = (Wiped::new(A::ZERO_DIGEST), PhantomData);
        Ok(PacketJob::new(ChainWork { chain, buffer, tag, authentic: false, cipher }, user))
    }

    /// Returns the packet; `None` until the job is complete.
    ///
    /// # Errors
    /// [`TagError`] if the packet came with a wrong tag. What was decrypted is zero.
    pub fn output(&self) -> Option<Result<&[u8], TagError>> {
        let ChainWork { chain, buffer, authentic, .. } = &self.work;
        self.is_complete().then(|| match chain.steps.encrypts() || *authentic {
            true => Ok(buffer.output()),
            false => Err(TagError),
        })
    }

    /// Returns the whole MAC that was made; `None` until the job is complete, and on the way back.
    pub fn tag(&self) -> Option<&A::Digest> {
        (self.is_complete() && self.work.chain.steps.encrypts()).then_some(&*self.work.tag)
    }

    /// Returns the buffer and the caller's value. The tag is wiped.
    pub fn into_parts(self) -> (B, T) {
        (self.work.buffer, self.user)
    }
}
