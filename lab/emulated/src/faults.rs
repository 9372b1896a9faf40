//! Faults on request. The same seed gives the same faults.

/// The probability of each fault, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Rates {
    pub full_ring: f64,
    pub slow_engine: f64,
    pub lost_response: f64,
    pub corrupted_output: f64,
    pub reset: f64,
    pub removal: f64,
}

impl Rates {
    pub(crate) const NAMES: [&str; 6] =
        ["full-ring", "slow-engine", "lost-response", "corrupted-output", "reset", "removal"];

    /// The rate of a fault by its name.
    pub(crate) fn named(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "full-ring" => &mut self.full_ring,
            "slow-engine" => &mut self.slow_engine,
            "lost-response" => &mut self.lost_response,
            "corrupted-output" => &mut self.corrupted_output,
            "reset" => &mut self.reset,
            "removal" => &mut self.removal,
            _ => return None,
        })
    }

    /// The name and the rate of each that there is.
    pub(crate) fn iter(mut self) -> impl Iterator<Item = (&'static str, f64)> {
        let rate = move |name| Some((name, *self.named(name)?));
        Rates::NAMES.into_iter().filter_map(rate).filter(|(_, rate)| *rate > 0.0)
    }
}

/// The fate of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fate {
    /// How many times slower than it should be its engine is.
    pub slower: u32,
    pub lost: Option<Lost>,
    /// The seed of the damage to its output.
    pub corrupted: Option<u64>,
    /// The device is reset when the doorbell rings for it.
    pub resets: bool,
    /// The device goes away when the doorbell rings for it.
    pub removes: bool,
}

/// The fate of a response that does not come in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    Forever,
    /// It comes after the request was given up.
    Late,
}

impl Fate {
    pub(crate) const GOOD: Fate =
        Fate { slower: 1, lost: None, corrupted: None, resets: false, removes: false };
}

/// The fates of an instance's requests.
#[derive(Debug)]
pub(crate) struct Fates {
    rates: Rates,
    /// No faults.
    good: bool,
    random: Random,
    /// Attempts to submit for which the ring is still said to be full.
    full_for: u64,
    /// How often the ring was said to be full for a while.
    pub full_rings: u64,
}

/// For how many attempts a ring is full, at most.
const FULL_FOR: u64 = 8;

/// How much slower a slow engine is, at most.
const SLOWER: u64 = 20;

impl Fates {
    /// Makes the faults of the instance that was opened as number `instance`.
    pub(crate) fn new(rates: Rates, seed: u64, instance: u64) -> Self {
        let random = Random(seed ^ Random(instance).next());
        Fates { rates, good: rates == Rates::default(), random, full_for: 0, full_rings: 0 }
    }

    /// Returns `true` if the ring is said to be full, at this attempt to submit.
    #[inline]
    pub(crate) fn is_ring_full(&mut self) -> bool {
        if self.good {
            return false;
        }
        if self.full_for > 0 {
            self.full_for -= 1;
            return self.full_for > 0;
        }
        let full = self.random.happens(self.rates.full_ring);
        if full {
            self.full_for = 1 + self.random.below(FULL_FOR);
            self.full_rings += 1;
        }
        full
    }

    /// The fate of the next request.
    #[inline]
    pub(crate) fn next(&mut self) -> Fate {
        if self.good { Fate::GOOD } else { self.draw() }
    }

    fn draw(&mut self) -> Fate {
        let Fates { rates, random, .. } = self;
        // Every request draws as often as any other, so that one rate does not change another's
        // faults.
        let drawn = [(); 5].map(|()| (random.next(), random.next()));
        let happens = |index: usize, rate: f64| {
            let (whether, how): (u64, u64) = drawn[index];
            (unit(whether) < rate).then_some(how)
        };
        Fate {
            slower: happens(0, rates.slow_engine).map_or(1, |how| 2 + (how % (SLOWER - 1)) as u32),
            lost: happens(1, rates.lost_response)
                .map(|how| if how & 1 == 0 { Lost::Forever } else { Lost::Late }),
            corrupted: happens(2, rates.corrupted_output),
            resets: happens(3, rates.reset).is_some(),
            removes: happens(4, rates.removal).is_some(),
        }
    }
}

