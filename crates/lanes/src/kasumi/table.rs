//! KASUMI by large tables, only for comparison with the lanes. It reads its tables at addresses
//! that depend on the key and the data, which a cache reveals.
//!
//! FI maps 16 bits to 16 bits in two halves, with a round key added between them. Each half can be
//! one table of 65,536 entries: five instructions for FI. With the tables of the standard, FI takes
//! over twenty, to separate the 9 and 7 bits and to join them again. Large tables suit a machine
//! that hides the latency of memory behind many threads: 256 KiB of tables do not fit into a
//! first-level cache.

use alloc::boxed::Box;
use alloc::vec;

use super::bits::add_bits;
use super::cipher::CONSTANTS;
use super::{KasumiError, KasumiKey, LinkDirection};

/// The two tables.
///
/// ```
/// use broadloom_lanes::{KasumiKey, LinkDirection, TableKasumi};
///
/// let tables = TableKasumi::new();
/// assert!(std::mem::size_of_val(&tables) < 100, "both tables are on the heap");
/// ```
pub struct TableKasumi {
    first: Box<[u16]>,
    second: Box<[u16]>,
}

/// The round keys of a block: KL, KO and KI of each round.
type RoundKeys = [([u16; 2], [u16; 3], [u16; 3]); 8];

impl TableKasumi {
    /// Makes the tables, 128 KiB each.
    pub fn new() -> Self {
        let mut tables =
            TableKasumi { first: vec![0; 1 << 16].into(), second: vec![0; 1 << 16].into() };
        for x in 0..=u16::MAX {
            tables.first[usize::from(x)] = half(x >> 7, x & 0x7f);
            tables.second[usize::from(x)] = half(x & 0x1ff, x >> 9);
        }
        tables
    }

    /// Encrypts or decrypts the first `bits` bits of a buffer in place with F8, as
    /// [`Loan::f8`](crate::Loan::f8) does.
    ///
    /// # Errors
    /// [`KasumiError`] if the bearer is greater than 31, or the buffer has fewer bits.
    pub fn f8(
        &self,
        key: &KasumiKey,
        count: u32,
        bearer: u8,
        direction: LinkDirection,
        buffer: &mut [u8],
        bits: usize,
    ) -> Result<(), KasumiError> {
        KasumiError::check_bits(bits, buffer.len())?;
        KasumiError::check_bearer(bearer)?;
        let start = super::f8::start(count, bearer, direction);
        let salt = self.encrypt(&round_keys(key, super::f8::MODIFIER), start);
        let keys = round_keys(key, 0);
        let mut stream = 0;
        for (number, block) in buffer[..bits.div_ceil(8)].chunks_mut(8).enumerate() {
            stream = self.encrypt(&keys, salt ^ number as u64 ^ stream);
            let place = block.as_mut_ptr();
            // SAFETY: the block has so many bits.
            unsafe { add_bits(stream, place, place, (bits - 64 * number).min(64)) };
        }
        Ok(())
    }

    /// KASUMI on one block (TS 35.202, 4.2).
    fn encrypt(&self, keys: &RoundKeys, block: u64) -> u64 {
        let (mut left, mut right) = ((block >> 32) as u32, block as u32);
        for (round, (kl, ko, ki)) in keys.iter().enumerate() {
            let f = match round % 2 {
                0 => self.fo(fl(left, kl), ko, ki),
                _ => fl(self.fo(left, ko, ki), kl),
            };
            (left, right) = (right ^ f, left);
        }
        u64::from(left) << 32 | u64::from(right)
    }

    #[inline(always)]
    fn fo(&self, x: u32, ko: &[u16; 3], ki: &[u16; 3]) -> u32 {
        let (mut left, mut right) = ((x >> 16) as u16, x as u16);
        for (ko, ki) in ko.iter().zip(ki) {
            let middle = self.first[usize::from(left ^ ko)] ^ ki;
            (left, right) = (right, self.second[usize::from(middle)] ^ right);
        }
        u32::from(left) << 16 | u32::from(right)
    }
}

impl Default for TableKasumi {
    fn default() -> Self {
        Self::new()
    }
}

#[inline(always)]
fn fl(x: u32, kl: &[u16; 2]) -> u32 {
    let (left, right) = ((x >> 16) as u16, x as u16);
    let right = right ^ (left & kl[0]).rotate_left(1);
    let left = left ^ (right | kl[1]).rotate_left(1);
    u32::from(left) << 16 | u32::from(right)
}

/// Half of FI (TS 35.202, 4.5), on 9 and 7 bits: 7 and 9 bits.
fn half(nine: u16, seven: u16) -> u16 {
    let nine = S9[usize::from(nine)] ^ seven;
    let seven = S7[usize::from(seven)] ^ (nine & 0x7f);
    seven << 9 | nine
}

/// The key schedule (TS 35.202, 4.6).
fn round_keys(key: &KasumiKey, modifier: u64) -> RoundKeys {
    let [high, low] = key.halves().map(|half| half ^ modifier);
    let both = u128::from(high) << 64 | u128::from(low);
    let word = |number: usize| (both >> (112 - 16 * (number % 8))) as u16;
    let primed = |number: usize| word(number) ^ CONSTANTS[number % 8];
    core::array::from_fn(|i| {
        (
            [word(i).rotate_left(1), primed(i + 2)],
            [word(i + 1).rotate_left(5), word(i + 5).rotate_left(8), word(i + 6).rotate_left(13)],
            [primed(i + 4), primed(i + 3), primed(i + 7)],
        )
    })
}

