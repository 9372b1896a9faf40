//! A value that is made when it is first asked for.

use alloc::boxed::Box;
use core::marker::PhantomData;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A place for a boxed value, which any thread may fill, once. Nobody waits: threads that ask at
/// the same time may each make a value, of which the first one stays and the others are dropped.
pub(crate) struct OnceBox<T> {
    /// Null, or a value from `Box::into_raw`, which stays to the end.
    value: AtomicPtr<T>,
    owns: PhantomData<Box<T>>,
}

impl<T: Send + Sync> OnceBox<T> {
    /// Returns a place without a value.
    pub(crate) const fn new() -> Self {
        OnceBox { value: AtomicPtr::new(ptr::null_mut()), owns: PhantomData }
    }

    /// Returns the value, which `make` makes if there is none.
    #[inline(always)]
    pub(crate) fn get_or_init(&self, make: impl FnOnce() -> Box<T>) -> &T {
        let mut value = self.value.load(Ordering::Acquire);
        if value.is_null() {
            value = self.put(make());
        }
        // SAFETY: it is not null, so it came from `Box::into_raw`, and only `drop` frees it. It was
        // made before it was stored, which `Acquire` makes visible here.
        unsafe { &*value }
    }

    /// Stores a value if there is none, and returns the one that is stored.
    #[cold]
    fn put(&self, value: Box<T>) -> *mut T {
        let made = Box::into_raw(value);
        let none = ptr::null_mut();
        match self.value.compare_exchange(none, made, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => made,
            Err(first) => {
                // SAFETY: it came from `Box::into_raw` above, and nobody else has seen it.
                drop(unsafe { Box::from_raw(made) });
                first
            }
        }
    }
}

impl<T> Drop for OnceBox<T> {
    fn drop(&mut self) {
        let value = *self.value.get_mut();
        if !value.is_null() {
            // SAFETY: it came from `Box::into_raw`, and nobody else has the place any longer.
            drop(unsafe { Box::from_raw(value) });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    use super::*;

    /// A number that counts the values that are alive.
    struct Counted<'a>(usize, &'a AtomicUsize);

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.1.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn all_threads_see_one_value_which_is_dropped_with_its_place() {
        let (alive, barrier) = (AtomicUsize::new(0), Barrier::new(4));
        for _ in 0..if cfg!(miri) { 3 } else { 200 } {
            let place = OnceBox::new();
            let ask = |number| {
                barrier.wait();
                let value: &Counted = place.get_or_init(|| {
                    alive.fetch_add(1, Ordering::SeqCst);
                    Box::new(Counted(number, &alive))
                });
                (value.0, ptr::from_ref(value).addr())
            };
            let seen = thread::scope(|scope| {
                let asking = [0, 1, 2, 3].map(|number| scope.spawn(move || ask(number)));
                asking.map(|thread| thread.join().expect("no thread panics"))
            });
            assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
            assert_eq!(alive.load(Ordering::SeqCst), 1, "those that came too late are dropped");
            drop(place);
            assert_eq!(alive.load(Ordering::SeqCst), 0);
        }
        drop(OnceBox::<u8>::new());
    }
}
