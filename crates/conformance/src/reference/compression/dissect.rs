//! Decodes DEFLATE bit by bit, as RFC 1951 describes it. It is slow, and records what it sees, so
//! that tests can check windows, static codes and endings of a stream.

use super::Unsound;

/// The contents of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dissected {
    /// Its blocks. The last is final; or the stream ends on a byte boundary where another could
    /// begin.
    pub blocks: Vec<Block>,
    /// The longest distance of a match, in bytes; 0 where there is none.
    pub farthest: usize,
    /// The uncompressed bytes.
    pub output: Vec<u8>,
    /// Bytes of the stream; the last one may be partial.
    pub consumed: usize,
}

/// A block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// How its bytes are written.
    pub kind: BlockKind,
    /// None follows it.
    pub is_final: bool,
}

/// How a block's bytes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// As they are.
    Stored,
    /// With the codes of RFC 1951 section 3.2.6.
    Static,
    /// With codes of its own.
    Dynamic,
}

/// Takes a stream apart, up to its final block, or, where it has none, up to its end.
///
/// # Errors
/// [`Unsound`]; there is always room for the output.
pub fn dissect(stream: &[u8]) -> Result<Dissected, Unsound> {
    let mut bits = Bits { stream, at: 0 };
    let (mut blocks, mut output, mut farthest) = (Vec::new(), Vec::new(), 0);
    while bits.at < 8 * stream.len() {
        let is_final = bits.take(1)? == 1;
        let kind = match bits.take(2)? {
            0 => BlockKind::Stored,
            1 => BlockKind::Static,
            2 => BlockKind::Dynamic,
            _ => return Err(Unsound::Malformed),
        };
        let mut far = 0;
        match kind {
            BlockKind::Stored => stored(&mut bits, &mut output)?,
            BlockKind::Static => {
                let lens: Vec<u8> = (0..288)
                    .map(|symbol| match symbol {
                        144..=255 => 9,
                        256..=279 => 7,
                        _ => 8,
                    })
                    .collect();
                far = coded(&mut bits, &Codes::new(&lens)?, &Codes::new(&[5; 32])?, &mut output)?;
            }
            BlockKind::Dynamic => {
                let (literals, distances) = own_codes(&mut bits)?;
                far = coded(&mut bits, &literals, &distances, &mut output)?;
            }
        }
        farthest = farthest.max(far);
        blocks.push(Block { kind, is_final });
        if is_final {
            return Ok(Dissected { blocks, farthest, output, consumed: bits.at.div_ceil(8) });
        }
    }
    Ok(Dissected { blocks, farthest, output, consumed: stream.len() })
}

/// The bits of a stream, the lowest of each byte first.
struct Bits<'s> {
    stream: &'s [u8],
    at: usize,
}

impl Bits<'_> {
    /// A number of so many bits, the lowest first.
    fn take(&mut self, count: usize) -> Result<usize, Unsound> {
        let mut number = 0;
        for place in 0..count {
            let byte = self.stream.get(self.at / 8).ok_or(Unsound::Truncated)?;
            number |= usize::from(byte >> (self.at % 8) & 1) << place;
            self.at += 1;
        }
        Ok(number)
    }
}

fn stored(bits: &mut Bits<'_>, output: &mut Vec<u8>) -> Result<(), Unsound> {
    bits.at = bits.at.next_multiple_of(8);
    let (len, complement) = (bits.take(16)?, bits.take(16)?);
    if len != complement ^ 0xffff {
        return Err(Unsound::Malformed);
    }
    let bytes = bits.stream[bits.at / 8..].get(..len).ok_or(Unsound::Truncated)?;
    output.extend_from_slice(bytes);
    bits.at += 8 * len;
    Ok(())
}

/// A Huffman code, determined by the lengths of its words (section 3.2.2).
struct Codes {
    /// Words of each length.
    counts: [usize; 16],
    /// The symbols in the order of their words.
    symbols: Vec<usize>,
}

