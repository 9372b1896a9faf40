//! Whether requests wait for others: whichever way costs the thread less time.
//!
//! A wait has a price that depends on the program: switches of fibres, a descriptor, calls of the
//! system, and how many requests meet. What lanes save depends on the operation. So both ways are
//! tried in turn while the program works, and the time of the thread's processor is compared, which
//! has everything in it.

use std::time::Duration;

use super::keys::Kind;

/// Requests of a round, which all go one way. Many more than a program has in flight, so that what
/// was begun in the round before matters little.
const ROUND: u32 = 256;

/// The ways of the rounds of a trial. The time of a round that costs more and more is not taken for
/// a difference between the ways.
const WAYS: [bool; 4] = [true, false, false, true];

/// Requests of a kind between two trials of it: so many that trials cost next to nothing.
const BETWEEN: u32 = 1 << 15;

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
}

impl Default for Choice {
    fn default() -> Choice {
        Choice { waits: true, left: 0 }
    }
}

/// A trial of a kind.
#[derive(Debug)]
struct Trial {
    kind: Kind,
    /// Requests so far, of this kind and of others.
    requests: u32,
    others: u32,
    /// The clock at the start of the round.
    start: Duration,
    /// The time of the rounds without waiting, and with it.
    time: [Duration; 2],
}

impl Choices {
    /// Returns `true` if the next request of a kind is to wait. `clock` tells the time that the
    /// thread has had of its processor.
    pub fn waits(&mut self, kind: Kind, clock: impl Fn() -> Duration) -> bool {
        let choice = &mut self.of[kind as usize];
        let Some(trial) = &mut self.trial else {
            choice.left = choice.left.saturating_sub(1);
            if choice.left > 0 {
                return choice.waits;
            }
            let time = [Duration::ZERO; 2];
            self.trial = Some(Trial { kind, requests: 1, others: 0, start: clock(), time });
            return WAYS[0];
        };
        if trial.kind != kind {
            trial.others += 1;
            if trial.others > MOST_OTHERS {
                self.of[trial.kind as usize].left = BETWEEN;
                self.trial = None;
            }
            return self.of[kind as usize].waits;
        }
        let round = (trial.requests / ROUND) as usize;
        if trial.requests % ROUND == 0 {
            let now = clock();
            trial.time[usize::from(WAYS[round - 1])] += now.saturating_sub(trial.start);
            trial.start = now;
        }
        trial.requests += 1;
        if let Some(&way) = WAYS.get(round) {
            return way;
        }
        let [alone, beside] = trial.time;
        *choice = Choice { waits: beside < alone, left: BETWEEN };
        self.trial = None;
        choice.waits
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

    #[test]
    fn requests_go_the_way_that_costs_less() {
        let mut choices = Choices::default();
        let trial = WAYS.len() as u32 * ROUND;
        assert_eq!(waited(&mut choices, Kind::Ec, trial, [100, 120]), 2 * ROUND);
        assert_eq!(waited(&mut choices, Kind::Ec, BETWEEN, [100, 120]), 0);
        // The next trial finds that the price has changed.
        assert_eq!(waited(&mut choices, Kind::Ec, trial, [100, 80]), 2 * ROUND);
        assert_eq!(waited(&mut choices, Kind::Ec, BETWEEN, [100, 80]), BETWEEN);
    }

    #[test]
    fn one_kind_at_a_time_is_tried() {
        let mut choices = Choices::default();
        assert_eq!(waited(&mut choices, Kind::Rsa, ROUND, [100, 50]), ROUND);
        // Meanwhile others wait as before, until there is no more of the kind that is tried.
        assert_eq!(waited(&mut choices, Kind::Kem, MOST_OTHERS, [100, 120]), MOST_OTHERS);
        assert!(choices.trial.is_some());
        assert_eq!(waited(&mut choices, Kind::Kem, 1 + ROUND, [100, 120]), 1 + ROUND);
        assert_eq!(waited(&mut choices, Kind::Kem, ROUND, [100, 120]), 0);
        assert_eq!(waited(&mut choices, Kind::Rsa, ROUND, [100, 50]), ROUND, "it still waits");
    }

    #[test]
    fn the_clock_of_the_thread_goes_on() {
        let before = thread_time();
        while thread_time() == before {}
        assert!(thread_time() > before);
    }
}
