//! A key stream from which callers draw a few bytes at a time.

use alloc::boxed::Box;
use core::borrow::Borrow;
use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::lanes::{cipher, room};
use crate::aes::select;
use crate::arch::draw::Draw;
use crate::buffer::Span;
use crate::cpu::Cpu;
use crate::kernels::aes::ctr::{CtrKernel, STREAMED};
use crate::kernels::aes::key::{AesKey, Block};

/// Bytes that are made at a time.
const PREFETCH: usize = 8192;

const _: () = assert!(PREFETCH.is_multiple_of(STREAMED));

/// Room before them, for the rest of the bytes before: no draw of up to so many bytes is in two
/// pieces.
const KEPT: usize = 256;

/// The key stream of AES in counter mode (SP 800-38A, section 6.5), drawn in pieces of any length.
///
/// One call of the kernel makes 8 KiB ahead. So a draw of 16 to 200 bytes, as in SRTP, costs little
/// more than its share of a long draw. The key is owned, borrowed, or in an `Arc`. All bytes made
/// ahead are wiped when the stream is dropped; until then, drawn bytes may remain in memory.
///
/// No counter block may be used twice under one key: two such ciphertexts reveal the difference of
/// their plaintexts. So the stream ends before its counter would pass zero.
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, Keystream};
///
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let stream = |()| Keystream::new(&Cpu::detect(), &key, &[1; 16]);
/// let (mut ours, mut theirs) = [(); 2].map(stream).into();
/// let mut packet = *b"some twenty bytes...";
/// ours.apply(&mut packet)?;
/// assert_ne!(packet, *b"some twenty bytes...");
/// theirs.apply(&mut packet)?;
/// assert_eq!(packet, *b"some twenty bytes...");
/// # Ok::<(), broadloom_lanes::KeystreamError>(())
/// ```
pub struct Keystream<K: Borrow<AesKey> = AesKey> {
    key: K,
    kernel: &'static CtrKernel,
    draw: Draw,
    prefetched: Box<Prefetched>,
    /// Where the bytes are that come next: `at..end`.
    at: usize,
    end: usize,
    /// The counter block behind those that are made.
    next: u128,
    /// Blocks from there on, before the counter passes zero.
    left: u128,
}

#[repr(C, align(64))]
struct Prefetched([u8; KEPT + PREFETCH]);

impl<K: Borrow<AesKey>> Keystream<K> {
    /// Makes a stream from a counter block on; all 128 bits count.
    pub fn new(cpu: &Cpu, key: K, counter: &[u8; 16]) -> Self {
        let prefetched = Box::new(Prefetched([0; KEPT + PREFETCH]));
        let (kernel, draw) = (select::ctr(cpu), cpu.kernels().draw);
        let mut stream =
            Keystream { key, kernel, draw, prefetched, at: 0, end: 0, next: 0, left: 0 };
        stream.restart(counter);
        stream
    }

    /// Makes a stream whose counter has 32 bits, the last of the block, with a nonce of 96 bits
    /// before it, as for IPsec (RFC 3686).
    pub fn new32(cpu: &Cpu, key: K, counter: &[u8; 16]) -> Self {
        let mut stream = Self::new(cpu, key, counter);
        stream.restart32(counter);
        stream
    }

    /// Goes on from another counter block, with the same key; 128 bits count.
    pub fn restart(&mut self, counter: &[u8; 16]) {
        let next = u128::from_be_bytes(*counter);
        // From zero on there is one more block. No program will run long enough to draw it.
        self.begin(next, (u128::MAX - next).saturating_add(1));
    }

    /// Goes on from another counter block, with the same key; 32 bits count.
    pub fn restart32(&mut self, counter: &[u8; 16]) {
        let next = u128::from_be_bytes(*counter);
        self.begin(next, (1 << 32) - (next & 0xffff_ffff));
    }

    fn begin(&mut self, next: u128, left: u128) {
        (self.next, self.left) = (next, left);
        (self.at, self.end) = (KEPT, KEPT);
    }

    /// Writes the next bytes of the stream.
    ///
    /// # Errors
    /// [`KeystreamError`] if the stream has fewer bytes left; nothing is written, and nothing
    /// drawn.
    #[inline]
    pub fn draw(&mut self, out: &mut [u8]) -> Result<(), KeystreamError> {
        let draw = self.draw;
        // SAFETY: both places are valid for `len` bytes, by the documentation of `take`, and a
        // stream does not overlap a buffer that is borrowed mutably.
        self.take(out, |to, from, len| unsafe { draw.copy(from, to, len) })
    }

