//! The order in which jobs get lanes: the longest first. Lanes that run empty early are refilled
//! with shorter jobs, and the last lanes run empty together.
//!
//! Take four lanes and jobs of 1, 1, 1, 1, 1, 1, 1, 1 and 8 steps. In this order the short jobs
//! take two steps, and then the long one runs for eight steps alone: ten steps, of which 16 of 40
//! lane steps are used. With the longest first, the eight short jobs go through the three other
//! lanes while the long one runs: eight steps, 16 of 32.
//!
//! [`Plan`] orders a burst that is known at once. It is a counting sort over [`CLASSES`] classes of
//! cost, so that its time grows only with the number of jobs:
//!
//! ```text
//! order(costs):
//!     class of each job = CLASSES - 1 - min(cost, CLASSES - 1)     # the dearest are class 0
//!     all of one class, and not class 0?   return 0, 1, 2, …       # the common case: no sort
//!     count the jobs of each class; sum the counts into first places
//!     put each job into the next place of its class               # equals keep their order
//!     sort class 0 by cost                                        # its jobs differ in cost
//! ```

use alloc::boxed::Box;

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

    /// Returns the order of jobs of these costs, of which there is at least one: the dearest first,
    /// and equals as they stand. It is a counting sort, or nothing at all if all jobs cost the
    /// same. One job needs no order.
    #[inline(always)]
    pub(crate) fn order(&mut self, costs: &[usize]) -> &[u16] {
        match costs.len() {
            1 => &IN_PLACE[..1],
            _ => self.order_of_several(costs),
        }
    }

    /// Returns the order that leaves `count` jobs as they stand.
    #[inline(always)]
    pub(crate) fn in_place(count: usize) -> &'static [u16] {
        &IN_PLACE[..count]
    }

    /// Returns `true` if an order is that of jobs that all stay as they stand, from the first on.
    #[inline(always)]
    pub(crate) fn is_in_place(order: &[u16]) -> bool {
        core::ptr::eq(order.as_ptr(), IN_PLACE.as_ptr())
    }

    /// The code is not generic and not inlined, because every type of job would have its own copy.
    #[inline(never)]
    fn order_of_several(&mut self, costs: &[usize]) -> &[u16] {
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

    /// Sorts the first `dearest` jobs by their keys.
    fn sort_dearest(&mut self, dearest: usize) {
        let keys = &mut self.dearest[..dearest];
        keys.sort_unstable();
        for (index, key) in self.order.iter_mut().zip(keys) {
            *index = *key as u16;
        }
    }
}

/// Returns a key that sorts jobs by their cost, the dearest first and equals as they stand. Its low
/// 16 bits are the index of the job. Costs from 2⁴⁸ on count as equal.
fn dearest_first(cost: usize, index: u16) -> u64 {
    const MOST: u64 = (1 << 48) - 1;
    (MOST - (cost as u64).min(MOST)) << 16 | u64::from(index)
}

/// The order that leaves jobs as they stand.
static IN_PLACE: [u16; WINDOW] = {
    let mut order = [0; WINDOW];
    let mut i = 0;
    while i < WINDOW {
        order[i] = i as u16;
        i += 1;
    }
    order
};

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
}
