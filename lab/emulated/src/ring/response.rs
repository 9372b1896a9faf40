//! The response ring: the device writes, and the driver polls the descriptors.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::{Descriptor, Memory};
use crate::sync::Arc;

/// A response ring for so many descriptors, a power of two.
pub(crate) fn ring(capacity: usize) -> (Writer, Reader) {
    let memory = Arc::new(Memory::new(capacity));
    (Writer { memory: memory.clone(), tail: 0, head: 0 }, Reader { memory, head: 0 })
}

/// The device's end.
#[derive(Debug)]
pub(crate) struct Writer {
    memory: Arc<Memory>,
    /// Descriptors written.
    tail: u64,
    /// Those that the driver was done with when last asked.
    head: u64,
}

/// The driver's end.
#[derive(Debug)]
pub(crate) struct Reader {
    memory: Arc<Memory>,
    /// Descriptors read.
    head: u64,
}

impl Writer {
    /// Returns the number of further responses that there is room for. It is at least `wanted` only
    /// if there is that much room.
    #[inline]
    pub(crate) fn room(&mut self, wanted: usize) -> usize {
        let capacity = self.memory.capacity();
        if capacity - (self.tail - self.head) < wanted as u64 {
            self.head = self.memory.head.0.load(Acquire);
        }
        (capacity - (self.tail - self.head)) as usize
    }

    /// Writes a descriptor, which the driver then sees.
    ///
    /// # Panics
    /// If there is no [room](Writer::room).
    #[inline]
    pub(crate) fn write(&mut self, descriptor: Descriptor) {
        assert!(self.room(1) > 0, "the device asks for room first");
        let place = self.memory.place(self.tail);
        place.time.store(descriptor.time, Relaxed);
        place.word.store(descriptor.word(self.memory.phase(self.tail)), Release);
        self.tail += 1;
    }
}

impl Reader {
    /// Takes the next descriptor.
    #[inline]
    pub(crate) fn read(&mut self) -> Option<Descriptor> {
        let place = self.memory.place(self.head);
        let word = place.word.load(Acquire);
        if word & 1 != self.memory.phase(self.head) {
            return None;
        }
        self.head += 1;
        Some(Descriptor::from_word(word, place.time.load(Relaxed)))
    }

    /// Makes room for the device: what was read is done with.
    #[inline]
    pub(crate) fn release(&mut self) {
        self.memory.head.0.store(self.head, Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::descriptor;
    use super::*;

    #[test]
    fn room_comes_back_when_it_is_released() {
        let (mut writer, mut reader) = ring(4);
        for lap in 0..5 {
            assert_eq!(writer.room(4), 4);
            for number in 0..4 {
                writer.write(descriptor(lap * 4 + number));
            }
            assert_eq!(writer.room(1), 0);
            for number in 0..4 {
                assert_eq!(reader.read(), Some(descriptor(lap * 4 + number)));
            }
            assert_eq!(reader.read(), None);
            assert_eq!(writer.room(1), 0, "it is read, and not released");
            reader.release();
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::super::descriptor;
    use super::*;

    /// Three descriptors through a ring of two, in every order in which the two ends may meet: it
    /// is full, empty, and wraps around.
    #[test]
    fn every_descriptor_arrives_once_and_in_order() {
        loom::model(|| {
            let (mut writer, mut reader) = ring(2);
            let device = loom::thread::spawn(move || {
                for number in 0..3 {
                    while writer.room(1) == 0 {
                        loom::thread::yield_now();
                    }
                    writer.write(descriptor(number));
                }
            });
            let mut next = 0;
            while next < 3 {
                match reader.read() {
                    Some(read) => {
                        assert_eq!(read, descriptor(next));
                        reader.release();
                        next += 1;
                    }
                    None => loom::thread::yield_now(),
                }
            }
            assert_eq!(reader.read(), None);
            device.join().unwrap();
        });
    }
}
