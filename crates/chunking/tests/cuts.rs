//! Cuts are those of another implementation of restic's chunker, whatever the input, its pieces and
//! the instruction set.

use std::io::{self, Read};

use broadloom_chunking::{Chunker, Polynomial, Sizes, SizesError};
use broadloom_lanes::Cpu;
use broadloom_testing::noise;
use proptest::prelude::*;
use rustic_cdc::{Rabin64, RollingHash64};

const POLYNOMIALS: [u64; 2] = [0x3d_a335_8b4d_c173, 0x25_b468_838d_cb75];

/// The lengths of the chunks that `rustic_cdc` finds.
fn expected(mut data: &[u8], polynomial: u64, sizes: Sizes) -> Vec<usize> {
    let mut rabin = Rabin64::new_with_polynom(6, &polynomial);
    let mask = sizes.average() as u64 - 1;
    let mut lengths = vec![];
    while !data.is_empty() {
        let most = data.len().min(sizes.max());
        let mut length = most;
        if most >= sizes.min() {
            let window = data[sizes.min() - 64..sizes.min() - 1].iter().copied();
            rabin.reset_and_prefill_window(&mut { window });
            let cut = data[..most][sizes.min() - 1..].iter().position(|byte| {
                rabin.slide(*byte);
                rabin.hash & mask == 0
            });
            length = cut.map_or(most, |at| sizes.min() + at);
        }
        lengths.push(length);
        data = &data[length..];
    }
    lengths
}

/// A chunker for each instruction set of this machine.
fn chunkers(polynomial: u64, sizes: Sizes) -> Vec<Chunker> {
    let polynomial = Polynomial::new(polynomial).expect("it is irreducible");
    Cpu::available()
        .map(|isa| Chunker::on(&Cpu::with_isa(isa).expect("it is available"), polynomial, sizes))
        .collect()
}

/// The lengths of chunks when the input comes in pieces of these lengths, over and over.
fn in_pieces(chunker: &Chunker, data: &[u8], lengths: &[usize]) -> Vec<usize> {
    let (mut pieces, mut found, mut rest) = (chunker.pieces(), vec![], data);
    let mut pending = 0;
    for length in lengths.iter().cycle() {
        let (mut piece, behind) = rest.split_at(rest.len().min(*length));
        while let Some(end) = pieces.next_end(piece) {
            found.push(pending + end);
            (pending, piece) = (0, &piece[end..]);
        }
        pending += piece.len();
        assert_eq!(pending, pieces.pending());
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    found.extend((pending > 0).then_some(pending));
    found
}

fn data() -> impl Strategy<Value = Vec<u8>> {
    let noisy = (0..60_000usize, any::<u64>()).prop_map(|(len, seed)| noise(len, seed));
    let flat = (0..60_000usize, any::<u8>()).prop_map(|(len, byte)| vec![byte; len]);
    let period = (0..60_000usize, 1..200usize, any::<u64>()).prop_map(|(len, period, seed)| {
        noise(period, seed).into_iter().cycle().take(len).collect()
    });
    let both = (0..60_000usize, any::<u64>(), 0..2000usize).prop_map(|(len, seed, zeros)| {
        let mut data = noise(len, seed);
        let at = len / 3;
        data[at..(at + zeros).min(len)].fill(0);
        data
    });
    prop_oneof![4 => noisy, 1 => flat, 1 => period, 2 => both]
}

fn sizes() -> impl Strategy<Value = Sizes> {
    (64..5000usize, 8..=14u32, 0..40_000usize)
        .prop_map(|(min, bits, more)| Sizes::new(min, 1 << bits, min + more).expect("they fit"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn cuts_are_those_of_another_implementation(
        data in data(),
        sizes in sizes(),
        polynomial in prop::sample::select(POLYNOMIALS.to_vec()),
        pieces in prop::collection::vec(1..9000usize, 1..6),
    ) {
        let expected = expected(&data, polynomial, sizes);
        for chunker in chunkers(polynomial, sizes) {
            let slices: Vec<usize> = chunker.slices(&data).map(<[u8]>::len).collect();
            prop_assert_eq!(&slices, &expected);
            prop_assert_eq!(&in_pieces(&chunker, &data, &pieces), &expected);
        }
    }
}

#[test]
fn restics_sizes_give_its_cuts() {
    let data = noise(40 << 20, 23);
    for polynomial in POLYNOMIALS {
        let expected = expected(&data, polynomial, Sizes::default());
        assert!(expected.len() > 15, "{expected:?}");
        for chunker in chunkers(polynomial, Sizes::default()) {
            let slices: Vec<usize> = chunker.slices(&data).map(<[u8]>::len).collect();
            assert_eq!(slices, expected);
            assert_eq!(in_pieces(&chunker, &data, &[1 << 20, 100_000, 77]), expected);
        }
    }
}

/// restic's own test expects chunks of these lengths and fingerprints in zeros and random bytes.
#[test]
fn zeros_are_cut_as_soon_as_may_be() {
    for chunker in chunkers(POLYNOMIALS[0], Sizes::default()) {
        let lengths: Vec<usize> = chunker.slices(&[0; 3 << 19]).map(<[u8]>::len).collect();
        assert_eq!(lengths, [1 << 19; 3]);
    }
}

#[test]
fn every_length_around_the_bounds_and_every_piece() {
    let sizes = Sizes::new(128, 512, 300).expect("they fit");
    let data = noise(1300, 7);
    for chunker in chunkers(POLYNOMIALS[0], sizes) {
        for len in (0..400).chain(1200..=1300) {
            let data = &data[..len];
            let expected = expected(data, POLYNOMIALS[0], sizes);
            assert!(chunker.slices(data).map(<[u8]>::len).eq(expected.iter().copied()), "{len}");
        }
        let expected = expected(&data, POLYNOMIALS[0], sizes);
        for piece in 1..=320 {
            assert_eq!(in_pieces(&chunker, &data, &[piece]), expected, "{piece}");
        }
    }
}

/// A reader that gives a few bytes at a time, is interrupted, and fails at the end.
struct Stutter<'a> {
    data: &'a [u8],
    calls: usize,
    fails: bool,
}

impl Read for Stutter<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.data.is_empty() && self.fails {
            return Err(io::Error::other("the disk is gone"));
        }
        let len = buffer.len().min(self.data.len()).min(1 + self.calls * 37 % 5000);
        buffer[..len].copy_from_slice(&self.data[..len]);
        self.data = &self.data[len..];
        Ok(len)
    }
}

