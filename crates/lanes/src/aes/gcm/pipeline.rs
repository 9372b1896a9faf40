//! GCM written once over the registers of an instruction set.
//!
//! A short message is ciphered and hashed in two steps. Steps of other messages come between them,
//! so that the AES rounds of one message and the products of another are in flight at once. In a
//! long message, the products of one group of registers are interleaved with the rounds of the next
//! group.

use super::field::Element;
use super::hash::{Field, Hash, HashBeside, STEPS};
use super::key::{HashPowers, POWERS};
use super::{GcmKey, LONG, Message};
use crate::aes::AesKey;
use crate::aes::ctr::pipeline::{add, cipher, take};
use crate::aes::key::Block;
use crate::aes::register::encrypt;

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
/// The contracts of [`GcmKernel`](super::GcmKernel) and of [`Field`].
#[inline(always)]
pub(crate) unsafe fn process<W: Field>(messages: &[Message], weave: Weave<W>) {
    // SAFETY: the caller's.
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
    /// # Safety
    /// The contract of [`Field`].
    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller's.
        let zero = unsafe { W::zero() };
        Between { half: zero, so_far: zero, ciphered: 0, hashed: 0 }
    }
}

/// The counter block for a nonce that does not have 12 bytes.
///
/// # Safety
/// The contracts of [`GcmKernel`](super::GcmKernel) and of [`Field`].
#[inline(always)]
pub(crate) unsafe fn first_counter<W: Field>(key: &GcmKey, nonce: *const u8, len: usize) -> Block {
    let lengths = Element { low: 8 * len as u64, high: 0 };
    let mut block = [0; 16];
    // SAFETY: the caller's.
    unsafe {
        let hash = Hash::<W>::new(key.hash(), W::zero());
        hash.finish((nonce, 0), (nonce, len), lengths).reversed().store_one(block.as_mut_ptr());
    }
    block
}

/// Ciphers what is left of a text. Returns the first counter block, ciphered: half of the tag.
///
/// # Safety
/// As [`process`].
#[inline(always)]
unsafe fn encipher<W: Field>(message: &Message, place: &Between<W>) -> W {
    let &Message { key, ref counter, src, dst, len, .. } = message;
    let done = place.ciphered;
    // SAFETY: the caller's; `done` is within the text, and whole blocks.
    unsafe {
        let first = W::load_one(counter.as_ptr().cast());
        let counters = first.counters().count(1 + (done / 16) as u32);
        let (key, src, dst, len) = ((*key).aes(), src.add(done), dst.add(done), len - done);
        cipher::<W, true, STEPS>(key, counters, first, src, dst, len)
    }
}

/// Hashes what is left of a message: half of the tag.
///
/// # Safety
/// As [`process`].
#[inline(always)]
unsafe fn hash<W: Field>(message: &Message, place: &Between<W>) -> W {
    let Message { key, associated, src, dst, len, .. } = *message;
    let ciphertext = if message.seals { dst.cast_const() } else { src };
    let lengths = Element { low: 8 * len as u64, high: 8 * associated.1 as u64 };
    let done = place.hashed;
    // SAFETY: the caller's; `done` is within the text, and whole blocks.
    unsafe {
        let associated = if place.ciphered == 0 { associated } else { (associated.0, 0) };
        let hash = Hash::<W>::new((*key).hash(), place.so_far);
        hash.finish(associated, (ciphertext.add(done), len - done), lengths).reversed()
    }
}

/// A text, and the ciphertext that is hashed beside it.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    pub src: *const u8,
    pub dst: *mut u8,
    pub ciphertext: *const u8,
}

/// The groups of one long text, of [`STEPS`] registers each, one after another.
pub(crate) struct Groups<W> {
    pub key: *const AesKey,
    /// The blocks of the next group.
    pub counters: W,
}

impl<W: Field> Groups<W> {
    /// Ciphers a group, and hashes nothing.
    ///
    /// # Safety
    /// The contracts of [`GcmKernel`](super::GcmKernel) and of [`Field`]; the text has another
    /// whole group.
    #[inline(always)]
    pub unsafe fn alone(&mut self, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            let mut x = take::<W, STEPS>(&mut self.counters);
            encrypt(self.key, &mut x, &mut ());
            add(&x, src, dst);
        }
    }

    /// Ciphers so many groups, and absorbs as many groups of ciphertext. A group to absorb is read
    /// before the group of text beside it is written. Returns the new hash.
    ///
    /// # Safety
    /// As [`alone`](Groups::alone); the texts have so many whole groups.
    #[inline(always)]
    pub unsafe fn hashed(
        &mut self,
        powers: *const HashPowers,
        text: Text,
        count: usize,
        mut so_far: W,
    ) -> W {
        // SAFETY: the caller's.
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

/// Ciphers and hashes all groups of a long text but what is left behind the last. A group is hashed
/// while another is ciphered: where the text is opened, the same one. Where it is sealed, the one
/// before; the first of them is that which the message before has left, and the last is left to the
/// next message, or to the second step. `INTEGERS` is of [`Field::hashed`].
///
/// # Safety
/// As [`process`].
#[inline(always)]
pub(crate) unsafe fn weave<W: Field, const INTEGERS: bool>(
    message: &Message,
    place: &mut Between<W>,
    before: Option<(&Message, &mut Between<W>)>,
) {
    const { assert!(STEPS * W::BLOCKS <= POWERS && STEPS * W::BLOCKS * 16 <= LONG) };
    let &Message { key, ref counter, associated, src, dst, len, seals, .. } = message;
    let group = STEPS * W::BLOCKS * 16;
    // SAFETY: the caller's; all groups are within the texts.
    unsafe {
        let powers = core::ptr::from_ref((*key).hash());
        let counters = W::load_one(counter.as_ptr().cast()).counters().count(1);
        let mut groups = Groups { key: (*key).aes(), counters };
        let mut hash = Hash::<W>::new(powers, W::zero());
        hash.groups(associated.0, associated.1);
        let mut at = 0;
        // Ciphertext that is made can be hashed while the next group is ciphered.
        let lag = if seals { group } else { 0 };
        let ciphertext = if seals { dst.cast_const() } else { src };
        if seals {
            match before {
                Some((before, place)) if place.ciphered - place.hashed == group => {
                    let text = Text { src, dst, ciphertext: before.dst.add(place.hashed) };
                    let powers = core::ptr::from_ref((*before.key).hash());
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
