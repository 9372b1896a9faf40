//! The scheduler of BLAKE3 onto lanes.
//!
//! Messages gather until there are enough to fill the lanes, or no more come. Then all of them go
//! through the lanes together: first the chunks of all, the longest first, then the parents, level
//! after level. A message with more chunks than there is room for goes in pieces, each of which
//! fills the lanes many times.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::{ptr, slice};

use zeroize::Zeroize;

use super::Blake3Key;
use super::tree::{Bytes, Climb, Pair, Stack};
use crate::cpu::{Cpu, Isa};
use crate::kernels::blake3::{BLOCK_LEN, CHUNK_LEN};
use crate::kernels::blake3::{
    Batch, Blake3Kernel, CHUNK_END, CHUNK_START, MAX_LANES, PARENT, ROOT, Root, ZEROS, compress,
};
use crate::manager::{Groups, Lanes, Loan, Planner, Source};
use crate::occupancy::Occupancy;
use crate::plain::Plain;
use crate::vector::each;

/// The most messages that go together.
const MESSAGES: usize = 64;

/// The most chunks that go together.
const CHUNKS: usize = 512;

/// Bytes of a digest, which is also a chaining value.
const DIGEST_LEN: usize = 32;

/// One message or a piece of one, as the scheduler sees it.
///
/// Whoever makes a task vouches that its pointers stay good until it is complete: `key`; `head`,
/// which is null or readable for a chunk; `data`, readable for `len` bytes; `stack`, which is null
/// or good for reads, and for writes where values are kept; and where the output goes.
#[derive(Clone, Copy)]
pub struct Blake3Task {
    pub(super) key: *const Blake3Key,
    /// A chunk before the data; null if there is none.
    pub(super) head: *const u8,
    pub(super) data: *const u8,
    pub(super) len: usize,
    /// The number of the first chunk in its message.
    pub(super) start: u64,
    /// The values of the chunks before; null if there are none.
    pub(super) stack: *mut Stack,
    pub(super) end: Blake3End,
}

/// What becomes of the values.
#[derive(Clone, Copy)]
pub(super) enum Blake3End {
    /// They go to the stack. All chunks are whole, and more of the message comes.
    Values,
    /// The message is complete: its output.
    Output { to: *mut u8, len: usize },
}

impl Blake3Task {
    fn is_last(&self) -> bool {
        matches!(self.end, Blake3End::Output { .. })
    }

    /// Returns the number of chunks. A message without bytes has one.
    fn chunks(&self) -> usize {
        let chunks = usize::from(!self.head.is_null()) + self.len.div_ceil(CHUNK_LEN);
        if self.is_last() { chunks.max(1) } else { chunks }
    }

    /// Returns the leaf of a message that is one chunk and whose output is no longer than a value.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it.
    unsafe fn only_chunk(&self) -> Option<Leaf> {
        let Blake3End::Output { to, len } = self.end else { return None };
        // SAFETY: the task is good, by this function's contract.
        let is_first = self.head.is_null() && unsafe { self.stacked() } == 0;
        let is_alone = is_first && self.len <= CHUNK_LEN;
        (is_alone && len <= DIGEST_LEN).then(|| Leaf {
            end: CHUNK_END | ROOT,
            ..Leaf::new(self.key, self.data, self.len, self.start, ChunkPlace::Output(to, len))
        })
    }

    /// Returns the number of values on the stack.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it.
    unsafe fn stacked(&self) -> usize {
        // SAFETY: the task is good, by this function's contract, so that the stack is null or
        // readable.
        unsafe { self.stack.as_ref() }.map_or(0, Stack::len)
    }
}

/// A chunk, or the part of it that goes through the lanes.
#[derive(Clone, Copy)]
struct Leaf {
    key: *const Blake3Key,
    data: *const u8,
    /// Blocks of 64 bytes.
    whole: usize,
    /// Bytes of a last block that is not whole; `None` if there is no such block.
    tail: Option<usize>,
    counter: u64,
    /// The flags of the last block beside those of the mode.
    end: u32,
    to: ChunkPlace,
}

