//! Tasks that go through a kernel together from start to end, a lane each.
//!
//! Tasks gather in groups. A group goes when there is a task for each lane, or when no more come.

use alloc::boxed::Box;

use super::{Goal, Source};

/// The most tasks a group has.
pub(crate) const MAX_TASKS: usize = 16;

/// After so many calls in which a group did not go, it does: a steady stream of other operations
/// must not keep it waiting for ever.
const PATIENCE: u32 = 16;

/// Tasks that go together.
#[derive(Clone, Copy)]
struct Group<T> {
    tasks: [(u32, T); MAX_TASKS],
    count: usize,
    /// Calls that found some waiting, since they last went.
    idle: u32,
}

impl<T> Group<T> {
    /// Completes the tasks, and reports them.
    fn leave(&mut self, source: &mut impl Source<T>, go: impl FnOnce(&[(u32, T)])) {
        let tasks = &self.tasks[..self.count];
        go(tasks);
        tasks.iter().for_each(|(id, _)| source.done(*id));
        (self.count, self.idle) = (0, 0);
    }
}

/// So many groups of tasks.
pub(crate) struct Groups<T, const N: usize> {
    groups: Box<[Group<T>; N]>,
    /// Tasks that fill the lanes.
    full: usize,
}

impl<T: Copy, const N: usize> Groups<T, N> {
    /// Groups that are full with so many tasks; the given one stands where there is none.
    pub(crate) fn new(full: usize, nothing: T) -> Self {
        assert!((1..=MAX_TASKS).contains(&full), "{full} tasks");
        let group = Group { tasks: [(0, nothing); MAX_TASKS], count: 0, idle: 0 };
        Groups { groups: Box::new([group; N]), full }
    }

    /// Takes tasks into their groups, and has groups go, until the goal is reached
    /// ([`Lanes::run`](super::Lanes::run)). `go` completes the tasks of the group of this number.
    pub(crate) fn run(
        &mut self,
        source: &mut impl Source<T>,
        goal: Goal,
        group_of: impl Fn(&T) -> usize,
        mut go: impl FnMut(usize, &[(u32, T)]),
    ) {
        let mut any_done = false;
        self.groups.iter_mut().for_each(|group| group.idle += u32::from(group.count > 0));
        loop {
            while let Some(index) = source.next(|id, task| {
                let index = group_of(task);
                let group = &mut self.groups[index];
                group.tasks[group.count] = (id, *task);
                group.count += 1;
                index
            }) {
                if self.groups[index].count == self.full {
                    self.groups[index].leave(source, |tasks| go(index, tasks));
                    any_done = true;
                }
            }
            let late = self.groups.iter().position(|group| group.idle > PATIENCE);
            if late.is_none() && goal == Goal::One && any_done {
                return;
            }
            let fullest = (0..N).max_by_key(|index| self.groups[*index].count);
            match late.or(fullest) {
                Some(index) if self.groups[index].count > 0 => {
                    self.groups[index].leave(source, |tasks| go(index, tasks));
                    any_done = true;
                }
                _ => return,
            }
        }
    }
}
