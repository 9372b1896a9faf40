//! Signatures of ECDSA in DER (RFC 3279, 2.2.3): a sequence of two integers.

/// Returns the most bytes of a signature of two numbers of so many bytes, each with a zero before
/// it.
pub const fn most(len: usize) -> usize {
    2 + 2 * (3 + len)
}

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;

/// Writes a signature of two numbers of at most 48 bytes, the highest byte first. Returns its
/// length.
///
/// # Panics
/// If a number is empty, or the output has less room than [`most`] says.
pub fn encode(numbers: [&[u8]; 2], output: &mut [u8]) -> usize {
    let mut at = 2;
    for number in numbers {
        let zeros = number.iter().take_while(|byte| **byte == 0).count().min(number.len() - 1);
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

/// Puts the two numbers of a signature into as many bytes as there are. Returns `None` of anything
/// but the one encoding that DER has, and of a number that is negative or too long.
pub fn decode(signature: &[u8], numbers: [&mut [u8]; 2]) -> Option<()> {
    let (&[SEQUENCE, len], mut rest) = signature.split_first_chunk()? else { return None };
    if usize::from(len) != rest.len() || len >= 0x80 {
        return None;
    }
    for number in numbers {
        let digits;
        (digits, rest) = integer(rest)?;
        let zeros = number.len().checked_sub(digits.len())?;
        number[..zeros].fill(0);
        number[zeros..].copy_from_slice(digits);
    }
    rest.is_empty().then_some(())
}

/// Returns the bytes of a number without the zero that says that it is not negative, and what is
/// behind it.
fn integer(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&[INTEGER, len], rest) = bytes.split_first_chunk()? else { return None };
    let (digits, rest) = rest.split_at_checked(len.into())?;
    let digits = match digits {
        [0, next, ..] if *next < 0x80 => return None,
        [0, digits @ ..] if !digits.is_empty() => digits,
        [first, ..] if *first < 0x80 => digits,
        _ => return None,
    };
    Some((digits, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most bytes that a coordinate has.
    const LEN: usize = 48;

    fn number(digits: &[u8]) -> [u8; LEN] {
        let mut number = [0; LEN];
        number[LEN - digits.len()..].copy_from_slice(digits);
        number
    }

    fn decoded(signature: &[u8]) -> Option<[[u8; LEN]; 2]> {
        let mut numbers = [[0xaa; LEN]; 2];
        let [r, s] = &mut numbers;
        decode(signature, [r, s])?;
        Some(numbers)
    }

    #[test]
    fn what_is_written_is_read() {
        let mut long = [0x7f; LEN];
        long[0] = 7;
        for digits in [&[0][..], &[1], &[0x7f], &[0x80], &[0xff, 0], &[1, 0, 0], &long] {
            let (r, s) = (number(digits), long);
            let mut room = [0xaa; most(LEN)];
            let len = encode([&r, &s], &mut room);
            assert_eq!(decoded(&room[..len]), Some([r, s]), "{digits:x?}");
            assert_eq!(decoded(&room[..len - 1]), None);
        }
        let mut room = [0; most(LEN)];
        assert_eq!(encode([&number(&[5]), &number(&[0x80])], &mut room), 9);
        assert_eq!(room[..9], [0x30, 7, 2, 1, 5, 2, 2, 0, 0x80]);
    }

    /// Numbers of 256 bits may have their highest bit set, and are no longer than that.
    #[test]
    fn numbers_that_fill_their_bytes_have_a_zero_before_them() {
        let mut room = [0; most(32)];
        assert_eq!(encode([&[0xff; 32], &[0x80; 32]], &mut room), most(32));
        assert_eq!(room[..5], [0x30, 70, 2, 33, 0]);
        let mut numbers = [[0; 32]; 2];
        let [r, s] = &mut numbers;
        assert_eq!(decode(&room, [r, s]), Some(()));
        assert_eq!(numbers, [[0xff; 32], [0x80; 32]]);
        let mut short = [[0; 31]; 2];
        let [r, s] = &mut short;
        assert_eq!(decode(&room, [r, s]), None);
    }

    #[test]
    fn other_encodings_are_refused() {
        let good = [0x30, 6, 2, 1, 5, 2, 1, 6];
        assert!(decoded(&good).is_some());
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
            assert_eq!(decoded(bad), None, "{bad:x?}");
        }
        // A number that is longer by a byte.
        let longer = LEN as u8 + 1;
        let long = [&[0x30, 2 + longer + 3, 2, longer, 1][..], &[0; LEN], &[2, 1, 6]].concat();
        assert_eq!(decoded(&long), None);
    }
}
