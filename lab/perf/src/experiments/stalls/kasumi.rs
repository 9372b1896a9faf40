//! KASUMI (3GPP TS 35.202) in its mode F8 (TS 35.201), as source 004 computes it twice: by the
//! small tables of the standard, and by large ones.

use std::sync::LazyLock;

use broadloom_lanes::{Cpu, KasumiKey, LinkDirection, Loan, Planner};

use super::topic::TEXTBOOK;
use super::turns::{Name, Way};

/// The parameters of all buffers.
const KEY: [u8; 16] = [7; 16];
const COUNT: u32 = 1;
const BEARER: u8 = 2;

/// Returns both kinds of tables, and the lanes.
pub(super) fn ways(cpu: &Cpu) -> Vec<Way> {
    let small = F8::new(Small, &KEY);
    let large = F8::new(&*LARGE, &KEY);
    let mut planner = Planner::new(cpu);
    let key = KasumiKey::new(&KEY);
    let lanes = move |buffers: &mut [Vec<u8>]| {
        planner.process_each(buffers.iter_mut().map(|buffer| {
            let bits = 8 * buffer.len();
            Loan::f8(&key, COUNT, BEARER, LinkDirection::Uplink, buffer, bits)
                .expect("the bearer has 5 bits, and the buffer is whole")
        }));
    };
    let name = Name { provider: "native", options: None, kernel: "bitsliced lanes".to_owned() };
    vec![
        textbook("tables=small", "S7 and S9", small),
        textbook("tables=large", "two tables of 65,536 entries", large),
        Way { name, cipher: Box::new(lanes) },
    ]
}

fn textbook<T: Fi + 'static>(options: &'static str, kernel: &str, f8: F8<T>) -> Way {
    let cipher = move |buffers: &mut [Vec<u8>]| {
        buffers.iter_mut().for_each(|buffer| f8.cipher(COUNT, BEARER, buffer));
    };
    let name = Name { provider: TEXTBOOK, options: Some(options), kernel: kernel.to_owned() };
    Way { name, cipher: Box::new(cipher) }
}

/// Tables that FI is computed with (TS 35.202, 4.5).
trait Fi {
    /// Returns FI of 16 bits, with a round key of as many.
    fn fi(&self, x: u16, key: u16) -> u16;
}

/// The tables of the standard: 128 entries and 512.
struct Small;

impl Fi for Small {
    #[inline(always)]
    fn fi(&self, x: u16, key: u16) -> u16 {
        let middle = half(x >> 7, x & 0x7f);
        let (seven, nine) = (middle >> 9 ^ key >> 9, (middle ^ key) & 0x1ff);
        half(nine, seven)
    }
}

/// The large tables, which all threads share.
static LARGE: LazyLock<Large> = LazyLock::new(Large::new);

/// A table for each half of FI: 65,536 entries, 128 KiB.
struct Large {
    first: Box<[u16; 1 << 16]>,
    second: Box<[u16; 1 << 16]>,
}

impl Large {
    fn new() -> Self {
        let table = |entry: fn(u16) -> u16| {
            let entries: Box<[u16]> = (0..=u16::MAX).map(entry).collect();
            entries.try_into().expect("it has an entry for each value of 16 bits")
        };
        Large {
            first: table(|x| half(x >> 7, x & 0x7f)),
            second: table(|x| half(x & 0x1ff, x >> 9)),
        }
    }
}

impl Fi for &Large {
    #[inline(always)]
    fn fi(&self, x: u16, key: u16) -> u16 {
        self.second[usize::from(self.first[usize::from(x)] ^ key)]
    }
}

/// Returns what half of FI makes of 9 bits and 7: 7 bits, and 9 below them.
#[inline(always)]
fn half(nine: u16, seven: u16) -> u16 {
    let nine = S9[usize::from(nine)] ^ seven;
    let seven = S7[usize::from(seven)] ^ (nine & 0x7f);
    seven << 9 | nine
}

/// The round keys of a block: KL, KO and KI of each round.
type RoundKeys = [([u16; 2], [u16; 3], [u16; 3]); 8];

/// F8 with a key.
struct F8<T> {
    tables: T,
    /// For the block that a key stream starts from.
    starts: RoundKeys,
    keys: RoundKeys,
}

impl<T: Fi> F8<T> {
    fn new(tables: T, key: &[u8; 16]) -> Self {
        let key = u128::from_be_bytes(*key);
        // The modifier of TS 35.201.
        let starts = round_keys(key ^ u128::from_be_bytes([0x55; 16]));
        F8 { tables, starts, keys: round_keys(key) }
    }

    /// Encrypts or decrypts whole bytes on their way from the mobile.
    fn cipher(&self, count: u32, bearer: u8, buffer: &mut [u8]) {
        let start = u64::from(count) << 32 | u64::from(bearer) << 27;
        let salt = self.encrypt(&self.starts, start);
        let mut stream = 0;
        for (number, block) in buffer.chunks_mut(8).enumerate() {
            stream = self.encrypt(&self.keys, salt ^ number as u64 ^ stream);
            block.iter_mut().zip(stream.to_be_bytes()).for_each(|(byte, other)| *byte ^= other);
        }
    }

    /// Encrypts one block (TS 35.202, 4.2).
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
            (left, right) = (right, self.tables.fi(left ^ ko, *ki) ^ right);
        }
        u32::from(left) << 16 | u32::from(right)
    }
}

#[inline(always)]
fn fl(x: u32, kl: &[u16; 2]) -> u32 {
    let (left, right) = ((x >> 16) as u16, x as u16);
    let right = right ^ (left & kl[0]).rotate_left(1);
    let left = left ^ (right | kl[1]).rotate_left(1);
    u32::from(left) << 16 | u32::from(right)
}

/// The constants of the key schedule (TS 35.202, 4.6).
const CONSTANTS: [u16; 8] = [0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210];

/// Returns the key schedule (TS 35.202, 4.6).
fn round_keys(key: u128) -> RoundKeys {
    let word = |number: usize| (key >> (112 - 16 * (number % 8))) as u16;
    let primed = |number: usize| word(number) ^ CONSTANTS[number % 8];
    std::array::from_fn(|i| {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// With many keys and all short lengths, both kinds of tables make what the lanes make.
    #[test]
    fn tables_agree_with_the_lanes() {
        let mut random = fastrand::Rng::with_seed(4);
        let mut planner = Planner::new(&Cpu::detect());
        for len in 0..200 {
            let mut key = [0; 16];
            random.fill(&mut key);
            let (count, bearer) = (random.u32(..), random.u8(..32));
            let mut text = vec![0; len];
            random.fill(&mut text);
            let mut expected = text.clone();
            let lanes_key = KasumiKey::new(&key);
            let direction = LinkDirection::Uplink;
            let loan = Loan::f8(&lanes_key, count, bearer, direction, &mut expected, 8 * len);
            planner.process_each([loan.unwrap()]);
            let mut small = text.clone();
            F8::new(Small, &key).cipher(count, bearer, &mut small);
            assert_eq!(small, expected, "S7 and S9, {len} bytes");
            F8::new(&*LARGE, &key).cipher(count, bearer, &mut text);
            assert_eq!(text, expected, "large tables, {len} bytes");
        }
    }

    #[test]
    fn all_ways_cipher_alike() {
        let make = |mut way: Way| {
            let mut buffers = [vec![1; 100], vec![2; 8]];
            (way.cipher)(&mut buffers);
            buffers
        };
        let made: Vec<_> = ways(&Cpu::detect()).into_iter().map(make).collect();
        assert!(made.windows(2).all(|pair| pair[0] == pair[1]));
    }
}
