//! The place of a stream in memory, chosen so that its address does not change the output.
//!
//! At levels 1 and 2 the x86 code of igzip (`igzip_icf_body_h1_gr_bt.asm`, label
//! `write_first_byte`, in every version from 2.30 to 2.32) enters the third byte of a chunk into
//! its hash table under a wrong hash. The hash should be that of four bytes of data. It is the hash
//! of bits 16 to 47 of the stream's address, because the register was never loaded with data. So
//! the third byte is found again only if the two hashes happen to agree. A compressor has several
//! places for its stream, and uses a place at which the hashes differ. Then that byte is never
//! found, wherever the stream lies.

/// Places, one after another, among which there is one of every class.
pub(crate) const PLACES: usize = 7;
/// The classes of hashes: their two lowest bits. The smallest hash table that igzip uses here has
/// 16 entries.
const CLASSES: usize = 4;
/// igzip looks at a constant run in the first eight bytes of a chunk, and writes a run apart.
const RUN: usize = 8;

/// The places of one compressor, by class.
pub(crate) struct Places([usize; CLASSES]);

impl Places {
    /// [`PLACES`] places, the first at an address, the others each so many bytes behind the one
    /// before.
    pub(crate) fn new(first: usize, step: usize) -> Places {
        let mut places = [0; CLASSES];
        for place in (0..PLACES).rev() {
            places[class(((first + place * step) >> 16) as u32)] = place;
        }
        Places(places)
    }

    /// A place whose class differs from that of the bytes from the third on, both at the beginning
    /// of the input and behind a run of zeros or ones at its beginning.
    pub(crate) fn for_input(&self, input: &[u8]) -> usize {
        let first = input.first().copied().unwrap_or_default();
        let run = match input.get(..RUN) {
            Some(start) if matches!(first, 0 | 0xff) && start.iter().all(|&byte| byte == first) => {
                input.iter().take_while(|&&byte| byte == first).count()
            }
            _ => 0,
        };
        let taken = [0, run].map(|start| class(third(&input[start..])));
        let free = (0..CLASSES).find(|class| !taken.contains(class));
        self.0[free.unwrap_or_default()]
    }
}

/// Four bytes from the third on, with zeros behind the end.
fn third(input: &[u8]) -> u32 {
    let mut bytes = [0; 4];
    input.iter().skip(2).zip(&mut bytes).for_each(|(&from, to)| *to = from);
    u32::from_le_bytes(bytes)
}

/// The lowest bits of igzip's hash: a CRC-32C without inversion, as the CPU's instruction has it.
fn class(word: u32) -> usize {
    let crc = (0..32).fold(word, |crc, _| crc >> 1 ^ 0x82f6_3b78 & (crc & 1).wrapping_neg());
    crc as usize % CLASSES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wherever_the_first_is_there_is_a_place_of_every_class() {
        for start in (0..1 << 12).map(|bits| 0x5555_1234_0040 + (bits << 14)) {
            let Places(places) = Places::new(start, 128 << 10);
            for (wanted, place) in places.into_iter().enumerate() {
                assert!(place < PLACES);
                let address = start + place * (128 << 10);
                assert_eq!(class((address >> 16) as u32), wanted, "{start:#x}");
            }
        }
    }

    #[test]
    fn the_hash_is_that_of_the_instruction() {
        // The check value of CRC-32C is of inverted bits: the bits of "1234" and the rest are
        // folded here.
        let hash = |word: u32| {
            (0..32).fold(word, |crc, _| crc >> 1 ^ 0x82f6_3b78 & (crc & 1).wrapping_neg())
        };
        let first = hash(!0 ^ u32::from_le_bytes(*b"1234"));
        let second = hash(first ^ u32::from_le_bytes(*b"5678"));
        let last = (0..8).fold(second ^ u32::from(b'9'), |crc, _| {
            crc >> 1 ^ 0x82f6_3b78 & (crc & 1).wrapping_neg()
        });
        assert_eq!(!last, 0xe306_9283);
        assert_eq!(class(7), hash(7) as usize % CLASSES);
    }

    #[test]
    fn the_class_of_the_third_byte_is_avoided() {
        let places = Places::new(0x7f00_0000_0000, 128 << 10);
        for word in 0..200u32 {
            let text = [b"ab".as_slice(), &word.to_le_bytes(), b"cdefgh"].concat();
            let run = [&[0xff; 50], text.as_slice()].concat();
            for input in [&text, &run] {
                let address = 0x7f00_0000_0000 + places.for_input(input) * (128 << 10);
                assert_ne!(class((address >> 16) as u32), class(word), "{input:x?}");
            }
        }
        assert!(places.for_input(&[]) < PLACES);
    }
}
