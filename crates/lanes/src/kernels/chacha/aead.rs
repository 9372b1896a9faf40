//! ChaCha20-Poly1305 (RFC 8439, 2.8): keystream and tags of several messages.

use zeroize::Zeroize;

use super::block::Consecutive;
use super::poly::{self, OneTimeKey, Part, Poly, Wide};
use super::stream::ChaChaCipher;
use super::stream::{StreamLanes, Walk};
use super::text::{BLOCK, ChaChaMessage, ChaChaText};
use crate::vector::Vector;
use crate::wiped::clear_all;

/// Messages that are handed to the kernel in one call, at most.
pub(crate) const GATHERED: usize = 32;

/// A text that is longer is worked on in parts of this many bytes, so that both the cipher and the
/// authenticator find it in the first-level cache.
pub(crate) const LONG: usize = 16 << 10;

/// Messages are gathered until they have this many bytes: enough for all lanes, if they are not
/// longer than most packets are, and little enough for the second-level cache.
pub(crate) const TOGETHER: usize = 64 << 10;

/// The working memory of a kernel, with secrets of the last messages.
pub(crate) struct Workspace {
    pub lanes: StreamLanes,
    keys: [OneTimeKey; GATHERED],
}

impl Workspace {
    pub const fn new() -> Self {
        Workspace { lanes: StreamLanes::new(), keys: [OneTimeKey::NONE; GATHERED] }
    }

    /// Wipes the key stream, and the keys that were made of it.
    pub fn wipe(&mut self) {
        clear_all(&mut self.lanes.blocks.stream, [0; 16]);
        self.keys.zeroize();
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// Does what [`ChaChaKernel::process`](super::kernel::ChaChaKernel) does.
///
/// The first lanes make the keys of all messages; after them come the blocks of the texts. Messages
/// that are opened are authenticated as soon as all keys are made, before anything is written.
/// Messages that are sealed are authenticated at the end.
///
/// # Safety The contract of [`ChaChaKernel`](super::kernel::ChaChaKernel), for the instructions of
/// C and W; `cipher` is of the same kernel.
#[inline(always)]
pub(crate) unsafe fn process<C: Consecutive, W: Wide>(
    messages: &[ChaChaMessage],
    workspace: &mut Workspace,
    cipher: ChaChaCipher,
) {
    let Workspace { lanes, keys } = workspace;
    // SAFETY: the messages are as the contract of `ChaChaKernel` asks, by this function's contract,
    // so the lanes get valid keys and pieces of the texts. A lane in use was put in this turn of
    // the loop, and at least one is when `make` is called.
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
                walk.fill(lanes, C::Vector::LANES);
            } else {
                walk.fill(lanes, beside_keys::<C>(messages));
            }
            if lanes.active() == 0 {
                break;
            }
            lanes.make::<C>();
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

/// Returns the number of lanes that the keys of messages and the first blocks of their texts fill.
///
/// Those are all lanes, unless the kernel has a faster way for few blocks, and either all blocks
/// are few, or the keys are few together with those blocks of the first text that leave a multiple
/// of all lanes, which [`Walk::run_of_one`] then takes.
#[inline(always)]
fn beside_keys<C: Consecutive>(messages: &[ChaChaMessage]) -> usize {
    let (keys, all) = (messages.len(), C::Vector::LANES);
    if keys > C::FEW {
        return all;
    }
    let blocks = |message: &ChaChaMessage| message.text.len.div_ceil(BLOCK);
    if keys + messages.iter().map(blocks).sum::<usize>() <= C::FEW {
        return C::FEW;
    }
    let first = blocks(&messages[0]);
    match keys + first % all {
        few if first >= all && few <= C::FEW => few,
        _ => all,
    }
}

/// Makes the tags of the sealed messages, or of the opened ones.
///
/// # Safety
/// The conditions of [`process`].
#[inline(always)]
unsafe fn authenticate<W: Wide>(
    messages: &[ChaChaMessage],
    keys: &[OneTimeKey; GATHERED],
    seals: bool,
) {
    let ours = |message: &&ChaChaMessage| message.seals == seals;
    let worth =
        messages.iter().filter(ours).filter(|message| poly::worth_a_lane(message.text.len)).count();
    // SAFETY: the associated data and the ciphertexts are readable and the tags writable, by the
    // contract of `ChaChaKernel`, and the CPU has W's instructions.
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

/// Does what [`authenticate`] does, with texts side by side.
///
/// # Safety
/// The conditions of [`process`].
#[inline(always)]
unsafe fn authenticate_each<W: Wide>(
    messages: &[ChaChaMessage],
    keys: &[OneTimeKey; GATHERED],
    seals: bool,
) {
    let mut parts = [Part::NONE; GATHERED];
    let mut numbers = [0; GATHERED];
    let mut count = 0;
    // SAFETY: the associated data and the ciphertexts are readable and the tags writable, by the
    // contract of `ChaChaKernel`, and the CPU has W's instructions.
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

/// Returns the authenticator of a message with its associated data absorbed.
///
/// # Safety
/// The conditions of [`process`].
#[inline(always)]
unsafe fn begin<'a, W: Wide>(message: &ChaChaMessage, key: &'a OneTimeKey) -> Poly<'a> {
    // SAFETY: the associated data are readable, by the contract of `ChaChaKernel`, and the CPU has
    // W's instructions.
    unsafe { Poly::new(key).absorbed::<W>(message.associated.0, message.associated.1) }
}

/// Returns the ciphertext, which is where it is when tags are made, and its length.
#[inline(always)]
fn authenticated(message: &ChaChaMessage) -> (*const u8, usize) {
    let ChaChaText { src, dst, len, .. } = message.text;
    (if message.seals { dst.cast_const() } else { src }, len)
}

/// Absorbs the lengths of a message and writes its tag.
///
/// # Safety
/// The message's tag is writable for 16 bytes.
#[inline(always)]
unsafe fn finish(mut poly: Poly, message: &ChaChaMessage) {
    poly.block(message.associated.1 as u128 | (message.text.len as u128) << 64);
    // SAFETY: the tag is writable for 16 bytes, by this function's contract.
    unsafe { message.tag.cast::<[u8; 16]>().write(poly.tag()) };
}

/// Ciphers and authenticates a long message part after part.
///
/// # Safety
/// The conditions of [`process`].
#[inline(always)]
unsafe fn process_long<C: Consecutive, W: Wide>(
    message: &ChaChaMessage,
    workspace: &mut Workspace,
    cipher: ChaChaCipher,
) {
    let Workspace { lanes, keys } = workspace;
    // SAFETY: the message is as the contract of `ChaChaKernel` asks; each part lies within its
    // text, because it is at most as long as the rest; one lane is in use when `make` is called.
    unsafe {
        lanes.clear();
        lanes.put_key_block(&message.text);
        lanes.make::<C>();
        keys[0] = OneTimeKey::of_stream(&lanes.blocks.stream[0]);
        let mut poly = Poly::new(&keys[0]);
        poly.absorb::<W>(message.associated.0, message.associated.1);
        let mut rest = message.text;
        while rest.len > 0 {
            let part = ChaChaText { len: rest.len.min(LONG), ..rest };
            if !message.seals {
                poly.absorb::<W>(part.src, part.len);
            }
            cipher(&[part], lanes);
            if message.seals {
                poly.absorb::<W>(part.dst, part.len);
            }
            (rest.src, rest.dst) = (rest.src.add(part.len), rest.dst.add(part.len));
            rest.row[0] = rest.row[0].wrapping_add((part.len / BLOCK) as u32);
            rest.len -= part.len;
        }
        finish(poly, message);
    }
}
