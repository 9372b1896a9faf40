//! F8 and F9 of TS 35.201 as it puts them, bit by bit, over KASUMI as TS 35.202 puts it, with its tables.

use broadloom_lanes::LinkDirection;

/// The first bits of bytes, from the highest of the first.
fn bits_of(bytes: &[u8], bits: usize) -> Vec<bool> {
    (0..bits).map(|i| bytes[i / 8] >> (7 - i % 8) & 1 == 1).collect()
}

fn block_of(bits: &[bool]) -> u64 {
    assert_eq!(bits.len(), 64);
    bits.iter().fold(0, |block, bit| block << 1 | u64::from(*bit))
}

/// What becomes of a buffer whose first bits are encrypted or decrypted.
pub fn f8(
    key: &[u8; 16],
    (count, bearer, direction): (u32, u8, LinkDirection),
    text: &[u8],
    bits: usize,
) -> Vec<u8> {
    let direction = u64::from(direction == LinkDirection::Downlink);
    let start = u64::from(count) << 32 | u64::from(bearer) << 27 | direction << 26;
    let salt = kasumi(&key.map(|byte| byte ^ 0x55), start);
    let mut text = text.to_vec();
    let mut stream = 0;
    for i in 0..bits {
        if i % 64 == 0 {
            stream = kasumi(key, salt ^ (i / 64) as u64 ^ stream);
        }
        text[i / 8] ^= ((stream >> (63 - i % 64) & 1) as u8) << (7 - i % 8);
    }
    text
}

/// The message authentication code of the first bits of data.
pub fn f9(
    key: &[u8; 16],
    (count, fresh, direction): (u32, u32, LinkDirection),
    data: &[u8],
    bits: usize,
) -> [u8; 4] {
    let mut padded = bits_of(&[count.to_be_bytes(), fresh.to_be_bytes()].concat(), 64);
    padded.extend(bits_of(data, bits));
    padded.extend([direction == LinkDirection::Downlink, true]);
    padded.resize(padded.len().next_multiple_of(64), false);
    let (mut a, mut b) = (0, 0);
    for block in padded.chunks(64) {
        a = kasumi(key, a ^ block_of(block));
        b ^= a;
    }
    let last = kasumi(&key.map(|byte| byte ^ 0xaa), b);
    ((last >> 32) as u32).to_be_bytes()
}

/// KASUMI on one block.
pub fn kasumi(key: &[u8; 16], block: u64) -> u64 {
    let (pairs, _) = key.as_chunks::<2>();
    let constants = [0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210];
    let k = |i: usize| u16::from_be_bytes(pairs[i % 8]);
    let k_prime = |i: usize| k(i) ^ constants[i % 8];
    let (mut left, mut right) = ((block >> 32) as u32, block as u32);
    for i in 0..8 {
        let kl = [k(i).rotate_left(1), k_prime(i + 2)];
        let ko = [k(i + 1).rotate_left(5), k(i + 5).rotate_left(8), k(i + 6).rotate_left(13)];
        let ki = [k_prime(i + 4), k_prime(i + 3), k_prime(i + 7)];
        let f = if i % 2 == 0 { fo(fl(left, kl), ko, ki) } else { fl(fo(left, ko, ki), kl) };
        (left, right) = (right ^ f, left);
    }
    u64::from(left) << 32 | u64::from(right)
}

fn fl(x: u32, kl: [u16; 2]) -> u32 {
    let (left, right) = ((x >> 16) as u16, x as u16);
    let right = right ^ (left & kl[0]).rotate_left(1);
    let left = left ^ (right | kl[1]).rotate_left(1);
    u32::from(left) << 16 | u32::from(right)
}

fn fo(x: u32, ko: [u16; 3], ki: [u16; 3]) -> u32 {
    let (mut left, mut right) = ((x >> 16) as u16, x as u16);
    for j in 0..3 {
        (left, right) = (right, fi(left ^ ko[j], ki[j]) ^ right);
    }
    u32::from(left) << 16 | u32::from(right)
}

fn fi(x: u16, ki: u16) -> u16 {
    let (nine, seven) = (x >> 7, x & 0x7f);
    let nine = S9[usize::from(nine)] ^ seven;
    let seven = u16::from(S7[usize::from(seven)]) ^ (nine & 0x7f);
    let (nine, seven) = (nine ^ (ki & 0x1ff), seven ^ (ki >> 9));
    let nine = S9[usize::from(nine)] ^ seven;
    let seven = u16::from(S7[usize::from(seven)]) ^ (nine & 0x7f);
    seven << 9 | nine
}

#[rustfmt::skip]
const S7: [u8; 128] = [
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