/// Where the value of a leaf goes.
#[derive(Clone, Copy)]
enum ChunkPlace {
    /// To a place among the values.
    Value(usize),
    /// To the output of a message that is one chunk: so many bytes of it.
    Output(*mut u8, usize),
}

impl Leaf {
    /// Takes a whole chunk that is not the root: so many bytes, and its number in the message.
    fn new(
        key: *const Blake3Key,
        data: *const u8,
        len: usize,
        counter: u64,
        to: ChunkPlace,
    ) -> Leaf {
        // A chunk without bytes is one block of no bytes.
        let is_cut = len == 0 || !len.is_multiple_of(BLOCK_LEN);
        let tail = is_cut.then_some(len % BLOCK_LEN);
        Leaf { key, data, whole: len / BLOCK_LEN, tail, counter, end: CHUNK_END, to }
    }

    fn blocks(&self) -> usize {
        self.whole + usize::from(self.tail.is_some())
    }
}

/// The scheduler of messages of BLAKE3 onto the lanes of its kernels.
pub struct Blake3Lanes {
    groups: Groups<Blake3Task, 1>,
    calculator: Box<Blake3Calculator>,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler, or they point into the scheduler's own allocations.
unsafe impl Send for Blake3Lanes {}

/// The kernels and the memory that compute for a group.
struct Blake3Calculator {
    /// The fewest lanes first.
    kernels: &'static [Blake3Kernel],
    occupancy: Occupancy,
    batch: Batch,
    /// The last blocks of chunks that are not whole; two values whose parent is made.
    blocks: [[u8; BLOCK_LEN]; MAX_LANES],
    leaves: Vec<Leaf>,
    /// A value for each chunk.
    values: Vec<Bytes>,
    /// The ways of messages with more than a chunk, with their numbers among the tasks.
    climbs: Vec<(usize, Climb)>,
    /// Lanes that wait for parents to be made in them: the places of those.
    parents: Vec<usize>,
}

impl Lanes for Blake3Lanes {
    type Task = Blake3Task;

    fn new(cpu: &Cpu) -> Self {
        let calculator = Blake3Calculator {
            kernels: cpu.kernels().blake3,
            occupancy: Occupancy::default(),
            batch: Batch::new(),
            blocks: [[0; BLOCK_LEN]; MAX_LANES],
            leaves: Vec::with_capacity(CHUNKS),
            values: alloc::vec![[0; DIGEST_LEN]; CHUNKS],
            climbs: Vec::with_capacity(MESSAGES),
            parents: Vec::with_capacity(MAX_LANES),
        };
        Blake3Lanes { groups: Groups::new(MESSAGES), calculator: Box::new(calculator) }
    }

    fn lanes(&self) -> usize {
        self.calculator.widest()
    }

    fn occupancy(&self) -> Occupancy {
        self.calculator.occupancy
    }

    unsafe fn run(&mut self, source: &mut impl Source<Blake3Task>) {
        let Blake3Lanes { groups, calculator } = self;
        // SAFETY: the tasks of a group were given by the source and are not reported done yet, so
        // they are good, by this function's contract.
        groups.run(source, |_| 0, |_, tasks| unsafe { calculator.go(tasks) });
    }
}

#[cfg(test)]
impl Blake3Lanes {
    /// Completes tasks.
    ///
    /// # Safety
    /// The tasks are good, as [`Lanes::Task`] defines it.
    pub(super) unsafe fn compute(&mut self, tasks: &[(u32, Blake3Task)]) {
        // SAFETY: the tasks are good, by this function's contract.
        unsafe { self.calculator.go(tasks) };
    }