    /// Adds (XOR) the next bytes of the stream: encrypts or decrypts.
    ///
    /// # Errors
    /// [`KeystreamError`] if the stream has fewer bytes left; nothing is written, and nothing
    /// drawn.
    #[inline]
    pub fn apply(&mut self, text: &mut [u8]) -> Result<(), KeystreamError> {
        let draw = self.draw;
        // SAFETY: both places are valid for `len` bytes, by the documentation of `take`, and a
        // stream does not overlap a buffer that is borrowed mutably.
        self.take(text, |to, from, len| unsafe { draw.add(from, to, len) })
    }

    /// Hands out the next bytes, piece by piece if they are not all there: `give` gets a pointer to
    /// room for them, a pointer to them, and their number.
    #[inline(always)]
    fn take(
        &mut self,
        out: &mut [u8],
        give: impl Fn(*mut u8, *const u8, usize),
    ) -> Result<(), KeystreamError> {
        let (mut to, mut len) = (out.as_mut_ptr(), out.len());
        if len > self.end - self.at {
            self.check(len)?;
            if len <= KEPT {
                self.refill();
            }
            while len > self.end - self.at {
                let now = self.end - self.at;
                // SAFETY: the stream has `now` bytes at `at`, and `to` has room for more than
                // `now`.
                unsafe {
                    give(to, self.prefetched.0.as_ptr().add(self.at), now);
                    to = to.add(now);
                }
                len -= now;
                self.at = self.end;
                self.refill();
            }
        }
        // SAFETY: `at` is at most `end`, which is within the stream.
        let from = unsafe { self.prefetched.0.as_ptr().add(self.at) };
        // Not behind them: what moves the bytes may write anywhere, for all the compiler knows, and
        // `at` would be read again.
        self.at += len;
        give(to, from, len);
        Ok(())
    }

    fn check(&self, asked: usize) -> Result<(), KeystreamError> {
        let left = (self.left.saturating_mul(16)).saturating_add((self.end - self.at) as u128);
        if asked as u128 <= left { Ok(()) } else { Err(KeystreamError { left, asked }) }
    }

    /// Makes the next bytes, as many as there is room for, and counters. Those that are left go
    /// before them: there are no more than [`KEPT`].
    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        let blocks = self.left.min((PREFETCH / 16) as u128);
        let len = 16 * blocks as usize;
        let counter: Block = self.next.to_be_bytes();
        let (key, kernel) = (self.key.borrow(), self.kernel);
        self.prefetched.0.copy_within(self.end - KEPT..self.end, 0);
        let made = &mut self.prefetched.0[KEPT..];
        // SAFETY: `made` has room for `len` bytes, and the kernel is for this CPU.
        unsafe {
            if len == PREFETCH && room(&counter) >= PREFETCH as u64 {
                (kernel.stream)(key, &counter, made.as_mut_ptr(), len);
            } else {
                made.fill(0);
                cipher(kernel, key, &counter, Span::in_place(&mut made[..len]));
            }
        }
        self.next = self.next.wrapping_add(blocks);
        self.left -= blocks;
        (self.at, self.end) = (KEPT - (self.end - self.at), KEPT + len);
    }
}

impl<K: Borrow<AesKey>> Drop for Keystream<K> {
    fn drop(&mut self) {
        self.prefetched.0.zeroize();
    }
}

impl<K: Borrow<AesKey> + ZeroizeOnDrop> ZeroizeOnDrop for Keystream<K> {}

impl<K: Borrow<AesKey>> fmt::Debug for Keystream<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keystream").field("key", self.key.borrow()).finish_non_exhaustive()
    }
}

/// A caller asked for more bytes than a key stream has left: its counter would have passed zero.
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, Keystream};
///
/// let error = {
///     let key = AesKey::new(&[7; 16]).expect("16 bytes");
///     let mut stream = Keystream::new(&Cpu::detect(), &key, &[0xff; 16]);
///     stream.draw(&mut [0; 17]).expect_err("one block is left")
/// };
/// assert_eq!(
///     error.to_string(),
///     "a key stream with 16 bytes left before its counter passes zero has not 17"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeystreamError {
    /// Bytes that are left.
    pub left: u128,
    /// Bytes that were asked for.
    pub asked: usize,
}

impl fmt::Display for KeystreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KeystreamError { left, asked } = self;
        write!(
            f,
            "a key stream with {left} bytes left before its counter passes zero has not {asked}"
        )
    }
}

impl core::error::Error for KeystreamError {}