#[test]
fn readers_give_the_same_chunks() {
    let sizes = Sizes::new(64, 4096, 100_000).expect("they fit");
    let chunker = &chunkers(POLYNOMIALS[1], sizes)[0];
    for len in [0, 1, 64, 300_000, 256 << 10, 1 << 20] {
        let data = noise(len, len as u64);
        let expected: Vec<&[u8]> = chunker.slices(&data).collect();
        let whole: Vec<_> = chunker.read(&data[..]).map(|chunk| chunk.expect("it reads")).collect();
        assert_eq!(whole, expected);
        let mut chunks = chunker.read(Stutter { data: &data, calls: 0, fails: false });
        let (mut chunk, mut count) = (vec![], 0);
        while chunks.next_into(&mut chunk).expect("it reads") {
            assert_eq!(chunk, expected[count]);
            count += 1;
        }
        assert_eq!(count, expected.len());
        assert!(!chunks.next_into(&mut chunk).expect("it has ended") && chunk.is_empty());
    }
}

#[test]
fn a_reader_that_fails_gives_its_error_once_and_no_chunk_behind() {
    let sizes = Sizes::new(64, 4096, 100_000).expect("they fit");
    let chunker = &chunkers(POLYNOMIALS[1], sizes)[0];
    let data = noise(600_000, 3);
    let results: Vec<_> = chunker.read(Stutter { data: &data, calls: 0, fails: true }).collect();
    let (last, chunks) = results.split_last().expect("there are results");
    assert_eq!(last.as_ref().expect_err("it fails").to_string(), "the disk is gone");
    let whole = chunker.slices(&data).zip(chunks);
    assert!(chunks.len() > 50);
    whole.for_each(|(expected, chunk)| assert_eq!(chunk.as_ref().expect("a chunk"), expected));
}

#[test]
fn sizes_that_no_chunk_can_have_are_refused() {
    for (min, average, max, error) in [
        (63, 1 << 20, 1 << 23, SizesError::Min(63)),
        (64, 1000, 1 << 23, SizesError::Average(1000)),
        (64, 128, 1 << 23, SizesError::Average(128)),
        (64, 1 << 31, 1 << 33, SizesError::Average(1 << 31)),
        (65, 256, 64, SizesError::Max { min: 65, max: 64 }),
    ] {
        assert_eq!(Sizes::new(min, average, max), Err(error));
    }
    assert!(Sizes::new(64, 256, 64).is_ok());
}
