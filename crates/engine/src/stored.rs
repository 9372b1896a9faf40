//! DEFLATE's stored blocks (RFC 1951 section 3.2.4): what incompressible bytes cost at most.

use crate::algorithm::Ending;

/// Bytes that one block holds.
const BLOCK: usize = 65535;
/// Bytes of its header, on a byte boundary.
const HEADER: usize = 5;

/// Bytes that `len` bytes take in stored blocks.
pub(crate) const fn len(len: usize) -> usize {
    let blocks = if len == 0 { 1 } else { len.div_ceil(BLOCK) };
    len.saturating_add(blocks * HEADER)
}

/// Writes bytes in stored blocks over what `output` holds; the last is final, or more may follow.
pub(crate) fn write(input: &[u8], ending: Ending, output: &mut Vec<u8>) {
    output.clear();
    output.reserve(len(input.len()));
    let mut rest = input;
    loop {
        let (block, after) = rest.split_at(rest.len().min(BLOCK));
        let is_final = after.is_empty() && ending == Ending::Final;
        let size = block.len() as u16;
        output.push(u8::from(is_final));
        output.extend_from_slice(&size.to_le_bytes());
        output.extend_from_slice(&(!size).to_le_bytes());
        output.extend_from_slice(block);
        rest = after;
        if rest.is_empty() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_as_the_rfc_lays_them_out() {
        let mut output = vec![9; 3];
        write(b"ab", Ending::Final, &mut output);
        assert_eq!(output, [1, 2, 0, 0xfd, 0xff, b'a', b'b']);
        write(b"", Ending::Open, &mut output);
        assert_eq!(output, [0, 0, 0, 0xff, 0xff]);
    }

    #[test]
    fn only_the_last_of_several_blocks_is_final() {
        let input = vec![7; BLOCK + 1];
        let mut output = Vec::new();
        write(&input, Ending::Final, &mut output);
        assert_eq!(output.len(), len(input.len()));
        assert_eq!(output[..5], [0, 0xff, 0xff, 0, 0]);
        assert_eq!(output[HEADER + BLOCK..], [1, 1, 0, 0xfe, 0xff, 7]);
    }
}
