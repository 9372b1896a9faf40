//! Whether requests wait for others: whichever way costs the thread less time.
//!
//! A wait has a price that depends on the program: switches of fibres, a descriptor, calls of the
//! system, and how many requests meet. What lanes save depends on the operation. So both ways are
//! tried in turn while the program works, and the time of the thread's processor is compared, which
//! has everything in it.

use std::time::Duration;

use super::keys::Kind;

/// The ways of the rounds of a trial: whether requests wait. The time of a program whose work grows
/// or shrinks is not taken for a difference between the ways.
const WAYS: [bool; 4] = [true, false, false, true];

/// Requests at the start of a round whose time does not count: what waits is still that of the
/// round before.
const SETTLING: u32 = 32;
/// Requests of a round whose time counts.
const COUNTED: u32 = 128;
const ROUND: u32 = SETTLING + COUNTED;

/// Requests of a kind between two trials, at first. Each trial with the result of the one before
/// doubles them, so that trials cost next to nothing in the end.
const FIRST_GAP: u32 = 2048;
const LAST_GAP: u32 = 1 << 15;

/// Another way must be cheaper by one in so many: a smaller difference may be chance.
const MARGIN: u32 = 32;

/// A trial ends without a result after so many requests of other kinds.
const MOST_OTHERS: u32 = 16 * ROUND;

/// The choices of a thread, for each kind of request.
#[derive(Debug, Default)]
pub struct Choices {
    of: [Choice; Kind::ALL.len()],
    /// One kind at a time is tried.
    trial: Option<Trial>,
}

/// What was chosen for a kind.
#[derive(Debug, Clone, Copy)]
struct Choice {
    waits: bool,
    /// Requests until the next trial.
    left: u32,
    gap: u32,
    /// The time of the trials without waiting, and with it. The last one counts most.
    time: [Duration; 2],
}

impl Default for Choice {
    fn default() -> Choice {
        Choice { waits: true, left: FIRST_GAP, gap: FIRST_GAP, time: [Duration::ZERO; 2] }
    }
}

impl Choice {
    /// Takes the result of a trial. Returns `true` if it changes the way.
    fn take(&mut self, time: [Duration; 2]) -> bool {
        for (known, new) in self.time.iter_mut().zip(time) {
            *known = *known / 2 + new;
        }
        let [other, own] = if self.waits { self.time } else { [self.time[1], self.time[0]] };
        let is_new = other + other / MARGIN < own;
        self.waits ^= is_new;
        self.gap = if is_new { FIRST_GAP } else { (2 * self.gap).min(LAST_GAP) };
        self.left = self.gap;
        is_new
    }

    /// Lets the next trial come soon, and judge by itself: something else has changed.
    fn doubt(&mut self) {
        self.gap = FIRST_GAP;
        self.left = self.left.min(FIRST_GAP);
        self.time = [Duration::ZERO; 2];
    }
}

/// A trial of a kind.
#[derive(Debug)]
struct Trial {
    kind: Kind,
    /// Requests so far, of this kind and of others.
    requests: u32,
    others: u32,
    /// The clock when the round began to count.
    start: Duration,
    /// The time of the rounds without waiting, and with it.
    time: [Duration; 2],
}

impl Choices {
    /// Returns `true` if the next request of a kind is to wait. `clock` tells the time that the
    /// thread has had of its processor.
    pub fn waits(&mut self, kind: Kind, clock: impl Fn() -> Duration) -> bool {
        let choice = &mut self.of[kind as usize];
        if self.trial.is_none() && choice.left == 0 {
            let (start, time) = (Duration::ZERO, [Duration::ZERO; 2]);
            self.trial = Some(Trial { kind, requests: 0, others: 0, start, time });
        }
        let Some(trial) = &mut self.trial else {
            choice.left -= 1;
            return choice.waits;
        };
        if trial.kind != kind {
            trial.others += 1;
            if trial.others > MOST_OTHERS {
                self.of[trial.kind as usize].left = LAST_GAP;
                self.trial = None;
            }
            return self.of[kind as usize].waits;
        }
        let (round, place) = (trial.requests / ROUND, trial.requests % ROUND);
        trial.requests += 1;
        let Some(&way) = WAYS.get(round as usize) else { return choice.waits };
        match place + 1 {
            SETTLING => trial.start = clock(),
            ROUND => trial.time[usize::from(way)] += clock().saturating_sub(trial.start),
            _ => {}
        }
        if trial.requests == ROUND * WAYS.len() as u32 {
            let time = trial.time;
            self.trial = None;
            if choice.take(time) {
                let others = (0..).zip(&mut self.of).filter(|&(at, _)| at != kind as usize);
                others.for_each(|(_, other)| other.doubt());
            }
        }
        way
    }
}

