//! Slots whose contents stay in place while pointers refer to them.

use alloc::boxed::Box;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// A fixed number of slots, reached through one raw pointer: taking a reference to one slot never
/// passes over the others, so what points into those stays good.
///
/// It does not know which slots are full. Its owner does, and empties it.
pub(crate) struct Slab<T> {
    slots: NonNull<[MaybeUninit<T>]>,
}

// SAFETY: it owns what is in it, as a boxed slice would.
unsafe impl<T: Send> Send for Slab<T> {}

impl<T> Slab<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        let slots: Box<[MaybeUninit<T>]> = Box::new_uninit_slice(capacity);
        Slab { slots: NonNull::from(Box::leak(slots)) }
    }

    /// Where a slot is.
    #[inline(always)]
    pub(crate) fn slot(&self, index: usize) -> *mut T {
        assert!(index < self.slots.len(), "slot {index} of {}", self.slots.len());
        // SAFETY: within the allocation.
        unsafe { self.slots.as_ptr().cast::<T>().add(index) }
    }

    /// Fills an empty slot.
    #[inline(always)]
    pub(crate) fn put(&mut self, index: usize, value: T) {
        // SAFETY: `slot` is within the allocation.
        unsafe { self.slot(index).write(value) }
    }

    /// Empties a slot.
    ///
    /// # Safety
    /// The slot is full.
    #[inline(always)]
    pub(crate) unsafe fn take(&mut self, index: usize) -> T {
        // SAFETY: the caller says that the slot is full.
        unsafe { self.slot(index).read() }
    }

    /// The contents of a slot.
    ///
    /// # Safety
    /// The slot is full, and nothing that points into it is used while the reference is.
    #[inline(always)]
    pub(crate) unsafe fn get(&mut self, index: usize) -> &mut T {
        // SAFETY: the caller says that the slot is full, and that nothing else uses it.
        unsafe { &mut *self.slot(index) }
    }
}

impl<T> Drop for Slab<T> {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and nothing points to it any more.
        drop(unsafe { Box::from_raw(self.slots.as_ptr()) });
    }
}
