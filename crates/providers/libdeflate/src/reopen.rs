//! Turns complete streams into open ones: the final block becomes an ordinary block.
//!
//! libdeflate marks the last block of every stream as final. The mark is one bit of that block's
//! header, and only a walk over all blocks finds it: each symbol is decoded only as far as its
//! length in bits, and nothing is written. The mark is cleared, and an empty stored block follows,
//! which ends on a byte boundary.

/// Bits that a table is indexed by. Longer codes are decoded bit by bit.
const INDEX: u32 = 11;
const ENTRIES: usize = 1 << INDEX;
/// The longest code, in bits.
const LONGEST: usize = 15;

/// An entry of a table: how many bits to skip, where the next symbol is looked up, and whether the
/// symbol needs more than that.
type Entry = u16;
const SKIP: Entry = 0x3f;
/// The next symbol is a distance. The value is the index at which the table of distances begins.
const DISTANCE: Entry = ENTRIES as Entry;
/// The block ends.
const END: Entry = 0x4000;
/// The code is longer than the index, or there is no such code.
const LONG: Entry = 0x8000;

const LITERALS: usize = 288;
const DISTANCES: usize = 30;
/// The symbol that ends a block.
const END_OF_BLOCK: usize = 256;
/// In this order a header has the lengths of the codes for code lengths (RFC 1951 section 3.2.7).
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Bytes that an open stream takes beyond the complete one it is made of, at most.
pub(crate) const MARKER: usize = 5;
/// An empty stored block behind its header: a length of zero, and its complement.
const EMPTY: [u8; 4] = [0, 0, 0xff, 0xff];

/// The memory of a walk, used again for every stream.
pub(crate) struct Reopener {
    /// The table of literals and lengths, and behind it the one of distances.
    table: Box<[Entry; 2 * ENTRIES]>,
    literals: Code,
    distances: Code,
}

/// A stream in which no final block was found. libdeflate makes no such stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoFinalBlock;

impl Reopener {
    pub(crate) fn new() -> Reopener {
        let table = Box::new([LONG; 2 * ENTRIES]);
        Reopener { table, literals: Code::EMPTY, distances: Code::EMPTY }
    }

    /// Makes the complete stream of `len` bytes at the beginning of `output` an open one, and
    /// returns its length.
    ///
    /// # Errors
    /// [`NoFinalBlock`].
    ///
    /// # Panics
    /// If `output` does not have [`MARKER`] bytes more than the stream.
    pub(crate) fn reopen(&mut self, output: &mut [u8], len: usize) -> Result<usize, NoFinalBlock> {
        let (header, end) = self.final_block(&output[..len]).ok_or(NoFinalBlock)?;
        output[header / 8] &= !(1 << (header % 8));
        // Three bits of zero are the header of a stored block, and so is what libdeflate pads with.
        let marker = (end + 3).div_ceil(8);
        output[len..marker.max(len)].fill(0);
        output[marker..marker + EMPTY.len()].copy_from_slice(&EMPTY);
        Ok(marker + EMPTY.len())
    }

    /// Finds the bits at which the final block begins and ends.
    fn final_block(&mut self, stream: &[u8]) -> Option<(usize, usize)> {
        let mut bits = Bits { bytes: stream, next: 0, buffer: 0, count: 0 };
        loop {
            bits.refill()?;
            let header = bits.position();
            let is_final = bits.take(1) == 1;
            match bits.take(2) {
                0 => bits.pass_stored()?,
                1 => {
                    self.fixed();
                    self.pass_symbols(&mut bits)?;
                }
                2 => {
                    self.dynamic(&mut bits)?;
                    self.pass_symbols(&mut bits)?;
                }
                _ => return None,
            }
            let end = bits.position();
            if end > 8 * stream.len() {
                return None;
            }
            if is_final {
                return Some((header, end));
            }
        }
    }

    /// Passes all symbols of a block.
    fn pass_symbols(&self, bits: &mut Bits<'_>) -> Option<()> {
        let mut base = 0;
        loop {
            bits.refill()?;
            // A refill is enough for two: the longest are 20 bits and 28.
            for _ in 0..2 {
                let index = base | (bits.buffer as usize & (ENTRIES - 1));
                let mut entry = self.table[index];
                if entry & (LONG | END) != 0 {
                    if entry & LONG != 0 {
                        let code = if base == 0 { &self.literals } else { &self.distances };
                        let (symbol, len) = code.decode(bits.buffer)?;
                        entry =
                            if base == 0 { literal(symbol, len) } else { distance(symbol, len) };
                    }
                    if entry & END != 0 {
                        bits.skip(u32::from(entry & SKIP));
                        return Some(());
                    }
                }
                bits.skip(u32::from(entry & SKIP));
                base = usize::from(entry & DISTANCE);
            }
        }
    }

    /// Makes the tables of the fixed codes (RFC 1951 section 3.2.6).
    fn fixed(&mut self) {
        let mut lens = [8; LITERALS];
        lens[144..256].fill(9);
        lens[256..280].fill(7);
        self.tables(&lens, &[5; DISTANCES]);
    }

