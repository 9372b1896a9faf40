//! A first-in first-out queue of slot numbers, with a fixed size.

use alloc::boxed::Box;
use alloc::vec;

pub(crate) struct Queue {
    ids: Box<[u32]>,
    head: usize,
    len: usize,
}

impl Queue {
    pub(crate) fn new(capacity: usize) -> Self {
        Queue { ids: vec![0; capacity].into(), head: 0, len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a number; the caller never has more than the capacity of them.
    #[inline(always)]
    pub(crate) fn push(&mut self, id: u32) {
        let mut at = self.head + self.len;
        if at >= self.ids.len() {
            at -= self.ids.len();
        }
        self.ids[at] = id;
        self.len += 1;
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let id = self.ids[self.head];
        self.head += 1;
        if self.head == self.ids.len() {
            self.head = 0;
        }
        self.len -= 1;
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out_around_the_end() {
        let mut queue = Queue::new(3);
        for round in 0..7 {
            queue.push(2 * round);
            queue.push(2 * round + 1);
            assert_eq!(queue.pop(), Some(2 * round));
            assert_eq!(queue.pop(), Some(2 * round + 1));
            assert_eq!(queue.pop(), None);
        }
    }
}
