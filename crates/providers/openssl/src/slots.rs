//! Values for each queue, in one place for all queues.
//!
//! All threads share a session, but one thread at a time uses a context. So a session has a slot
//! for each queue that may be open, and a queue finds its slot by its number. This needs no lock
//! and no shared write, and it is sound:
//!
//! 1. *A number has one holder.* [`Numbers`] hands each number out once. A [`Number`] cannot be
//!    cloned, and only its drop gives it back.
//! 2. *A slot has one user.* The user of slot `n` holds number `n` by `&mut` during the use. Of two
//!    numbers with the same index from two `Numbers`, the foreign number is refused.
//! 3. *Holders follow one another.* A number goes back under the lock of `Numbers` after its last
//!    use, and is handed out again under that lock. So everything that the old holder left in a
//!    slot happens before the new holder's first use.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p broadloom-openssl --release --lib slots` has loom check
//! this in all orders of threads.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use sync::{Arc, Mutex, UnsafeCell};

/// The numbers of the queues that may be open at a time.
pub struct Numbers(Arc<Pool>);

struct Pool {
    capacity: usize,
    free: Mutex<BTreeSet<usize>>,
}

/// A queue's own number, for as long as the queue is.
pub struct Number {
    pool: Arc<Pool>,
    index: usize,
}

impl Numbers {
    /// Numbers from 0 to `capacity`, exclusive.
    pub fn new(capacity: usize) -> Numbers {
        Numbers(Arc::new(Pool { capacity, free: Mutex::new((0..capacity).collect()) }))
    }

    /// Returns the number of slots.
    pub fn capacity(&self) -> usize {
        self.0.capacity
    }

    /// The lowest free number, if there is one.
    pub fn take(&self) -> Option<Number> {
        let mut free = self.0.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.pop_first().map(|index| Number { pool: Arc::clone(&self.0), index })
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        let mut free = self.pool.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.insert(self.index);
    }
}

/// A slot for each number, each filled by the first to use it.
pub struct Slots<T> {
    pool: Arc<Pool>,
    slots: Box<[UnsafeCell<Option<Box<T>>>]>,
}

// SAFETY: a slot is only reached by the holder of its number, one at a time and one after the other
// (see the module), so that sharing the slots only ever moves a `T` between threads.
unsafe impl<T: Send> Sync for Slots<T> {}

impl<T> Slots<T> {
    /// Empty slots.
    pub fn new(numbers: &Numbers) -> Slots<T> {
        let slots = (0..numbers.capacity()).map(|_| UnsafeCell::new(None));
        Slots { pool: Arc::clone(&numbers.0), slots: slots.collect() }
    }

    /// The value in a number's slot, which `make` makes if there is none yet.
    ///
    /// # Errors
    /// The errors of `make`; the slot stays empty.
    ///
    /// # Panics
    /// If the number is one of other [`Numbers`].
    #[inline(always)]
    pub fn get<'a, E>(
        &'a self,
        number: &'a mut Number,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<&'a mut T, E> {
        assert!(Arc::ptr_eq(&self.pool, &number.pool), "a number of another provider");
        self.slots[number.index].with_mut(|slot| {
            // SAFETY: the number is this pool's, and held by `&mut` for as long as the reference
            // lives. So no other code uses its slot, now or until then.
            let slot = unsafe { &mut *slot };
            match slot {
                Some(value) => Ok(&mut **value),
                None => fill(slot, make),
            }
        })
    }
}

#[cold]
fn fill<T, E>(slot: &mut Option<Box<T>>, make: impl FnOnce() -> Result<T, E>) -> Result<&mut T, E> {
    Ok(slot.insert(Box::new(make()?)))
}

/// One value, where there is only one number: its holder has it, and there is no slot.
pub struct Sole<T> {
    pool: Arc<Pool>,
    value: UnsafeCell<T>,
}

// SAFETY: as for `Slots`: the only number has one holder at a time, and holders follow one another.
unsafe impl<T: Send> Sync for Sole<T> {}

impl<T> Sole<T> {
    /// The value.
    ///
    /// # Panics
    /// If there is more than one number.
    pub fn new(numbers: &Numbers, value: T) -> Sole<T> {
        assert_eq!(numbers.capacity(), 1, "holders of one value");
        Sole { pool: Arc::clone(&numbers.0), value: UnsafeCell::new(value) }
    }

    /// The value.
    ///
    /// # Panics
    /// If the number is one of other [`Numbers`].
    #[inline(always)]
    pub fn get<'a>(&'a self, number: &'a mut Number) -> &'a mut T {
        assert!(Arc::ptr_eq(&self.pool, &number.pool), "a number of another provider");
        self.value.with_mut(|value| {
            // SAFETY: the number is the only one of its pool, and held by `&mut` for as long as the
            // reference lives. So no other code is here until then.
            unsafe { &mut *value }
        })
    }
}

#[cfg(not(loom))]
mod sync {
    pub use std::sync::{Arc, Mutex};

    /// The standard cell with the face of loom's.
    pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub fn new(value: T) -> Self {
            UnsafeCell(std::cell::UnsafeCell::new(value))
        }

        #[inline(always)]
        pub fn with_mut<R>(&self, with: impl FnOnce(*mut T) -> R) -> R {
            with(self.0.get())
        }
    }
}

