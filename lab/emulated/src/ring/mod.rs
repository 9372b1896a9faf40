//! Rings of descriptors in memory, each with one writer and one reader.
//!
//! On the [request ring](request) the driver writes and the device reads. The device looks at
//! nothing before the doorbell rings. On the [response ring](response) the device writes and the
//! driver reads. It has no doorbell: the phase of a descriptor says that it is new.

pub(crate) mod request;
pub(crate) mod response;

use crate::sync::AtomicU64;

/// An entry of a ring: a slot, and the generation of its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descriptor {
    /// The slot.
    pub slot: u16,
    /// The use of the slot. A use that was given up leaves stale descriptors behind. 31 bits.
    pub generation: u32,
    /// How much work it is, in KiB; [`u16::MAX`] for more.
    pub size: u16,
    /// In a request, when the doorbell rang; in a response, when it may be seen. Nanoseconds.
    pub time: u64,
}

/// The greatest generation; the next is 0.
pub(crate) const MAX_GENERATION: u32 = u32::MAX >> 1;

impl Descriptor {
    /// One word: slot, size, generation, and in the lowest bit the phase.
    fn word(&self, phase: u64) -> u64 {
        debug_assert!(self.generation <= MAX_GENERATION);
        u64::from(self.slot) << 48
            | u64::from(self.size) << 32
            | u64::from(self.generation) << 1
            | phase
    }

    fn from_word(word: u64, time: u64) -> Self {
        Descriptor {
            slot: (word >> 48) as u16,
            size: (word >> 32) as u16,
            generation: (word as u32) >> 1,
            time,
        }
    }
}

/// A ring's memory.
#[derive(Debug)]
struct Memory {
    descriptors: Box<[Place]>,
    /// Descriptors that the reader was told of, since the ring was made.
    doorbell: Line<AtomicU64>,
    /// Descriptors that the reader is done with.
    head: Line<AtomicU64>,
}

/// A descriptor's place.
#[derive(Debug)]
struct Place {
    word: AtomicU64,
    time: AtomicU64,
}

/// On lines of the cache that hold nothing else.
#[derive(Debug)]
#[repr(align(128))]
struct Line<T>(T);

impl Memory {
    /// # Panics
    /// If the capacity is no power of two.
    fn new(capacity: usize) -> Self {
        assert!(capacity.is_power_of_two(), "a ring of {capacity} descriptors cannot be");
        let place = || Place { word: AtomicU64::new(0), time: AtomicU64::new(0) };
        Memory {
            descriptors: (0..capacity).map(|_| place()).collect(),
            doorbell: Line(AtomicU64::new(0)),
            head: Line(AtomicU64::new(0)),
        }
    }

    fn capacity(&self) -> u64 {
        self.descriptors.len() as u64
    }

    fn place(&self, index: u64) -> &Place {
        &self.descriptors[index as usize & (self.descriptors.len() - 1)]
    }

    /// The phase of descriptor number `index`: 1 in the first lap, as memory begins with 0, then in
    /// turn.
    fn phase(&self, index: u64) -> u64 {
        (index >> self.descriptors.len().trailing_zeros()) & 1 ^ 1
    }
}

#[cfg(test)]
fn descriptor(number: u64) -> Descriptor {
    Descriptor { slot: number as u16, generation: number as u32, size: 1, time: number }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_fits_a_word() {
        for descriptor in [
            Descriptor { slot: 0, generation: 0, size: 0, time: 7 },
            Descriptor {
                slot: u16::MAX,
                generation: MAX_GENERATION,
                size: u16::MAX,
                time: u64::MAX,
            },
            Descriptor { slot: 0x1234, generation: 0x2bcd_ef01, size: 0x5678, time: 0 },
        ] {
            for phase in [0, 1] {
                let word = descriptor.word(phase);
                assert_eq!(word & 1, phase);
                assert_eq!(Descriptor::from_word(word, descriptor.time), descriptor);
            }
        }
    }

    #[test]
    fn the_phase_changes_with_every_lap() {
        let memory = Memory::new(4);
        let phases: Vec<u64> = (0..12).map(|index| memory.phase(index)).collect();
        assert_eq!(phases, [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]);
    }
}