    /// Reads the header of a block with codes of its own, and makes the tables of these.
    fn dynamic(&mut self, bits: &mut Bits<'_>) -> Option<()> {
        bits.refill()?;
        let literals = 257 + bits.take(5) as usize;
        let distances = 1 + bits.take(5) as usize;
        let given = 4 + bits.take(4) as usize;
        if literals > 286 || distances > DISTANCES {
            return None;
        }
        let mut lens = [0; ORDER.len()];
        for &place in &ORDER[..given] {
            bits.refill()?;
            lens[place] = bits.take(3) as u8;
        }
        let mut code = Code::EMPTY;
        code.set(&lens);
        let mut lens = [0; LITERALS + DISTANCES];
        let mut known = 0;
        while known < literals + distances {
            bits.refill()?;
            let (symbol, len) = code.decode(bits.buffer)?;
            bits.skip(len);
            let (value, times) = match symbol {
                0..=15 => (symbol as u8, 1),
                16 => (*lens[..known].last()?, 3 + bits.take(2) as usize),
                17 => (0, 3 + bits.take(3) as usize),
                _ => (0, 11 + bits.take(7) as usize),
            };
            lens.get_mut(known..known + times)?.fill(value);
            known += times;
        }
        let (lens, _) = lens.split_at(known);
        let (first, second) = lens.split_at(literals);
        self.tables(first, second);
        Some(())
    }

    fn tables(&mut self, literals: &[u8], distances: &[u8]) {
        self.literals.set(literals);
        self.distances.set(distances);
        let (first, second) = self.table.split_at_mut(ENTRIES);
        self.literals.fill(first, literal);
        self.distances.fill(second, distance);
    }
}

/// The entry for a literal, a length or the end of the block, whose code has `len` bits.
fn literal(symbol: usize, len: u32) -> Entry {
    let len = len as Entry;
    match symbol {
        0..END_OF_BLOCK => len,
        END_OF_BLOCK => END | len,
        257..=264 | 285.. => DISTANCE | len,
        _ => DISTANCE | (len + (symbol as Entry - 261) / 4),
    }
}

/// The entry for a distance, whose code has `len` bits.
fn distance(symbol: usize, len: u32) -> Entry {
    len as Entry + (symbol as Entry / 2).saturating_sub(1)
}

/// A canonical Huffman code.
struct Code {
    /// How many codes there are of each length.
    counts: [u16; LONGEST + 1],
    /// The symbols, those with shorter codes first.
    symbols: [u16; LITERALS],
}

impl Code {
    const EMPTY: Code = Code { counts: [0; LONGEST + 1], symbols: [0; LITERALS] };

    /// Sets the code from the lengths of its words, at most 288.
    fn set(&mut self, lens: &[u8]) {
        self.counts = [0; LONGEST + 1];
        for &len in lens {
            self.counts[usize::from(len) & LONGEST] += 1;
        }
        self.counts[0] = 0;
        let mut places = [0; LONGEST + 1];
        for len in 1..LONGEST {
            places[len + 1] = places[len] + self.counts[len];
        }
        for (symbol, &len) in lens.iter().enumerate().filter(|(_, len)| **len != 0) {
            let place = &mut places[usize::from(len) & LONGEST];
            self.symbols[usize::from(*place)] = symbol as u16;
            *place += 1;
        }
    }

    /// Fills a table with an entry for every symbol whose code is not longer than its index.
    fn fill(&self, table: &mut [Entry], entry: impl Fn(usize, u32) -> Entry) {
        table.fill(LONG);
        let (mut code, mut place) = (0u32, 0);
        for len in 1..=INDEX {
            for _ in 0..self.counts[len as usize] {
                let entry = entry(self.symbols[place].into(), len);
                let first = (code.reverse_bits() >> (32 - len)) as usize;
                table.iter_mut().skip(first).step_by(1 << len).for_each(|slot| *slot = entry);
                (code, place) = (code + 1, place + 1);
            }
            code <<= 1;
        }
    }

    /// The symbol whose code `bits` begin with, and the length of its code in bits.
    fn decode(&self, bits: u64) -> Option<(usize, u32)> {
        let (mut code, mut first, mut place) = (0, 0, 0);
        for len in 1..=LONGEST {
            code |= (bits >> (len - 1)) as u32 & 1;
            let count = u32::from(self.counts[len]);
            if code < first + count {
                let symbol = self.symbols[(place + code - first) as usize];
                return Some((symbol.into(), len as u32));
            }
            place += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

/// The bits of a stream. Zeros follow its end; reading more than a few of them is an error.
struct Bits<'s> {
    bytes: &'s [u8],
    /// The next byte that the buffer lacks.
    next: usize,
    buffer: u64,
    /// Bits in the buffer.
    count: u32,
}

impl Bits<'_> {
    /// Fills the buffer with 56 bits or more; `None` far behind the end.
    #[inline(always)]
    fn refill(&mut self) -> Option<()> {
        if let Some(word) = self.bytes.get(self.next..).and_then(<[u8]>::first_chunk) {
            self.buffer |= u64::from_le_bytes(*word) << self.count;
            self.next += (63 - self.count as usize) / 8;
            self.count |= 56;
            return Some(());
        }
        if self.next > self.bytes.len() + 16 {
            return None;
        }
        while self.count <= 56 {
            let byte = self.bytes.get(self.next).copied().unwrap_or_default();
            self.buffer |= u64::from(byte) << self.count;
            self.next += 1;
            self.count += 8;
        }
        Some(())
    }

    #[inline(always)]
    fn skip(&mut self, len: u32) {
        self.buffer >>= len;
        self.count -= len;
    }

    fn take(&mut self, len: u32) -> u64 {
        let taken = self.buffer & ((1 << len) - 1);
        self.skip(len);
        taken
    }

    /// Bits that were read.
    fn position(&self) -> usize {
        8 * self.next - self.count as usize
    }

    /// Passes what a stored block has behind the three bits of its header.
    fn pass_stored(&mut self) -> Option<()> {
        let start = self.position().div_ceil(8);
        let len = self.bytes.get(start..)?.first_chunk()?;
        self.next = start + EMPTY.len() + usize::from(u16::from_le_bytes(*len));
        (self.buffer, self.count) = (0, 0);
        Some(())
    }
}

#[cfg(test)]
mod tests;
