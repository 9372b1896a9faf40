//! Signatures of ECDSA in DER (RFC 3279, 2.2.3): a sequence of two integers.

/// Returns the most bytes of a signature of two numbers of so many bits. A number whose bits fill
/// its bytes has a zero before it.
pub const fn most(bits: usize) -> usize {
    let content = 2 * (2 + bits / 8 + 1);
    header_len(content) + content
}

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;

/// Says that the next byte is the length: of 128 bytes and more.
const LONG: u8 = 0x81;

/// Returns the bytes before so many bytes of a sequence, of which there are at most 255.
const fn header_len(content: usize) -> usize {
    if content < 0x80 { 2 } else { 3 }
}

/// Writes a signature of two numbers of at most 66 bytes, the highest byte first. Returns its
/// length.
///
/// # Panics
/// If a number is empty, or the output has less room than [`most`] says.
pub fn encode(numbers: [&[u8]; 2], output: &mut [u8]) -> usize {
    let numbers = numbers.map(|number| {
        let zeros = number.iter().take_while(|byte| **byte == 0).count().min(number.len() - 1);
        &number[zeros..]
    });
    let content: usize = numbers.iter().map(|n| 2 + usize::from(n[0] >> 7) + n.len()).sum();
    let mut at = header_len(content);
    (output[0], output[1]) = (SEQUENCE, LONG);
    output[at - 1] = content as u8;
    for number in numbers {
        // A number with its highest bit set would be read as a negative one.
        let sign = usize::from(number[0] >> 7);
        output[at] = INTEGER;
        output[at + 1] = (sign + number.len()) as u8;
        output[at + 2] = 0;
        output[at + 2 + sign..][..number.len()].copy_from_slice(number);
        at += 2 + sign + number.len();
    }
    at
}

/// Puts the two numbers of a signature into as many bytes as there are. Returns `None` of anything
/// but the one encoding that DER has, and of a number that is negative or too long.
pub fn decode(signature: &[u8], numbers: [&mut [u8]; 2]) -> Option<()> {
    let (len, mut rest) = match signature {
        [SEQUENCE, len @ ..=0x7f, rest @ ..] | [SEQUENCE, LONG, len @ 0x80..=0xff, rest @ ..] => {
            (usize::from(*len), rest)
        }
        _ => return None,
    };
    if len != rest.len() {
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
    use super::super::MAX_LEN;
    use super::*;

    /// The most bytes that a coordinate has.
    const LEN: usize = MAX_LEN;

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
            let mut room = [0xaa; most(8 * LEN)];
            let len = encode([&r, &s], &mut room);
            assert_eq!(decoded(&room[..len]), Some([r, s]), "{digits:x?}");
            assert_eq!(decoded(&room[..len - 1]), None);
        }
        let mut room = [0; most(8 * LEN)];
        assert_eq!(encode([&number(&[5]), &number(&[0x80])], &mut room), 9);
        assert_eq!(room[..9], [0x30, 7, 2, 1, 5, 2, 2, 0, 0x80]);
    }

    /// Numbers of 256 bits may have their highest bit set, and are no longer than that.
    #[test]
    fn numbers_that_fill_their_bytes_have_a_zero_before_them() {
        let mut room = [0; most(256)];
        assert_eq!(encode([&[0xff; 32], &[0x80; 32]], &mut room), most(256));
        assert_eq!(room[..5], [0x30, 70, 2, 33, 0]);
        let mut numbers = [[0; 32]; 2];
        let [r, s] = &mut numbers;
        assert_eq!(decode(&room, [r, s]), Some(()));
        assert_eq!(numbers, [[0xff; 32], [0x80; 32]]);
        let mut short = [[0; 31]; 2];
        let [r, s] = &mut short;
        assert_eq!(decode(&room, [r, s]), None);
    }

    /// A signature on P-521 may have 128 bytes and more.
    #[test]
    fn long_signatures_have_a_byte_more_before_them() {
        let mut long = [0xff; LEN];
        long[0] = 1;
        for (len, header) in [(57, &[0x30, 0x7f][..]), (58, &[0x30, 0x81, 0x80][..])] {
            // Beside it, a number of 66 bytes: 68 in all.
            let other = &[0x7f; 57 + 1][..len];
            let mut room = [0xaa; most(8 * LEN)];
            let written = encode([&long, other], &mut room);
            assert_eq!(written, header.len() + 68 + 2 + len);
            assert_eq!(room[..header.len()], *header);
            assert_eq!(decoded(&room[..written]), Some([long, number(other)]));
            assert_eq!(decoded(&room[..written - 1]), None);
            assert_eq!(decoded(&room[..written + 1]), None);
        }
        // A length of more bytes than it needs.
        let mut room = [0; most(8 * LEN)];
        let written = encode([&long, &[0x7f; 57]], &mut room);
        let longer = [&[0x30, 0x81, 0x7f][..], &room[2..written]].concat();
        assert_eq!(decoded(&longer), None);
        // The longest of this curve, whose numbers have 521 bits.
        assert_eq!(encode([&long, &long], &mut room), most(521));
        assert_eq!(room[..6], [0x30, 0x81, 136, 2, 66, 1]);
        assert_eq!(decoded(&room[..most(521)]), Some([long, long]));
        let mut full = [0; most(8 * LEN)];
        assert_eq!(encode([&[0xff; LEN], &[0x80; LEN]], &mut full), most(8 * LEN));
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