#[cfg(loom)]
mod sync {
    pub use loom::cell::UnsafeCell;
    pub use loom::sync::{Arc, Mutex};
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn numbers_are_handed_out_once_and_again_when_given_back() {
        let numbers = Numbers::new(2);
        let first = numbers.take().expect("two are free");
        let second = numbers.take().expect("one is free");
        assert_eq!((first.index, second.index), (0, 1));
        assert!(numbers.take().is_none());
        drop(first);
        assert_eq!(numbers.take().expect("it was given back").index, 0);
    }

    #[test]
    fn a_slot_is_filled_once_and_kept_for_the_next_holder() {
        let numbers = Numbers::new(2);
        let slots = Slots::new(&numbers);
        let mut made = 0;
        let mut use_with = |number: &mut Number| {
            let make = || {
                made += 1;
                Ok::<_, Infallible>(10 * made)
            };
            let Ok(value) = slots.get(number, make);
            *value += 1;
            *value
        };
        let (mut first, mut second) = (numbers.take().unwrap(), numbers.take().unwrap());
        assert_eq!(use_with(&mut first), 11);
        assert_eq!(use_with(&mut first), 12);
        assert_eq!(use_with(&mut second), 21);
        drop(first);
        assert_eq!(use_with(&mut numbers.take().unwrap()), 13);
        assert_eq!(made, 2);
    }

    #[test]
    fn a_slot_that_could_not_be_filled_stays_empty() {
        let numbers = Numbers::new(1);
        let (slots, mut number) = (Slots::<u8>::new(&numbers), numbers.take().unwrap());
        assert_eq!(slots.get(&mut number, || Err("no")), Err("no"));
        assert_eq!(slots.get(&mut number, || Ok::<_, &str>(7)), Ok(&mut 7));
    }

    #[test]
    #[should_panic(expected = "a number of another provider")]
    fn foreign_numbers_are_refused() {
        let slots = Slots::new(&Numbers::new(1));
        let mut foreign = Numbers::new(1).take().unwrap();
        let _ = slots.get(&mut foreign, || Ok::<_, Infallible>(()));
    }
}

/// loom runs each of these tests in every order of the threads' steps. It fails if two threads use
/// a value at a time, or if a thread uses a value without seeing an earlier use. The values are
/// loom's cells, so that loom sees every use.
#[cfg(all(test, loom))]
mod models {
    use loom::thread;

    use super::*;

    type Value = UnsafeCell<u32>;

    fn increment(value: &mut Value) -> u32 {
        value.with_mut(|value| {
            // SAFETY: the value is held by `&mut`, which is what the models check.
            let value = unsafe { &mut *value };
            *value += 1;
            *value
        })
    }

    fn count(slots: &Slots<Value>, number: &mut Number) -> u32 {
        let value = slots.get(number, || Ok::<_, ()>(UnsafeCell::new(0)));
        increment(value.expect("it can be made"))
    }

    #[test]
    fn slots_of_queues_that_are_open_together_are_apart() {
        loom::model(|| {
            let numbers = Numbers::new(2);
            let slots = Arc::new(Slots::new(&numbers));
            let both = [(); 2].map(|()| numbers.take().expect("there are two"));
            let threads = both.map(|mut number| {
                let slots = Arc::clone(&slots);
                thread::spawn(move || (count(&slots, &mut number), count(&slots, &mut number)))
            });
            for thread in threads {
                assert_eq!(thread.join().expect("it counts"), (1, 2));
            }
        });
    }

    #[test]
    fn slots_whose_number_is_used_again_are_handed_on() {
        loom::model(|| {
            let numbers = Arc::new(Numbers::new(1));
            let slots = Arc::new(Slots::new(&numbers));
            let work = {
                let (numbers, slots) = (Arc::clone(&numbers), Arc::clone(&slots));
                move || numbers.take().map(|mut number| count(&slots, &mut number))
            };
            let other = thread::spawn(work.clone());
            let own = work();
            let other = other.join().expect("it counts");
            let mut counts: Vec<u32> = own.into_iter().chain(other).collect();
            counts.sort_unstable();
            // One after the other, or one found the other there.
            assert!(counts == [1, 2] || counts == [1], "{counts:?}");
        });
    }

    #[test]
    fn a_sole_value_is_handed_on() {
        loom::model(|| {
            let numbers = Arc::new(Numbers::new(1));
            let sole = Arc::new(Sole::new(&numbers, UnsafeCell::new(0)));
            let work = {
                let (numbers, sole) = (Arc::clone(&numbers), Arc::clone(&sole));
                move || numbers.take().map(|mut number| increment(sole.get(&mut number)))
            };
            let other = thread::spawn(work.clone());
            let own = work();
            let done = own.into_iter().chain(other.join().expect("it counts")).count() as u32;
            let mut number = numbers.take().expect("all were given back");
            assert_eq!(increment(sole.get(&mut number)), done + 1);
            assert!(done >= 1);
        });
    }

    #[test]
    fn slots_are_emptied_by_whoever_is_last() {
        loom::model(|| {
            let numbers = Numbers::new(1);
            let slots = Arc::new(Slots::new(&numbers));
            let mut number = numbers.take().expect("there is one");
            let held = Arc::clone(&slots);
            let user = thread::spawn(move || {
                count(&held, &mut number);
            });
            drop(slots);
            user.join().expect("it counts");
        });
    }
}
