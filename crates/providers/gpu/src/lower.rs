//! How an operation becomes tasks of kernels: its key, its texts and its padding in the memory of a
//! batch, and where its results will be.

use broadloom_engine::provider::Parts;

use crate::kernels::{KERNELS, KernelId};
use crate::rsa::halves;
use crate::session::{GpuSession, GpuWork, Hash, Sponge};

/// Words that describe a task to a kernel.
pub(crate) const TASK: usize = 12;

pub(crate) type Task = [u32; TASK];

/// No place.
pub(crate) const NONE: u32 = u32::MAX;

/// Where pieces begin, in bytes.
pub(crate) const ALIGNMENT: usize = 64;

/// Bytes of a text that one work item ciphers.
const SLICE: usize = 1024;

/// A job, and where its results are among the output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub ticket: u64,
    pub text: usize,
    pub text_len: usize,
    pub tag: usize,
    pub has_tag: bool,
    /// Nobody waits for it any more.
    pub abandoned: bool,
}

pub(crate) fn aligned(len: usize) -> usize {
    len.next_multiple_of(ALIGNMENT)
}

/// Bytes of the input and of the output that a job takes at most, whose text may have a place in
/// memory that is shared.
pub(crate) fn needs(
    session: &GpuSession,
    parts: &Parts<'_, GpuSession>,
    place: Option<usize>,
) -> usize {
    let text = parts.text.input().len();
    let key = aligned(4 * session.key.len());
    let (padded, tasks) = match &session.work {
        GpuWork::Hash(hash) if place.is_some() => (2 * hash.block + 17, 1),
        GpuWork::Hash(hash) => (text + hash.block + 17, 1),
        GpuWork::Sponge(sponge) => {
            (sponge.prefix.len() + text + sponge.postfix.len() + sponge.rate, 1)
        }
        _ => (text, text / SLICE + 4),
    };
    // Where tasks begin is aligned, for each kernel.
    let tasks = tasks * 4 * TASK + KERNELS * ALIGNMENT;
    key + aligned(padded)
        + aligned(parts.associated.len())
        + aligned(parts.nonce.len())
        + tasks
        + 3 * ALIGNMENT
}

/// Bytes that a job takes at most.
#[derive(Clone, Copy)]
pub(crate) struct Needs {
    /// Of the input, and of the output.
    pub bytes: usize,
    /// Of intermediate results, in the device's memory.
    pub scratch: usize,
}

impl From<usize> for Needs {
    fn from(bytes: usize) -> Needs {
        Needs { bytes, scratch: 0 }
    }
}

/// The memory that jobs are written to.
pub(crate) struct Room<'b> {
    pub input: &'b mut [u8],
    pub input_used: &'b mut usize,
    pub output_used: &'b mut usize,
    pub scratch_used: &'b mut usize,
    pub tasks: &'b mut [Vec<Task>; KERNELS],
}

