//! ChaCha20-Poly1305 (RFC 8439, 2.8): keystream and tags of several messages.

use zeroize::Zeroize;

use super::block::Consecutive;
use super::poly::{self, OneTimeKey, Part, Poly, Wide};
use super::stream::{Lanes, Walk};
use super::{Cipher, Message, Text};
use crate::vector::Vector;

/// Messages that are handed to the kernel in one call, at most.
pub(crate) const GATHERED: usize = 32;

/// A text that is longer is worked on in parts of so many bytes: both what ciphers and what
/// authenticates should find it in the first-level cache.
pub(crate) const LONG: usize = 16 << 10;

/// Messages are gathered until they have so many bytes: enough for all lanes, if they are not
/// longer than most packets are, and little enough for the second-level cache.
pub(crate) const TOGETHER: usize = 64 << 10;

/// The working memory of a kernel, with secrets of the last messages.
pub(crate) struct Workspace {
    pub lanes: Lanes,
    keys: [OneTimeKey; GATHERED],
}

impl Workspace {
    pub const fn new() -> Self {
        Workspace { lanes: Lanes::new(), keys: [OneTimeKey::NONE; GATHERED] }
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        self.lanes.blocks.stream.zeroize();
        self.keys.zeroize();
    }
}

/// [`ChaChaKernel::process`](super::ChaChaKernel).
///
/// The first lanes make the keys of all messages; after them come the blocks of the texts. Opening
/// authenticates as soon as all keys are made, before anything is written. Sealing authenticates at
/// the end.
///
/// # Safety
/// The contract of [`ChaChaKernel`](super::ChaChaKernel), for the instructions of C and W.
#[inline(always)]
pub(crate) unsafe fn process<C: Consecutive, W: Wide>(
    messages: &[Message],
    workspace: &mut Workspace,
    cipher: Cipher,
) {
    let Workspace { lanes, keys } = workspace;
    // SAFETY: the caller's.
    unsafe {
        if let [message] = messages
            && message.text.len > LONG
        {
            process_long::<C, W>(message, workspace, cipher);
            return;
        }
        let mut walk = Walk::new(messages);
        let mut keyed = 0;
        loop {
            lanes.clear();
            let first = keyed;
            while lanes.active() < C::Vector::LANES && keyed < messages.len() {
                lanes.put_key_block(&messages[keyed].text);
                keyed += 1;
            }
            if keyed == first {
                walk.run_of_one::<C>(lanes);
            }
            walk.fill::<C::Vector>(lanes);
            if lanes.active() == 0 {
                break;
            }
            lanes.make::<C::Vector>();
            for (key, stream) in keys[first..keyed].iter_mut().zip(&lanes.blocks.stream) {
                *key = OneTimeKey::of_stream(stream);
            }
            if first < keyed && keyed == messages.len() {
                authenticate::<W>(messages, keys, false);
            }
            lanes.add(keyed - first);
        }
        authenticate::<W>(messages, keys, true);
    }
}

/// Makes the tags of the sealed messages, or of the opened ones.
///
/// # Safety
/// As [`process`].
#[inline(always)]
unsafe fn authenticate<W: Wide>(messages: &[Message], keys: &[OneTimeKey; GATHERED], seals: bool) {
    let ours = |message: &&Message| message.seals == seals;
    let worth =
        messages.iter().filter(ours).filter(|message| poly::worth_a_lane(message.text.len)).count();
    // SAFETY: the caller's.
    unsafe {
        if W::LANES > 1 && worth > W::LANES / 2 {
            authenticate_each::<W>(messages, keys, seals);
            return;
        }
        for (message, key) in messages.iter().zip(keys).filter(|(message, _)| ours(message)) {
            let poly = begin::<W>(message, key);
            let (text, len) = authenticated(message);
            finish(poly.absorbed::<W>(text, len), message);
        }
    }
}

/// As [`authenticate`], with texts side by side.
///
/// # Safety
/// As [`process`].
#[inline(always)]
unsafe fn authenticate_each<W: Wide>(
    messages: &[Message],
    keys: &[OneTimeKey; GATHERED],
    seals: bool,
) {
    let mut parts = [Part::NONE; GATHERED];
    let mut numbers = [0; GATHERED];
    let mut count = 0;
    // SAFETY: the caller's.
    unsafe {
        for (number, message) in
            messages.iter().enumerate().filter(|(_, message)| message.seals == seals)
        {
            let (text, len) = authenticated(message);
            parts[count] = begin::<W>(message, &keys[number]).part(text, len);
            numbers[count] = number;
            count += 1;
        }
        poly::absorb_each::<W>(&mut parts[..count], &mut numbers[..count]);
        for (part, number) in parts[..count].iter().zip(&numbers) {
            finish(part.absorbed::<W>(&keys[*number]), &messages[*number]);
        }
        parts[..count].iter_mut().for_each(Part::wipe);
    }
}

/// The part that is absorbed before a text.
///
/// # Safety
/// As [`process`].
#[inline(always)]
unsafe fn begin<'a, W: Wide>(message: &Message, key: &'a OneTimeKey) -> Poly<'a> {
    // SAFETY: the caller's.
    unsafe { Poly::new(key).absorbed::<W>(message.associated.0, message.associated.1) }
}

/// The ciphertext: where it is when tags are made.
#[inline(always)]
fn authenticated(message: &Message) -> (*const u8, usize) {
    let Text { src, dst, len, .. } = message.text;
    (if message.seals { dst.cast_const() } else { src }, len)
}

/// # Safety
/// The tag is writable.
#[inline(always)]
unsafe fn finish(mut poly: Poly, message: &Message) {
    poly.block(message.associated.1 as u128 | (message.text.len as u128) << 64);
    // SAFETY: the caller's.
    unsafe { message.tag.cast::<[u8; 16]>().write(poly.tag()) };
}

/// Ciphers and authenticates part after part.
///
/// # Safety
/// As [`process`].
#[inline(always)]
unsafe fn process_long<C: Consecutive, W: Wide>(
    message: &Message,
    workspace: &mut Workspace,
    cipher: Cipher,
) {
    let Workspace { lanes, keys } = workspace;
    // SAFETY: the caller's; parts are within the text.
    unsafe {
        lanes.clear();
        lanes.put_key_block(&message.text);
        lanes.make::<C::Vector>();
        keys[0] = OneTimeKey::of_stream(&lanes.blocks.stream[0]);
        let mut poly = Poly::new(&keys[0]);
        poly.absorb::<W>(message.associated.0, message.associated.1);
        let mut rest = message.text;
        while rest.len > 0 {
            let part = Text { len: rest.len.min(LONG), ..rest };
            if !message.seals {
                poly.absorb::<W>(part.src, part.len);
            }
            cipher(&[part], lanes);
            if message.seals {
                poly.absorb::<W>(part.dst, part.len);
            }
            (rest.src, rest.dst) = (rest.src.add(part.len), rest.dst.add(part.len));
            rest.row[0] = rest.row[0].wrapping_add((part.len / super::BLOCK) as u32);
            rest.len -= part.len;
        }
        finish(poly, message);
    }
}
