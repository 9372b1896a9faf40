//! Messages of one hash side by side: states in lanes, which absorb whole blocks.

use alloc::boxed::Box;

use broadloom_lanes::inside::hash::{self, HashChoice, HashState, SingleKernel, write_digest};
use broadloom_lanes::inside::sponge::{
    self, MAX_LANES as MAX_SPONGE_LANES, Rate, SpongeKernels, WORDS as SPONGE_WORDS,
};
use broadloom_lanes::inside::vector::MAX_LANES;
use broadloom_lanes::{Cpu, Hash, Occupancy, Sha256, Sha512};
use zeroize::Zeroize;

/// Where the blocks of each lane are.
pub(super) type Pointers = [*const u8; MAX_LANES];

/// The states of many messages.
pub(super) trait SlhDsaAbsorb {
    /// Bytes of a block.
    const BLOCK: usize;
    /// What a message starts from.
    type Start: ?Sized;

    /// Returns the lanes of the widest kernel.
    fn lanes(&self) -> usize;

    /// Begins a message.
    fn begin(&mut self, lane: usize, start: &Self::Start);

    /// Absorbs blocks in lanes `0..count`.
    ///
    /// # Safety
    /// - `count` is 1 to the number of lanes.
    /// - Each pointer of these lanes is readable for `blocks` blocks.
    unsafe fn absorb(
        &mut self,
        data: &mut Pointers,
        count: usize,
        blocks: usize,
        occupancy: &mut Occupancy,
    );

    /// Writes the first bytes of a digest.
    fn digest(&self, lane: usize, digest: &mut [u8]);

    /// Pads a message whose last `rest` bytes are at the beginning of `room`, and which has `total`
    /// bytes, of which some were absorbed before. Gives the number of blocks in the room then.
    fn pad(room: &mut [u8], rest: usize, total: usize) -> usize;

    /// Wipes the states.
    fn wipe(&mut self);
}

/// The states of SHA-256 or SHA-512.
pub(super) struct ShaLanes<A: Hash> {
    kernels: HashChoice<A::Word>,
    states: Box<[HashState<A::Word>; MAX_LANES]>,
}

impl<A: Hash> ShaLanes<A> {
    pub fn new(cpu: &Cpu) -> Self {
        let kernels = hash::kernels::<A>(cpu);
        ShaLanes { kernels, states: Box::new([[A::Word::default(); 8]; MAX_LANES]) }
    }
}

impl<A: Hash> SlhDsaAbsorb for ShaLanes<A> {
    const BLOCK: usize = A::BLOCK_LEN;
    type Start = HashState<A::Word>;

    fn lanes(&self) -> usize {
        self.kernels.wide.lanes
    }

    fn begin(&mut self, lane: usize, start: &HashState<A::Word>) {
        self.states[lane] = *start;
    }

    unsafe fn absorb(
        &mut self,
        data: &mut Pointers,
        count: usize,
        blocks: usize,
        occupancy: &mut Occupancy,
    ) {
        occupancy.count(count, self.lanes(), blocks);
        let HashChoice { single, few, .. } = self.kernels;
        // SAFETY: the kernels are for this CPU. Every lane has a state of its own, and `blocks`
        // blocks: those that its pointer is readable for, by the contract of `absorb`, or those of
        // the first lane.
        unsafe {
            if count <= few {
                let SingleKernel { one, two, .. } = single;
                match (two, count) {
                    (Some(two), 2) => {
                        let [first, second, ..] = &mut *self.states;
                        let states = [first.as_mut_ptr(), second.as_mut_ptr()];
                        two(states, [data[0], data[1]], blocks);
                    }
                    _ => {
                        for (state, data) in self.states.iter_mut().zip(data).take(count) {
                            one(state.as_mut_ptr(), *data, blocks);
                        }
                    }
                }
                return;
            }
            let first = data[0];
            data[count..].fill(first);
            let states = self.states.as_mut_ptr();
            let states = core::array::from_fn(|lane| states.add(lane).cast::<A::Word>());
            self.kernels.run(&states, data, count, blocks);
        }
    }

    fn digest(&self, lane: usize, digest: &mut [u8]) {
        let mut whole = A::ZERO_DIGEST;
        // SAFETY: the digest has `DIGEST_LEN` bytes.
        unsafe { write_digest::<A>(&self.states[lane], whole.as_mut().as_mut_ptr()) };
        digest.copy_from_slice(&whole.as_ref()[..digest.len()]);
    }

