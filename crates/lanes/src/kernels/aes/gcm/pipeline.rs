//! GCM written once over the registers of an instruction set.
//!
//! Encryption (AES in counter mode) and authentication (products in GCM's field) use different
//! pipes of a core. Both are fast only if one fills the time in which the other waits.
//!
//! A short message is ciphered and hashed in two steps, and a step of another message comes between
//! them, so that the AES rounds of one message and the products of another are in flight at once:
//!
//! ```text
//! process(messages):
//!     for each message i:
//!         long (LONG bytes or more)?   weave(i): its whole groups
//!         first step of i:        sealing: cipher the rest      opening: hash the rest
//!         second step of i - 1:   sealing: hash the rest        opening: cipher the rest
//!                                 tag of i - 1 = sum of the results of both steps
//! ```
//!
//! In a long message, the products of one group of eight registers are woven into the rounds of
//! another group, a register after each round ([`HashBeside`]). Sealing can only hash ciphertext
//! that is already made, so it lags one group behind:
//!
//! ```text
//! weave(message), opening:   for each group g:   cipher g, and hash ciphertext g meanwhile
//! weave(message), sealing:   cipher 0, and hash the last group of the message before meanwhile
//!                            for each group g > 0:   cipher g, and hash ciphertext g - 1 meanwhile
//!                            the last group is left to the next message, or to the second step
//! ```
//!
//! For example, with registers of four blocks a group has 512 bytes. A text of 4,196 bytes has
//! eight groups; the 100 bytes that are left are ciphered and hashed in the two steps, as a short
//! message is.

use super::field::Element;
use super::hash::{Field, Hash, HashBeside, STEPS};
use super::key::GcmKey;
use super::key::{HashPowers, MANY};
use super::{LONG, Message};
use crate::kernels::aes::ctr::pipeline::{add, cipher, take};
use crate::kernels::aes::gcm::hash::Groups;
use crate::kernels::aes::gcm::hash::Text;
use crate::kernels::aes::key::Block;
use crate::kernels::aes::register::encrypt;

/// Messages that are between their two steps, at most.
const BETWEEN: usize = 2;

/// [`weave`] for one instruction set. Apart from the rest, it leaves that small.
pub(crate) type Weave<W> = unsafe fn(
    message: &Message,
    place: &mut Between<W>,
    before: Option<(&Message, &mut Between<W>)>,
);

/// Processes messages.
///
/// # Safety
/// - The contract of [`GcmKernel`](super::GcmKernel) for the messages.
/// - The instructions are enabled (the contract of [`Field`]).
/// - `weave` is [`weave`] for `W`.
#[inline(always)]
pub(crate) unsafe fn process<W: Field>(messages: &[Message], weave: Weave<W>) {
    // SAFETY: the messages are as the contract of `GcmKernel` asks, and the instructions are
    // enabled, by this function's contract. A message's first step comes before its second, and
    // between them its place is not used for another message.
    unsafe {
        let mut between = [Between::<W>::new(); BETWEEN];
        // The first steps are the even ones; the second step of a message comes right before its
        // place is needed again. One loop over both, so that each function is here, and in the
        // cache, only once.
        for step in 0..2 * (messages.len() + BETWEEN - 1) {
            let ends = step % 2 == 1;
            let index = if ends { (step / 2).wrapping_sub(BETWEEN - 1) } else { step / 2 };
            let Some(message) = messages.get(index) else { continue };
            let [even, odd] = &mut between;
            let (place, other) = if index % 2 == 0 { (even, odd) } else { (odd, even) };
            if !ends {
                *place = Between::new();
                if message.len >= LONG {
                    let before = index.checked_sub(1).map(|before| (&messages[before], other));
                    weave(message, place, before);
                }
            }
            // Sealing hashes the text after ciphering it, opening before.
            let half = match message.seals != ends {
                true => encipher::<W>(message, place),
                false => hash(message, place),
            };
            place.half = place.half.xor(half);
            if ends {
                place.half.store_one(message.tag);
            }
        }
        for place in &mut between {
            core::ptr::write_volatile(place, Between::new());
        }
    }
}

