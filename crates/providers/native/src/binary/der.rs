//! Signatures of ECDSA in DER (RFC 3279, 2.2.3): a sequence of two integers.

use super::LEN;

/// The most bytes of a signature: both integers are below 2^283, so that none needs a zero before
/// it.
pub(super) const MOST: usize = 2 + 2 * (2 + LEN);

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;

/// Writes a signature of two numbers, the highest byte first. Returns its length.
pub(super) fn encode(numbers: [&[u8; LEN]; 2], output: &mut [u8]) -> usize {
    let mut at = 2;
    for number in numbers {
        let zeros = number.iter().take_while(|byte| **byte == 0).count().min(LEN - 1);
        let number = &number[zeros..];
        // A number with its highest bit set would be read as a negative one.
        let sign = usize::from(number[0] >> 7);
        output[at] = INTEGER;
        output[at + 1] = (sign + number.len()) as u8;
        output[at + 2] = 0;
        output[at + 2 + sign..][..number.len()].copy_from_slice(number);
        at += 2 + sign + number.len();
    }
    (output[0], output[1]) = (SEQUENCE, (at - 2) as u8);
    at
}

/// The two numbers of a signature: none of anything but the one encoding that DER has, or of a
/// number that is negative or too long.
pub(super) fn decode(signature: &[u8]) -> Option<[[u8; LEN]; 2]> {
    let (&[SEQUENCE, len], body) = signature.split_first_chunk()? else { return None };
    if usize::from(len) != body.len() || len >= 0x80 {
        return None;
    }
    let (r, rest) = integer(body)?;
    let (s, rest) = integer(rest)?;
    rest.is_empty().then_some([r, s])
}

/// A number, and what is behind it.
fn integer(bytes: &[u8]) -> Option<([u8; LEN], &[u8])> {
    let (&[INTEGER, len], rest) = bytes.split_first_chunk()? else { return None };
    let (digits, rest) = rest.split_at_checked(len.into())?;
    let digits = match digits {
        [0, next, ..] if *next < 0x80 => return None,
        [0, digits @ ..] if !digits.is_empty() => digits,
        [first, ..] if *first < 0x80 => digits,
        _ => return None,
    };
    let mut number = [0; LEN];
    number[LEN.checked_sub(digits.len())?..].copy_from_slice(digits);
    Some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(digits: &[u8]) -> [u8; LEN] {
        let mut number = [0; LEN];
        number[LEN - digits.len()..].copy_from_slice(digits);
        number
    }

    #[test]
    fn what_is_written_is_read() {
        let mut long = [0x7f; LEN];
        long[0] = 7;
        for digits in [&[0][..], &[1], &[0x7f], &[0x80], &[0xff, 0], &[1, 0, 0], &long] {
            let (r, s) = (number(digits), long);
            let mut room = [0xaa; MOST];
            let len = encode([&r, &s], &mut room);
            assert_eq!(decode(&room[..len]), Some([r, s]), "{digits:x?}");
            assert_eq!(decode(&room[..len - 1]), None);
        }
        let mut room = [0; MOST];
        assert_eq!(encode([&number(&[5]), &number(&[0x80])], &mut room), 9);
        assert_eq!(room[..9], [0x30, 7, 2, 1, 5, 2, 2, 0, 0x80]);
    }

    #[test]
    fn other_encodings_are_refused() {
        let good = [0x30, 6, 2, 1, 5, 2, 1, 6];
        assert!(decode(&good).is_some());
        let bad: [&[u8]; 12] = [
            &[],
            &[0x30],
            &[0x30, 0],
            &[0x31, 6, 2, 1, 5, 2, 1, 6],
            &[0x30, 7, 2, 1, 5, 2, 1, 6],
            &[0x30, 0x81, 6, 2, 1, 5, 2, 1, 6],
            &[0x30, 7, 2, 2, 0, 5, 2, 1, 6],
            &[0x30, 6, 2, 1, 0x85, 2, 1, 6],
            &[0x30, 5, 2, 0, 2, 1, 6],
            &[0x30, 6, 3, 1, 5, 2, 1, 6],
            &[0x30, 7, 2, 1, 5, 2, 1, 6, 0],
            &[0x30, 6, 2, 1, 5, 2, 2, 6],
        ];
        for bad in bad {
            assert_eq!(decode(bad), None, "{bad:x?}");
        }
        let long = [&[0x30, 2 + 37 + 3, 2, 37, 1][..], &[0; 36], &[2, 1, 6]].concat();
        assert_eq!(decode(&long), None);
    }
}
