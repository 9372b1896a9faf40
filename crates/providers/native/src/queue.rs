//! What one thread needs: a planner for each class of sessions, made when it is first used.

use arrayvec::ArrayVec;
use broadloom_engine::provider::{Occupancy, Operation, PlainJobs, Portion, Queue};
use broadloom_lanes::Cpu;

use crate::kind::Class;
use crate::kinds::{self, CLASSES};

/// Jobs that are worth waiting for: enough to keep lanes full to the end of a burst of mixed
/// lengths. Of what has more lanes (one for each bit of a register) as many as those.
const BATCH: usize = 64;

/// Bytes of the stack that a class may take while it is made. The largest has less than 60,000.
const STACK: usize = 64 << 10;

/// The classes that had their turn in a call, a bit for each.
type Turns = u64;

const _: () = assert!(CLASSES <= Turns::BITS as usize, "every class has a bit");

/// Operations of a mixture that are listed at once, at most.
const MIXED: usize = 512;

/// One thread's planners, by class.
pub(crate) struct NativeQueue {
    cpu: Cpu,
    /// Those that were made, and where each class's is.
    classes: Vec<Box<dyn Class>>,
    places: [Option<u8>; CLASSES],
}

impl NativeQueue {
    pub(crate) fn new(cpu: &Cpu) -> Self {
        NativeQueue { cpu: cpu.clone(), classes: Vec::new(), places: [None; _] }
    }

    #[inline]
    fn class(&mut self, class: u8) -> &mut dyn Class {
        let place = self.places[usize::from(class)].unwrap_or_else(|| self.make(class));
        &mut *self.classes[usize::from(place)]
    }

    /// Makes what does the work of a class, and says where it is.
    #[cold]
    fn make(&mut self, class: u8) -> u8 {
        // A class is made on the stack and moved into its box: what is not written yet takes along
        // what the stack has there, such as keys of functions that have returned.
        zeroize::zeroize_stack::<STACK>();
        self.classes.push(kinds::class(class, &self.cpu));
        let place = self.classes.len() as u8 - 1;
        self.places[usize::from(class)] = Some(place);
        place
    }

    /// Completes the operations of all classes but one. They are listed, as their owner knows
    /// operations by their places.
    // Its frame has room for the list: no part of it is for operations that need none.
    #[inline(never)]
    fn run_others(&mut self, operations: &mut [&mut Operation<'_>], done: u8) {
        for part in operations.chunks_mut(MIXED) {
            let others = part.iter_mut().filter(|operation| operation.class() != done);
            let mut others: ArrayVec<&mut Operation<'_>, MIXED> =
                others.map(|operation| &mut **operation).collect();
            let mut rest = &mut others[..];
            while let Some(first) = rest.first() {
                let class = first.class();
                self.class(class).run(rest);
                rest = behind(rest, |operation| operation.class() == class);
            }
        }
    }
}

impl Queue for NativeQueue {
    fn batch(&mut self, class: u8) -> usize {
        BATCH.max(self.class(class).lanes())
    }

    /// The first class sees all operations, which mostly are its own. Of others, each class sees
    /// those that the classes before it left.
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        if let [operation] = operations {
            return self.class(operation.class()).run_one(operation);
        }
        let Some(first) = operations.first() else { return };
        let class = first.class();
        if self.class(class).run(operations) == operations.len() {
            return;
        }
        self.run_others(operations, class);
    }

    /// Plain jobs are large, and their owner knows them by their places. So they are not moved as
    /// operations are: each class sees all of them, and takes its own.
    fn run_plain(&mut self, jobs: &mut PlainJobs<'_, '_>) -> bool {
        let (mut left, mut ran): (_, Turns) = (jobs.len(), 0);
        for at in 0..jobs.len() {
            let class = jobs.class(at);
            if ran & (1 << class) == 0 {
                ran |= 1 << class;
                left -= self.class(class).run_plain(jobs);
            }
            if left == 0 {
                break;
            }
        }
        true
    }

    fn absorb(&mut self, portions: &mut [Portion<'_>]) {
        let mut rest = portions;
        while let Some(first) = rest.first() {
            let class = first.class();
            self.class(class).absorb(rest);
            rest = behind(rest, |portion| portion.class() == class);
        }
    }

    fn occupancy(&self) -> Option<Occupancy> {
        let all = self.classes.iter().map(|class| class.occupancy());
        Some(all.fold(Occupancy::default(), |sum, class| Occupancy {
            used: sum.used + class.used,
            offered: sum.offered + class.offered,
        }))
    }
}

/// Moves what is done to the front, and returns what is behind it.
fn behind<T>(all: &mut [T], is_done: impl Fn(&T) -> bool) -> &mut [T] {
    let mut done = 0;
    for at in 0..all.len() {
        if is_done(&all[at]) {
            all.swap(done, at);
            done += 1;
        }
    }
    &mut all[done..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_not_seen_again() {
        let mut all = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5];
        let (mut rest, mut seen) = (&mut all[..], Vec::new());
        while let Some(&first) = rest.first() {
            seen.push((first, rest.len()));
            rest = behind(rest, |number| *number == first);
        }
        let mut numbers: Vec<_> = seen.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 9], "each class has one turn");
        assert_eq!(seen[..2], [(3, 11), (4, 9)], "and sees what is left, in any order");
        all.sort_unstable();
        assert_eq!(all, [1, 1, 2, 3, 3, 4, 5, 5, 5, 6, 9], "nothing is lost");
    }

    #[test]
    fn nothing_is_behind_what_is_done_as_a_whole() {
        assert!(behind(&mut [7, 7, 7], |number| *number == 7).is_empty());
        assert!(behind(&mut [0; 0], |_| true).is_empty());
        assert_eq!(behind(&mut [7, 8], |_| false), [7, 8]);
    }
}