    /// Returns `true` if no value and no block is left in memory.
    pub(super) fn is_wiped(&self) -> bool {
        let Blake3Calculator { values, blocks, batch, .. } = &*self.calculator;
        let mut bytes = values.as_flattened().iter().chain(blocks.as_flattened());
        bytes.all(|byte| *byte == 0) && batch.values.as_flattened().iter().all(|word| *word == 0)
    }
}

impl Drop for Blake3Calculator {
    fn drop(&mut self) {
        self.wipe(CHUNKS);
    }
}

impl Blake3Calculator {
    fn widest(&self) -> usize {
        self.kernels[self.kernels.len() - 1].lanes
    }

    /// Returns the kernel for so many blocks: that with the fewest lanes of those that take all of
    /// them at once.
    fn pick(&self, count: usize) -> Blake3Kernel {
        let fits = self.kernels.iter().find(|kernel| kernel.lanes >= count);
        *fits.unwrap_or(&self.kernels[self.kernels.len() - 1])
    }

    /// Completes tasks.
    ///
    /// # Safety
    /// The tasks are good, as [`Lanes::Task`] defines it.
    unsafe fn go(&mut self, tasks: &[(u32, Blake3Task)]) {
        let mut rest = tasks;
        while let [(_, first), ..] = rest {
            let mut chunks = 0;
            let fits = rest.iter().take_while(|(_, task)| {
                chunks += task.chunks();
                chunks <= CHUNKS
            });
            let fit = fits.count();
            // SAFETY: the tasks are good, by this function's contract; those that go together have
            // no more chunks than there is room for.
            unsafe {
                match fit {
                    0 => self.in_pieces(*first),
                    _ => self.together(&rest[..fit]),
                }
            }
            rest = &rest[fit.max(1)..];
        }
    }

    /// Completes a task with more chunks than there is room for.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it.
    unsafe fn in_pieces(&mut self, mut rest: Blake3Task) {
        let mut own = Stack::new();
        if rest.is_last() {
            // SAFETY: the task is good, by this function's contract, so that the stack is null or
            // readable. The caller's stack stays as it is.
            if let Some(stack) = unsafe { rest.stack.as_ref() } {
                own.clone_from(stack);
            }
            rest.stack = &raw mut own;
        }
        while rest.chunks() > CHUNKS {
            let len = CHUNK_LEN * (CHUNKS - usize::from(!rest.head.is_null()));
            let piece = Blake3Task { len, end: Blake3End::Values, ..rest };
            // SAFETY: the piece is the first part of a good task, and its stack is writable,
            // because a last task got a stack of its own; `len` bytes of data belong to the piece,
            // and the rest begins behind them.
            unsafe {
                self.together(&[(0, piece)]);
                rest.data = rest.data.add(len);
            }
            rest.head = ptr::null();
            rest.len -= len;
            rest.start += CHUNKS as u64;
        }
        // SAFETY: this is the rest of a good task, with at most CHUNKS chunks.
        unsafe { self.together(&[(0, rest)]) };
    }

    /// Completes tasks with at most [`CHUNKS`] chunks.
    ///
    /// # Safety
    /// The tasks are good, as [`Lanes::Task`] defines it, and have at most [`CHUNKS`] chunks
    /// together.
    unsafe fn together(&mut self, tasks: &[(u32, Blake3Task)]) {
        let mut chunks = 0;
        self.climbs.clear();
        self.leaves.clear();
        // SAFETY: the tasks are good until this function returns, by its contract. Chunks are
        // hashed before parents are made, and a climb is over before it is delivered.
        unsafe {
            for (at, (_, task)) in tasks.iter().enumerate() {
                if let Some(leaf) = task.only_chunk() {
                    self.leaves.push(leaf);
                    continue;
                }
                let (count, stacked) = (task.chunks(), task.stacked());
                let climb = Climb::new(chunks, count, task.start, stacked, task.is_last());
                self.cut(task, &climb);
                self.climbs.push((at, climb));
                chunks += count;
            }
            self.hash_chunks();
            for index in 0..self.climbs.len() {
                let (at, climb) = &self.climbs[index];
                if climb.is_over() {
                    self.extend_chunk(&tasks[*at].1, climb.first);
                }
            }
            self.combine(tasks);
            for index in 0..self.climbs.len() {
                let (at, climb) = self.climbs[index];
                self.deliver(&tasks[at].1, &climb);
            }
            if tasks.iter().any(|(_, task)| (*task.key).flags != 0) {
                self.wipe(chunks);
            }
        }
    }

