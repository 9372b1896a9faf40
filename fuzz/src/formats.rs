//! Inputs for the decoders, out of a fuzzer's bytes. The driver is that of the property tests in
//! `crates/compression/tests/all/decompress/scenarios.rs`: it decodes in every way there is, and
//! compares.

#[allow(dead_code, reason = "the suite uses more of it")]
#[path = "../../crates/compression/tests/all/decompress/common/mod.rs"]
mod common;

use broadloom_compression::decompress::Garbage;
use broadloom_compression::format::Format;
use common::make::text;
use common::scenario::{Part, Scenario, decode, headers};
use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};

/// Decodes bytes as what they are said to be, and as what they seem to be.
pub fn read(bytes: &[u8], format: Format) {
    decode(bytes, Some(format), Garbage::Refuse);
    decode(bytes, None, Garbage::Report);
    decode(bytes, None, Garbage::Copy);
}

/// Reads all headers there are.
pub fn read_headers(bytes: &[u8]) {
    headers(bytes);
}

/// Members of all kinds, spliced and then damaged.
#[derive(Debug)]
pub struct Spliced(Scenario);

/// Decodes them.
pub fn splices(Spliced(scenario): Spliced) {
    scenario.run();
}

impl<'a> Arbitrary<'a> for Spliced {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let format = match bytes.int_in_range(0..=Format::ALL.len())? {
            0 => None,
            number => Some(Format::ALL[number - 1]),
        };
        let mut parts = Vec::new();
        for _ in 0..bytes.int_in_range(0..=5)? {
            parts.push(part(bytes)?);
        }
        let flips = if bytes.ratio(1, 3)? { vec![bytes.arbitrary()?] } else { Vec::new() };
        let cut = if bytes.ratio(1, 5)? { bytes.int_in_range(0..=400)? } else { 0 };
        let garbage = *bytes.choose(&[Garbage::Refuse, Garbage::Report, Garbage::Copy])?;
        Ok(Spliced(Scenario { format, parts, flips, cut, garbage }))
    }
}

fn part(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Part> {
    Ok(match bytes.int_in_range(0..=11)? {
        0 | 1 => Part::Foreign(data(bytes)?),
        2..=4 => Part::Broadloom(data(bytes)?),
        5 | 6 => Part::Block(data(bytes)?),
        7 => Part::End,
        8 => Part::Chunk(data(bytes)?),
        9 => Part::Zlib(data(bytes)?),
        10 => Part::Junk(bytes.arbitrary()?),
        _ => Part::Zeros(bytes.arbitrary()?),
    })
}

fn data(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
    Ok(match bytes.int_in_range(0..=3)? {
        0 | 1 => bytes.arbitrary()?,
        2 => text(bytes.int_in_range(0..=70_000)?),
        _ => vec![0; bytes.int_in_range(0..=300_000)?],
    })
}
