//! What the topics of codecs are worth: codecs with one defect each, and the topic that must
//! notice.

use broadloom_conformance::codec::Codec;
use broadloom_conformance::reference::compression::{Unsound, pack, unpack};
use broadloom_conformance::topics::codec as topics;
use broadloom_engine::{Compression, CompressionAlgorithm, Ending, Huffman};

use crate::failing::fails;

const DEFLATE: CompressionAlgorithm = CompressionAlgorithm::Deflate;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    /// Flips a bit in the middle of what it compressed, where that is long.
    FlipsPacked,
    /// Flips a bit at the end of what it decompressed, where that is long.
    FlipsText,
    /// Makes a final block where the stream is to stay open.
    IgnoresEnding,
    /// Makes codes of its own where they are to be static.
    IgnoresCodes,
    /// Takes 32 KiB for every window.
    IgnoresWindow,
    /// Compresses as much as there is room for, and says that this is all.
    CutsPacked,
    /// Says that there was too little room where it was just enough, in either direction.
    WantsSpareRoom,
    /// Decompresses as much as there is room for, and says that this is all.
    CutsText,
    /// Says that it has read all of its input.
    ReadsAll,
    /// Takes what ends too early for wrong.
    MistakesCuts,
    /// Takes what ends too early for complete.
    TakesCuts,
    /// Takes what is wrong for nothing.
    TakesMalformed,
    /// Fails at everything that follows something wrong.
    StaysBroken,
}

/// The reference as a codec, with a defect.
struct Defective {
    defect: Defect,
    is_broken: bool,
    /// The last text, and what was made of it.
    last: Option<(Compression, Vec<u8>, Vec<u8>)>,
}

impl Defective {
    fn pack(&mut self, how: Compression, text: &[u8]) -> Vec<u8> {
        if let Some((last, of, packed)) = &self.last
            && *last == how
            && of == text
        {
            return packed.clone();
        }
        let packed = pack(DEFLATE, how, text);
        self.last = Some((how, text.to_vec(), packed.clone()));
        packed
    }
}

impl Codec for Defective {
    const ALGORITHM: CompressionAlgorithm = DEFLATE;
    const CUT: Unsound = Unsound::Truncated;
    const LEAST_WINDOW: u8 = 12;

    fn ways(&self) -> Vec<Compression> {
        let ways = [1, 6].into_iter().flat_map(|level| {
            [Huffman::Dynamic, Huffman::Static].map(|huffman| Compression {
                level,
                huffman,
                ..Compression::default()
            })
        });
        ways.flat_map(|how| {
            [Ending::Final, Ending::Open].map(|ending| Compression { ending, ..how })
        })
        .collect()
    }

    fn few_ways(&self) -> Vec<Compression> {
        self.ways().into_iter().filter(|how| how.level == 6).take(2).collect()
    }

    fn is_thorough(&self, how: Compression) -> bool {
        how.level == 6
    }

    fn compress(&mut self, how: Compression, text: &[u8], room: &mut [u8]) -> Option<usize> {
        let mut own = how;
        match self.defect {
            Defect::IgnoresEnding => own.ending = Ending::Final,
            Defect::IgnoresCodes => own.huffman = Huffman::Dynamic,
            Defect::IgnoresWindow => own.window = 15,
            _ => {}
        }
        let mut packed = self.pack(own, text);
        if self.defect == Defect::FlipsPacked && packed.len() > 200 {
            let middle = packed.len() / 2;
            packed[middle] ^= 4;
        }
        if self.defect == Defect::CutsPacked {
            packed.truncate(room.len());
        }
        let spare = usize::from(self.defect == Defect::WantsSpareRoom);
        let to = room.get_mut(..packed.len() + spare)?;
        to[..packed.len()].copy_from_slice(&packed);
        Some(packed.len())
    }

    fn decompress(&mut self, input: &[u8], room: &mut [u8]) -> Result<(usize, usize), Unsound> {
        if self.is_broken {
            return Err(Unsound::Malformed);
        }
        let spare = usize::from(self.defect == Defect::WantsSpareRoom);
        let mut made = match unpack(DEFLATE, input, room.len().saturating_sub(spare)) {
            Err(Unsound::TooLong) if self.defect == Defect::CutsText => {
                let mut made = unpack(DEFLATE, input, usize::MAX)?;
                made.output.truncate(room.len());
                made
            }
            Err(Unsound::Truncated) if self.defect == Defect::MistakesCuts => {
                return Err(Unsound::Malformed);
            }
            Err(Unsound::Truncated) if self.defect == Defect::TakesCuts => {
                return Ok((input.len(), 0));
            }
            Err(Unsound::Malformed) if self.defect == Defect::TakesMalformed => {
                return Ok((input.len(), 0));
            }
            outcome => {
                let is_wrong = outcome.as_ref().is_err_and(|error| *error == Unsound::Malformed);
                self.is_broken = is_wrong && self.defect == Defect::StaysBroken;
                outcome?
            }
        };
        if self.defect == Defect::FlipsText && made.output.len() > 200 {
            let last = made.output.len() - 1;
            made.output[last] ^= 0x80;
        }
        room[..made.output.len()].copy_from_slice(&made.output);
        let consumed = if self.defect == Defect::ReadsAll { input.len() } else { made.consumed };
        Ok((consumed, made.output.len()))
    }
}

type Topic = fn(&mut Defective);

fn notices(defect: Defect, topic: Topic) -> bool {
    let mut codec = Defective { defect, is_broken: false, last: None };
    fails(|| topic(&mut codec))
}

#[test]
fn defects_are_noticed() {
    let defects: [(Defect, Topic); 16] = [
        (Defect::FlipsPacked, topics::every_way),
        (Defect::FlipsText, topics::every_way),
        (Defect::FlipsText, topics::other_encoders),
        (Defect::IgnoresEnding, topics::open_streams),
        (Defect::IgnoresCodes, topics::codes),
        (Defect::IgnoresWindow, topics::windows),
        (Defect::CutsPacked, topics::room_to_compress),
        (Defect::WantsSpareRoom, topics::room_to_compress),
        (Defect::WantsSpareRoom, topics::room_to_decompress),
        (Defect::CutsText, topics::room_to_decompress),
        (Defect::ReadsAll, topics::followers),
        (Defect::MistakesCuts, topics::cuts),
        (Defect::TakesCuts, topics::cuts),
        (Defect::IgnoresEnding, topics::cuts),
        (Defect::TakesMalformed, topics::wrong_streams),
        (Defect::StaysBroken, topics::wrong_streams),
    ];
    let unnoticed: Vec<_> =
        defects.iter().filter(|(defect, topic)| !notices(*defect, *topic)).collect();
    let unnoticed: Vec<_> = unnoticed.into_iter().map(|(defect, _)| defect).collect();
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

#[test]
fn without_a_defect_nothing_is_noticed() {
    let all: [(&str, Topic); 10] = [
        ("every_way", topics::every_way),
        ("other_encoders", topics::other_encoders),
        ("open_streams", topics::open_streams),
        ("codes", topics::codes),
        ("windows", topics::windows),
        ("room_to_compress", topics::room_to_compress),
        ("room_to_decompress", topics::room_to_decompress),
        ("followers", topics::followers),
        ("cuts", topics::cuts),
        ("wrong_streams", topics::wrong_streams),
    ];
    let noticed: Vec<_> = all.iter().filter(|(_, topic)| notices(Defect::None, *topic)).collect();
    let noticed: Vec<_> = noticed.into_iter().map(|(name, _)| name).collect();
    assert!(noticed.is_empty(), "{noticed:?}");
}