/// Flips some bits, and says whether there were any to flip.
pub(crate) fn damage(bytes: &mut [u8], seed: u64) -> bool {
    if bytes.is_empty() {
        return false;
    }
    let mut random = Random(seed);
    let first = random.below(bytes.len() as u64) as usize;
    // Its bits are flipped at most once each: something is left changed.
    bytes[first] ^= 1 << random.below(8);
    for _ in 0..random.below(8) {
        let place = random.below(bytes.len() as u64) as usize;
        if place != first {
            bytes[place] ^= 1 << random.below(8);
        }
    }
    true
}

/// SplitMix64: each number is a mix of a counter.
#[derive(Debug, Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn happens(&mut self, rate: f64) -> bool {
        unit(self.next()) < rate
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// From 0, included, to 1.
fn unit(number: u64) -> f64 {
    (number >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates {
        full_ring: 0.2,
        slow_engine: 0.1,
        lost_response: 0.05,
        corrupted_output: 0.1,
        reset: 0.01,
        removal: 0.001,
    };

    #[test]
    fn fates_are_those_of_the_seed_and_the_instance() {
        let fates = |seed, instance| {
            let mut fates = Fates::new(RATES, seed, instance);
            (0..1000).map(|_| fates.next()).collect::<Vec<_>>()
        };
        assert_eq!(fates(7, 0), fates(7, 0));
        assert_ne!(fates(7, 0), fates(8, 0));
        assert_ne!(fates(7, 0), fates(7, 1));
    }

    #[test]
    fn faults_are_as_frequent_as_asked_for() {
        let mut fates = Fates::new(RATES, 1, 0);
        let fates: Vec<Fate> = (0..100_000).map(|_| fates.next()).collect();
        let count = |is: fn(&Fate) -> bool| fates.iter().filter(|fate| is(fate)).count();
        assert!((9_000..11_000).contains(&count(|fate| fate.slower > 1)));
        assert!((4_500..5_500).contains(&count(|fate| fate.lost.is_some())));
        assert!((2_000..3_000).contains(&count(|fate| fate.lost == Some(Lost::Late))));
        assert!((9_000..11_000).contains(&count(|fate| fate.corrupted.is_some())));
        assert!((800..1_200).contains(&count(|fate| fate.resets)));
        assert!((50..200).contains(&count(|fate| fate.removes)));
        assert!(fates.iter().all(|fate| (1..=20).contains(&fate.slower)));
    }

    #[test]
    fn without_rates_all_is_good() {
        let mut fates = Fates::new(Rates::default(), 3, 0);
        assert!((0..1000).all(|_| !fates.is_ring_full() && fates.next() == Fate::GOOD));
    }

    #[test]
    fn a_ring_is_full_for_a_while_and_never_for_ever() {
        let mut fates = Fates::new(Rates { full_ring: 0.3, ..Rates::default() }, 5, 0);
        let mut longest = 0;
        let mut row = 0;
        for _ in 0..10_000 {
            row = if fates.is_ring_full() { row + 1 } else { 0 };
            longest = longest.max(row);
        }
        assert!(longest >= 4 && fates.full_rings > 100, "{longest} {}", fates.full_rings);
        let mut always = Fates::new(Rates { full_ring: 1.0, ..Rates::default() }, 5, 0);
        assert!((0..100).any(|_| !always.is_ring_full()), "some attempt gets through");
    }

    #[test]
    fn damage_always_changes_something() {
        for seed in 0..10_000 {
            for len in [1, 2, 64] {
                let mut bytes = vec![0x5a; len];
                assert!(damage(&mut bytes, seed));
                assert_ne!(bytes, vec![0x5a; len], "seed {seed}");
            }
        }
        assert!(!damage(&mut [], 1));
    }
}
