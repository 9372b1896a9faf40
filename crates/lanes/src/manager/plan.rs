//! The order in which jobs get lanes: the longest first, so that lanes that empty early are refilled with
//! what is shorter, and the last ones to empty do so together.

use alloc::boxed::Box;
use alloc::vec;
use core::cmp::Reverse;

/// Jobs planned together: as many as the widest kernel has lanes, which is that of DES.
pub(crate) const WINDOW: usize = 512;

/// Classes of cost: a class for each number of steps, and the first for all that take more.
const CLASSES: usize = 64;

/// The order in which up to [`WINDOW`] jobs are taken, and the room to find it.
pub(crate) struct Plan {
    order: Box<[u16; WINDOW]>,
    classes: Box<[u8; WINDOW]>,
    places: [u16; CLASSES],
}

impl Plan {
    pub(crate) fn new() -> Self {
        Plan { order: Box::new([0; WINDOW]), classes: Box::new([0; WINDOW]), places: [0; CLASSES] }
    }

    /// Orders jobs, one at least, by their cost, dearest first and otherwise as they stand: a counting sort, or nothing
    /// at all where all cost the same.
    #[inline(always)]
    pub(crate) fn order(&mut self, jobs: usize, cost: impl Fn(usize) -> usize) -> &[u16] {
        let class = |job| (CLASSES - 1 - cost(job).min(CLASSES - 1)) as u8;
        let (mut differences, first) = (0, class(0));
        for (job, place) in self.classes.iter_mut().enumerate().take(jobs) {
            *place = class(job);
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
        self.order[..dearest].sort_unstable_by_key(|i| (Reverse(cost(usize::from(*i))), *i));
        &self.order[..jobs]
    }
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

/// The jobs of a manager that have no lane yet, by slot.
pub(crate) struct Waiting {
    /// Those that came since the last plan are `slots[..len]`.
    slots: Box<[u32]>,
    costs: Box<[usize]>,
    len: usize,
    /// What the last plan still has to give is `planned[next..end]`.
    planned: Box<[u32]>,
    next: usize,
    end: usize,
    plan: Plan,
    sorted: bool,
}

impl Waiting {
    /// Room for so many jobs, which are taken in the order of a plan if they are to be sorted, else as
    /// they came.
    pub(crate) fn new(capacity: usize, sorted: bool) -> Self {
        let slots = || vec![0; capacity].into();
        let costs = vec![0; capacity].into();
        let plan = Plan::new();
        Waiting { slots: slots(), costs, len: 0, planned: slots(), next: 0, end: 0, plan, sorted }
    }

    /// Adds a job; the caller never has more than the capacity of them.
    #[inline(always)]
    pub(crate) fn push(&mut self, slot: u32, cost: usize) {
        self.slots[self.len] = slot;
        self.costs[self.len] = cost;
        self.len += 1;
    }

    /// The next job; a new plan is made whenever the last one is used up.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        if self.next == self.end {
            if self.len == 0 {
                return None;
            }
            self.plan();
        }
        let slot = self.planned[self.next];
        self.next += 1;
        Some(slot)
    }

    /// Plans the jobs that came since the last plan, a window at a time.
    fn plan(&mut self) {
        if !self.sorted {
            core::mem::swap(&mut self.slots, &mut self.planned);
            (self.next, self.end, self.len) = (0, self.len, 0);
            return;
        }
        for start in (0..self.len).step_by(WINDOW) {
            let slots = &self.slots[start..self.len.min(start + WINDOW)];
            let costs = &self.costs[start..];
            let order = self.plan.order(slots.len(), |index| costs[index]);
            for (place, index) in self.planned[start..].iter_mut().zip(order) {
                *place = slots[usize::from(*index)];
            }
        }
        (self.next, self.end, self.len) = (0, self.len, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn the_dearest_first_and_equals_as_they_stand() {
        let costs = [3usize, 70, 0, 3, 200, 70, 63, 62, 0];
        let order = [4, 1, 5, 6, 7, 0, 3, 2, 8];
        assert_eq!(Plan::new().order(costs.len(), |job| costs[job]), order);
        assert_eq!(Plan::new().order(4, |_| 5), [0, 1, 2, 3]);
        assert_eq!(Plan::new().order(3, |job| 100 + job), [2, 1, 0]);
    }

    #[test]
    fn every_waiting_job_is_taken_once() {
        let mut waiting = Waiting::new(3 * WINDOW, true);
        for round in 1..4 {
            let jobs = (round * WINDOW - 7) as u32;
            (0..jobs).for_each(|slot| waiting.push(slot, slot as usize * 37 % 100));
            let mut taken: Vec<_> = core::iter::from_fn(|| waiting.pop()).collect();
            taken.sort_unstable();
            assert!(taken.into_iter().eq(0..jobs));
        }
    }

    #[test]
    fn unsorted_jobs_are_taken_as_they_came() {
        let mut waiting = Waiting::new(8, false);
        for round in 0..3 {
            (0..5 + round).for_each(|slot| waiting.push(slot, slot as usize));
            assert!(core::iter::from_fn(|| waiting.pop()).eq(0..5 + round));
        }
    }
}
