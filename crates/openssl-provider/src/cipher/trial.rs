//! Trials: from which length on the engine is faster than the default provider, for one text at a
//! time.
//!
//! That depends on the machine, and on the version of OpenSSL: for AES-GCM on a core with vectors
//! of 512 bits, the engine takes a third of the time of OpenSSL 3.0's code, and somewhat more time
//! than that of 3.5. So both are tried when a key has first earned a session of the engine. The
//! trial of an algorithm takes a tenth of a millisecond, and is the only one of the process.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::COUNT;
use crate::settings;

/// A context with which a trial can be made.
pub trait Tried: Sized {
    /// Returns a context for the same operation, under a key that nobody else uses; `None` if it
    /// cannot be made.
    fn twin(&self) -> Option<Self>;
    /// Has the engine process texts of so many bytes or more, and the default provider the others.
    fn ask_from(&mut self, least: usize);
    /// Processes a text, in place. Returns `false` if that fails.
    fn process(&mut self, text: &mut [u8]) -> bool;
}

/// Bytes of the texts of a trial.
const SIZES: [usize; 6] = [16384, 4096, 1024, 256, 64, 16];
/// Each side has so many turns with each length, of which the fastest counts.
const TURNS: usize = 5;
/// A turn processes about so many bytes, or so many texts.
const BYTES: usize = 4096;
const TEXTS: usize = 8;
/// The engine must be faster by one in so many: a smaller difference may be chance.
const MARGIN: u32 = 32;

/// What trials of each algorithm have found, to decrypt and to encrypt; 0 where there was none.
static FOUND: [[AtomicUsize; 2]; COUNT] = [const { [const { AtomicUsize::new(0) }; 2] }; COUNT];

/// Bytes of a text from which on the engine is faster, if that is known. The algorithm is named by
/// its place among all.
pub fn known(at: usize, encrypts: bool) -> Option<usize> {
    let found = FOUND[at][usize::from(encrypts)].load(Ordering::Relaxed);
    (found != 0).then_some(found)
}

/// The same, by a trial. Texts of fewer than `least` bytes are not tried. If the configuration says
/// that nothing is measured, the engine takes all others.
pub fn find<C: Tried>(at: usize, encrypts: bool, context: &C, least: usize) -> usize {
    let start = Instant::now();
    let found = match settings::measures() {
        true => measure(context, least, || start.elapsed()).unwrap_or(usize::MAX),
        false => least,
    };
    FOUND[at][usize::from(encrypts)].store(found, Ordering::Relaxed);
    found
}

/// Tries texts, the longest first; `clock` tells the time. `None` if that fails.
fn measure<C: Tried>(context: &C, least: usize, clock: impl Fn() -> Duration) -> Option<usize> {
    let mut sides = [context.twin()?, context.twin()?];
    sides[0].ask_from(usize::MAX);
    sides[1].ask_from(1);
    let mut text = vec![0; SIZES[0]];
    let mut found = usize::MAX;
    for size in SIZES.into_iter().filter(|&size| size >= least) {
        let mut fastest = [Duration::MAX; 2];
        for _ in 0..TURNS {
            for (side, fastest) in sides.iter_mut().zip(&mut fastest) {
                let start = clock();
                for _ in 0..(BYTES / size).clamp(1, TEXTS) {
                    if !side.process(&mut text[..size]) {
                        return None;
                    }
                }
                *fastest = (clock() - start).min(*fastest);
            }
        }
        let [theirs, ours] = fastest;
        if ours + ours / MARGIN > theirs {
            break;
        }
        found = size;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Takes a time for each text, by the length and by who processes it.
    struct Slow<'a> {
        clock: &'a Cell<Duration>,
        engine: fn(usize) -> u64,
        has_twin: bool,
        least: usize,
    }

    impl Tried for Slow<'_> {
        fn twin(&self) -> Option<Self> {
            self.has_twin.then_some(Slow { ..*self })
        }

        fn ask_from(&mut self, least: usize) {
            self.least = least;
        }

        fn process(&mut self, text: &mut [u8]) -> bool {
            let time = if text.len() >= self.least { (self.engine)(text.len()) } else { 1000 };
            self.clock.set(self.clock.get() + Duration::from_nanos(time));
            true
        }
    }

    /// What a trial finds that takes texts of `least` bytes or more.
    fn found(engine: fn(usize) -> u64, has_twin: bool, least: usize) -> Option<usize> {
        let clock = Cell::new(Duration::ZERO);
        measure(&Slow { clock: &clock, engine, has_twin, least: 0 }, least, || clock.get())
    }

    #[test]
    fn the_engine_is_asked_from_the_length_at_which_it_is_faster() {
        let from_1024 = |len| if len >= 1024 { 200 } else { 2000 };
        assert_eq!(found(from_1024, true, 1), Some(1024));
        assert_eq!(found(from_1024, true, 4096), Some(4096), "less is not tried");
        assert_eq!(found(|_| 500, true, 1), Some(16));
        assert_eq!(found(|_| 990, true, 1), Some(usize::MAX), "that may be chance");
        assert_eq!(found(|len| if len == 16384 { 3000 } else { 1 }, true, 1), Some(usize::MAX));
        assert_eq!(found(|_| 500, false, 1), None, "there is nothing to try");
    }
}
