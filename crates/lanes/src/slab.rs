//! Slots whose contents stay in place while pointers refer to them.

use alloc::boxed::Box;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// A fixed number of slots, reached through one raw pointer. A reference to one slot never covers
/// the others, so pointers into those stay valid.
///
/// The slab does not know which slots are full. Its owner does, and empties it.
pub(crate) struct Slab<T> {
    slots: NonNull<[MaybeUninit<T>]>,
}

// SAFETY: the slab owns its values, as a boxed slice would.
unsafe impl<T: Send> Send for Slab<T> {}

impl<T> Slab<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        let slots: Box<[MaybeUninit<T>]> = Box::new_uninit_slice(capacity);
        Slab { slots: NonNull::from(Box::leak(slots)) }
    }

    /// Returns a pointer to a slot.
    #[inline(always)]
    pub(crate) fn slot(&self, index: usize) -> *mut T {
        assert!(index < self.slots.len(), "slot {index} of {}", self.slots.len());
        // SAFETY: `index` was compared with the number of slots, so the pointer stays within the
        // allocation.
        unsafe { self.slots.as_ptr().cast::<T>().add(index) }
    }

    /// Fills an empty slot.
    #[inline(always)]
    pub(crate) fn put(&mut self, index: usize, value: T) {
        // SAFETY: `slot` returns a pointer into the allocation, and the exclusive borrow of the
        // slab excludes other uses of the slot.
        unsafe { self.slot(index).write(value) }
    }

    /// Returns a reference to the contents of a slot.
    ///
    /// # Safety
    /// - `index` names a full slot.
    /// - No pointer into the slot is used as long as the reference is.
    #[inline(always)]
    pub(crate) unsafe fn get(&mut self, index: usize) -> &mut T {
        // SAFETY: by this function's contract the slot is full, and no pointer into it is used as
        // long as the reference.
        unsafe { &mut *self.slot(index) }
    }
}

impl<T> Drop for Slab<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer came from a box, and a slab that is dropped has lent no reference.
        drop(unsafe { Box::from_raw(self.slots.as_ptr()) });
    }
}
