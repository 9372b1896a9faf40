//! The keys of lanes, and their slices for the kernel.

use alloc::boxed::Box;
use alloc::vec;

use super::key::DesKey;
use super::line::DesLine;
use crate::kernels::des::DesKernel;
use crate::kernels::des::cipher::SLICES;
use crate::wiped::clear_all;

/// The keys of lanes. Slices are made when they are asked for, if keys have changed since.
pub(super) struct LaneKeys {
    width: usize,
    /// Whose words are in place: compared, never read. `null` if that cannot be told.
    owners: Box<[*const DesKey]>,
    /// As integers, pass by pass.
    words: Box<[u64]>,
    slices: Box<[DesLine]>,
    /// The lanes of the kernel that the slices are for; 0 if the slices do not match the keys.
    sliced: usize,
    /// The lanes of the widest kernel that there were slices for, since keys were forgotten.
    widest: usize,
}

impl LaneKeys {
    pub fn new(passes: usize, width: usize) -> Self {
        LaneKeys {
            width,
            owners: vec![core::ptr::null(); width].into(),
            words: vec![0; passes * width].into(),
            slices: DesLine::boxed(passes * SLICES * (width / 64)),
            sliced: 0,
            widest: 0,
        }
    }

    /// Gives a lane a key, whose passes have the keys `words`.
    #[inline(always)]
    pub fn put(&mut self, lane: usize, owner: *const DesKey, words: &[u64; 3]) {
        if self.owners[lane] != owner {
            self.owners[lane] = owner;
            self.sliced = 0;
            for (to, word) in self.words.chunks_exact_mut(self.width).zip(words) {
                to[lane] = *word;
            }
        }
    }

    /// Gives a lane the key of another.
    #[inline(always)]
    pub fn copy(&mut self, from: usize, to: usize) {
        if self.owners[to] != self.owners[from] {
            self.owners[to] = self.owners[from];
            self.sliced = 0;
            self.words.chunks_exact_mut(self.width).for_each(|words| words[to] = words[from]);
        }
    }

    /// Returns the slices for a kernel and the first lanes, pass by pass.
    ///
    /// # Safety
    /// - There is at least one lane, and at most as many as the kernel has.
    /// - The kernel is for this CPU.
    #[inline(always)]
    pub unsafe fn slices(&mut self, kernel: &DesKernel, lanes: usize) -> *const u64 {
        if self.sliced != kernel.lanes {
            // SAFETY: these are the conditions of this function's own contract.
            unsafe { self.slice(kernel, lanes) };
        }
        self.slices.as_ptr().cast()
    }

    /// Makes the slices.
    ///
    /// # Safety
    /// The conditions of [`slices`](LaneKeys::slices).
    unsafe fn slice(&mut self, kernel: &DesKernel, lanes: usize) {
        self.sliced = kernel.lanes;
        self.widest = self.widest.max(kernel.lanes);
        let (used, idle) = self.owners[..kernel.lanes].split_at_mut(lanes);
        let first = used[0];
        let shared = used.iter().all(|owner| *owner == first);
        if shared {
            idle.fill(first);
        }
        for (pass, words) in self.words.chunks_exact_mut(self.width).enumerate() {
            let word = words[0];
            if shared {
                words[lanes..kernel.lanes].fill(word);
            }
            // SAFETY: the kernel is for this CPU, by this function's contract; there are slices for
            // every pass, and words for all lanes.
            unsafe {
                let slices = self.slices.as_mut_ptr().cast::<u64>();
                let slices = slices.add(pass * SLICES * (kernel.lanes / 64));
                match shared {
                    true => (kernel.slice_key)(word, slices),
                    false => (kernel.slice_keys)(words.as_ptr(), slices),
                }
            }
        }
    }

    /// Forgets the lanes' keys, and wipes them: between calls, keys may go and others take their
    /// places. Returns how many lanes may have had one.
    pub fn forget(&mut self) -> usize {
        let lanes = core::mem::take(&mut self.widest);
        self.sliced = 0;
        self.owners[..lanes].fill(core::ptr::null());
        let passes = self.words.len() / self.width;
        for words in self.words.chunks_exact_mut(self.width) {
            clear_all(&mut words[..lanes], 0);
        }
        DesLine::wipe(&mut self.slices[..passes * SLICES * (lanes / 64) / 8]);
        lanes
    }
}

impl Drop for LaneKeys {
    fn drop(&mut self) {
        clear_all(&mut self.words, 0);
        DesLine::wipe(&mut self.slices);
    }
}
