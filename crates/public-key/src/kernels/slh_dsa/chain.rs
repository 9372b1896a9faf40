//! Chains of hashes in lanes: each lane hashes its value again and again, under addresses that
//! differ in the step (FIPS 205, algorithm 5), without leaving registers for memory.
//!
//! The functions PRF and F (FIPS 205, section 11) are one and the same but for the kind in the
//! address, and take one block: so a chain may begin with PRF of the secret seed.

use broadloom_lanes::inside::hash::Sha256Core;
use broadloom_lanes::inside::sponge::{Steps, permute};
use broadloom_lanes::inside::vector::MAX_LANES;
use broadloom_lanes::inside::{Choice, each};
use broadloom_lanes::{Compression, Vector, Word};

/// Chains that go side by side: word by word, a column for each lane.
#[repr(C, align(64))]
pub(crate) struct Chains<W> {
    /// SHA-2: the state after the block of PK.seed. SHAKE: PK.seed.
    pub start: [[W; MAX_LANES]; 8],
    /// SHA-2: the compressed address, of which the last two bytes are the upper half of the last
    /// word. SHAKE: the address in four words. Kernels count the step on, so that a chain can be
    /// taken up again.
    pub address: [[W; MAX_LANES]; 6],
    /// The values.
    pub value: [[W; MAX_LANES]; 8],
}

impl<W: Word> Chains<W> {
    pub(crate) fn new() -> Self {
        let zeros = [W::default(); MAX_LANES];
        Chains { start: [zeros; 8], address: [zeros; 6], value: [zeros; 8] }
    }
}

/// How far chains go.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// Bytes of a value: 16, 24 or 32.
    pub n: usize,
    /// What the kind in the address is changed by for a first step, PRF, that is not counted; 0 for
    /// no such step.
    pub secret: u8,
    /// Steps that are counted.
    pub steps: usize,
}

/// Where the values after each step go, the first step included: value after value, word after
/// word, a column of lanes.
#[derive(Clone, Copy)]
pub(crate) struct Trace<W> {
    /// Null if nobody wants them.
    pub to: *mut W,
    /// Words from one column to the next.
    pub stride: usize,
}

/// Advances the chains of lanes `first..first + LANES`.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `chains` has these lanes.
/// - The trace is null, or writable for a column of `LANES` words from `first` for each word of
///   each value.
pub(crate) type ChainRun<W> =
    unsafe fn(chains: &mut Chains<W>, first: usize, run: Run, trace: Trace<W>);

/// A kernel of one instruction set.
#[derive(Clone, Copy)]
pub(crate) struct ChainKernel<W> {
    /// The instruction set.
    pub name: &'static str,
    /// Lanes it advances, at most [`MAX_LANES`].
    pub lanes: usize,
    pub run: ChainRun<W>,
}

/// The kernels of one hash on one CPU.
#[derive(Clone, Copy)]
pub(crate) struct ChainKernels<W> {
    /// For many chains.
    pub wide: ChainKernel<W>,
    /// For few, and up to how many.
    pub few: ChainKernel<W>,
    pub up_to: usize,
}

impl<W> ChainKernels<W> {
    /// Makes a choice of one kernel for any number.
    pub(crate) const fn one(wide: ChainKernel<W>) -> Self
    where
        W: Copy,
    {
        ChainKernels { wide, few: wide, up_to: 0 }
    }

    /// Advances chains `0..count`.
    ///
    /// # Safety
    /// The conditions of [`ChainRun`], with the lanes of the widest kernel.
    pub(crate) unsafe fn run(&self, chains: &mut Chains<W>, count: usize, run: Run, trace: Trace<W>)
    where
        W: Copy,
    {
        let kernel = if count <= self.up_to { &self.few } else { &self.wide };
        for first in (0..count).step_by(kernel.lanes) {
            // SAFETY: the conditions of `ChainRun` hold for the lanes of the widest kernel, by this
            // function's contract, and lanes `first..first + kernel.lanes` are among them.
            unsafe { (kernel.run)(chains, first, run, trace) };
        }
    }
}

/// Loads the words of lanes from `first` on.
///
/// # Safety
/// - The CPU has V's instruction set.
/// - `first + V::LANES` is at most [`MAX_LANES`].
#[inline(always)]
unsafe fn column<V: Vector>(words: &[V::Word; MAX_LANES], first: usize) -> V {
    // SAFETY: there are `V::LANES` words from `first` on and the CPU has V's instruction set, by
    // this function's contract.
    unsafe { V::load(words[first..].as_ptr()) }
}