/// The state of a message between its steps.
#[derive(Clone, Copy)]
pub(crate) struct Between<W> {
    /// One of the two blocks whose sum is the tag.
    half: W,
    /// The hash of the associated data and of the text that is hashed, if any is ciphered.
    so_far: W,
    /// Bytes of the text that are ciphered.
    ciphered: usize,
    /// Bytes of the text that are hashed.
    hashed: usize,
}

impl<W: Field> Between<W> {
    /// Returns what stands before the first block of a message.
    ///
    /// # Safety
    /// The instructions are enabled (the contract of [`Field`]).
    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the instructions are enabled by this function's contract.
        let zero = unsafe { W::zero() };
        Between { half: zero, so_far: zero, ciphered: 0, hashed: 0 }
    }
}

/// Returns the counter block for a nonce that does not have 12 bytes.
///
/// # Safety
/// - `nonce` is readable for `len` bytes.
/// - The instructions are enabled (the contract of [`Field`]).
#[inline(always)]
pub(crate) unsafe fn first_counter<W: Field>(key: &GcmKey, nonce: *const u8, len: usize) -> Block {
    let lengths = Element { low: 8 * len as u64, high: 0 };
    let mut block = [0; 16];
    // SAFETY: the key is a reference, and `nonce` is readable for `len` bytes, by this function's
    // contract.
    unsafe {
        let hash = Hash::<W>::new(key.few(), W::zero());
        hash.finish((nonce, 0), (nonce, len), lengths).reversed().store_one(block.as_mut_ptr());
    }
    block
}

/// Ciphers the rest of a text. Returns the first counter block, ciphered: half of the tag.
///
/// # Safety
/// The conditions of [`process`], for this message; `place` counts what was done of it.
#[inline(always)]
unsafe fn encipher<W: Field>(message: &Message, place: &Between<W>) -> W {
    let &Message { key, ref counter, src, dst, len, .. } = message;
    let done = place.ciphered;
    // SAFETY: the message's key, `src` and `dst` are valid by the contract of `GcmKernel`;
    // `ciphered` bytes are whole blocks within the text.
    unsafe {
        let first = W::load_one(counter.as_ptr().cast());
        let counters = first.counters().count(1 + (done / 16) as u32);
        let (key, src, dst, len) = ((*key).aes(), src.add(done), dst.add(done), len - done);
        cipher::<W, true, STEPS>(key, counters, first, src, dst, len)
    }
}

/// Hashes the rest of a message, and returns half of its tag.
///
/// # Safety
/// The conditions of [`process`], for this message; `place` counts what was done of it.
#[inline(always)]
unsafe fn hash<W: Field>(message: &Message, place: &Between<W>) -> W {
    let Message { key, associated, src, dst, len, .. } = *message;
    let ciphertext = if message.seals { dst.cast_const() } else { src };
    let lengths = Element { low: 8 * len as u64, high: 8 * associated.1 as u64 };
    let done = place.hashed;
    // SAFETY: the message's key, associated data and texts are valid by the contract of
    // `GcmKernel`; `hashed` bytes are whole blocks within the text.
    unsafe {
        let associated = if place.ciphered == 0 { associated } else { (associated.0, 0) };
        let hash = Hash::<W>::new((*key).few(), place.so_far);
        hash.finish(associated, (ciphertext.add(done), len - done), lengths).reversed()
    }
}

impl<W: Field> Groups<W> {
    /// Ciphers a group, and hashes nothing.
    ///
    /// # Safety
    /// - The key is valid, and the instructions are enabled (the contract of [`Field`]).
    /// - `src` is readable and `dst` writable for a group of [`STEPS`] registers, and they are
    ///   equal or apart.
    #[inline(always)]
    pub unsafe fn alone(&mut self, src: *const u8, dst: *mut u8) {
        // SAFETY: the key and the texts are valid for a group, by this function's contract.
        unsafe {
            let mut x = take::<W, STEPS>(&mut self.counters);
            encrypt(self.key, &mut x, &mut ());
            add(&x, src, dst);
        }
    }

