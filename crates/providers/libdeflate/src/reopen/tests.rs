use broadloom_testing::noise;

use super::*;
use crate::ffi::{Compressor, bound};

/// Words, numbers and noise, so that one stream has blocks of all kinds.
fn mixed(len: usize, seed: u64) -> Vec<u8> {
    let words = ["the ", "loom ", "weaves ", "a broad ", "cloth ", "of many ", "threads, "];
    let mut data = Vec::with_capacity(len + 40_000);
    for (turn, kind) in noise(len, seed).into_iter().enumerate() {
        let turn = turn as u64 + seed;
        match kind % 4 {
            0 => data.extend(noise(usize::from(kind) * 90, turn)),
            1 => data.extend(vec![kind; usize::from(kind) * 50]),
            2 => {
                let chosen = noise(3000, turn).into_iter();
                data.extend(chosen.flat_map(|byte| words[usize::from(byte) % words.len()].bytes()));
            }
            _ => data.extend((0..3000).flat_map(|number: u32| (number * 977 + 13).to_le_bytes())),
        }
        if data.len() >= len {
            break;
        }
    }
    data.truncate(len);
    data
}

fn complete(level: u8, data: &[u8]) -> (Vec<u8>, usize) {
    let mut output = vec![0xa5; bound(data.len()) + MARKER];
    let room = output.len() - MARKER;
    let mut compressor = Compressor::new(level).expect("there is memory");
    let len = compressor.compress(data, &mut output[..room]).expect("the bound is enough");
    // The library writes whole words.
    output[len..].fill(0xa5);
    (output, len)
}

/// By a decoder that is another.
fn independent(stream: &[u8]) -> Vec<u8> {
    miniz_oxide::inflate::decompress_to_vec(stream).expect("it is deflate")
}

#[test]
fn streams_that_were_made_open_follow_one_another() {
    let mut reopener = Reopener::new();
    for level in 0..=12 {
        let (mut stream, mut data) = (Vec::new(), Vec::new());
        let lens = (0..40).chain([1000, 65_535, 65_536, 200_000]);
        for (seed, len) in lens.enumerate() {
            let kinds = [mixed(len, seed as u64), noise(len, seed as u64), vec![b'a'; len]];
            for part in kinds {
                let (mut output, len) = complete(level, &part);
                let open = reopener.reopen(&mut output, len).expect("libdeflate made it");
                assert!((len + 4..=len + MARKER).contains(&open), "{len} bytes became {open}");
                assert_eq!(output[open - 4..open], EMPTY);
                assert!(output[open..].iter().all(|&byte| byte == 0xa5));
                stream.extend_from_slice(&output[..open]);
                data.extend(part);
            }
        }
        stream.extend([3, 0]);
        assert!(independent(&stream) == data, "level {level}");
    }
}

#[test]
fn fixed_and_long_codes_are_walked() {
    let mut reopener = Reopener::new();
    // Frequencies like Fibonacci numbers make the longest codes.
    let (mut skewed, mut counts) = (Vec::new(), (1usize, 1usize));
    for byte in 0..24u8 {
        skewed.extend(vec![byte; counts.0]);
        counts = (counts.1, counts.0 + counts.1);
    }
    let noise = noise(skewed.len(), 9);
    for index in (1..skewed.len()).rev() {
        let other = usize::from(noise[index]) << 16 | usize::from(noise[index / 2]) << 8;
        skewed.swap(index, (other | usize::from(noise[index / 3])) % (index + 1));
    }
    for data in [skewed, b"abcabcabc, abc".to_vec()] {
        for level in 1..=12 {
            let (mut output, len) = complete(level, &data);
            let open = reopener.reopen(&mut output, len).expect("libdeflate made it");
            output.truncate(open);
            output.extend([3, 0]);
            assert!(independent(&output) == data, "level {level}");
        }
    }
}

#[test]
fn what_is_no_stream_ends_the_walk() {
    let mut reopener = Reopener::new();
    for seed in 0..2000 {
        let len = seed as usize % 300;
        let mut noise = noise(len + MARKER, seed);
        // It stays within its room, whatever the outcome.
        let _ = reopener.reopen(&mut noise, len);
    }
    for level in [1, 6, 12] {
        let (output, len) = complete(level, &mixed(20_000, 5));
        for cut in 0..len {
            let mut output = output[..cut + MARKER].to_vec();
            assert_eq!(reopener.reopen(&mut output, cut), Err(NoFinalBlock), "{cut} of {len}");
        }
    }
}