    /// Cuts a task into chunks.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it.
    unsafe fn cut(&mut self, task: &Blake3Task, climb: &Climb) {
        let mut data = task.data;
        let mut left = task.len;
        for chunk in 0..climb.count {
            let (from, len) = match chunk == 0 && !task.head.is_null() {
                true => (task.head, CHUNK_LEN),
                false => {
                    let (from, len) = (data, left.min(CHUNK_LEN));
                    // SAFETY: `len` is at most what is left of the task's data.
                    data = unsafe { data.add(len) };
                    left -= len;
                    (from, len)
                }
            };
            let to = ChunkPlace::Value(climb.first + chunk);
            let mut leaf = Leaf::new(task.key, from, len, task.start + chunk as u64, to);
            if climb.is_over() {
                // The output is long: `extend_chunk` does the last block.
                leaf.end = 0;
                leaf.whole -= usize::from(leaf.tail.is_none());
                leaf.tail = None;
            }
            if leaf.blocks() > 0 {
                self.leaves.push(leaf);
            } else {
                // SAFETY: the task is good, by this function's contract, so that its key is alive.
                self.values[climb.first + chunk] = unsafe { to_bytes(&(*task.key).words) };
            }
        }
    }

    /// Makes the values of all leaves.
    ///
    /// # Safety
    /// The leaves belong to good tasks.
    unsafe fn hash_chunks(&mut self) {
        self.leaves.sort_unstable_by_key(|leaf| usize::MAX - leaf.blocks());
        let mut done = 0;
        while done < self.leaves.len() {
            let kernel = self.pick(self.leaves.len() - done);
            let count = kernel.lanes.min(self.leaves.len() - done);
            // SAFETY: the leaves belong to good tasks, by this function's contract; they are
            // sorted, there are at most as many as the kernel has lanes, and the kernel is from
            // this CPU's table.
            unsafe { self.hash_some(&kernel, done, count) };
            done += count;
        }
    }

