//! Slots that jobs stay in, unmoved, while tasks point into them.

use alloc::boxed::Box;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// A fixed number of slots for jobs, reached through one raw pointer: taking a reference to one slot
/// never passes over the others, so what points into those stays good.
///
/// It does not know which slots are full; whoever owns it does, and empties it.
pub(crate) struct Slab<J> {
    slots: NonNull<[MaybeUninit<J>]>,
}

// SAFETY: it owns its jobs, as a boxed slice of them would.
unsafe impl<J: Send> Send for Slab<J> {}

impl<J> Slab<J> {
    pub(crate) fn new(capacity: usize) -> Self {
        let slots: Box<[MaybeUninit<J>]> = Box::new_uninit_slice(capacity);
        Slab { slots: NonNull::from(Box::leak(slots)) }
    }

    fn slot(&self, index: usize) -> *mut J {
        assert!(index < self.slots.len(), "slot {index} of {}", self.slots.len());
        // SAFETY: within the allocation.
        unsafe { self.slots.as_ptr().cast::<J>().add(index) }
    }

    /// Fills an empty slot.
    #[inline(always)]
    pub(crate) fn put(&mut self, index: usize, job: J) {
        // SAFETY: `slot` is within the allocation.
        unsafe { self.slot(index).write(job) }
    }

    /// Empties a slot.
    ///
    /// # Safety
    /// The slot is full.
    #[inline(always)]
    pub(crate) unsafe fn take(&mut self, index: usize) -> J {
        // SAFETY: the caller says that the slot is full.
        unsafe { self.slot(index).read() }
    }

    /// The job in a slot.
    ///
    /// # Safety
    /// The slot is full, and no task points to this job, or none that is still to run.
    #[inline(always)]
    pub(crate) unsafe fn get(&mut self, index: usize) -> &mut J {
        // SAFETY: the caller says that the slot is full and that nothing else points to it.
        unsafe { &mut *self.slot(index) }
    }
}

impl<J> Drop for Slab<J> {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and nothing points to it any more.
        drop(unsafe { Box::from_raw(self.slots.as_ptr()) });
    }
}