impl Codes {
    fn new(lens: &[u8]) -> Result<Codes, Unsound> {
        let of_len = |len: usize| lens.iter().filter(|own| usize::from(**own) == len).count();
        let mut counts: [usize; 16] = std::array::from_fn(of_len);
        counts[0] = 0;
        let mut symbols: Vec<_> = (0..lens.len()).filter(|symbol| lens[*symbol] > 0).collect();
        symbols.sort_by_key(|symbol| lens[*symbol]);
        let taken: usize = (1..16).map(|len| counts[len] << (15 - len)).sum();
        // One word of one bit may stand alone, and there may be none.
        let alone = symbols.len() <= 1 && symbols.len() == counts[1];
        if taken == 1 << 15 || alone {
            Ok(Codes { counts, symbols })
        } else {
            Err(Unsound::Malformed)
        }
    }

    fn take(&self, bits: &mut Bits<'_>) -> Result<usize, Unsound> {
        // Words of one length are numbers in a row: which is the first, and how many came before.
        let (mut word, mut first, mut before) = (0, 0, 0);
        for count in &self.counts[1..] {
            word = word << 1 | bits.take(1)?;
            if word < first + count {
                return Ok(self.symbols[before + word - first]);
            }
            before += count;
            first = (first + count) << 1;
        }
        Err(Unsound::Malformed)
    }
}

/// The codes at the start of a dynamic block (section 3.2.7).
fn own_codes(bits: &mut Bits<'_>) -> Result<(Codes, Codes), Unsound> {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let (literals, distances, words) = (bits.take(5)? + 257, bits.take(5)? + 1, bits.take(4)? + 4);
    let mut lens = [0; 19];
    for place in &ORDER[..words] {
        lens[*place] = bits.take(3)? as u8;
    }
    let codes = Codes::new(&lens)?;
    let mut lens: Vec<u8> = Vec::new();
    while lens.len() < literals + distances {
        let (len, times) = match codes.take(bits)? {
            16 => (*lens.last().ok_or(Unsound::Malformed)?, 3 + bits.take(2)?),
            17 => (0, 3 + bits.take(3)?),
            18 => (0, 11 + bits.take(7)?),
            len => (len as u8, 1),
        };
        lens.extend(std::iter::repeat_n(len, times));
    }
    let ends = lens.get(256) != Some(&0);
    if lens.len() > literals + distances || !ends || literals > 286 || distances > 30 {
        return Err(Unsound::Malformed);
    }
    let (literals, distances) = lens.split_at(literals);
    Ok((Codes::new(literals)?, Codes::new(distances)?))
}

/// A block's literals and matches; the longest distance of one.
fn coded(
    bits: &mut Bits<'_>,
    literals: &Codes,
    distances: &Codes,
    output: &mut Vec<u8>,
) -> Result<usize, Unsound> {
    let mut farthest = 0;
    loop {
        let symbol = literals.take(bits)?;
        let len = match symbol {
            0..=255 => {
                output.push(symbol as u8);
                continue;
            }
            256 => return Ok(farthest),
            257..=284 => 3 + ranged(symbol - 257, 4, bits)?,
            285 => 258,
            _ => return Err(Unsound::Malformed),
        };
        let distance = match distances.take(bits)? {
            symbol @ 0..=29 => 1 + ranged(symbol, 2, bits)?,
            _ => return Err(Unsound::Malformed),
        };
        let start = output.len().checked_sub(distance).ok_or(Unsound::Malformed)?;
        (start..start + len).for_each(|from| output.push(output[from]));
        farthest = farthest.max(distance);
    }
}

/// A number from a symbol and the bits after it (section 3.2.5): the first two rows of `row`
/// symbols each stand for one number, and from then on each row's symbols stand for twice as many
/// numbers as those of the row before.
fn ranged(symbol: usize, row: usize, bits: &mut Bits<'_>) -> Result<usize, Unsound> {
    let extra = (symbol / row).saturating_sub(1);
    let first = if extra == 0 { symbol } else { (row + symbol % row) << extra };
    Ok(first + bits.take(extra)?)
}