/// Does the work of every kernel for SHA-256.
///
/// # Safety
/// - The contract of [`ChainRun`], for the lanes of `V`.
/// - The CPU has V's instruction set.
#[inline(always)]
pub(crate) unsafe fn sha256<V: Vector<Word = u32>>(
    chains: &mut Chains<u32>,
    first: usize,
    run: Run,
    trace: Trace<u32>,
) {
    // SAFETY: columns have a word for each lane from `first` on, the trace is null or writable for
    // the lanes of `V`, and the CPU has V's instruction set, by this function's contract.
    unsafe {
        let words = run.n / 4;
        let secret = V::splat(u32::from(run.secret) << 16);
        let step = V::splat(1 << 16);
        let mut last = column::<V>(&chains.address[5], first);
        let mut value = each!(i in 8 => column::<V>(&chains.value[i], first));
        for at in usize::from(run.secret == 0)..=run.steps {
            let is_secret = at == 0;
            let mut address = each!(i in 5 => column::<V>(&chains.address[i], first));
            if is_secret {
                address[2] = address[2].xor(secret);
            }
            let block = match words {
                4 => sha256_block::<4, V>(address, last, &value),
                6 => sha256_block::<6, V>(address, last, &value),
                _ => sha256_block::<8, V>(address, last, &value),
            };
            if !is_secret {
                last = last.add(step);
            }
            value = each!(i in 8 => column::<V>(&chains.start[i], first));
            Sha256Core::compress(&mut value, block);
            if !trace.to.is_null() {
                for (i, word) in value.iter().enumerate().take(words) {
                    word.store(trace.to.add((at * words + i) * trace.stride + first));
                }
            }
        }
        last.store(chains.address[5][first..].as_mut_ptr());
        each!(i in 8 => value[i].store(chains.value[i][first..].as_mut_ptr()));
    }
}

/// Returns the block of the address, the value of `N` words, and the padding: the value begins in
/// the middle of the sixth word.
///
/// # Safety
/// The CPU has V's instruction set.
#[inline(always)]
unsafe fn sha256_block<const N: usize, V: Vector<Word = u32>>(
    address: [V; 5],
    last: V,
    value: &[V; 8],
) -> [V; 16] {
    // SAFETY: the CPU has V's instruction set, by this function's contract.
    let [zero, upper, mark, bits] = unsafe {
        // The block of PK.seed, the address and the value.
        let bits = 8 * (64 + super::address::COMPRESSED + 4 * N) as u32;
        [V::splat(0), V::splat(0xffff_0000), V::splat(0x8000), V::splat(bits)]
    };
    each!(const I in 16 => {
        if I < 5 {
            address[I % 5]
        } else if I == 5 {
            last.xor(value[0].shift_right::<16>())
        } else if const { I < 5 + N } {
            let before = value[(I - 6) % 8].rotate_right::<16>().and(upper);
            before.xor(value[(I - 5) % 8].shift_right::<16>())
        } else if const { I == 5 + N } {
            value[N - 1].rotate_right::<16>().and(upper).xor(mark)
        } else if I == 15 {
            bits
        } else {
            zero
        }
    })
}

/// Does the work of every kernel for SHAKE256.
///
/// # Safety
/// - The contract of [`ChainRun`], for the lanes of the steps.
/// - The CPU has the instruction set of the steps.
#[inline(always)]
pub(crate) unsafe fn keccak<S: Steps>(
    chains: &mut Chains<u64>,
    first: usize,
    run: Run,
    trace: Trace<u64>,
) {
    // SAFETY: columns have a word for each lane from `first` on, the trace is null or writable for
    // these lanes, and the CPU has the instruction set of the steps, by this function's contract.
    unsafe {
        let words = run.n / 8;
        // Words are little-endian: the kind is the last byte of the fifth word of 32 bits, and the
        // step that of the last.
        let secret = S::V::splat(u64::from(run.secret) << 24);
        let step = S::V::splat(1 << 56);
        let zero = S::V::splat(0);
        let mark = S::V::splat(0x1f);
        let end = S::V::splat(1 << 63);
        let mut last = column::<S::V>(&chains.address[3], first);
        for at in usize::from(run.secret == 0)..=run.steps {
            let mut state = [zero; 20];
            for i in 0..words {
                state[i] = column::<S::V>(&chains.start[i], first);
                state[words + 4 + i] = column::<S::V>(&chains.value[i], first);
            }
            for i in 0..3 {
                state[words + i] = column::<S::V>(&chains.address[i], first);
            }
            state[words + 3] = last;
            if at == 0 {
                state[words + 2] = state[words + 2].xor(secret);
            } else {
                last = last.add(step);
            }
            state[2 * words + 4] = mark;
            // The last word of the block.
            state[16] = end;
            let mut rows = each!(y in 5 => each!(x in 5 => {
                if y < 4 { state[(5 * y + x) % 20] } else { zero }
            }));
            permute::<S>(&mut rows);
            for (i, word) in rows[0].iter().enumerate().take(words) {
                word.store(chains.value[i][first..].as_mut_ptr());
                if !trace.to.is_null() {
                    word.store(trace.to.add((at * words + i) * trace.stride + first));
                }
            }
        }
        last.store(chains.address[3][first..].as_mut_ptr());
    }
}

/// The kernels of one instruction set.
pub(crate) struct SlhDsaKernels {
    /// Of the sets with SHA-2.
    pub sha256: Choice<ChainKernels<u32>>,
    /// Of the sets with SHAKE.
    pub keccak: Choice<ChainKernels<u64>>,
}
