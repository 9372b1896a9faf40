//! The place of a stream in memory, chosen so that its address does not change the output.
//!
//! At levels 1 and 2 the x86 code of igzip (`igzip_icf_body_h1_gr_bt.asm`, label
//! `write_first_byte`, in every version from 2.30 to 2.32) enters a byte into its hash table under
//! a wrong hash, wherever it begins: at the start of a chunk, behind a run, and where a block was
//! full. The hash should be that of four bytes of data. It is the hash of bits 16 to 47 of the
//! stream's address, because the register was never loaded with data. So every stream lies at an
//! address with the same hash.

/// Addresses of one unit have the same hash.
const UNIT: usize = 1 << 16;

/// How many of the lowest bits of the hash are to be zero. The largest hash table of levels 1 and 2
/// has 2^15 entries; where there is no address space for that, fewer bits are better than none. Of
/// as many lowest bits of a unit's number, each value has a hash of its own.
const BITS: [u32; 3] = [15, 9, 0];

/// igzip's hash of a word, which is a number of a unit or four bytes of data: a CRC-32C without
/// inversion, as the CPU's instruction has it.
const fn hash(word: u32) -> u32 {
    let mut crc = word;
    let mut bit = 0;
    while bit < 32 {
        crc = crc >> 1 ^ 0x82f6_3b78 & (crc & 1).wrapping_neg();
        bit += 1;
    }
    crc
}

/// By what the hashes of a number and of its successor differ, for each number of one bits at the
/// number's end: the hash is linear, and the two numbers differ in these bits and the next.
const STEPS: [u32; 32] = {
    let mut steps = [0; 32];
    let mut ones = 0;
    while ones < 32 {
        steps[ones] = hash(u32::MAX >> (31 - ones));
        ones += 1;
    }
    steps
};

/// The hashes of a number and of all that follow it.
fn hashes(word: u32) -> impl Iterator<Item = u32> {
    let numbers = (0..).map(move |index: u32| word.wrapping_add(index));
    // The successor of all ones is zero, which differs in 32 bits.
    numbers.scan(hash(word), |next, word| {
        let hash = *next;
        *next ^= STEPS[word.trailing_ones().min(31) as usize];
        Some(hash)
    })
}

/// Returns the bytes of address space that contain a place for a hash with so many zero bits,
/// wherever the space begins.
fn room(bits: u32, len: usize) -> Option<usize> {
    // Among 2^bits units that differ in their lowest bits alone there is one.
    UNIT.checked_mul(2 << bits)?.checked_add(len)
}

/// The first address from `start` on that begins a unit whose hash has so many zero bits.
fn first(start: usize, bits: u32) -> usize {
    let begin = start.next_multiple_of(UNIT);
    let mut units = hashes((begin >> 16) as u32).take(2 << bits);
    let unit = units.position(|hash| hash.is_multiple_of(1 << bits)).unwrap_or(0);
    begin + unit * UNIT
}

mod memory {
    use std::ptr::{self, NonNull};

    use super::{BITS, first, room};

    /// Memory at such a place, all of it zero at first. It takes no memory of the system's before
    /// it is written to.
    pub(crate) struct Placed {
        start: NonNull<u8>,
        len: usize,
    }

    impl Placed {
        /// With room for so many bytes; `None` if the system has no memory.
        pub(crate) fn new(len: usize) -> Option<Placed> {
            // SAFETY: the call takes nothing.
            let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
            let len = len.next_multiple_of(page);
            BITS.into_iter().find_map(|bits| Placed::with(bits, len))
        }

        fn with(bits: u32, len: usize) -> Option<Placed> {
            let room = room(bits, len)?;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            // SAFETY: a new mapping, wherever the system likes.
            let all = unsafe {
                libc::mmap(ptr::null_mut(), room, libc::PROT_NONE, flags, -1, 0).cast::<u8>()
            };
            if all.cast() == libc::MAP_FAILED {
                return None;
            }
            let before = first(all.addr(), bits) - all.addr();
            let behind = room - before - len;
            // SAFETY: the three parts are of whole pages, and all of the mapping; what is not kept
            // is given back, and nobody has seen it.
            unsafe {
                let start = all.add(before);
                if before > 0 {
                    libc::munmap(all.cast(), before);
                }
                if behind > 0 {
                    libc::munmap(start.add(len).cast(), behind);
                }
                let placed = Placed { start: NonNull::new(start)?, len };
                let result = libc::mprotect(start.cast(), len, libc::PROT_READ | libc::PROT_WRITE);
                (result == 0).then_some(placed)
            }
        }

        pub(crate) fn as_ptr(&self) -> *mut u8 {
            self.start.as_ptr()
        }
    }

    impl Drop for Placed {
        fn drop(&mut self) {
            // SAFETY: the mapping is this value's, and nothing points into it any more.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
        }
    }

    // SAFETY: the memory belongs to no thread.
    unsafe impl Send for Placed {}
}

pub(crate) use memory::Placed;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wherever_the_room_begins_there_is_a_place() {
        for bits in BITS {
            for start in (0..64).map(|index| 0x5555_1234_0000_usize + index * 0x3_a7c1_9000) {
                let place = first(start, bits);
                assert!(place >= start && place + 5 <= start + room(bits, 5).unwrap());
                assert_eq!(hash((place >> 16) as u32) % (1 << bits), 0, "{start:#x}, {bits}");
            }
        }
    }

    #[test]
    fn the_hashes_of_numbers_in_order_are_those_of_each() {
        for start in [0, 1, 0x7fff_ffe0, 0xffff_fff0, 0x5555_1234] {
            let all: Vec<_> = hashes(start).take(40).collect();
            let each: Vec<_> = (0..40).map(|index| hash(start.wrapping_add(index))).collect();
            assert_eq!(all, each, "from {start:#x}");
        }
    }

    #[test]
    fn the_hash_is_that_of_the_instruction() {
        // The check value of CRC-32C is of inverted bits: the bits of "1234" and the rest are
        // folded here.
        let first = hash(!0 ^ u32::from_le_bytes(*b"1234"));
        let second = hash(first ^ u32::from_le_bytes(*b"5678"));
        let last = (0..8).fold(second ^ u32::from(b'9'), |crc, _| {
            crc >> 1 ^ 0x82f6_3b78 & (crc & 1).wrapping_neg()
        });
        assert_eq!(!last, 0xe306_9283);
    }

    #[test]
    fn memory_is_zero_and_at_a_place_of_hash_zero() {
        let all: Vec<_> = (0..40).map(|_| Placed::new(100_000).expect("memory")).collect();
        for placed in &all {
            assert_eq!(hash((placed.as_ptr().addr() >> 16) as u32) % (1 << 15), 0);
            // SAFETY: the memory is alive, zero at first, and nobody writes to it.
            let bytes = unsafe { std::slice::from_raw_parts(placed.as_ptr(), 100_000) };
            assert!(bytes.iter().all(|byte| *byte == 0));
        }
    }
}
