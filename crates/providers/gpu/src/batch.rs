//! A batch: jobs of any algorithms in the memory of a stream, and where their results will be.
//!
//! Input is laid out in pieces that begin at multiples of 64 bytes: keys, once for each session;
//! nonces, associated data and texts, padded as their algorithms have it; and then the tasks of
//! each kernel. Output is ciphered texts and tags. Memory of the host that is not in use is zero.

use std::collections::HashMap;
use std::time::Instant;

use broadloom_engine::provider::{Occupancy, Operation, Parts};
use broadloom_engine::{DeviceFault, JobError};
use zeroize::Zeroize;

use crate::cl::{ClError, Flight, GROUP, Launch, Stream};
use crate::device::{Device, Slot};
use crate::faults::Fate;
use crate::kernels::{KERNELS, KernelId};
use crate::session::{GpuSession, Hash, Sponge, Work};
use crate::signal::Signal;

/// Words that describe a task to a kernel.
const TASK: usize = 12;

type Task = [u32; TASK];

/// No place.
const NONE: u32 = u32::MAX;

/// Where pieces begin, in bytes.
const ALIGNMENT: usize = 64;

/// Bytes of a text that one work item ciphers.
const SLICE: usize = 1024;

pub(crate) struct Batch {
    slot: Slot,
    input_used: usize,
    output_used: usize,
    tasks: [Vec<Task>; KERNELS],
    keys: HashMap<u64, u32>,
    jobs: Vec<Entry>,
    /// When the first job came.
    pub began: Instant,
    occupancy: Occupancy,
    uploaded: usize,
}

/// A job, and where its results are among the output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub ticket: u64,
    text: usize,
    text_len: usize,
    tag: usize,
    has_tag: bool,
    /// Nobody waits for it any more.
    pub abandoned: bool,
}

/// What became of an attempt to add a job.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Added {
    Yes,
    /// So many bytes are needed.
    NoRoom(usize),
    /// The session is another provider's.
    NotOurs,
}

fn aligned(len: usize) -> usize {
    len.next_multiple_of(ALIGNMENT)
}

