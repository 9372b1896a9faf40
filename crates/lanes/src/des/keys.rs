//! The keys of lanes, and their slices for the kernel.

use alloc::boxed::Box;
use alloc::vec;

use zeroize::Zeroize;

use super::DesKernel;
use super::cipher::SLICES;
use super::key::DesKey;
use super::lanes::Line;

/// The keys of lanes. Slices are made when they are asked for, if keys have changed since.
pub(super) struct LaneKeys {
    width: usize,
    /// Whose words are in place: compared, never read. `null` if that cannot be told.
    owners: Box<[*const DesKey]>,
    /// As integers, pass by pass.
    words: Box<[u64]>,
    slices: Box<[Line]>,
    /// The lanes of the kernel that the slices are for; 0 if the slices do not match the keys.
    sliced: usize,
}

impl LaneKeys {
    pub fn new(passes: usize, width: usize) -> Self {
        LaneKeys {
            width,
            owners: vec![core::ptr::null(); width].into(),
            words: vec![0; passes * width].into(),
            slices: Line::boxed(passes * SLICES * (width / 64)),
            sliced: 0,
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

    /// The slices, for a kernel and the first lanes: pass by pass.
    ///
    /// # Safety
    /// There is a lane, and the kernel is for this CPU.
    #[inline(always)]
    pub unsafe fn slices(&mut self, kernel: &DesKernel, lanes: usize) -> *const u64 {
        if self.sliced != kernel.lanes {
            // SAFETY: the caller's.
            unsafe { self.slice(kernel, lanes) };
        }
        self.slices.as_ptr().cast()
    }

    /// # Safety
    /// As [`slices`](LaneKeys::slices).
    unsafe fn slice(&mut self, kernel: &DesKernel, lanes: usize) {
        self.sliced = kernel.lanes;
        let (used, idle) = self.owners.split_at_mut(lanes);
        let first = used[0];
        let shared = used.iter().all(|owner| *owner == first);
        if shared {
            idle.fill(first);
        }
        for (pass, words) in self.words.chunks_exact_mut(self.width).enumerate() {
            let word = words[0];
            if shared {
                words[lanes..].fill(word);
            }
            // SAFETY: there are slices for every pass, and words for all lanes; the rest is the
            // caller's.
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

    /// Forgets whose keys the lanes have: between calls, keys may go and others take their places.
    pub fn forget(&mut self) {
        self.owners.fill(core::ptr::null());
    }
}

impl Drop for LaneKeys {
    fn drop(&mut self) {
        self.words.zeroize();
        Line::wipe(&mut self.slices);
    }
}
