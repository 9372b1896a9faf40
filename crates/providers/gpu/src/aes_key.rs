//! AES round keys in the form that the kernels take, made in constant time.

use zeroize::Zeroizing;

/// The round keys of a key of 16, 24 or 32 bytes (FIPS 197, 5.2): four words for each round. Bit
/// planes of both blocks of a pair are equal, so that two planes share a word.
pub(crate) fn expand(key: &[u8]) -> Zeroizing<Vec<u32>> {
    let rounds = key.len() / 4 + 6;
    let mut words: Zeroizing<Vec<u32>> = Zeroizing::new(Vec::with_capacity(4 * (rounds + 1)));
    words.extend(
        key.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))),
    );
    let len = words.len();
    let mut constant = 1;
    for at in len..4 * (rounds + 1) {
        let mut word = words[at - 1];
        if at % len == 0 {
            // Words are little-endian: the first byte is the lowest.
            word = sub_word(word.rotate_right(8)) ^ u32::from(constant);
            constant = times_x(constant);
        } else if len > 6 && at % len == 4 {
            word = sub_word(word);
        }
        let word = word ^ words[at - len];
        words.push(word);
    }
    let mut packed = Zeroizing::new(Vec::with_capacity(words.len()));
    for round in words.chunks_exact(4) {
        packed.extend(pack(round.try_into().expect("four words")));
    }
    packed
}

/// Packs a round key that both blocks have: planes 0 and 1 as even and odd bits of a word, planes 2
/// and 3, and so on. Plane `k` has bit `k` of the byte in row `r` and column `c` at `8 r + 2 c`.
fn pack(columns: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|pair| {
        let mut word = 0;
        for row in 0..4 {
            for (c, column) in columns.iter().enumerate() {
                let bits = column >> (8 * row + 2 * pair) & 3;
                word |= bits << (8 * row + 2 * c);
            }
        }
        word
    })
}

fn sub_word(word: u32) -> u32 {
    u32::from_le_bytes(word.to_le_bytes().map(sub))
}

/// The S-box (FIPS 197, 5.1.1): the inverse, which is the power of 254, and an affine map.
fn sub(x: u8) -> u8 {
    let mut power = x;
    for _ in 0..6 {
        power = times(times(power, power), x);
    }
    let inverse = times(power, power);
    let turned = |by| inverse.rotate_left(by);
    inverse ^ turned(1) ^ turned(2) ^ turned(3) ^ turned(4) ^ 0x63
}

fn times_x(x: u8) -> u8 {
    (x << 1) ^ ((x >> 7) * 0x1b)
}

fn times(mut a: u8, b: u8) -> u8 {
    let mut product = 0;
    for bit in 0..8 {
        product ^= a & (b >> bit & 1).wrapping_neg();
        a = times_x(a);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a round key.
    fn unpack(packed: &[u32]) -> [u32; 4] {
        let mut columns = [0; 4];
        for (pair, word) in packed.iter().enumerate() {
            for row in 0..4 {
                for (c, column) in columns.iter_mut().enumerate() {
                    *column |= (word >> (8 * row + 2 * c) & 3) << (8 * row + 2 * pair);
                }
            }
        }
        columns.map(u32::swap_bytes)
    }

    /// The last words of the expansions in FIPS 197, A.1 to A.3.
    #[test]
    fn round_keys_are_those_of_the_standard() {
        let keys: [(&[u8], u32); 3] = [
            (b"\x2b\x7e\x15\x16\x28\xae\xd2\xa6\xab\xf7\x15\x88\x09\xcf\x4f\x3c", 0xb663_0ca6),
            (
                b"\x8e\x73\xb0\xf7\xda\x0e\x64\x52\xc8\x10\xf3\x2b\x80\x90\x79\xe5\
                  \x62\xf8\xea\xd2\x52\x2c\x6b\x7b",
                0x0100_2202,
            ),
            (
                b"\x60\x3d\xeb\x10\x15\xca\x71\xbe\x2b\x73\xae\xf0\x85\x7d\x77\x81\
                  \x1f\x35\x2c\x07\x3b\x61\x08\xd7\x2d\x98\x10\xa3\x09\x14\xdf\xf4",
                0x706c_631e,
            ),
        ];
        for (key, last) in keys {
            let packed = expand(key);
            let rounds = key.len() / 4 + 6;
            assert_eq!(packed.len(), 4 * (rounds + 1));
            assert_eq!(unpack(&packed[4 * rounds..])[3], last, "{} bytes", key.len());
        }
    }

    #[test]
    fn the_s_box_is_that_of_the_standard() {
        assert_eq!([0x00, 0x01, 0x53, 0xff].map(sub), [0x63, 0x7c, 0xed, 0x16]);
    }
}