/// Returns the time that this thread has had of its processor.
pub fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is ours. Where the system lacks the clock, nothing is written.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    let (seconds, rest) = (time.tv_sec.try_into(), time.tv_nsec.try_into());
    Duration::new(seconds.unwrap_or(0), rest.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Makes requests of a kind, which cost so many nanoseconds without waiting and with it.
    /// Returns how many waited.
    fn waited(choices: &mut Choices, kind: Kind, requests: u32, costs: [u64; 2]) -> u32 {
        let time = Cell::new(Duration::ZERO);
        let mut waited = 0;
        for _ in 0..requests {
            let waits = choices.waits(kind, || time.get());
            time.set(time.get() + Duration::from_nanos(costs[usize::from(waits)]));
            waited += u32::from(waits);
        }
        waited
    }

    const TRIAL: u32 = ROUND * WAYS.len() as u32;

    #[test]
    fn requests_go_the_way_that_costs_less() {
        let mut choices = Choices::default();
        for gap in [FIRST_GAP, FIRST_GAP * 2, FIRST_GAP * 4] {
            assert_eq!(waited(&mut choices, Kind::Ec, gap, [100, 99]), gap);
            assert_eq!(waited(&mut choices, Kind::Ec, TRIAL, [100, 99]), TRIAL / 2);
        }
        // The price changes. What was known weighs less and less.
        let waits = |choices: &mut Choices| {
            let gap = choices.of[Kind::Ec as usize].left;
            let waits = waited(choices, Kind::Ec, gap, [100, 130]) > 0;
            waited(choices, Kind::Ec, TRIAL, [100, 130]);
            waits
        };
        assert!((0..8).any(|_| !waits(&mut choices)));
        assert!((0..16).all(|_| !waits(&mut choices)));
        assert_eq!(choices.of[Kind::Ec as usize].gap, LAST_GAP);
        // Another kind finds its way, and so this one is tried again soon.
        waited(&mut choices, Kind::Rsa, FIRST_GAP + TRIAL, [50, 100]);
        assert!(!choices.of[Kind::Rsa as usize].waits);
        assert_eq!(choices.of[Kind::Ec as usize].left, FIRST_GAP);
        // A small difference changes nothing.
        waited(&mut choices, Kind::Rsa, FIRST_GAP + TRIAL, [100, 99]);
        assert!(!choices.of[Kind::Rsa as usize].waits);
    }

    #[test]
    fn one_kind_at_a_time_is_tried() {
        let mut choices = Choices::default();
        waited(&mut choices, Kind::Kem, FIRST_GAP, [100, 150]);
        waited(&mut choices, Kind::Rsa, FIRST_GAP, [100, 150]);
        assert_eq!(waited(&mut choices, Kind::Rsa, 2 * ROUND, [100, 150]), ROUND);
        // Meanwhile others do as before, until there is no more of the kind that is tried.
        assert_eq!(waited(&mut choices, Kind::Kem, MOST_OTHERS, [100, 150]), MOST_OTHERS);
        assert!(choices.trial.is_some());
        assert_eq!(waited(&mut choices, Kind::Kem, 1 + TRIAL, [100, 150]), 1 + TRIAL / 2);
        assert_eq!(waited(&mut choices, Kind::Kem, ROUND, [100, 150]), 0);
    }

    #[test]
    fn the_clock_of_the_thread_goes_on() {
        let before = thread_time();
        while thread_time() == before {}
        assert!(thread_time() > before);
    }
}