/// S7 and S9 (TS 35.202, 4.5).
#[rustfmt::skip]
const S7: [u16; 128] = [
    54, 50, 62, 56, 22, 34, 94, 96, 38, 6, 63, 93, 2, 18, 123, 33, 55, 113, 39, 114, 21, 67, 65, 12,
    47, 73, 46, 27, 25, 111, 124, 81, 53, 9, 121, 79, 52, 60, 58, 48, 101, 127, 40, 120, 104, 70,
    71, 43, 20, 122, 72, 61, 23, 109, 13, 100, 77, 1, 16, 7, 82, 10, 105, 98, 117, 116, 76, 11, 89,
    106, 0, 125, 118, 99, 86, 69, 30, 57, 126, 87, 112, 51, 17, 5, 95, 14, 90, 84, 91, 8, 35, 103,
    32, 97, 28, 66, 102, 31, 26, 45, 75, 4, 85, 92, 37, 74, 80, 49, 68, 29, 115, 44, 64, 107, 108,
    24, 110, 83, 36, 78, 42, 19, 15, 41, 88, 119, 59, 3,
];

#[rustfmt::skip]
const S9: [u16; 512] = [
    167, 239, 161, 379, 391, 334, 9, 338, 38, 226, 48, 358, 452, 385, 90, 397, 183, 253, 147, 331,
    415, 340, 51, 362, 306, 500, 262, 82, 216, 159, 356, 177, 175, 241, 489, 37, 206, 17, 0, 333,
    44, 254, 378, 58, 143, 220, 81, 400, 95, 3, 315, 245, 54, 235, 218, 405, 472, 264, 172, 494,
    371, 290, 399, 76, 165, 197, 395, 121, 257, 480, 423, 212, 240, 28, 462, 176, 406, 507, 288,
    223, 501, 407, 249, 265, 89, 186, 221, 428, 164, 74, 440, 196, 458, 421, 350, 163, 232, 158,
    134, 354, 13, 250, 491, 142, 191, 69, 193, 425, 152, 227, 366, 135, 344, 300, 276, 242, 437,
    320, 113, 278, 11, 243, 87, 317, 36, 93, 496, 27, 487, 446, 482, 41, 68, 156, 457, 131, 326,
    403, 339, 20, 39, 115, 442, 124, 475, 384, 508, 53, 112, 170, 479, 151, 126, 169, 73, 268, 279,
    321, 168, 364, 363, 292, 46, 499, 393, 327, 324, 24, 456, 267, 157, 460, 488, 426, 309, 229,
    439, 506, 208, 271, 349, 401, 434, 236, 16, 209, 359, 52, 56, 120, 199, 277, 465, 416, 252, 287,
    246, 6, 83, 305, 420, 345, 153, 502, 65, 61, 244, 282, 173, 222, 418, 67, 386, 368, 261, 101,
    476, 291, 195, 430, 49, 79, 166, 330, 280, 383, 373, 128, 382, 408, 155, 495, 367, 388, 274,
    107, 459, 417, 62, 454, 132, 225, 203, 316, 234, 14, 301, 91, 503, 286, 424, 211, 347, 307, 140,
    374, 35, 103, 125, 427, 19, 214, 453, 146, 498, 314, 444, 230, 256, 329, 198, 285, 50, 116, 78,
    410, 10, 205, 510, 171, 231, 45, 139, 467, 29, 86, 505, 32, 72, 26, 342, 150, 313, 490, 431,
    238, 411, 325, 149, 473, 40, 119, 174, 355, 185, 233, 389, 71, 448, 273, 372, 55, 110, 178, 322,
    12, 469, 392, 369, 190, 1, 109, 375, 137, 181, 88, 75, 308, 260, 484, 98, 272, 370, 275, 412,
    111, 336, 318, 4, 504, 492, 259, 304, 77, 337, 435, 21, 357, 303, 332, 483, 18, 47, 85, 25, 497,
    474, 289, 100, 269, 296, 478, 270, 106, 31, 104, 433, 84, 414, 486, 394, 96, 99, 154, 511, 148,
    413, 361, 409, 255, 162, 215, 302, 201, 266, 351, 343, 144, 441, 365, 108, 298, 251, 34, 182,
    509, 138, 210, 335, 133, 311, 352, 328, 141, 396, 346, 123, 319, 450, 281, 429, 228, 443, 481,
    92, 404, 485, 422, 248, 297, 23, 213, 130, 466, 22, 217, 283, 70, 294, 360, 419, 127, 312, 377,
    7, 468, 194, 2, 117, 295, 463, 258, 224, 447, 247, 187, 80, 398, 284, 353, 105, 390, 299, 471,
    470, 184, 57, 200, 348, 63, 204, 188, 33, 451, 97, 30, 310, 219, 94, 160, 129, 493, 64, 179,
    263, 102, 189, 207, 114, 402, 438, 477, 387, 122, 192, 42, 381, 5, 145, 118, 180, 449, 293, 323,
    136, 380, 43, 66, 60, 455, 341, 445, 202, 432, 8, 237, 15, 376, 436, 464, 59, 461,
];
