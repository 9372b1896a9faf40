//! Every kernel against the portable one, and against the standard's definitions.

use std::println;
use std::vec::Vec;

use super::*;
use crate::arch;
use crate::kernels::ml_kem::kernel::MlKemKernel;
use crate::kernels::ml_kem::pack::Bits;
use crate::kernels::ml_kem::ring::N;
use crate::kernels::ml_kem::sample::{FIRST, ROOM, SLACK};

/// Returns every kernel that this machine can run, each once.
fn kernels() -> Vec<&'static MlKemKernel> {
    let mut all = Vec::<&MlKemKernel>::new();
    for cpu in cpus() {
        for kernel in arch::kernels(&cpu).ml_kem {
            if !all.iter().any(|known| core::ptr::eq(*known, *kernel)) {
                all.push(kernel);
            }
        }
    }
    all.iter().for_each(|kernel| println!("ml-kem kernel tested: {}", kernel.name));
    all
}

/// Returns polynomials of numbers below `bound`, for each lane.
fn polys(kernel: &MlKemKernel, seed: &mut u64, polys: usize, bound: u16) -> Vec<i16> {
    let bytes = random(seed, 2 * polys * N * kernel.lanes);
    let number = |pair: &[u8]| (u16::from_le_bytes([pair[0], pair[1]]) % bound) as i16;
    bytes.chunks(2).map(number).collect()
}

/// Returns the polynomial of a lane.
fn lane(kernel: &MlKemKernel, poly: &[i16], lane: usize) -> Vec<i64> {
    let numbers = poly.iter().skip(lane).step_by(kernel.lanes);
    numbers.map(|number| i64::from(*number).rem_euclid(3329)).collect()
}

/// Multiplies two polynomials modulo X^256 + 1.
fn product(a: &[i64], b: &[i64]) -> Vec<i64> {
    let mut sums = std::vec![0; N];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            let (at, sign) = if i + j < N { (i + j, 1) } else { (i + j - N, -1) };
            sums[at] = (sums[at] + sign * a * b).rem_euclid(3329);
        }
    }
    sums
}

#[test]
fn transforms_multiply_polynomials() {
    for kernel in kernels() {
        let mut seed = 3;
        for k in 1..=4 {
            let mut a = polys(kernel, &mut seed, k, 3329);
            let mut b = polys(kernel, &mut seed, k, 3329);
            if k == 4 {
                // The largest numbers, which must not overflow.
                a.fill(3328);
                b.fill(3328);
            }
            let (plain_a, plain_b) = (a.clone(), b.clone());
            let mut sum = std::vec![0; N * kernel.lanes];
            let len = sum.len();
            // SAFETY: the kernel is for this machine, and the polynomials have all lanes.
            unsafe {
                for poly in 0..k {
                    (kernel.forward)(a[poly * len..].as_mut_ptr());
                    (kernel.forward)(b[poly * len..].as_mut_ptr());
                }
                assert!(a.iter().chain(&b).all(|number| (0..=3329).contains(number)));
                (kernel.dot)(sum.as_mut_ptr(), a.as_ptr(), b.as_ptr(), k);
                assert!(sum.iter().all(|number| (0..=3329).contains(number)));
                (kernel.inverse)(sum.as_mut_ptr());
                assert!(sum.iter().all(|number| (-3328..=3328).contains(number)));
            }
            for at in [0, kernel.lanes - 1] {
                let mut expected = std::vec![0; N];
                for poly in 0..k {
                    let part = |all: &[i16]| lane(kernel, &all[poly * len..][..len], at);
                    let product = product(&part(&plain_a), &part(&plain_b));
                    expected.iter_mut().zip(product).for_each(|(to, one)| *to = (*to + one) % 3329);
                }
                assert_eq!(lane(kernel, &sum, at), expected, "{} {k} {at}", kernel.name);
            }
        }
    }
}

#[test]
fn sums_and_differences_are_reduced() {
    for kernel in kernels() {
        let mut seed = 4;
        let (a, b) = (polys(kernel, &mut seed, 1, 13316), polys(kernel, &mut seed, 1, 13316));
        let expected = |f: fn(i64, i64) -> i64| -> Vec<i64> {
            a.iter().zip(&b).map(|(a, b)| f((*a).into(), (*b).into()).rem_euclid(3329)).collect()
        };
        let cases = [
            (kernel.add, expected(|a, b| a + b)),
            (kernel.subtract, expected(|a, b| a - b)),
            (kernel.add_to_product, expected(|a, b| (a << 16) + b)),
        ];
        for (combine, expected) in cases {
            let mut to = a.clone();
            // SAFETY: the kernel is for this machine, and the polynomials have all lanes.
            unsafe { combine(to.as_mut_ptr(), b.as_ptr()) };
            assert!(to.iter().all(|number| (0..=3329).contains(number)), "{}", kernel.name);
            let to: Vec<_> = to.iter().map(|number| i64::from(*number) % 3329).collect();
            assert_eq!(to, expected, "{}", kernel.name);
        }
    }
}

