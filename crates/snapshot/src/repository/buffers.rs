//! Memory of packs: so many buffers, which are used again and again.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Buffers that threads take and give back.
pub struct Buffers {
    state: Mutex<BuffersState>,
    changed: Condvar,
}

struct BuffersState {
    spare: Vec<Vec<u8>>,
    /// Buffers that may be made beside those that are spare or taken.
    left: usize,
    closed: bool,
}

impl Buffers {
    /// So many buffers at most.
    pub fn new(most: usize) -> Buffers {
        let state = BuffersState { spare: Vec::new(), left: most, closed: false };
        Buffers { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, BuffersState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty buffer. Waits until there is one, unless they are closed.
    pub fn take(&self) -> Vec<u8> {
        let waiting =
            |state: &mut BuffersState| state.spare.is_empty() && state.left == 0 && !state.closed;
        let state = self.changed.wait_while(self.lock(), waiting);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.spare.pop().unwrap_or_else(|| {
            state.left = state.left.saturating_sub(1);
            Vec::new()
        })
    }

    /// Takes a buffer back.
    pub fn give(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        self.lock().spare.push(buffer);
        self.changed.notify_one();
    }

    /// From now on nobody waits: after a failure, buffers may not come back.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn no_more_buffers_are_out_than_there_are() {
        let buffers = Buffers::new(2);
        let (mut first, second) = (buffers.take(), buffers.take());
        first.extend_from_slice(b"text");
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            scope.spawn(|| sender.send(buffers.take()));
            let early = receiver.recv_timeout(Duration::from_millis(50));
            assert!(early.is_err(), "a third buffer is out");
            buffers.give(first);
            let third = receiver.recv().expect("it was given back");
            assert!(third.is_empty() && third.capacity() >= 4, "the first, empty again");
        });
        drop(second);
    }

    #[test]
    fn nobody_waits_once_they_are_closed() {
        let buffers = Buffers::new(1);
        let _taken = buffers.take();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| buffers.take());
            buffers.close();
            assert_eq!(waiting.join().expect("no panic").len(), 0);
        });
    }
}
