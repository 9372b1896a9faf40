//! Checksums of uncompressed bytes, and those of two pieces made one.

use crate::algorithm::Checksum;

/// The modulus of Adler-32 (RFC 1950).
const ADLER: u64 = 65521;

impl Checksum {
    /// The checksum of some bytes; `None` of [`Checksum::None`].
    pub fn of(self, bytes: &[u8]) -> Option<u32> {
        match self {
            Checksum::None => None,
            Checksum::Crc32 => Some(crc32fast::hash(bytes)),
            Checksum::Adler32 => Some(simd_adler32::adler32(&bytes)),
        }
    }

    /// The checksum of two pieces, one after the other, of which the second has `len` bytes.
    pub fn combine(self, first: u32, second: u32, len: u64) -> u32 {
        match self {
            Checksum::None => 0,
            Checksum::Crc32 => {
                let mut hasher = crc32fast::Hasher::new_with_initial(first);
                hasher.combine(&crc32fast::Hasher::new_with_initial_len(second, len));
                hasher.finalize()
            }
            Checksum::Adler32 => {
                let halves = |sum: u32| (u64::from(sum & 0xffff), u64::from(sum >> 16));
                let ((a1, b1), (a2, b2)) = (halves(first), halves(second));
                // The second piece began with a = 1 and not with a1: each of its bytes counted a1 -
                // 1 too few.
                let behind = a1 + ADLER - 1;
                let a = (behind + a2) % ADLER;
                let b = (b1 + b2 + (len % ADLER) * (behind % ADLER)) % ADLER;
                (b << 16 | a) as u32
            }
        }
    }

    /// The checksum of what came before, and of a piece of `len` bytes more. Who made the piece may
    /// know its checksum; if not, `bytes` are the piece.
    pub(crate) fn extended<'b>(
        self,
        before: Option<u32>,
        piece: Option<u32>,
        len: usize,
        bytes: impl FnOnce() -> &'b [u8],
    ) -> Option<u32> {
        let piece = piece.or_else(|| self.of(bytes()))?;
        Some(before.map_or(piece, |before| self.combine(before, piece, len as u64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_the_standards() {
        // The check value of CRC-32/ISO-HDLC, and the example of Adler-32 that everybody has.
        assert_eq!(Checksum::Crc32.of(b"123456789"), Some(0xcbf4_3926));
        assert_eq!(Checksum::Adler32.of(b"Wikipedia"), Some(0x11e6_0398));
        assert_eq!(Checksum::None.of(b"123456789"), None);
    }

    #[test]
    fn pieces_combine_to_the_whole() {
        let bytes: Vec<u8> = (0..200_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        for checksum in [Checksum::Crc32, Checksum::Adler32] {
            let of = |bytes| checksum.of(bytes).expect("there is one");
            for at in [0, 1, 5552, 65521, 131_072, bytes.len()] {
                let (first, second) = bytes.split_at(at);
                let both = checksum.combine(of(first), of(second), second.len() as u64);
                assert_eq!(both, of(&bytes), "{checksum:?} at {at}");
            }
        }
    }
}