    /// Makes the values of leaves, at most one for each lane, of which none has more blocks than
    /// the one before.
    ///
    /// # Safety
    /// - The leaves belong to good tasks.
    /// - The kernel is from this CPU's table.
    unsafe fn hash_some(&mut self, kernel: &Blake3Kernel, first: usize, count: usize) {
        let widest = self.widest();
        let Blake3Calculator { batch, blocks, leaves, values, occupancy, .. } = self;
        let leaves = &leaves[first..first + count];
        // SAFETY: the leaf belongs to a good task, whose key is alive.
        let words = |leaf: &Leaf| unsafe { &(*leaf.key).words };
        if leaves.iter().all(|leaf| leaf.key == leaves[0].key) {
            let words = words(&leaves[0]);
            batch.values.iter_mut().zip(words).for_each(|(row, word)| *row = [*word; MAX_LANES]);
        } else {
            leaves.iter().enumerate().for_each(|(lane, leaf)| batch.put(lane, words(leaf)));
        }
        leaves.iter().enumerate().for_each(|(lane, leaf)| batch.count(lane, leaf.counter));
        batch.data[count..].fill(ZEROS.as_ptr());
        let (mut active, mut done) = (count, 0);
        while active > 0 {
            // As far as all go that have blocks left: to the end of the shortest, or up to a block
            // that is not whole.
            let steps = |leaf: &Leaf| (leaf.whole - done).max(1);
            let steps = leaves[..active].iter().map(steps).min().unwrap_or(1);
            for (lane, leaf) in leaves[..active].iter().enumerate() {
                // SAFETY: the leaf belongs to a good task, whose key is alive.
                let mode = unsafe { (*leaf.key).flags };
                let is_end = done + steps == leaf.blocks();
                batch.flags[0][lane] = mode | if done == 0 { CHUNK_START } else { 0 };
                batch.flags[1][lane] = mode;
                batch.flags[2][lane] = mode | if is_end { leaf.end } else { 0 };
                batch.last_len[lane] = BLOCK_LEN as u32;
                // SAFETY: an active leaf has more than `done` blocks, so that the pointer lies
                // within its data, or at the end of its whole blocks.
                let from = unsafe { leaf.data.add(BLOCK_LEN * done) };
                batch.data[lane] = match leaf.tail.filter(|_| leaf.whole == done) {
                    None => from,
                    Some(len) => {
                        let (bytes, rest) = blocks[lane].split_at_mut(len);
                        // SAFETY: behind its whole blocks, the leaf has `len` bytes.
                        bytes.copy_from_slice(unsafe { bytes_at(from, len) });
                        rest.fill(0);
                        batch.last_len[lane] = len as u32;
                        blocks[lane].as_ptr()
                    }
                };
            }
            // SAFETY: the kernel is from this CPU's table. Every active lane has `steps` blocks at
            // its pointer: whole ones of the leaf, or one in `blocks`. Every other lane reads
            // zeros, of which there is enough for the blocks of a chunk.
            unsafe { (kernel.compress)(batch, steps) };
            occupancy.count(active, widest, steps);
            done += steps;
            while active > 0 && leaves[active - 1].blocks() == done {
                active -= 1;
                batch.data[active] = ZEROS.as_ptr();
                let value = value_of(batch, active);
                match leaves[active].to {
                    ChunkPlace::Value(place) => values[place] = value,
                    // SAFETY: the task has `len` bytes of room, at most the length of a value.
                    ChunkPlace::Output(to, len) => unsafe {
                        ptr::copy_nonoverlapping(value.as_ptr(), to, len);
                    },
                }
            }
        }
    }

    /// Makes the long output of a message that is one chunk.
    ///
    /// # Safety
    /// The task is good, and the value of its one chunk without the last block is at the place.
    unsafe fn extend_chunk(&mut self, task: &Blake3Task, place: usize) {
        let Blake3End::Output { to, len } = task.end else { return };
        let before = task.len.saturating_sub(1) / BLOCK_LEN * BLOCK_LEN;
        let mut block = [0; BLOCK_LEN];
        // SAFETY: the task is good, by this function's contract, so that its data are readable for
        // `len` bytes, of which these are the last, and its key is alive.
        let (last, mode) =
            unsafe { (bytes_at(task.data.add(before), task.len - before), (*task.key).flags) };
        block[..last.len()].copy_from_slice(last);
        let start = if before == 0 { CHUNK_START } else { 0 };
        let root = Root {
            value: from_bytes(&self.values[place]),
            block,
            len: last.len() as u32,
            flags: mode | start | CHUNK_END,
        };
        // SAFETY: the task is good, by this function's contract, so that `to` is writable for `len`
        // bytes.
        root.extend(unsafe { slice::from_raw_parts_mut(to, len) });
        block.zeroize();
    }

