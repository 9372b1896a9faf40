//! The request ring: the driver writes, and the device reads after the doorbell.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::{Descriptor, Memory};
use crate::sync::Arc;

/// A request ring for so many descriptors, a power of two.
pub(crate) fn ring(capacity: usize) -> (Writer, Reader) {
    let memory = Arc::new(Memory::new(capacity));
    (
        Writer { memory: memory.clone(), tail: 0, rung: 0, head: 0 },
        Reader { memory, head: 0, rung: 0 },
    )
}

/// The driver's end.
#[derive(Debug)]
pub(crate) struct Writer {
    memory: Arc<Memory>,
    /// Descriptors written.
    tail: u64,
    /// Of these, those that the device was told of.
    rung: u64,
    /// Those that it was done with when last asked.
    head: u64,
}

/// The device's end.
#[derive(Debug)]
pub(crate) struct Reader {
    memory: Arc<Memory>,
    /// Descriptors read.
    head: u64,
    /// Descriptors there were when last asked.
    rung: u64,
}

impl Writer {
    /// Returns `true` if there is room for one more.
    #[inline]
    pub(crate) fn has_room(&mut self) -> bool {
        if self.tail - self.head == self.memory.capacity() {
            self.head = self.memory.head.0.load(Acquire);
        }
        self.tail - self.head < self.memory.capacity()
    }

    /// Writes a descriptor, invisible to the device until the doorbell; `false` if the ring is
    /// full. The doorbell gives its time.
    #[inline]
    pub(crate) fn write(&mut self, descriptor: Descriptor) -> bool {
        if !self.has_room() {
            return false;
        }
        let word = descriptor.word(self.memory.phase(self.tail));
        self.memory.place(self.tail).word.store(word, Relaxed);
        self.tail += 1;
        true
    }

    /// Rings the doorbell at a time, and says for how many descriptors.
    #[inline]
    pub(crate) fn ring(&mut self, time: u64) -> usize {
        let told = self.tail - self.rung;
        for index in self.rung..self.tail {
            self.memory.place(index).time.store(time, Relaxed);
        }
        self.rung = self.tail;
        self.memory.doorbell.0.store(self.tail, Release);
        told as usize
    }
}

impl Reader {
    /// Returns `true` if there is a descriptor to be read.
    #[inline]
    pub(crate) fn has_next(&mut self) -> bool {
        if self.head == self.rung {
            self.rung = self.memory.doorbell.0.load(Acquire);
        }
        self.head != self.rung
    }

    /// Takes the next descriptor.
    #[inline]
    pub(crate) fn read(&mut self) -> Option<Descriptor> {
        let descriptor = self.has_next().then(|| self.at_head())?;
        self.head += 1;
        Some(descriptor)
    }

    /// Makes room for the writer: what was read is done with.
    #[inline]
    pub(crate) fn release(&mut self) {
        self.memory.head.0.store(self.head, Release);
    }

    fn at_head(&self) -> Descriptor {
        let place = self.memory.place(self.head);
        let word = place.word.load(Relaxed);
        debug_assert_eq!(
            word & 1,
            self.memory.phase(self.head),
            "the doorbell rang for what was written"
        );
        Descriptor::from_word(word, place.time.load(Relaxed))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::descriptor;
    use super::*;

    #[test]
    fn nothing_is_seen_before_the_doorbell() {
        let (mut writer, mut reader) = ring(4);
        assert!(writer.write(descriptor(1)) && writer.write(descriptor(2)));
        assert_eq!(reader.read(), None);
        assert_eq!(writer.ring(9), 2);
        let read: Vec<_> = std::iter::from_fn(|| reader.read()).map(|d| (d.slot, d.time)).collect();
        assert_eq!(read, [(1, 9), (2, 9)]);
        assert_eq!(writer.ring(10), 0);
    }

    #[test]
    fn a_full_ring_takes_nothing_until_it_is_released() {
        let (mut writer, mut reader) = ring(2);
        for lap in 0..5 {
            assert!(writer.write(descriptor(lap)) && writer.write(descriptor(lap + 1)));
            assert!(!writer.write(descriptor(99)));
            writer.ring(0);
            assert_eq!(reader.read().map(|d| d.slot), Some(lap as u16));
            assert!(!writer.has_room(), "it is read, and not released");
            reader.release();
            assert!(writer.has_room());
            assert_eq!(reader.read().map(|d| d.slot), Some(lap as u16 + 1));
            reader.release();
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::super::descriptor;
    use super::*;

    /// Four descriptors through a ring of two, in every order in which the two ends may meet: it is
    /// full, empty, and wraps around.
    #[test]
    fn every_descriptor_arrives_once_and_in_order() {
        loom::model(|| {
            let (mut writer, mut reader) = ring(2);
            let device = loom::thread::spawn(move || {
                let mut next = 0;
                while next < 4 {
                    match reader.read() {
                        Some(read) => {
                            let time = next / 2;
                            assert_eq!(read, Descriptor { time, ..descriptor(next) });
                            reader.release();
                            next += 1;
                        }
                        None => loom::thread::yield_now(),
                    }
                }
                assert_eq!(reader.read(), None);
            });
            for number in 0..4 {
                while !writer.write(descriptor(number)) {
                    loom::thread::yield_now();
                }
                // Deferred: for two at a time.
                if number % 2 == 1 {
                    writer.ring(number / 2);
                }
            }
            device.join().unwrap();
        });
    }
}
