//! Tags and digests in jobs.

use core::ops::{Deref, DerefMut};
use core::sync::atomic::{Ordering, compiler_fence};

/// A tag or digest, overwritten with zeros when it is dropped.
pub struct Wiped<T: AsMut<[u8]>>(T);

impl<T: AsMut<[u8]>> Wiped<T> {
    pub fn new(value: T) -> Self {
        Wiped(value)
    }

    /// Overwrites the value now. It uses volatile writes of 16 and 4 bytes, because digests have a
    /// multiple of 4 bytes. A loop over single bytes would take as long as a block of a hash.
    #[inline(always)]
    pub fn wipe(&mut self) {
        let (wide, rest) = self.0.as_mut().as_chunks_mut::<16>();
        let (words, bytes) = rest.as_chunks_mut::<4>();
        wide.iter_mut().for_each(|chunk| clear(chunk, [0; 16]));
        words.iter_mut().for_each(|chunk| clear(chunk, [0; 4]));
        bytes.iter_mut().for_each(|byte| clear(byte, 0));
        compiler_fence(Ordering::SeqCst);
    }
}

/// Writes `zero` in a way that the compiler may not leave out.
#[inline(always)]
pub fn clear<T: Copy>(place: &mut T, zero: T) {
    // SAFETY: a reference is valid for writes and aligned.
    unsafe { core::ptr::write_volatile(place, zero) };
}

/// Fills a slice with `zero` in a way that the compiler may not leave out, with its widest stores.
pub fn clear_all<T: Copy>(places: &mut [T], zero: T) {
    places.fill(zero);
    zeroize::optimization_barrier(places);
}

/// Overwrites so many bytes of the stack below the caller's frame, where functions that have
/// returned left copies of what they worked on: registers that the compiler spilled, and arrays
/// that it moved.
#[inline(never)]
pub fn clear_stack<const BYTES: usize>() {
    let room = [0_u8; BYTES];
    zeroize::optimization_barrier(&room);
}

impl<T: AsMut<[u8]>> Deref for Wiped<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: AsMut<[u8]>> DerefMut for Wiped<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: AsMut<[u8]>> Drop for Wiped<T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.wipe();
    }
}