/// Bytes of the input and of the output that a job takes at most.
fn needs(session: &GpuSession, parts: &Parts<'_, GpuSession>) -> usize {
    let text = parts.text.input().len();
    let key = aligned(4 * session.key.len());
    let (padded, tasks) = match &session.work {
        Work::Hash(hash) => (text + hash.block + 17, 1),
        Work::Sponge(sponge) => {
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

impl Batch {
    pub fn new(slot: Slot) -> Self {
        Batch {
            slot,
            input_used: 0,
            output_used: 0,
            tasks: Default::default(),
            keys: HashMap::new(),
            jobs: Vec::new(),
            began: Instant::now(),
            occupancy: Occupancy::default(),
            uploaded: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    pub fn jobs(&self) -> &[Entry] {
        &self.jobs
    }

    /// Nobody waits for a job any more. Whether it is one of this batch.
    pub fn abandon(&mut self, ticket: u64) -> bool {
        let own = self.jobs.iter_mut().find(|entry| entry.ticket == ticket && !entry.abandoned);
        own.map(|entry| entry.abandoned = true).is_some()
    }

    /// Adds a job, if there is room.
    pub fn add(&mut self, ticket: u64, operation: &mut Operation<'_>) -> Added {
        let Some(parts) = operation.parts::<GpuSession>() else { return Added::NotOurs };
        let session = parts.session;
        let needed = needs(session, &parts);
        let tasks: usize = self.tasks.iter().map(|tasks| tasks.len() * 4 * TASK).sum();
        let Some(stream) = &mut self.slot.stream else { return Added::NoRoom(needed) };
        let (input, output) = stream.capacity();
        if self.input_used + tasks + needed > input || self.output_used + needed > output {
            return Added::NoRoom(needed);
        }
        if self.jobs.is_empty() {
            self.began = Instant::now();
        }
        let mut room = Room {
            input: stream.input(),
            input_used: &mut self.input_used,
            output_used: &mut self.output_used,
            tasks: &mut self.tasks,
        };
        let key = *self.keys.entry(session.id).or_insert_with(|| room.put_words(&session.key));
        let mut entry =
            Entry { ticket, text: 0, text_len: 0, tag: 0, has_tag: false, abandoned: false };
        room.lower(session, &parts, key, &mut entry);
        self.jobs.push(entry);
        Added::Yes
    }

    /// Gives the batch a larger stream.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn grow(&mut self, device: &Device, bytes: usize) -> Result<(), ClError> {
        self.slot.stream = Some(device.stream(bytes)?);
        Ok(())
    }

    /// Hands it to the device.
    ///
    /// # Errors
    /// The device cannot: what its jobs are told.
    pub fn launch(
        &mut self,
        device: &Device,
        signal: &std::sync::Arc<Signal>,
    ) -> Result<Flight, DeviceFault> {
        let refused = |error: ClError| match error.code {
            -4 | -6 => {
                device.counters.change(|counts| counts.out_of_memory += 1);
                DeviceFault::OutOfMemory
            }
            _ => {
                device.counters.change(|counts| counts.losses += 1);
                device.lose();
                DeviceFault::Removed
            }
        };
        let injected = |code| ClError { call: "a fault on request", code, detail: String::new() };
        if device.is_lost() {
            return Err(DeviceFault::Removed);
        }
        let gate = match device.fates.next() {
            Fate::Good => None,
            Fate::Hangs => Some(device.gate().map_err(refused)?),
            Fate::Lost => return Err(refused(injected(-2))),
            Fate::OutOfMemory => return Err(refused(injected(-4))),
        };
        // Sessions without a key and texts of no bytes may need no input.
        self.input_used = self.input_used.max(ALIGNMENT);
        let mut places = [(0, 0); KERNELS];
        for kernel in KernelId::ALL {
            let tasks = &mut self.tasks[kernel as usize];
            if tasks.is_empty() {
                continue;
            }
            self.slot.prepare(device, kernel).map_err(refused)?;
            // Work items of a group wait for the longest of them.
            tasks.sort_unstable_by_key(|task| std::cmp::Reverse(cost(kernel, task)));
            for group in tasks.chunks(GROUP) {
                let steps = |task| 1 + u64::from(cost(kernel, task));
                self.occupancy.used += group.iter().map(steps).sum::<u64>();
                self.occupancy.offered += steps(&group[0]) * GROUP as u64;
            }
            places[kernel as usize] = ((self.input_used / 4) as u32, tasks.len() as u32);
            let Some(stream) = &mut self.slot.stream else { return Err(DeviceFault::Removed) };
            let input = &mut stream.input()[self.input_used..];
            for (place, word) in input.chunks_exact_mut(4).zip(tasks.as_flattened()) {
                place.copy_from_slice(&word.to_ne_bytes());
            }
            self.input_used += aligned(tasks.len() * 4 * TASK);
        }
        // Texts of no bytes may need no output, and copies of no bytes are refused.
        self.output_used = self.output_used.max(ALIGNMENT);
        self.uploaded = self.input_used;
        let Some(stream) = self.slot.stream.take() else { return Err(DeviceFault::Removed) };
        let launches: Vec<_> = KernelId::ALL
            .into_iter()
            .filter_map(|kernel| {
                let (tasks, count) = places[kernel as usize];
                let kernel = self.slot.kernel(kernel).filter(|_| count > 0)?;
                Some(Launch { kernel, tasks, count })
            })
            .collect();
        let output = self.output_used;
        let launched = stream.launch(self.input_used, &launches, output, gate, signal);
        launched.map_err(|(stream, error)| {
            self.slot.stream = Some(stream);
            refused(error)
        })
    }

    /// The stream is back.
    pub fn land(&mut self, stream: Box<Stream>) {
        self.slot.stream = Some(stream);
    }

    /// Bytes that went to the device and came back, and how busy work items were.
    pub fn figures(&self) -> (usize, usize, Occupancy) {
        (self.uploaded, self.output_used, self.occupancy)
    }

    /// Brings the results of a job to its operation.
    pub fn finish(&mut self, entry: &Entry, operation: &mut Operation<'_>) {
        let Some(stream) = &mut self.slot.stream else {
            return operation.complete(Err(JobError::NotDone));
        };
        let output = stream.output();
        let Some(parts) = operation.parts::<GpuSession>() else {
            return operation.complete(Err(JobError::NotDone));
        };
        let made = &output[entry.text..entry.text + entry.text_len];
        if !made.is_empty()
            && let Some(text) = parts.text.into_output()
        {
            text.copy_from_slice(made);
        }
        let tag = &output[entry.tag..];
        if parts.checks_tag {
            return operation.complete_with_mac(tag);
        }
        if entry.has_tag {
            parts.tag[..parts.tag_len].copy_from_slice(&tag[..parts.tag_len]);
        }
        operation.complete(Ok(()));
    }

    /// Makes it ready for other jobs: all that was in the host's memory is wiped.
    pub fn reset(&mut self, device: &Device) {
        if let Some(stream) = &mut self.slot.stream {
            stream.input()[..self.input_used].zeroize();
            stream.output()[..self.output_used].zeroize();
            if stream.capacity().0 > device.options.batch {
                self.slot.stream = None;
            }
        }
        (self.input_used, self.output_used, self.uploaded) = (0, 0, 0);
        self.tasks.iter_mut().for_each(Vec::clear);
        self.keys.clear();
        self.jobs.clear();
        self.occupancy = Occupancy::default();
    }

    /// The slot of a batch that is not needed any more.
    pub fn into_slot(self) -> Slot {
        self.slot
    }
}

/// How long a task takes, compared with others of its kernel.
fn cost(kernel: KernelId, task: &Task) -> u32 {
    match kernel {
        KernelId::AesCtr => task[1].div_ceil(32) * (task[8] & 255),
        KernelId::GcmTag => task[1].div_ceil(16) + task[11].div_ceil(16),
        KernelId::Poly1305 => task[1].div_ceil(16) + task[9].div_ceil(16),
        KernelId::ChaCha20 => task[1].div_ceil(64),
        _ => task[1],
    }
}

/// The memory that jobs are written to.
struct Room<'b> {
    input: &'b mut [u8],
    input_used: &'b mut usize,
    output_used: &'b mut usize,
    tasks: &'b mut [Vec<Task>; KERNELS],
}

impl Room<'_> {
    /// Writes pieces, one after another. The word at which they begin.
    fn put(&mut self, pieces: &[&[u8]]) -> u32 {
        let start = *self.input_used;
        let mut at = start;
        for piece in pieces {
            self.input[at..at + piece.len()].copy_from_slice(piece);
            at += piece.len();
        }
        *self.input_used = start + aligned(at - start);
        (start / 4) as u32
    }

    fn put_words(&mut self, words: &[u32]) -> u32 {
        let start = *self.input_used;
        for (place, word) in self.input[start..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        *self.input_used += aligned(4 * words.len());
        (start / 4) as u32
    }

    /// Room among the output. The word at which it begins.
    fn make(&mut self, len: usize) -> u32 {
        let start = *self.output_used;
        *self.output_used += aligned(len);
        (start / 4) as u32
    }

    /// Room for a tag.
    fn make_tag(&mut self, entry: &mut Entry) -> u32 {
        entry.tag = *self.output_used;
        entry.has_tag = true;
        self.make(ALIGNMENT)
    }

    /// Turns an operation into tasks of kernels.
    fn lower(
        &mut self,
        session: &GpuSession,
        parts: &Parts<'_, GpuSession>,
        key: u32,
        entry: &mut Entry,
    ) {
        let text = parts.text.input();
        match &session.work {
            Work::Hash(hash) => self.hash(hash, text, key, entry),
            Work::Sponge(sponge) => self.sponge(sponge, text, key, entry),
            Work::ChaCha20 => {
                let data = self.put(&[text]);
                let counter = counter_le(parts.nonce);
                self.chacha(data, text.len(), key, counter, entry);
            }
            Work::ChaCha20Poly1305 => {
                let nonce = counter_le(&[&[0; 4], parts.nonce].concat());
                let data = self.put(&[text]);
                let associated = self.put(&[parts.associated]);
                let [_, n0, n1, n2] = nonce;
                let out = self.chacha(data, text.len(), key, [1, n0, n1, n2], entry);
                let (cipher, made) = if parts.checks_tag { (data, 0) } else { (out, 1) };
                let len = parts.associated.len() as u32;
                let tag = self.make_tag(entry);
                let text_len = text.len() as u32;
                let task = [cipher, text_len, key, tag, 0, n0, n1, n2, associated, len, made, 0];
                self.tasks[KernelId::Poly1305 as usize].push(task);
            }
            Work::AesCtr { rounds } => {
                let data = self.put(&[text]);
                self.aes(data, text.len(), key, counter_be(parts.nonce), *rounds, NONE, entry);
            }
            Work::AesGcm { rounds } => {
                self.gcm(parts, text, parts.associated, key, *rounds, entry);
            }
            Work::AesGmac { rounds } => self.gcm(parts, &[], text, key, *rounds, entry),
        }
    }

    fn hash(&mut self, hash: &Hash, text: &[u8], key: u32, entry: &mut Entry) {
        let Hash { kernel, block, digest, keyed } = *hash;
        // A key is a block before the text, and the length has an eighth of a block.
        let before = if keyed { block } else { 0 };
        let padded = (text.len() + 1 + block / 8).next_multiple_of(block);
        let bits = ((before + text.len()) as u128 * 8).to_be_bytes();
        let zeros = [0; 256];
        let zeros = &zeros[..padded - text.len() - 1 - block / 8];
        let data = self.put(&[text, &[0x80], zeros, &bits[16 - block / 8..]]);
        let out = self.make_tag(entry);
        let outer = if keyed { key + 16 } else { NONE };
        let task = [data, (padded / block) as u32, key, out, outer, digest, 0, 0, 0, 0, 0, 0];
        self.tasks[kernel as usize].push(task);
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
        let task = [data, blocks, rate, out, outer, words, 0, 0, 0, 0, 0, 0];
        self.tasks[KernelId::Keccak as usize].push(task);
    }

    /// Room for a ciphered text, of which the entry knows.
    fn make_text(&mut self, len: usize, entry: &mut Entry) -> u32 {
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
            let task = [data + at, bytes, key, out + at, count, n0, n1, n2, 0, 0, 0, 0];
            self.tasks[KernelId::ChaCha20 as usize].push(task);
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
            let task = [data + at, bytes, key, out + at, c0, c1, c2, c3, rounds, place, before, 0];
            self.tasks[KernelId::AesCtr as usize].push(task);
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
                let task = [nonce, len, key, place, 0, 0, 0, 0, rounds, 0, 0, 0];
                self.tasks[KernelId::GcmNonce as usize].push(task);
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
        self.tasks[KernelId::GcmTag as usize].push(task);
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