    /// Ciphers `count` groups, and absorbs as many groups of ciphertext. A group to absorb is read
    /// before the group of text beside it is written. Returns the new hash.
    ///
    /// # Safety
    /// - The conditions of [`alone`](Groups::alone), for `count` groups of the text.
    /// - `powers` is valid, and `text.ciphertext` is readable for `count` groups.
    #[inline(always)]
    pub unsafe fn hashed(
        &mut self,
        powers: *const HashPowers,
        text: Text,
        count: usize,
        mut so_far: W,
    ) -> W {
        // SAFETY: `group < count`, so each group lies within what the pointers are valid for by
        // this function's contract; `beside` reads its group of ciphertext and `powers` while both
        // are valid.
        unsafe {
            for group in 0..count {
                let at = group * STEPS * W::BLOCKS * 16;
                let mut x = take::<W, STEPS>(&mut self.counters);
                let mut beside = HashBeside::<W>::new(powers, text.ciphertext.add(at), so_far);
                encrypt(self.key, &mut x, &mut beside);
                so_far = beside.end();
                add(&x, text.src.add(at), text.dst.add(at));
            }
        }
        so_far
    }
}

/// Ciphers and hashes all whole groups of a long text. A group is hashed while another is ciphered.
/// If the text is opened, it is the same group. If it is sealed, it is the group before: the first
/// group is ciphered beside the last one of the message before, if that was left to it, and the
/// last group's hash is left to the next message, or to the second step. `INTEGERS` is that of
/// [`Field::hashed`].
///
/// # Safety
/// The conditions of [`process`], for both messages; the message is at least [`LONG`], and `place`
/// is new.
#[inline(always)]
pub(crate) unsafe fn weave<W: Field, const INTEGERS: bool>(
    message: &Message,
    place: &mut Between<W>,
    before: Option<(&Message, &mut Between<W>)>,
) {
    const { assert!(STEPS * W::BLOCKS <= MANY && STEPS * W::BLOCKS * 16 <= LONG) };
    let &Message { key, ref counter, associated, src, dst, len, seals, .. } = message;
    let group = STEPS * W::BLOCKS * 16;
    // SAFETY: the messages are valid by this function's contract. The text has at least one group,
    // because a long text has (see the assertion), and `at + rest * group` is at most `len`. The
    // message before left exactly one ciphered group at `place.hashed`, if it is hashed here.
    unsafe {
        let powers = core::ptr::from_ref((*key).many());
        let counters = W::load_one(counter.as_ptr().cast()).counters().count(1);
        let mut groups = Groups { key: (*key).aes(), counters };
        let mut hash = Hash::<W>::new((*key).few(), W::zero());
        hash.groups(associated.0, associated.1);
        let mut at = 0;
        // Ciphertext that is made can be hashed while the next group is ciphered.
        let lag = if seals { group } else { 0 };
        let ciphertext = if seals { dst.cast_const() } else { src };
        if seals {
            match before {
                Some((before, place)) if place.ciphered - place.hashed == group => {
                    let text = Text { src, dst, ciphertext: before.dst.add(place.hashed) };
                    let powers = core::ptr::from_ref((*before.key).many());
                    place.so_far =
                        W::hashed::<INTEGERS>(&mut groups, powers, text, 1, place.so_far);
                    place.hashed += group;
                }
                _ => groups.alone(src, dst),
            }
            at = group;
        }
        let rest = (len - at) / group;
        let text =
            Text { src: src.add(at), dst: dst.add(at), ciphertext: ciphertext.add(at - lag) };
        place.so_far = W::hashed::<INTEGERS>(&mut groups, powers, text, rest, hash.so_far());
        place.ciphered = at + rest * group;
        place.hashed = place.ciphered - lag;
    }
}