    /// Makes the parents of all tasks, level after level.
    ///
    /// # Safety
    /// The tasks are good, and all chunks have their values.
    unsafe fn combine(&mut self, tasks: &[(u32, Blake3Task)]) {
        let mut is_over = false;
        while !is_over {
            is_over = true;
            for index in 0..self.climbs.len() {
                let (at, climb) = self.climbs[index];
                if !climb.is_over() {
                    is_over = false;
                    // SAFETY: the task is good and its chunks have their values, by this function's
                    // contract, so that both values of the pair are there.
                    climb.pairs(|pair, to, is_root| unsafe {
                        self.take_pair(&tasks[at].1, &climb, pair, to, is_root);
                    });
                }
            }
            // SAFETY: every lane of a waiting parent has its pair in `blocks`.
            unsafe { self.make_parents() };
            // Only now may a value move: to a place from where one was read.
            let climbs = self.climbs.iter_mut().map(|(_, climb)| climb);
            for climb in climbs.filter(|climb| !climb.is_over()) {
                if let Some((from, to)) = climb.rise() {
                    self.values[to] = self.values[from];
                }
            }
        }
    }

    /// Takes a pair into a lane, so that its parent is made there.
    ///
    /// # Safety
    /// The task is good, and both values of the pair are there.
    unsafe fn take_pair(
        &mut self,
        task: &Blake3Task,
        climb: &Climb,
        pair: Pair,
        to: usize,
        is_root: bool,
    ) {
        let lane = self.parents.len();
        let block = &mut self.blocks[lane];
        let (left, right) = match pair {
            // SAFETY: the task is good, by this function's contract, and a pair that names the
            // stack belongs to a task that has one.
            Pair::Stacked(others) => unsafe { ((*task.stack).below(others), climb.first) },
            Pair::Places(left) => (&self.values[left], left + 1),
        };
        block[..DIGEST_LEN].copy_from_slice(left);
        block[DIGEST_LEN..].copy_from_slice(&self.values[right]);
        // SAFETY: the task is good, by this function's contract, so that its key is alive.
        let key = unsafe { &*task.key };
        let flags = key.flags | PARENT;
        if let Blake3End::Output { to, len } = task.end
            && is_root
            && len > DIGEST_LEN
        {
            let root = Root { value: key.words, block: *block, len: BLOCK_LEN as u32, flags };
            // SAFETY: the task is good, by this function's contract, so that `to` is writable for
            // `len` bytes.
            root.extend(unsafe { slice::from_raw_parts_mut(to, len) });
            return;
        }
        let batch = &mut self.batch;
        batch.put(lane, &key.words);
        batch.count(lane, 0);
        let flags = flags | if is_root { ROOT } else { 0 };
        batch.flags.iter_mut().for_each(|row| row[lane] = flags);
        batch.last_len[lane] = BLOCK_LEN as u32;
        self.parents.push(to);
        if self.parents.len() == self.widest() {
            // SAFETY: every lane of a waiting parent has its pair in `blocks`.
            unsafe { self.make_parents() };
        }
    }

    /// Makes the parents of the pairs in the lanes.
    ///
    /// # Safety
    /// The lanes `0..parents.len()` have their pairs in `blocks`.
    unsafe fn make_parents(&mut self) {
        let count = self.parents.len();
        if count == 0 {
            return;
        }
        let kernel = self.pick(count);
        let (used, unused) = self.batch.data.split_at_mut(count);
        used.iter_mut().zip(&self.blocks).for_each(|(data, block)| *data = block.as_ptr());
        unused.fill(ZEROS.as_ptr());
        // SAFETY: the kernel is from this CPU's table; each lane points to a block of its own, or
        // to zeros.
        unsafe { (kernel.compress)(&mut self.batch, 1) };
        self.occupancy.count(count, self.widest(), 1);
        for (lane, place) in self.parents.drain(..).enumerate() {
            self.values[place] = value_of(&self.batch, lane);
        }
    }

