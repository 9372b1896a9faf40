//! Faults on request, for tests of programs that must live with them.

use std::sync::{Mutex, PoisonError};

use crate::options::Rates;

/// What happens to a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Good,
    /// Its commands do not begin.
    Hangs,
    /// The device goes away.
    Lost,
    /// There is no memory for it.
    OutOfMemory,
}

/// Draws fates from a seed.
#[derive(Debug)]
pub(crate) struct Fates {
    rates: Rates,
    state: Mutex<u64>,
}

impl Fates {
    pub fn new(rates: Rates, seed: u64) -> Self {
        Fates { rates, state: Mutex::new(seed) }
    }

    /// The fate of the next batch.
    pub fn next(&self) -> Fate {
        if self.rates == Rates::default() {
            return Fate::Good;
        }
        let Rates { hang, loss, out_of_memory } = self.rates;
        let drawn = self.fraction();
        match drawn {
            _ if drawn < hang => Fate::Hangs,
            _ if drawn < hang + loss => Fate::Lost,
            _ if drawn < hang + loss + out_of_memory => Fate::OutOfMemory,
            _ => Fate::Good,
        }
    }

    /// A number from 0 to 1 (SplitMix64).
    fn fraction(&self) -> f64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fates_come_as_often_as_asked_for_and_the_same_each_time() {
        let rates = Rates { hang: 0.25, loss: 0.25, out_of_memory: 0.25 };
        let draw = || -> Vec<_> {
            let fates = Fates::new(rates, 3);
            std::iter::repeat_with(|| fates.next()).take(4000).collect()
        };
        let drawn = draw();
        for fate in [Fate::Good, Fate::Hangs, Fate::Lost, Fate::OutOfMemory] {
            let count = drawn.iter().filter(|own| **own == fate).count();
            assert!((800..1200).contains(&count), "{fate:?}: {count}");
        }
        assert_eq!(drawn, draw());
    }

    #[test]
    fn without_rates_all_is_good() {
        let fates = Fates::new(Rates::default(), 0);
        assert!((0..100).all(|_| fates.next() == Fate::Good));
    }
}
