//! The order in which jobs get lanes: the longest first. Lanes that run empty early are refilled
//! with shorter jobs, and the last lanes run empty together.
//!
//! In a stream, jobs without a lane wait in a list for each cost. A list with as many jobs as there
//! are lanes goes first, as a group of its own; meanwhile the other lists may fill up. Then all
//! jobs go, the most expensive first. A list that others keep passing by goes after a bounded
//! number of rounds.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::Lanes;
use super::queue::Queue;

/// Jobs planned together: as many as the widest kernel, that of DES, has lanes.
pub(crate) const WINDOW: usize = 512;

/// Classes of cost: a class for each number of steps, and the first for all that take more.
const CLASSES: usize = 64;

/// The order in which up to [`WINDOW`] jobs are taken, and the room to find it.
pub(crate) struct Plan {
    order: Box<[u16; WINDOW]>,
    classes: Box<[u8; WINDOW]>,
    places: [u16; CLASSES],
    dearest: Box<[u64; WINDOW]>,
}

impl Plan {
    pub(crate) fn new() -> Self {
        Plan {
            order: Box::new([0; WINDOW]),
            classes: Box::new([0; WINDOW]),
            places: [0; CLASSES],
            dearest: Box::new([0; WINDOW]),
        }
    }

    /// Orders jobs, one at least, of which the costs are given, dearest first and otherwise as they
    /// stand: a counting sort, or nothing at all where all cost the same. No generic code, and one
    /// copy of it: else every type of job would have its own.
    #[inline(never)]
    pub(crate) fn order(&mut self, costs: &[usize]) -> &[u16] {
        let jobs = costs.len();
        let class = |cost: usize| (CLASSES - 1 - cost.min(CLASSES - 1)) as u8;
        let (mut differences, first) = (0, class(costs[0]));
        for (place, cost) in self.classes.iter_mut().zip(costs) {
            *place = class(*cost);
            differences |= *place ^ first;
        }
        if differences == 0 && self.classes[0] != 0 {
            return &IN_PLACE[..jobs];
        }
        self.places.fill(0);
        for class in &self.classes[..jobs] {
            self.places[usize::from(*class) % CLASSES] += 1;
        }
        let dearest = usize::from(self.places[0]);
        let mut place = 0;
        for count in &mut self.places {
            place += core::mem::replace(count, place);
        }
        for (index, class) in self.classes.iter().enumerate().take(jobs) {
            let place = &mut self.places[usize::from(*class) % CLASSES];
            self.order[usize::from(*place) % WINDOW] = index as u16;
            *place += 1;
        }
        for (key, index) in self.dearest.iter_mut().zip(&self.order[..dearest]) {
            *key = dearest_first(costs[usize::from(*index)], *index);
        }
        self.sort_dearest(dearest);
        &self.order[..jobs]
    }

    /// Orders the first jobs by their keys.
    fn sort_dearest(&mut self, dearest: usize) {
        let keys = &mut self.dearest[..dearest];
        keys.sort_unstable();
        for (index, key) in self.order.iter_mut().zip(keys) {
            *index = *key as u16;
        }
    }
}

/// A key that sorts jobs by their cost, dearest first and otherwise as they stand. Its low 16 bits
/// are the index of the job. Costs from 2⁴⁸ on count as equal.
fn dearest_first(cost: usize, index: u16) -> u64 {
    const MOST: u64 = (1 << 48) - 1;
    (MOST - (cost as u64).min(MOST)) << 16 | u64::from(index)
}

/// Jobs as they stand.
static IN_PLACE: [u16; WINDOW] = {
    let mut order = [0; WINDOW];
    let mut i = 0;
    while i < WINDOW {
        order[i] = i as u16;
        i += 1;
    }
    order
};

/// The jobs of a manager that have no lane yet, by slot: in the order in which they came, or in
/// [`Classes`].
pub(crate) enum Waiting {
    AsTheyCame(Queue),
    Sorted(Classes),
}

impl Waiting {
    /// Room for so many jobs, for a scheduler of so many lanes.
    pub(crate) fn new<L: Lanes>(capacity: usize, lanes: usize) -> Self {
        match (L::SORT_STREAMS, L::TOGETHER) {
            (false, _) => Waiting::AsTheyCame(Queue::new(capacity)),
            (true, true) => Waiting::Sorted(Classes::new(capacity, lanes as u32)),
            (true, false) => Waiting::Sorted(Classes::new(capacity, u32::MAX)),
        }
    }

