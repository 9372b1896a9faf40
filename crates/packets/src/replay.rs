//! Replay windows (RFC 4303, 3.4.3; RFC 6479).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use crate::error::PacketError;

/// A replay window of a size that there is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a replay window has 32 to 65536 packets, not {size}")]
pub struct WindowError {
    /// The packets that were asked for.
    pub size: u32,
}

/// The numbers that a flow has received: those above the window's lower end, a bit each.
///
/// [`check`](ReplayWindow::check) asks whether a number could still be new, without a lock;
/// [`accept`](ReplayWindow::accept) decides, after the packet was authenticated. The bits form a
/// ring of words (RFC 6479), so that moving the window never shifts bits.
#[derive(Debug)]
pub struct ReplayWindow {
    size: u32,
    /// One more than the highest number that was accepted; 0 if none was.
    next: AtomicU64,
    words: Words,
    moving: Mutex<()>,
}

#[derive(Debug)]
enum Words {
    /// Windows of up to 64 packets, which most flows have, need no memory of their own.
    Few([AtomicU64; 2]),
    Many(Box<[AtomicU64]>),
}

impl Words {
    #[inline]
    fn as_slice(&self) -> &[AtomicU64] {
        match self {
            Words::Few(words) => words,
            Words::Many(words) => words,
        }
    }
}

impl ReplayWindow {
    /// Returns an empty window of `size` packets.
    ///
    /// # Errors
    /// The size is not 32 to 65,536.
    pub fn new(size: u32) -> Result<Self, WindowError> {
        if !(32..=65_536).contains(&size) {
            return Err(WindowError { size });
        }
        // One word more than the size needs, since the window may begin within a word; a power of
        // two, so that a place in the ring is a mask.
        let words = (size as usize).div_ceil(64) + 1;
        let words = match words {
            0..=2 => Words::Few([AtomicU64::new(0), AtomicU64::new(0)]),
            _ => Words::Many((0..words.next_power_of_two()).map(|_| AtomicU64::new(0)).collect()),
        };
        Ok(ReplayWindow { size, next: AtomicU64::new(0), words, moving: Mutex::new(()) })
    }

    /// Returns how many packets the window has.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Returns the highest number that was accepted; `None` if none was.
    #[inline]
    pub fn highest(&self) -> Option<u64> {
        self.next.load(Ordering::Acquire).checked_sub(1)
    }

    /// Returns the word and the bit of a number.
    #[inline]
    fn place(&self, number: u64) -> (&AtomicU64, u64) {
        let words = self.words.as_slice();
        (&words[(number / 64) as usize & (words.len() - 1)], 1 << (number % 64))
    }

    /// Checks that a number is not known to be old or received. The answer is provisional: only
    /// [`accept`](ReplayWindow::accept) is binding.
    ///
    /// # Errors
    /// [`PacketError::Replay`].
    #[inline]
    pub fn check(&self, number: u64) -> Result<(), PacketError> {
        let next = self.next.load(Ordering::Acquire);
        if number >= next {
            return Ok(());
        }
        let (word, bit) = self.place(number);
        let is_old = number + u64::from(self.size) < next;
        match is_old || word.load(Ordering::Relaxed) & bit != 0 {
            true => Err(PacketError::Replay { number }),
            false => Ok(()),
        }
    }

    /// Enters a number, after its packet was authenticated.
    ///
    /// # Errors
    /// [`PacketError::Replay`]: the number was received meanwhile, or is now below the window.
    ///
    /// # Panics
    /// If the number is 2^64 - 1, which no protocol allows.
    #[inline]
    pub fn accept(&self, number: u64) -> Result<(), PacketError> {
        let _moving = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
        let next = self.next.load(Ordering::Relaxed);
        let words = self.words.as_slice();
        if number >= next {
            assert!(number < u64::MAX, "a packet's number is below 2^64 - 1");
            // The words that the window enters, which still have bits of a round before.
            let last = next.saturating_sub(1) / 64;
            let entered = (number / 64 - last).min(words.len() as u64);
            for step in 1..=entered {
                words[(last + step) as usize & (words.len() - 1)].store(0, Ordering::Relaxed);
            }
            let (word, bit) = self.place(number);
            word.store(word.load(Ordering::Relaxed) | bit, Ordering::Relaxed);
            self.next.store(number + 1, Ordering::Release);
            return Ok(());
        }
        let (word, bit) = self.place(number);
        let bits = word.load(Ordering::Relaxed);
        if number + u64::from(self.size) < next || bits & bit != 0 {
            return Err(PacketError::Replay { number });
        }
        word.store(bits | bit, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_that_there_are_not_are_refused() {
        for size in [0, 31, 65_537] {
            let text = format!("a replay window has 32 to 65536 packets, not {size}");
            assert_eq!(ReplayWindow::new(size).unwrap_err().to_string(), text);
        }
    }

    proptest! {
        /// The window is the definition: a number passes once, unless it is `size` or more below
        /// the highest.
        #[test]
        fn the_window_is_a_set_of_recent_numbers(
            size in prop_oneof![Just(32_u32), Just(64), Just(65), Just(1000), Just(65_536)],
            start in prop_oneof![Just(0_u64), Just((1 << 32) - 50), Just(u64::MAX - 500_000)],
            steps in prop::collection::vec((0_u64..300, any::<bool>(), 0_u64..200_000), 1..200),
        ) {
            let window = ReplayWindow::new(size).expect("it is a size");
            let mut seen = HashSet::new();
            let mut highest: Option<u64> = None;
            for (step, is_far, far) in steps {
                let middle = highest.unwrap_or(start);
                let ahead = middle + if is_far && far % 7 == 0 { far % 1000 } else { step % 3 };
                let number = if step % 2 == 0 { ahead } else {
                    middle.saturating_sub(if is_far { far } else { step })
                };
                let is_old = highest.is_some_and(|highest| number + u64::from(size) <= highest);
                let is_new = !is_old && !seen.contains(&number);
                let error = PacketError::Replay { number };
                let expected = if is_new { Ok(()) } else { Err(error) };
                prop_assert_eq!(window.check(number), expected);
                prop_assert_eq!(window.accept(number), expected);
                if is_new {
                    seen.insert(number);
                    highest = highest.max(Some(number));
                }
                prop_assert_eq!(window.highest(), highest);
            }
        }
    }

    /// Threads that receive the same numbers deliver each of them once.
    #[test]
    fn each_number_passes_once_on_several_threads() {
        let window = ReplayWindow::new(4096).expect("it is a size");
        let passed = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..4096 {
                        let passes = window.check(number).is_ok() && window.accept(number).is_ok();
                        passed.fetch_add(u64::from(passes), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(passed.into_inner(), 4096);
    }
}