    fn pad(room: &mut [u8], rest: usize, total: usize) -> usize {
        let length = A::BLOCK_LEN / 8;
        let blocks = (rest + 1 + length).div_ceil(A::BLOCK_LEN);
        let room = &mut room[..blocks * A::BLOCK_LEN];
        let (padding, bits) = room[rest..].split_at_mut(blocks * A::BLOCK_LEN - rest - 8);
        padding.fill(0);
        padding[0] = 0x80;
        // No message has 2^61 bytes: the upper half of a length of 128 bits is zero.
        bits.copy_from_slice(&(8 * total as u64).to_be_bytes());
        blocks
    }

    fn wipe(&mut self) {
        self.states.iter_mut().for_each(|state| state.zeroize());
    }
}

/// The states of SHAKE256: word `i` of each lane, then word `i + 1`.
pub(super) struct ShakeLanes {
    kernels: SpongeKernels,
    states: Box<[u64; SPONGE_WORDS * MAX_SPONGE_LANES]>,
}

impl ShakeLanes {
    pub fn new(cpu: &Cpu) -> Self {
        let kernels = sponge::kernels(cpu);
        ShakeLanes { kernels, states: Box::new([0; _]) }
    }
}

impl SlhDsaAbsorb for ShakeLanes {
    const BLOCK: usize = Rate::Bytes136.bytes();
    type Start = ();

    fn lanes(&self) -> usize {
        self.kernels.wide.lanes
    }

    fn begin(&mut self, lane: usize, (): &()) {
        let lanes = self.lanes();
        self.states.iter_mut().skip(lane).step_by(lanes).for_each(|word| *word = 0);
    }

    unsafe fn absorb(
        &mut self,
        data: &mut Pointers,
        count: usize,
        blocks: usize,
        occupancy: &mut Occupancy,
    ) {
        let lanes = self.lanes();
        occupancy.count(count, lanes, blocks);
        let first = data[0];
        data[count..].fill(first);
        // SAFETY: the kernels are for this CPU. Every lane has `blocks` blocks: those that its
        // pointer is readable for, by the contract of `absorb`, or those of the first lane.
        unsafe {
            if count == 1 && lanes > 1 {
                let mut state: [u64; SPONGE_WORDS] =
                    core::array::from_fn(|word| self.states[word * lanes]);
                let single = &self.kernels.single;
                (single.absorb)(state.as_mut_ptr(), &first, Rate::Bytes136, blocks);
                for (to, word) in self.states.iter_mut().step_by(lanes).zip(state) {
                    *to = word;
                }
                state.zeroize();
            } else {
                let states = self.states.as_mut_ptr();
                (self.kernels.wide.absorb)(states, data.as_ptr(), Rate::Bytes136, blocks);
            }
        }
    }

    fn digest(&self, lane: usize, digest: &mut [u8]) {
        let words = self.states.iter().skip(lane).step_by(self.lanes());
        for (piece, word) in digest.chunks_mut(8).zip(words) {
            piece.copy_from_slice(&word.to_le_bytes()[..piece.len()]);
        }
    }

    fn pad(room: &mut [u8], rest: usize, _: usize) -> usize {
        let blocks = (rest + 1).div_ceil(Self::BLOCK);
        let padding = &mut room[rest..blocks * Self::BLOCK];
        padding.fill(0);
        padding[0] = 0x1f;
        padding[padding.len() - 1] |= 0x80;
        blocks
    }

    fn wipe(&mut self) {
        self.states.zeroize();
    }
}

/// The states of all hashes that SLH-DSA takes.
pub(super) struct AllLanes {
    pub sha256: ShaLanes<Sha256>,
    pub sha512: ShaLanes<Sha512>,
    pub shake: ShakeLanes,
}

impl AllLanes {
    pub fn new(cpu: &Cpu) -> Self {
        AllLanes {
            sha256: ShaLanes::new(cpu),
            sha512: ShaLanes::new(cpu),
            shake: ShakeLanes::new(cpu),
        }
    }

    pub fn wipe(&mut self) {
        self.sha256.wipe();
        self.sha512.wipe();
        self.shake.wipe();
    }
}