    /// Adds a job; the caller never has more than the capacity of them.
    #[inline(always)]
    pub(crate) fn push(&mut self, slot: u32, cost: usize) {
        match self {
            Waiting::AsTheyCame(queue) => queue.push(slot),
            Waiting::Sorted(classes) => classes.push(slot, cost),
        }
    }

    /// The next job. `None` if there is none, or if the other jobs had better wait; the next call
    /// gives these, too.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        match self {
            Waiting::AsTheyCame(queue) => queue.pop(),
            Waiting::Sorted(classes) => classes.pop(),
        }
    }
}

/// After so many rounds in which a class was held back, it is so no longer.
const PATIENCE: u32 = 32;

/// Jobs by their cost: a list for each number of steps, oldest first, and the last for all that
/// take more.
///
/// As many of one cost as there are lanes fill these from start to end. So classes that have so
/// many go by themselves, and the others are held back as long as there are such; then all go, the
/// dearest first.
pub(crate) struct Classes {
    /// And one more, for a class whose jobs all go.
    classes: Box<[Class; CLASSES + 1]>,
    /// The job after each in its class.
    after: Box<[u32]>,
    /// The costs of the jobs in the last class, and room to sort them.
    costs: Box<[usize]>,
    dearest: Vec<(Reverse<usize>, usize, u32)>,
    /// A bit for each class that has jobs, and for each that has enough to go by itself.
    some: u64,
    enough: u64,
    /// The class that goes, and how many of its jobs have still to.
    going: usize,
    left: u32,
    /// Rounds that held some back, and whether this is one.
    rounds: u32,
    holding: bool,
    together: u32,
}

#[derive(Clone, Copy, Default)]
struct Class {
    first: u32,
    last: u32,
    count: u32,
    /// The round in which it last had no jobs, or gave some.
    served: u32,
}

impl Classes {
    fn new(capacity: usize, together: u32) -> Self {
        Classes {
            classes: Box::new([Class::default(); CLASSES + 1]),
            after: vec![0; capacity].into(),
            costs: vec![0; capacity].into(),
            dearest: Vec::with_capacity(capacity),
            some: 0,
            enough: 0,
            going: CLASSES,
            left: 0,
            rounds: 0,
            holding: false,
            together,
        }
    }

