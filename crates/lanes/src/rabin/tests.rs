//! Windows are found wherever they are, and nothing else is.

use alloc::vec::Vec;

use super::*;

const POLYNOMIALS: [u64; 2] = [0x3d_a335_8b4d_c173, 0x25_b468_838d_cb75];

/// Returns the bytes that do not repeat.
fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    core::iter::repeat_with(|| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
    .take(len)
    .collect()
}

/// By its definition: the remainder, bit by bit.
fn fingerprint(window: &[u8], polynomial: u64) -> u64 {
    window.iter().fold(0, |rest, byte| {
        (0..8).rev().fold(rest, |rest, bit| {
            let rest = rest << 1 | u64::from(byte >> bit & 1);
            if rest >> DEGREE & 1 == 1 { rest ^ polynomial } else { rest }
        })
    })
}

/// Every kernel of this machine, each once.
fn searches(polynomial: u64, bits: u32) -> Vec<RabinSearch> {
    let kernels = Cpu::every(|kernels| &kernels.rabin).into_iter();
    let search = |kernel| RabinSearch {
        kernel,
        constants: Constants::new(polynomial, bits),
        tables: Tables::new(polynomial, bits),
    };
    kernels.map(search).collect()
}

/// Makes the fingerprint of the window that ends at `end` a number below 2^53: the last seven bytes
/// have no fewer bits than the polynomial's remainder.
fn plant(data: &mut [u8], end: usize, number: u64, polynomial: u64) {
    let window = &mut data[end - RabinSearch::WINDOW..end];
    window[RabinSearch::WINDOW - 7..].fill(0);
    let last = fingerprint(window, polynomial) ^ number;
    window[RabinSearch::WINDOW - 7..].copy_from_slice(&last.to_be_bytes()[1..]);
}

#[test]
fn all_ends_are_found_in_noise() {
    for (polynomial, bits) in
        POLYNOMIALS.into_iter().flat_map(|p| [8, 9, 13, 16, 17].map(|b| (p, b)))
    {
        let data = noise(if bits < 12 { 30_000 } else { 300_000 }, bits.into());
        let ends: Vec<usize> = (RabinSearch::WINDOW..=data.len())
            .filter(|end| {
                let window = &data[end - RabinSearch::WINDOW..*end];
                fingerprint(window, polynomial) & ((1 << bits) - 1) == 0
            })
            .collect();
        assert!(!ends.is_empty());
        for search in searches(polynomial, bits) {
            let mut from = 0;
            for end in &ends {
                assert_eq!(search.first(&data[from..]), Some(end - from), "{search:?} {bits}");
                from = end + 1 - RabinSearch::WINDOW;
            }
            assert_eq!(search.first(&data[from..]), None, "{search:?} {bits}");
        }
    }
}

/// The edges of all stripes of all kernels, and the places beside them.
#[test]
fn a_window_is_found_at_every_edge() {
    let polynomial = POLYNOMIALS[1];
    for search in searches(polynomial, 52) {
        let stripes = search.kernel.stripes;
        let mut data = noise(STRIPE * stripes + 700, 3);
        assert_eq!(search.first(&data), None, "{search:?}");
        let edges = (0..=stripes).map(|stripe| RabinSearch::WINDOW + stripe * STRIPE);
        let near = edges.flat_map(|edge| [0, 1, 7, 8, 63, 64].map(|by| edge + by));
        for end in near.chain([data.len() - 1, data.len()]) {
            let window = end - RabinSearch::WINDOW..end;
            let before = data[window.clone()].to_vec();
            for number in [0, 1 << 52] {
                plant(&mut data, end, number, polynomial);
                assert_eq!(search.first(&data), Some(end), "{search:?}");
            }
            for bit in [0, 8, 51] {
                plant(&mut data, end, 1 << bit, polynomial);
                assert_eq!(search.first(&data), None, "{search:?} {bit}");
            }
            data[window].copy_from_slice(&before);
        }
    }
}

/// Every place in short stripes, and the first of two windows.
#[test]
fn a_window_is_found_at_every_place() {
    let polynomial = POLYNOMIALS[0];
    for search in searches(polynomial, 30) {
        let data = noise(3 * RabinSearch::WINDOW * search.kernel.stripes + 200, 9);
        assert_eq!(search.first(&data), None, "{search:?}");
        for end in RabinSearch::WINDOW..=data.len() {
            let mut data = data.clone();
            plant(&mut data, end, 0x1f_ffff_c000_0000, polynomial);
            assert_eq!(search.first(&data), Some(end), "{search:?}");
            let second = end + 64 + end % 1999;
            if second <= data.len() {
                plant(&mut data, second, 0, polynomial);
                assert_eq!(search.first(&data), Some(end), "{search:?}");
            }
        }
    }
}

#[test]
fn every_length_is_searched_to_its_end_and_no_further() {
    let polynomial = POLYNOMIALS[1];
    for search in searches(polynomial, 30) {
        let most = 5 * RabinSearch::WINDOW * search.kernel.stripes;
        let mut data = noise(most + 1, 5);
        for len in (0..=most).filter(|len| *len < 1500 || len % 61 == 0) {
            assert_eq!(search.first(&data[..len]), None, "{search:?} {len}");
        }
        plant(&mut data, most, 0, polynomial);
        assert_eq!(search.first(&data), Some(most), "{search:?}");
        assert_eq!(search.first(&data[..most]), Some(most), "{search:?}");
        assert_eq!(search.first(&data[..most - 1]), None, "{search:?}");
    }
}

#[test]
fn degrees_and_bits_that_kernels_cannot_have_are_refused() {
    let cpu = Cpu::detect();
    for (polynomial, bits, words) in [
        (1 << 52, 20, "10000000000000 is no polynomial of degree 53"),
        (1 << 54, 20, "40000000000000 is no polynomial of degree 53"),
        (POLYNOMIALS[0], 7, "7 bits of a fingerprint: use 8 to 52"),
        (POLYNOMIALS[0], 53, "53 bits of a fingerprint: use 8 to 52"),
    ] {
        let error = RabinSearch::new(&cpu, polynomial, bits).expect_err("it is refused");
        assert_eq!(alloc::string::ToString::to_string(&error), words);
    }
}