    /// Writes a task's output, or keeps its values.
    ///
    /// # Safety
    /// The task is good, and its climb is over.
    unsafe fn deliver(&mut self, task: &Blake3Task, climb: &Climb) {
        match task.end {
            // SAFETY: the task is good, by this function's contract, so that `to` is writable for
            // `len` bytes, at most the length of a value.
            Blake3End::Output { to, len } if len <= DIGEST_LEN => unsafe {
                ptr::copy_nonoverlapping(self.values[climb.first].as_ptr(), to, len);
            },
            Blake3End::Output { .. } => {}
            Blake3End::Values => {
                // SAFETY: the task is good, by this function's contract, so that its stack is null
                // or writable.
                if let Some(stack) = unsafe { task.stack.as_mut() } {
                    stack.replace(climb.taken, climb.waiting().map(|place| self.values[place]));
                }
            }
        }
    }

    /// Wipes what is left of messages with so many chunks.
    fn wipe(&mut self, chunks: usize) {
        self.values[..chunks].as_flattened_mut().zeroize();
        self.blocks.as_flattened_mut().zeroize();
        self.batch.values.as_flattened_mut().zeroize();
    }
}

/// Returns the chaining value of a lane.
fn value_of(batch: &Batch, lane: usize) -> Bytes {
    to_bytes(&each!(i in 8 => batch.values[i][lane]))
}

fn to_bytes(words: &[u32; 8]) -> Bytes {
    let mut bytes = [0; 32];
    let places = bytes.as_chunks_mut().0;
    places.iter_mut().zip(words).for_each(|(place, word)| *place = word.to_le_bytes());
    bytes
}

fn from_bytes(bytes: &Bytes) -> [u32; 8] {
    let mut words = [0; 8];
    let all = bytes.as_chunks().0;
    words.iter_mut().zip(all).for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
    words
}

/// Returns bytes behind a pointer.
///
/// # Safety
/// `at` is readable for `len` bytes as long as these are used; for no bytes, it may be any pointer.
unsafe fn bytes_at<'a>(at: *const u8, len: usize) -> &'a [u8] {
    match len {
        0 => &[],
        // SAFETY: `at` is readable for `len` bytes, by this function's contract.
        _ => unsafe { slice::from_raw_parts(at, len) },
    }
}

/// Hashes one message by integers, as on every machine.
pub(super) fn hash_one(key: &Blake3Key, message: &[u8], output: &mut [u8]) {
    let cpu = Cpu::with_isa(Isa::Portable).expect("every machine has it");
    Planner::<Blake3Lanes>::new(&cpu).process_each([Loan::blake3(key, message, output)]);
}

/// Returns the value of a whole chunk that is not the root, made by integers.
pub(super) fn chunk_value(key: &Blake3Key, chunk: &[u8; CHUNK_LEN], counter: u64) -> Bytes {
    let (start, end) = (key.flags | CHUNK_START, key.flags | CHUNK_END);
    value_alone(key, chunk, counter, [start, key.flags, end])
}

/// Returns the value of a parent that is not the root, made by integers.
pub(super) fn parent_value(key: &Blake3Key, left: &Bytes, right: &Bytes) -> Bytes {
    let mut block = [0; BLOCK_LEN];
    block[..DIGEST_LEN].copy_from_slice(left);
    block[DIGEST_LEN..].copy_from_slice(right);
    value_alone(key, &block, 0, [key.flags | PARENT; 3])
}

/// Compresses whole blocks, made by integers.
fn value_alone(key: &Blake3Key, blocks: &[u8], counter: u64, flags: [u32; 3]) -> Bytes {
    let mut batch = Batch::new();
    batch.put(0, &key.words);
    batch.count(0, counter);
    batch.flags.iter_mut().zip(flags).for_each(|(row, flags)| row[0] = flags);
    batch.last_len[0] = BLOCK_LEN as u32;
    batch.data[0] = blocks.as_ptr();
    // SAFETY: every CPU has integers, whose kernel has one lane; this lane has the blocks of a
    // slice.
    unsafe { compress::<Plain<u32>>(&mut batch, blocks.len() / BLOCK_LEN) };
    let value = value_of(&batch, 0);
    batch.values.as_flattened_mut().zeroize();
    value
}
