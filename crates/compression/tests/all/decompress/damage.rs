//! Inputs that are cut off at every byte, and that have every bit turned.

use broadloom_compression::Scratch;
use broadloom_compression::decompress::{DecompressError, Garbage, Settings};
use broadloom_compression::diagnose::{Finding, diagnose};
use broadloom_compression::format::{Cause, Format, FormatError, Part};
use broadloom_compression::inflate::{Options, inflate};

use super::common::make::{deflate, text, whole};
use super::common::provider::decompressor;
use super::common::scenario::decode;

fn every_format() -> impl Iterator<Item = (Format, Vec<u8>, Vec<u8>)> {
    let data = text(120);
    Format::ALL.into_iter().map(move |format| (format, whole(format, &data), data.clone()))
}

fn decompress(input: &[u8], format: Option<Format>) -> Result<Vec<u8>, DecompressError> {
    let decompressor = decompressor(Settings { format, ..Settings::default() });
    let (mut data, mut kept) = (Vec::new(), Vec::new());
    let outcome = decompressor.decompress(input, &mut data).map(|_| data);
    let same = decompressor.decompress_with(&mut Scratch::default(), input, &mut kept);
    assert_eq!(format!("{outcome:?}"), format!("{:?}", same.map(|_| kept)));
    outcome
}

#[test]
fn what_is_cut_off_is_an_error_at_its_end() {
    for (format, input, data) in every_format() {
        assert_eq!(decompress(&input, Some(format)).expect("it is whole"), data);
        for len in 0..input.len() {
            let outcome = decompress(&input[..len], Some(format));
            decode(&input[..len], Some(format), Garbage::Refuse);
            match (format, outcome) {
                // Nothing says that more chunks should follow.
                (Format::Parcomp, Ok(part)) => {
                    assert!(data.starts_with(&part) && part.len() < data.len())
                }
                // Nothing says that more members should follow.
                (Format::Gzip, Ok(part)) => assert_eq!(part, data[..60]),
                (_, Err(DecompressError::Format(FormatError { offset, cause }))) => {
                    assert_eq!(offset, len as u64, "{format}: {cause}");
                    assert!(matches!(cause, Cause::Truncated(_)), "{format}, {len} bytes: {cause}");
                }
                (_, outcome) => panic!("{format}, {len} bytes: {outcome:?}"),
            }
        }
    }
}

#[test]
fn a_turned_bit_is_an_error_or_changes_nothing_that_is_checked() {
    for (format, mut input, data) in every_format() {
        for bit in 0..input.len() * 8 {
            input[bit / 8] ^= 1 << (bit % 8);
            decode(&input, Some(format), Garbage::Refuse);
            decode(&input, None, Garbage::Report);
            let outcome = decompress(&input, Some(format));
            // parcomp's and bare deflate data have nothing to check them by.
            if !matches!(format, Format::Parcomp | Format::Raw) {
                match outcome {
                    Ok(same) => assert_eq!(same, data, "{format}, bit {bit}"),
                    Err(DecompressError::Format(_)) => {}
                    Err(other) => panic!("{format}, bit {bit}: {other}"),
                }
            }
            input[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn nothing_is_an_error_where_something_should_be() {
    for format in Format::ALL.map(Some).into_iter().chain([None]) {
        match (format, decompress(&[], format)) {
            (Some(Format::Parcomp), outcome) => {
                assert_eq!(outcome.expect("no chunk is a whole"), b"")
            }
            (
                _,
                Err(DecompressError::Format(FormatError { offset: 0, cause: Cause::Truncated(_) })),
            ) => {}
            (_, other) => panic!("{format:?}: {other:?}"),
        }
        decode(&[], format, Garbage::Refuse);
    }
}

#[test]
fn what_is_neither_is_called_so() {
    let error = decompress(b"plain text", None).expect_err("it is not compressed");
    assert_eq!(
        error.to_string(),
        "at byte 0: the input begins with [70, 6c], as neither gzip nor zlib data do"
    );
    for format in [Format::Gzip, Format::Bgzf, Format::Zlib] {
        let error = decompress(b"plain text", Some(format)).expect_err("it is not compressed");
        assert!(
            error.to_string().starts_with(&format!("at byte 0: no {format} data: [70, 6c]")),
            "{error}"
        );
    }
}

#[test]
fn damage_far_into_a_stream_is_found_where_it_is() {
    let data = text(1 << 20);
    let mut input = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    for block in data.chunks(0xffff) {
        // RFC 1951, 3.2.4: a stored block.
        let len = block.len() as u16;
        input
            .extend([[0; 1].as_slice(), &len.to_le_bytes(), &(!len).to_le_bytes(), block].concat());
    }
    let at = input.len() as u64;
    // A block of the type 3, which there is not.
    input.extend([7; 100]);
    let mut output = Vec::new();
    let error = inflate(&input[..], &mut output, Options::default()).expect_err("it is damaged");
    assert_eq!(
        error.to_string(),
        format!("at byte {at}: the deflate data are damaged: invalid block type")
    );
    assert!(data.starts_with(&output) && output.len() > data.len() / 2);

    let stream = &input[10..];
    let Finding::Wrong(error) = diagnose(stream) else { panic!() };
    assert_eq!(error, FormatError { offset: at - 10, cause: Cause::Deflate("invalid block type") });
}

#[test]
fn a_diagnosis_tells_what_the_fast_decoder_does_not() {
    // RFC 1951, 3.2.6: fixed codes; a literal, then a match 32 KiB before the beginning; and much
    // behind it, so that decoders take their fast ways.
    let mut bits = Bits::default();
    bits.push(0b011, 3);
    bits.push_code(0x30 + 65, 8);
    bits.push_code(1, 7);
    bits.push_code(29, 5);
    bits.push(0, 13);
    let wrong = bits.0.len() as u64 - 1;
    bits.0.extend([0; 2000]);
    let Finding::Wrong(error) = diagnose(&bits.0) else { panic!() };
    assert_eq!(
        error,
        FormatError { offset: wrong, cause: Cause::Deflate("invalid distance too far back") }
    );

    let sound = deflate(&text(1000));
    let stream = sound.len() as u64;
    assert_eq!(diagnose(&[&sound[..], b"behind"].concat()), Finding::Sound { stream, data: 1000 });
    let Finding::Wrong(error) = diagnose(&sound[..100]) else { panic!() };
    assert_eq!(error, FormatError { offset: 100, cause: Cause::Truncated(Part::Deflate) });
}

/// Bits as RFC 1951 packs them: the lowest of each byte first.
#[derive(Default)]
struct Bits(Vec<u8>, usize);

impl Bits {
    /// A number: its lowest bit first.
    fn push(&mut self, number: u32, len: u32) {
        for bit in 0..len {
            if self.1.is_multiple_of(8) {
                self.0.push(0);
            }
            let last = self.0.len() - 1;
            self.0[last] |= ((number >> bit & 1) as u8) << (self.1 % 8);
            self.1 += 1;
        }
    }

    /// A Huffman code: its highest bit first.
    fn push_code(&mut self, code: u32, len: u32) {
        self.push(code.reverse_bits() >> (32 - len), len);
    }
}
