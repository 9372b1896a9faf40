//! Inputs made at random. The fuzz targets run the same scenarios.

use broadloom_compression::decompress::Garbage;
use broadloom_compression::format::Format;
use proptest::collection::vec;
use proptest::prelude::*;

use super::common::make::text;
use super::common::scenario::{Part, Scenario, decode, headers};

/// How headers begin.
const STARTS: &[&[u8]] = &[b"", b"\x1f\x8b\x08", b"\x78\x9c", b"\x1f\x8b\x08\x1f"];

fn data() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => vec(any::<u8>(), 0..200),
        4 => (0..5000usize).prop_map(text),
        1 => (0..70_000usize).prop_map(text),
        1 => (0..300_000usize).prop_map(|len| vec![0; len]),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        4 => data().prop_map(Part::Foreign),
        6 => data().prop_map(Part::Broadloom),
        4 => data().prop_map(Part::Block),
        2 => Just(Part::End),
        3 => data().prop_map(Part::Chunk),
        1 => data().prop_map(Part::Zlib),
        1 => data().prop_map(Part::Raw),
        1 => vec(any::<u8>(), 0..50).prop_map(Part::Junk),
        1 => any::<u8>().prop_map(Part::Zeros),
    ]
}

/// Parts of one format alone, which decode unless they are damaged.
fn parts() -> impl Strategy<Value = (Option<Format>, Vec<Part>)> {
    let of_one = |part: BoxedStrategy<Part>, format| {
        (Just(Some(format)), vec(part, 0..6)).prop_map(|(format, parts)| (format, parts)).boxed()
    };
    let gzip = prop_oneof![
        data().prop_map(Part::Foreign),
        data().prop_map(Part::Broadloom),
        data().prop_map(Part::Block)
    ];
    prop_oneof![
        of_one(gzip.boxed(), Format::Gzip),
        of_one(data().prop_map(Part::Block).boxed(), Format::Bgzf),
        of_one(data().prop_map(Part::Chunk).boxed(), Format::Parcomp),
        of_one(data().prop_map(Part::Zlib).boxed(), Format::Zlib),
        of_one(data().prop_map(Part::Raw).boxed(), Format::Raw),
        (proptest::option::of(proptest::sample::select(&Format::ALL)), vec(part(), 0..6)),
    ]
}

prop_compose! {
    fn scenario()(
        (format, parts) in parts(),
        asks in any::<bool>(),
        flips in prop_oneof![2 => Just(Vec::new()), 1 => vec(any::<u32>(), 1..3)],
        cut in prop_oneof![4 => Just(0u16), 1 => 0..400u16],
        garbage in proptest::sample::select(&[Garbage::Refuse, Garbage::Report, Garbage::Copy][..]),
    ) -> Scenario {
        Scenario { format: format.filter(|_| asks), parts, flips, cut, garbage }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_way_of_decoding_comes_to_the_same(scenario in scenario()) {
        scenario.run();
    }

    #[test]
    fn bytes_at_random_are_refused_or_decoded_in_every_way(
        start in proptest::sample::select(STARTS),
        bytes in vec(any::<u8>(), 0..300),
        format in proptest::option::of(proptest::sample::select(&Format::ALL)),
    ) {
        let input = [start, &bytes].concat();
        decode(&input, format, Default::default());
        headers(&input);
    }
}
