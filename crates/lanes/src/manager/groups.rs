//! Tasks that go through a kernel together from start to end, a lane each.
//!
//! Tasks gather in groups. A group goes when there is a task for each lane, or when no more tasks
//! come.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Source;

/// `N` groups of tasks.
pub struct Groups<T, const N: usize> {
    /// In each there is room for all tasks from the start.
    groups: Box<[Vec<(u32, T)>; N]>,
    /// Tasks that fill the lanes.
    full: usize,
}

impl<T: Copy, const N: usize> Groups<T, N> {
    /// Makes groups that are full with `full` tasks.
    pub fn new(full: usize) -> Self {
        assert!(full > 0, "a group has tasks");
        Groups { groups: Box::new([(); N].map(|()| Vec::with_capacity(full))), full }
    }

    /// Takes all tasks of the source into their groups. A group goes when it is full, and all go at
    /// the end. `go` gets the number of a group and completes its tasks.
    pub fn run(
        &mut self,
        source: &mut impl Source<T>,
        group_of: impl Fn(&T) -> usize,
        mut go: impl FnMut(usize, &[(u32, T)]),
    ) {
        let mut leave = |index: usize, group: &mut Vec<(u32, T)>, source: &mut _| {
            go(index, group);
            group.drain(..).for_each(|(id, _)| Source::done(source, id));
        };
        while let Some(index) = source.next(|id, task| {
            let index = group_of(task);
            self.groups[index].push((id, *task));
            index
        }) {
            if self.groups[index].len() == self.full {
                leave(index, &mut self.groups[index], source);
            }
        }
        for (index, group) in self.groups.iter_mut().enumerate() {
            if !group.is_empty() {
                leave(index, group, source);
            }
        }
    }
}
