//! Responses that the silicon has computed and that the modelled device would not have yet.

use std::collections::VecDeque;

use crate::clock::Clock;
use crate::ring::{Descriptor, response};

/// The driver's end of a response ring, and what it has read there before its time.
#[derive(Debug)]
pub(crate) struct Arrivals {
    reader: response::Reader,
    clock: Clock,
    /// By time.
    due: VecDeque<Descriptor>,
    /// When the clock was last looked at.
    now: u64,
}

impl Arrivals {
    pub(crate) fn new(reader: response::Reader, clock: Clock) -> Self {
        Arrivals { reader, clock, due: VecDeque::new(), now: 0 }
    }

    /// The next response whose time has come.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Descriptor> {
        if !self.is_due() {
            self.read_all();
            if !self.is_due() {
                self.now = self.due.front().map_or(self.now, |_| self.clock.now());
                if !self.is_due() {
                    return None;
                }
            }
        }
        self.due.pop_front()
    }

    /// Returns `true` if there is a next response.
    pub(crate) fn has_next(&mut self) -> bool {
        self.read_all();
        if let Some(first) = self.due.front()
            && first.time > self.now
        {
            self.now = self.clock.now();
        }
        self.is_due()
    }

    /// Returns `true` if the first response was due when the clock was last looked at.
    #[inline]
    fn is_due(&self) -> bool {
        self.due.front().is_some_and(|first| first.time <= self.now)
    }

    #[inline]
    fn read_all(&mut self) {
        let mut any = false;
        while let Some(descriptor) = self.reader.read() {
            any = true;
            match self.due.back() {
                Some(last) if last.time > descriptor.time => {
                    let place = self.due.partition_point(|due| due.time <= descriptor.time);
                    self.due.insert(place, descriptor);
                }
                _ => self.due.push_back(descriptor),
            }
        }
        if any {
            self.reader.release();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn responses_come_by_their_time_and_not_before() {
        let (mut writer, reader) = response::ring(8);
        let clock = Clock::start();
        let far = 1 << 60;
        for (slot, time) in [(0, far), (1, 3), (2, 0), (3, 3), (4, 1)] {
            writer.write(Descriptor { slot, generation: 0, size: 0, time });
        }
        clock.spend(10);
        let mut arrivals = Arrivals::new(reader, clock);
        assert!(arrivals.has_next());
        let slots: Vec<u16> = std::iter::from_fn(|| arrivals.next()).map(|due| due.slot).collect();
        assert_eq!(slots, [2, 4, 1, 3]);
        assert!(!arrivals.has_next());
    }
}
