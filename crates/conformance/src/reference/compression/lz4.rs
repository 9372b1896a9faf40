//! Decodes LZ4 blocks as the format's description has it: sequences of literals and a match, the
//! last one without a match.

use super::Unsound;

/// The shortest match.
const SHORTEST: usize = 4;

pub(super) fn unpack(packed: &[u8], output: &mut [u8]) -> Result<(usize, usize), Unsound> {
    let mut input = packed.iter().copied();
    let mut next = || input.next().ok_or(Unsound::Truncated);
    let mut written = 0;
    loop {
        let token = next()?;
        for _ in 0..length(token >> 4, &mut next)? {
            let byte = next()?;
            *output.get_mut(written).ok_or(Unsound::TooLong)? = byte;
            written += 1;
        }
        let Ok(low) = next() else { return Ok((packed.len(), written)) };
        let distance = usize::from(u16::from_le_bytes([low, next()?]));
        let len = SHORTEST + length(token & 15, &mut next)?;
        if distance == 0 || distance > written {
            return Err(Unsound::Malformed);
        }
        for _ in 0..len {
            let byte = output[written - distance];
            *output.get_mut(written).ok_or(Unsound::TooLong)? = byte;
            written += 1;
        }
    }
}

/// A length that begins with four bits. If all four are set, bytes follow, up to a byte that is not
/// 255.
fn length(bits: u8, next: &mut impl FnMut() -> Result<u8, Unsound>) -> Result<usize, Unsound> {
    let mut length = usize::from(bits);
    if bits == 15 {
        loop {
            let more = next()?;
            length += usize::from(more);
            if more != 255 {
                break;
            }
        }
    }
    Ok(length)
}