#[test]
fn every_number_is_packed_and_read_again() {
    for kernel in kernels() {
        for bits in Bits::ALL {
            let d = bits as u32;
            // Every number modulo 3329, some of them negative, in every lane.
            for start in (0..3329).step_by(if is_brief() { 8 * N } else { N }) {
                let number = |at: usize, lane: usize| (start + at + lane) as i64 % 3329;
                let mut poly = std::vec![0_i16; N * kernel.lanes];
                for (at, to) in poly.iter_mut().enumerate() {
                    let (at, lane) = (at / kernel.lanes, at % kernel.lanes);
                    let sign = if (at + lane).is_multiple_of(3) { 3329 } else { 0 };
                    *to = (number(at, lane) - sign) as i16;
                }
                let mut room = std::vec![0_i16; N * kernel.lanes];
                let len = bits.bytes();
                let mut rows = std::vec![std::vec![0xaa_u8; len + 10]; kernel.lanes];
                let to: Vec<_> = rows.iter_mut().map(|row| row.as_mut_ptr()).collect();
                // SAFETY: the kernel is for this machine, there are polynomials and rows of all
                // lanes, and a row has room behind the offset.
                unsafe { (kernel.pack)(poly.as_ptr(), room.as_mut_ptr(), bits, to.as_ptr(), 5) };
                let packed = |at: usize, lane: usize| match d {
                    12 => number(at, lane),
                    _ => (((number(at, lane) << (d + 1)) + 3329) / 6658) & ((1 << d) - 1),
                };
                for (lane, row) in rows.iter().enumerate() {
                    let bit = |at: usize| i64::from(row[5 + at / 8] >> (at % 8) & 1);
                    for at in 0..N {
                        let bits = (0..d as usize).map(|i| bit(at * d as usize + i) << i);
                        let found: i64 = bits.sum();
                        assert_eq!(found, packed(at, lane), "{} {d} {at} {lane}", kernel.name);
                    }
                    assert!(row[..5].iter().chain(&row[5 + len..]).all(|byte| *byte == 0xaa));
                }
                let from: Vec<_> = rows.iter().map(|row| row.as_ptr()).collect();
                // SAFETY: as above.
                unsafe {
                    let (poly, room) = (poly.as_mut_ptr(), room.as_mut_ptr());
                    (kernel.unpack)(from.as_ptr(), 5, bits, poly, room);
                }
                for (at, found) in poly.iter().enumerate() {
                    let packed = packed(at / kernel.lanes, at % kernel.lanes);
                    let expected = match d {
                        12 => packed,
                        _ => (packed * 3329 + (1 << (d - 1))) >> d,
                    };
                    assert_eq!(i64::from(*found), expected, "{} {d} {at}", kernel.name);
                }
            }
        }
    }
}

#[test]
fn noise_counts_bits() {
    for kernel in kernels() {
        for eta in [2, 3] {
            let mut seed = 8;
            let rows: Vec<_> = (0..kernel.lanes).map(|_| random(&mut seed, 64 * eta)).collect();
            let from: Vec<_> = rows.iter().map(|row| row.as_ptr()).collect();
            let mut poly = std::vec![0_i16; N * kernel.lanes];
            let mut room = poly.clone();
            // SAFETY: the kernel is for this machine, and there are polynomials and rows of all
            // lanes.
            unsafe { (kernel.noise)(from.as_ptr(), eta, poly.as_mut_ptr(), room.as_mut_ptr()) };
            for (at, found) in poly.iter().enumerate() {
                let (at, row) = (at / kernel.lanes, &rows[at % kernel.lanes]);
                let bit = |at: usize| i16::from(row[at / 8] >> (at % 8) & 1);
                let count = |from: usize| (from..from + eta).map(bit).sum::<i16>();
                let start = 2 * eta * at;
                assert_eq!(*found, count(start) - count(start + eta), "{} {eta}", kernel.name);
            }
        }
    }
}

#[test]
fn samples_are_the_numbers_below_the_modulus() {
    for kernel in kernels() {
        let mut seed = 11;
        let mut have = 0;
        let mut samples = std::vec![0_i16; ROOM];
        let mut expected = Vec::new();
        for len in [FIRST, 168] {
            // Every other stream has few numbers that are low enough.
            let mut bytes = random(&mut seed, len + SLACK);
            bytes.iter_mut().skip(1).step_by(2).for_each(|byte| *byte |= 0x88);
            for triple in bytes[..len].chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|at| i16::from(triple[at]));
                let both = [a | (b & 15) << 8, b >> 4 | c << 4];
                expected.extend(both.into_iter().filter(|number| *number < 3329));
            }
            // SAFETY: the kernel is for this machine, there are the stream's bytes and the slack,
            // and room for the numbers of both streams.
            have = unsafe { (kernel.sample)(bytes.as_ptr(), len, samples.as_mut_ptr(), have) };
            assert_eq!(samples[..have], expected, "{}", kernel.name);
        }
    }
}

#[test]
fn rows_become_columns() {
    for kernel in kernels() {
        let mut seed = 12;
        let rows: Vec<_> = (0..kernel.lanes).map(|_| random(&mut seed, 2 * N)).collect();
        let from: Vec<_> = rows.iter().map(|row| row.as_ptr()).collect();
        let mut poly = std::vec![0_i16; N * kernel.lanes];
        // SAFETY: the kernel is for this machine, and there are a polynomial and rows of all lanes.
        unsafe { (kernel.columns)(from.as_ptr(), poly.as_mut_ptr()) };
        for (at, found) in poly.iter().enumerate() {
            let (at, row) = (at / kernel.lanes, &rows[at % kernel.lanes]);
            assert_eq!(*found, i16::from_le_bytes([row[2 * at], row[2 * at + 1]]));
        }
    }
}