impl Room<'_> {
    /// Writes pieces, one after another. The word at which they begin.
    pub fn put(&mut self, pieces: &[&[u8]]) -> u32 {
        let start = *self.input_used;
        let mut at = start;
        for piece in pieces {
            self.input[at..at + piece.len()].copy_from_slice(piece);
            at += piece.len();
        }
        *self.input_used = start + aligned(at - start);
        (start / 4) as u32
    }

    /// Writes pieces and the padding of SHA-1 and SHA-2 (FIPS 180-4, 5.1), for a hash that has
    /// taken so many bytes before. The word at which they begin, and how many blocks they are.
    pub fn put_padded(&mut self, pieces: &[&[u8]], before: usize, block: usize) -> (u32, u32) {
        let len: usize = pieces.iter().map(|piece| piece.len()).sum();
        // The length has an eighth of a block.
        let padded = (len + 1 + block / 8).next_multiple_of(block);
        let start = *self.input_used;
        let at = self.put(pieces);
        let padding = &mut self.input[start + len..start + padded];
        padding.fill(0);
        padding[0] = 0x80;
        let bits = ((before + len) as u64 * 8).to_be_bytes();
        let place = padding.len() - bits.len();
        padding[place..].copy_from_slice(&bits);
        *self.input_used = start + aligned(padded);
        (at, (padded / block) as u32)
    }

    pub fn put_words(&mut self, words: &[u32]) -> u32 {
        self.put_each(words.iter().copied())
    }

    /// Writes limbs of 64 bits, the lower half of each first. The word at which they begin.
    pub fn put_limbs(&mut self, limbs: &[u64]) -> u32 {
        self.put_each(halves(limbs))
    }

    fn put_each(&mut self, words: impl Iterator<Item = u32>) -> u32 {
        let start = *self.input_used;
        let mut len = 0;
        for (place, word) in self.input[start..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
            len += 4;
        }
        *self.input_used += aligned(len);
        (start / 4) as u32
    }

    /// Adds a task, whose other words are zero.
    pub fn task(&mut self, kernel: KernelId, words: &[u32]) {
        let word = |at: usize| words.get(at).copied().unwrap_or_default();
        self.tasks[kernel as usize].push(std::array::from_fn(word));
    }

    /// Room among the output. The word at which it begins.
    pub fn make(&mut self, len: usize) -> u32 {
        let start = *self.output_used;
        *self.output_used += aligned(len);
        (start / 4) as u32
    }

    /// Room for intermediate results. The word at which it begins.
    pub fn make_scratch(&mut self, len: usize) -> u32 {
        let start = *self.scratch_used;
        *self.scratch_used += aligned(len);
        (start / 4) as u32
    }

    /// Room for a tag.
    fn make_tag(&mut self, entry: &mut Entry) -> u32 {
        entry.tag = *self.output_used;
        entry.has_tag = true;
        self.make(ALIGNMENT)
    }

    /// Turns an operation into tasks of kernels. The text of a hash may stay on the device, at such
    /// a byte.
    pub fn lower(
        &mut self,
        session: &GpuSession,
        parts: &Parts<'_, GpuSession>,
        place: Option<usize>,
        key: u32,
        entry: &mut Entry,
    ) {
        let text = parts.text.input();
        match &session.work {
            GpuWork::Hash(hash) => self.hash(hash, text, place, key, entry),
            GpuWork::Sponge(sponge) => self.sponge(sponge, text, key, entry),
            GpuWork::ChaCha20 => {
                let data = self.put(&[text]);
                let counter = counter_le(parts.nonce);
                self.chacha(data, text.len(), key, counter, entry);
            }
            GpuWork::ChaCha20Poly1305 => {
                let nonce = counter_le(&[&[0; 4], parts.nonce].concat());
                let data = self.put(&[text]);
                let associated = self.put(&[parts.associated]);
                let [_, n0, n1, n2] = nonce;
                let out = self.chacha(data, text.len(), key, [1, n0, n1, n2], entry);
                let (cipher, made) = if parts.checks_tag { (data, 0) } else { (out, 1) };
                let len = parts.associated.len() as u32;
                let tag = self.make_tag(entry);
                let text_len = text.len() as u32;
                let task = [cipher, text_len, key, tag, 0, n0, n1, n2, associated, len, made];
                self.task(KernelId::Poly1305, &task);
            }
            GpuWork::AesCtr { rounds } => {
                let data = self.put(&[text]);
                self.aes(data, text.len(), key, counter_be(parts.nonce), *rounds, NONE, entry);
            }
            GpuWork::AesGcm { rounds } => {
                self.gcm(parts, text, parts.associated, key, *rounds, entry);
            }
            GpuWork::AesGmac { rounds } => self.gcm(parts, &[], text, key, *rounds, entry),
            GpuWork::Rsa(_) | GpuWork::Ed25519(_) | GpuWork::SlhDsa(_) => {
                unreachable!("an operation with a public key has other parts")
            }
        }
    }

    fn hash(
        &mut self,
        hash: &Hash,
        text: &[u8],
        place: Option<usize>,
        key: u32,
        entry: &mut Entry,
    ) {
        let Hash { kernel, block, digest, keyed } = *hash;
        // A key is a block before the text.
        let before = if keyed { block } else { 0 };
        let there = place.map_or(0, |_| text.len() / block);
        let (_, rest) = text.split_at(there * block);
        let (data, blocks) = self.put_padded(&[rest], before + there * block, block);
        let out = self.make_tag(entry);
        let outer = if keyed { key + 16 } else { NONE };
        let (at, there) = ((place.unwrap_or_default() / 4) as u32, there as u32);
        self.task(kernel, &[data, there + blocks, key, out, outer, digest, at, there]);
    }

    fn sponge(&mut self, sponge: &Sponge, text: &[u8], key: u32, entry: &mut Entry) {
        let Sponge { rate, suffix, prefix, postfix, inner } = sponge;
        let len = prefix.len() + text.len() + postfix.len();
        let padded = (len + 1).next_multiple_of(*rate);
        let mut padding = [0; 256];
        padding[0] = *suffix;
        padding[padded - len - 1] |= 0x80;
        let data = self.put(&[prefix, text, postfix, &padding[..padded - len]]);
        let out = self.make_tag(entry);
        let (outer, words) = inner.map_or((NONE, 0), |words| (key, words));
        let blocks = (padded / rate) as u32;
        let rate = (rate / 8) as u32;
        self.task(KernelId::Keccak, &[data, blocks, rate, out, outer, words]);
    }

    /// Room for a text that the device makes, of which the entry knows.
    pub fn make_text(&mut self, len: usize, entry: &mut Entry) -> u32 {
        (entry.text, entry.text_len) = (*self.output_used, len);
        self.make(len)
    }

    /// Slices of a text for ChaCha20. The word at which the output begins.
    fn chacha(
        &mut self,
        data: u32,
        len: usize,
        key: u32,
        counter: [u32; 4],
        entry: &mut Entry,
    ) -> u32 {
        let out = self.make_text(len, entry);
        let [first, n0, n1, n2] = counter;
        for start in (0..len).step_by(SLICE) {
            let at = (start / 4) as u32;
            let count = first.wrapping_add((start / 64) as u32);
            let bytes = SLICE.min(len - start) as u32;
            self.task(KernelId::ChaCha20, &[data + at, bytes, key, out + at, count, n0, n1, n2]);
        }
        out
    }

    /// Slices of a text for AES in counter mode: with a first counter block, or where one is among
    /// the output. The word at which the output begins.
    #[expect(clippy::too_many_arguments, reason = "they are the words of a task")]
    fn aes(
        &mut self,
        data: u32,
        len: usize,
        key: u32,
        counter: [u32; 4],
        rounds: u32,
        place: u32,
        entry: &mut Entry,
    ) -> u32 {
        let out = self.make_text(len, entry);
        let [c0, c1, c2, c3] = counter;
        // The counter block of GCM is for the tag, and the text has those after it.
        let skipped = u32::from(rounds >> 8 != 0);
        for start in (0..len).step_by(SLICE) {
            let at = (start / 4) as u32;
            let bytes = SLICE.min(len - start) as u32;
            let before = (start / 16) as u32 + skipped;
            let task = [data + at, bytes, key, out + at, c0, c1, c2, c3, rounds, place, before];
            self.task(KernelId::AesCtr, &task);
        }
        out
    }

    fn gcm(
        &mut self,
        parts: &Parts<'_, GpuSession>,
        text: &[u8],
        associated: &[u8],
        key: u32,
        rounds: u32,
        entry: &mut Entry,
    ) {
        let last_alone = 256;
        let (counter, place) = match <[u8; 12]>::try_from(parts.nonce) {
            Ok(nonce) => (counter_be(&[&nonce[..], &[0, 0, 0, 1]].concat()), NONE),
            Err(_) => {
                let nonce = self.put(&[parts.nonce]);
                let place = self.make(16);
                let len = parts.nonce.len() as u32;
                self.task(KernelId::GcmNonce, &[nonce, len, key, place, 0, 0, 0, 0, rounds]);
                ([0; 4], place)
            }
        };
        let data = self.put(&[text]);
        let len = associated.len() as u32;
        let associated = self.put(&[associated]);
        let out = self.aes(data, text.len(), key, counter, rounds | last_alone, place, entry);
        let from_output = if parts.checks_tag { 0 } else { 256 };
        let cipher = if parts.checks_tag { data } else { out };
        let tag = self.make_tag(entry);
        let [c0, c1, c2, c3] = counter;
        let rounds = rounds | from_output;
        let text_len = text.len() as u32;
        let task = [cipher, text_len, key, tag, c0, c1, c2, c3, rounds, place, associated, len];
        self.task(KernelId::GcmTag, &task);
    }
}

/// The words of 16 bytes.
fn counter_le(bytes: &[u8]) -> [u32; 4] {
    let word = |at: usize| bytes.get(4 * at..4 * at + 4)?.try_into().ok().map(u32::from_le_bytes);
    std::array::from_fn(|at| word(at).unwrap_or_default())
}

/// The same, of numbers whose highest byte comes first.
fn counter_be(bytes: &[u8]) -> [u32; 4] {
    counter_le(bytes).map(u32::swap_bytes)
}