    #[inline(always)]
    fn push(&mut self, slot: u32, cost: usize) {
        let number = cost.min(CLASSES - 1);
        let class = &mut self.classes[number];
        if class.count == 0 {
            class.first = slot;
            class.served = self.rounds;
            self.some |= 1 << number;
        } else {
            self.after[class.last as usize] = slot;
        }
        class.last = slot;
        class.count += 1;
        if number == CLASSES - 1 {
            // Not all of one cost.
            self.costs[slot as usize] = cost;
        } else if class.count == self.together {
            self.enough |= 1 << number;
        }
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<u32> {
        if self.left == 0 && !self.choose() {
            return None;
        }
        self.left -= 1;
        let class = &mut self.classes[self.going];
        let slot = class.first;
        class.first = self.after[slot as usize];
        Some(slot)
    }

    /// Chooses the jobs of a class to go next: `false` if none do.
    fn choose(&mut self) -> bool {
        let ready = if self.enough != 0 && !self.late() {
            self.holding = true;
            self.enough
        } else if core::mem::take(&mut self.holding) && self.some != 0 {
            self.rounds = self.rounds.wrapping_add(1);
            return false;
        } else {
            self.some
        };
        if ready == 0 {
            return false;
        }
        let number = ready.ilog2() as usize;
        if number == CLASSES - 1 {
            self.sort_dearest();
        }
        let class = &mut self.classes[number];
        let rest = if self.holding { class.count % self.together } else { 0 };
        self.left = class.count - rest;
        class.count = rest;
        class.served = self.rounds;
        self.enough &= !(1 << number);
        if rest > 0 {
            self.going = number;
        } else {
            // Jobs that come before these have gone begin a new list.
            self.some &= !(1 << number);
            self.classes[CLASSES].first = class.first;
            self.going = CLASSES;
        }
        true
    }

    /// Sorts the last class, which is all to go: the dearest first, and otherwise as they came.
    fn sort_dearest(&mut self) {
        let class = &mut self.classes[CLASSES - 1];
        let mut slot = class.first;
        self.dearest.clear();
        for place in 0..class.count as usize {
            self.dearest.push((Reverse(self.costs[slot as usize]), place, slot));
            slot = self.after[slot as usize];
        }
        self.dearest.sort_unstable();
        for &(_, _, slot) in self.dearest.iter().rev() {
            self.after[slot as usize] = class.first;
            class.first = slot;
        }
    }

    /// Whether a class was held back for too long.
    fn late(&self) -> bool {
        let mut some = self.some;
        while some != 0 {
            let class = &self.classes[some.trailing_zeros() as usize];
            if self.rounds.wrapping_sub(class.served) > PATIENCE {
                return true;
            }
            some &= some - 1;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearest_first_and_equals_as_they_stand() {
        let costs = [3usize, 70, 0, 3, 200, 70, 63, 62, 0];
        let order = [4, 1, 5, 6, 7, 0, 3, 2, 8];
        assert_eq!(Plan::new().order(&costs), order);
        assert_eq!(Plan::new().order(&[5; 4]), [0, 1, 2, 3]);
        assert_eq!(Plan::new().order(&[100, 101, 102]), [2, 1, 0]);
        let huge = [usize::MAX - 1, 1 << 47, usize::MAX];
        assert_eq!(Plan::new().order(&huge), [0, 2, 1]);
    }

    fn all(waiting: &mut Waiting) -> Vec<u32> {
        core::iter::from_fn(|| waiting.pop()).collect()
    }

    #[test]
    fn every_waiting_job_is_taken_once() {
        let mut waiting = Waiting::Sorted(Classes::new(1000, 16));
        for jobs in [1, 16, 17, 500, 1000] {
            (0..jobs).for_each(|slot| waiting.push(slot, slot as usize * 37 % 100));
            let mut taken = all(&mut waiting);
            while taken.len() < jobs as usize {
                taken.extend(all(&mut waiting));
            }
            taken.sort_unstable();
            assert!(taken.into_iter().eq(0..jobs));
            assert_eq!(waiting.pop(), None);
        }
    }

    #[test]
    fn enough_of_one_cost_go_and_the_others_wait() {
        let mut waiting = Waiting::Sorted(Classes::new(64, 4));
        [1, 2, 1, 9, 1, 2, 1, 1, 99]
            .iter()
            .zip(0..)
            .for_each(|(cost, slot)| waiting.push(slot, *cost));
        assert_eq!(all(&mut waiting), [0, 2, 4, 6]);
        waiting.push(9, 2);
        waiting.push(10, 2);
        assert_eq!(all(&mut waiting), [1, 5, 9, 10]);
        assert_eq!(all(&mut waiting), [8, 3, 7]);
        assert_eq!(waiting.pop(), None);
    }

    #[test]
    fn all_go_the_dearest_first_and_equals_as_they_came() {
        let mut waiting = Waiting::Sorted(Classes::new(9, u32::MAX));
        for _ in 0..2 {
            let costs = [3, 70, 0, 3, 200, 70, 63, 62, 0];
            costs.iter().zip(0..).for_each(|(cost, slot)| waiting.push(slot, *cost));
            assert_eq!(all(&mut waiting), [4, 1, 5, 6, 7, 0, 3, 2, 8]);
        }
    }

    #[test]
    fn no_job_waits_for_ever() {
        let mut waiting = Waiting::Sorted(Classes::new(64, 4));
        waiting.push(63, 9);
        let rounds = (0..).take_while(|_| {
            (0..4).for_each(|slot| waiting.push(slot, 1));
            !all(&mut waiting).contains(&63)
        });
        assert_eq!(rounds.count() as u32, PATIENCE + 1);
    }

    #[test]
    fn unsorted_jobs_are_taken_as_they_came() {
        let mut waiting = Waiting::AsTheyCame(Queue::new(8));
        for round in 0..3 {
            (0..5 + round).for_each(|slot| waiting.push(slot, slot as usize));
            assert!(core::iter::from_fn(|| waiting.pop()).eq(0..5 + round));
        }
    }
}
