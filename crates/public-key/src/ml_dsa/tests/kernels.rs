//! Every kernel against the standard's definitions.

use std::println;
use std::vec::Vec;

use super::*;
use crate::arch;
use crate::kernels::ml_dsa::kernel::MlDsaKernel;
use crate::kernels::ml_dsa::pack::Packing;
use crate::kernels::ml_dsa::ring::{N, Q};
use crate::kernels::ml_dsa::round::Gamma2;
use crate::kernels::ml_dsa::sample::{FIRST, ROOM, SLACK};
use crate::kernels::ml_dsa::shifted::{self, TABLE};

const MODULUS: i64 = Q as i64;

/// Returns every kernel that this machine can run, each once.
fn kernels() -> Vec<&'static MlDsaKernel> {
    let mut all = Vec::<&MlDsaKernel>::new();
    for cpu in cpus() {
        for kernel in arch::kernels(&cpu).ml_dsa {
            if !all.iter().any(|known| core::ptr::eq(*known, *kernel)) {
                all.push(kernel);
            }
        }
    }
    all.iter().for_each(|kernel| println!("ml-dsa kernel tested: {}", kernel.name));
    all
}

/// Returns numbers of `low..low + count`, for polynomials of each lane.
fn polys(kernel: &MlDsaKernel, seed: &mut u64, polys: usize, (low, count): (i64, i64)) -> Vec<u32> {
    let bytes = random(seed, 4 * polys * N * kernel.lanes);
    let number = |word: &[u8; 4]| (i64::from(u32::from_le_bytes(*word)) % count + low) as u32;
    bytes.as_chunks().0.iter().map(number).collect()
}

/// Returns the polynomial of a lane, as signed numbers.
fn lane(kernel: &MlDsaKernel, poly: &[u32], lane: usize) -> Vec<i64> {
    let numbers = poly.iter().skip(lane).step_by(kernel.lanes);
    numbers.map(|number| i64::from(number.cast_signed())).collect()
}

/// Multiplies two polynomials modulo X^256 + 1.
fn product_of_integers(a: &[i64], b: &[i64]) -> Vec<i64> {
    let mut sums = std::vec![0; N];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            let (at, sign) = if i + j < N { (i + j, 1) } else { (i + j - N, -1) };
            sums[at] += sign * a * b;
        }
    }
    sums
}

/// Multiplies two polynomials modulo X^256 + 1 and the modulus.
fn product(a: &[i64], b: &[i64]) -> Vec<i64> {
    product_of_integers(a, b).iter().map(|number| number.rem_euclid(MODULUS)).collect()
}

#[test]
fn transforms_multiply_polynomials() {
    for kernel in kernels() {
        let mut seed = 3;
        let len = N * kernel.lanes;
        for k in [1, 4, 8] {
            let mut a = polys(kernel, &mut seed, k, (0, MODULUS));
            let mut b = polys(kernel, &mut seed, k, (-MODULUS, 2 * MODULUS + 1));
            if k == 8 {
                // The largest numbers, which must not overflow.
                a.fill(Q - 1);
                b.fill(Q.wrapping_neg());
            }
            let (plain_a, plain_b) = (a.clone(), b.clone());
            let mut rows = std::vec![std::vec![0_u32; k * N]; kernel.lanes];
            let mut sum = std::vec![0; len];
            let mut room = sum.clone();
            // SAFETY: the kernel is for this machine, and there are polynomials and rows of all
            // lanes.
            unsafe {
                for poly in 0..k {
                    (kernel.forward)(a[poly * len..].as_mut_ptr());
                    (kernel.forward)(b[poly * len..].as_mut_ptr());
                    let to: Vec<_> =
                        rows.iter_mut().map(|row| row[poly * N..].as_mut_ptr()).collect();
                    let from = a[poly * len..].as_ptr();
                    (kernel.pack)(from, room.as_mut_ptr(), Packing::Whole, to.as_ptr());
                }
                let bound = 12 * MODULUS;
                let all = a.iter().chain(&b).map(|number| i64::from(number.cast_signed()));
                assert!(all.clone().all(|number| number.abs() < bound), "{}", kernel.name);
                if k > 1 {
                    // As those of a matrix, they are below the modulus.
                    for number in rows.iter_mut().flatten() {
                        let value = i64::from(number.cast_signed()).rem_euclid(MODULUS);
                        *number = value as u32;
                    }
                }
                let from: Vec<_> = rows.iter().map(|row| row.as_ptr()).collect();
                (kernel.dot)(sum.as_mut_ptr(), from.as_ptr(), b.as_ptr(), k);
                (kernel.inverse)(sum.as_mut_ptr());
            }
            let mut shared = std::vec![0; len];
            // SAFETY: as above.
            unsafe {
                let from: Vec<_> = rows.iter().map(|_| rows[0].as_ptr()).collect();
                (kernel.dot)(shared.as_mut_ptr(), from.as_ptr(), b.as_ptr(), k);
                (kernel.inverse)(shared.as_mut_ptr());
            }
            let last = kernel.lanes - 1;
            for (sum, of_a, at) in [(&sum, 0, 0), (&sum, last, last), (&shared, 0, last)] {
                let mut expected = std::vec![0; N];
                for poly in 0..k {
                    let part = |all: &[u32], at| lane(kernel, &all[poly * len..][..len], at);
                    let product = product(&part(&plain_a, of_a), &part(&plain_b, at));
                    let pairs = expected.iter_mut().zip(product);
                    pairs.for_each(|(to, one)| *to = (*to + one) % MODULUS);
                }
                let found = lane(kernel, sum, at);
                assert!(found.iter().all(|number| 4 * number.abs() < 3 * MODULUS));
                let found: Vec<_> = found.iter().map(|n| n.rem_euclid(MODULUS)).collect();
                assert_eq!(found, expected, "{} {k} {at}", kernel.name);
            }
        }
    }
}

#[test]
fn products_with_challenges_are_added() {
    for kernel in kernels() {
        let mut seed = 8;
        for (packing, count) in [
            (Packing::Eta2, 39),
            (Packing::Eta4, 49),
            (Packing::Eta2, 60),
            (Packing::T0, 39),
            (Packing::T0, 60),
        ] {
            let bias = packing.bound().expect("numbers are subtracted from it");
            let range = if packing == Packing::T0 { 2 * bias } else { 2 * bias + 1 };
            for largest in [false, true] {
                // A number in every place that a challenge may have, those at the ends among them.
                let mut places: Vec<usize> = std::vec![0, N - 1];
                while places.len() < count {
                    let place = usize::from(random(&mut seed, 1)[0]);
                    if !places.contains(&place) {
                        places.push(place);
                    }
                }
                let signs = random(&mut seed, count);
                let is_negative = |at: usize| !largest && signs[at] & 1 == 1;
                let mut challenge = std::vec![0_i64; N];
                for (at, place) in places.iter().enumerate() {
                    challenge[*place] = if is_negative(at) { -1 } else { 1 };
                }
                let numbers: Vec<i64> = (0..N)
                    .map(|_| {
                        let number =
                            u16::from_le_bytes(random(&mut seed, 2).try_into().expect("2"));
                        let number = i64::from(u32::from(number) % range);
                        if largest { i64::from(bias) } else { i64::from(bias) - number }
                    })
                    .collect();
                let row: Vec<u32> = numbers.iter().map(|number| *number as u32).collect();
                let mut table = std::vec![0_u16; TABLE];
                let start = |at: usize| shifted::start(places[at], is_negative(at));
                let starts: Vec<u16> = (0..count).map(start).collect();
                let before: Vec<i64> = (0..N as i64).map(|i| 1000 * i - 100_000).collect();
                let expected: Vec<i64> = product_of_integers(&challenge, &numbers)
                    .iter()
                    .zip(&before)
                    .map(|(product, number)| product + number)
                    .collect();
                let most = expected.iter().map(|number| number.unsigned_abs()).max();
                let most = most.expect("there are numbers") as u32;
                for (bound, exceeds) in [(most, 1), (most + 1, 0)] {
                    let mut sum: Vec<u32> = before.iter().map(|number| *number as u32).collect();
                    // SAFETY: the kernel is for this machine, the rows have a polynomial, and the
                    // table has room for one of numbers of sixteen bits.
                    let found = unsafe {
                        (kernel.make_table)(row.as_ptr(), packing, table.as_mut_ptr());
                        let (sum, table) = (sum.as_mut_ptr(), table.as_ptr());
                        (kernel.add_product)(sum, table, packing, &starts, bound)
                    };
                    assert_eq!(found, exceeds, "{} {packing:?} {count}", kernel.name);
                    let sum: Vec<_> = sum.iter().map(|n| i64::from(n.cast_signed())).collect();
                    assert_eq!(sum, expected, "{} {packing:?} {count}", kernel.name);
                }
            }
        }
    }
}

#[test]
fn sums_are_reduced() {
    for kernel in kernels() {
        let mut seed = 4;
        let range = (-100 * MODULUS, 200 * MODULUS);
        let a = polys(kernel, &mut seed, 1, range);
        let b = polys(kernel, &mut seed, 1, (-20 * MODULUS, 40 * MODULUS));
        let signed = |number: &u32| i64::from(number.cast_signed());
        let mut to = a.clone();
        // SAFETY: the kernel is for this machine, and the polynomials have all lanes.
        unsafe { (kernel.add)(to.as_mut_ptr(), b.as_ptr()) };
        for (found, (a, b)) in to.iter().map(signed).zip(a.iter().zip(&b)) {
            let expected = (signed(a) + signed(b)).rem_euclid(MODULUS);
            assert_eq!(found.rem_euclid(MODULUS), expected, "{}", kernel.name);
            assert!(4 * found.abs() < 3 * MODULUS, "{}", kernel.name);
            let centred = if expected > MODULUS / 2 { expected - MODULUS } else { expected };
            assert!(4 * centred.abs() >= MODULUS || centred == found, "{}", kernel.name);
        }
    }
}

#[test]
fn lanes_with_large_numbers_are_found() {
    for kernel in kernels() {
        for (number, is_large) in [(99, false), (100, true), (-99, false), (-100, true)] {
            for lane in 0..kernel.lanes {
                let mut poly = std::vec![0_u32; N * kernel.lanes];
                poly[(lane * 37 % N) * kernel.lanes + lane] = i32::cast_unsigned(number);
                // SAFETY: the kernel is for this machine, and the polynomial has all lanes.
                let found = unsafe { (kernel.exceeds)(poly.as_ptr(), 100) };
                assert_eq!(found, u32::from(is_large) << lane, "{} {number}", kernel.name);
            }
        }
    }
}

#[test]
fn numbers_are_packed_and_read_again() {
    for kernel in kernels() {
        for packing in Packing::ALL {
            let (mut seed, bits) = (packing.bits() as u64, packing.bits());
            let count = 1_i64 << bits.min(31);
            let low = packing.bound().map_or(0, |bound| i64::from(bound) - count + 1);
            let poly = polys(kernel, &mut seed, 1, (low, count));
            let mut room = std::vec![0_u32; N * kernel.lanes];
            let words = 8 * bits;
            let mut rows = std::vec![std::vec![0xaaaa_aaaa_u32; words + 8]; kernel.lanes];
            let to: Vec<_> = rows.iter_mut().map(|row| row.as_mut_ptr()).collect();
            // SAFETY: the kernel is for this machine, and there are polynomials and rows of all
            // lanes.
            unsafe { (kernel.pack)(poly.as_ptr(), room.as_mut_ptr(), packing, to.as_ptr()) };
            for (at, row) in rows.iter().enumerate() {
                let bytes: Vec<u8> = row
                    .iter()
                    .flat_map(|word| match packing {
                        Packing::Whole => word.to_le_bytes(),
                        _ => word.to_ne_bytes(),
                    })
                    .collect();
                let bit = |at: usize| i64::from(bytes[at / 8] >> (at % 8) & 1);
                for (place, number) in lane(kernel, &poly, at).into_iter().enumerate() {
                    let found: i64 = (0..bits).map(|i| bit(place * bits + i) << i).sum();
                    let left = packing.bound().map_or(number, |bound| i64::from(bound) - number);
                    assert_eq!(found, left, "{} {packing:?}", kernel.name);
                }
                assert!(row[words..].iter().all(|word| *word == 0xaaaa_aaaa), "{packing:?}");
            }
            let rows: Vec<Vec<u8>> = rows
                .iter()
                .map(|row| {
                    let bytes = row[..words].iter().flat_map(|word| word.to_ne_bytes());
                    [7_u8; 5].into_iter().chain(bytes).collect()
                })
                .collect();
            let from: Vec<_> = rows.iter().map(|row| row.as_ptr()).collect();
            let mut again = std::vec![0_u32; N * kernel.lanes];
            // SAFETY: as above.
            unsafe {
                let (again, room) = (again.as_mut_ptr(), room.as_mut_ptr());
                (kernel.unpack)(from.as_ptr(), 5, packing, again, room);
            }
            assert!(again == poly, "{} {packing:?}", kernel.name);
        }
    }
}

/// Takes a number apart (FIPS 204, algorithm 36).
fn decompose(number: i64, gamma2: i64) -> (i64, i64) {
    let mut low = number % (2 * gamma2);
    if low > gamma2 {
        low -= 2 * gamma2;
    }
    if number - low == MODULUS - 1 { (0, low - 1) } else { ((number - low) / (2 * gamma2), low) }
}

/// Calls a function with canonical numbers: those around every multiple of a divisor, and others.
fn interesting(divisor: i64, mut each: impl FnMut(i64)) {
    let mut near = |centre: i64| {
        (centre - 3..=centre + 3).filter(|n| (0..MODULUS).contains(n)).for_each(&mut each);
    };
    (0..=MODULUS / divisor + 1).for_each(|i| near(i * divisor));
    near(MODULUS);
    (0..MODULUS).step_by(if is_brief() { 99991 } else { 997 }).for_each(near);
}

/// Returns polynomials of these numbers, the last filled up with zeros.
fn columns(kernel: &MlDsaKernel, numbers: &[i64]) -> Vec<Vec<u32>> {
    let fill = |part: &[i64]| {
        let mut poly = std::vec![0; N * kernel.lanes];
        poly.iter_mut().zip(part).for_each(|(to, number)| *to = *number as u32);
        poly
    };
    numbers.chunks(N * kernel.lanes).map(fill).collect()
}

#[test]
fn numbers_are_rounded() {
    for kernel in kernels() {
        let mut numbers = Vec::new();
        interesting(4096, |number| numbers.push(number));
        for poly in columns(kernel, &numbers) {
            let (mut low, mut high) = (poly.clone(), poly.clone());
            // SAFETY: the kernel is for this machine, and the polynomials have all lanes.
            unsafe { (kernel.power2round)(low.as_mut_ptr(), high.as_mut_ptr()) };
            for ((number, low), high) in poly.iter().zip(low).zip(high) {
                let low = i64::from(low.cast_signed());
                assert!(-4096 < low && low <= 4096, "{} {number}", kernel.name);
                assert_eq!(i64::from(high) * 8192 + low, i64::from(*number), "{}", kernel.name);
            }
        }
        for gamma2 in [Gamma2::Part88, Gamma2::Part32] {
            let range = i64::from(gamma2.value());
            let mut numbers = Vec::new();
            interesting(range, |number| numbers.push(number));
            for poly in columns(kernel, &numbers) {
                let (mut low, mut high) = (poly.clone(), poly.clone());
                // SAFETY: as above.
                unsafe { (kernel.decompose)(low.as_mut_ptr(), high.as_mut_ptr(), gamma2) };
                for ((number, low), high) in poly.iter().zip(low).zip(high) {
                    let found = (i64::from(high), i64::from(low.cast_signed()));
                    let expected = decompose((*number).into(), range);
                    assert_eq!(found, expected, "{} {number}", kernel.name);
                }
            }
        }
    }
}

#[test]
fn hints_correct_higher_parts() {
    for kernel in kernels() {
        for gamma2 in [Gamma2::Part88, Gamma2::Part32] {
            let range = i64::from(gamma2.value());
            let mut numbers = Vec::new();
            interesting(range, |number| numbers.push(number));
            for (turn, poly) in columns(kernel, &numbers).into_iter().enumerate() {
                // What the lower part changes by, up to the whole range.
                let changes = [0, 1, -1, range, -range, 12345, -54321];
                let change = |at: usize| changes[(at + turn) % changes.len()];
                let (mut low, mut high) = (poly.clone(), poly.clone());
                let mut counts = [0; 16];
                let mut used = poly.clone();
                // SAFETY: the kernel is for this machine, and the polynomials have all lanes.
                unsafe {
                    (kernel.decompose)(low.as_mut_ptr(), high.as_mut_ptr(), gamma2);
                    for (at, low) in low.iter_mut().enumerate() {
                        *low = low.wrapping_add(change(at) as u32);
                    }
                    let (low, high) = (low.as_mut_ptr(), high.as_ptr());
                    (kernel.make_hints)(low, high, gamma2, counts.as_mut_ptr());
                }
                for (at, used) in used.iter_mut().enumerate() {
                    *used = (i64::from(*used) + change(at)).rem_euclid(MODULUS) as u32;
                }
                let changed = used.clone();
                // SAFETY: as above.
                unsafe { (kernel.use_hints)(used.as_mut_ptr(), low.as_ptr(), gamma2) };
                assert!(used == high, "the higher part comes back, {} {gamma2:?}", kernel.name);
                let mut sums = [0; 16];
                for (at, hint) in low.iter().enumerate() {
                    sums[at % kernel.lanes] += hint;
                    let is_other = decompose(changed[at].into(), range).0 != high[at].into();
                    assert_eq!(*hint, u32::from(is_other), "{} {gamma2:?} {at}", kernel.name);
                }
                assert_eq!(sums, counts, "{}", kernel.name);
            }
        }
    }
}

#[test]
fn samples_are_the_numbers_below_the_modulus() {
    for kernel in kernels() {
        let mut seed = 11;
        let mut have = 0;
        let mut samples = std::vec![0_u32; ROOM];
        let mut expected = Vec::new();
        for len in [FIRST, 168] {
            let mut bytes = random(&mut seed, len + SLACK);
            // Many numbers are around the modulus.
            for triple in bytes.chunks_mut(9) {
                if let [low, middle, high, ..] = triple {
                    (*low, *middle, *high) = (*low & 3, 0xdf + (*middle & 1), *high | 0x7f);
                }
            }
            for triple in bytes[..len].chunks(3) {
                let number = u32::from_le_bytes([triple[0], triple[1], triple[2] & 0x7f, 0]);
                expected.extend((number < Q).then_some(number));
            }
            if have >= N {
                (have, expected) = (0, expected.split_off(have));
            }
            // SAFETY: the kernel is for this machine, there are the stream's bytes and the slack,
            // and room for the numbers.
            have = unsafe { (kernel.sample)(bytes.as_ptr(), len, samples.as_mut_ptr(), have) };
            assert_eq!(samples[..have], expected, "{}", kernel.name);
        }
    }
}

#[test]
fn secret_samples_are_the_numbers_of_low_half_bytes() {
    for kernel in kernels() {
        let mut seed = 12;
        for eta in [2, 4] {
            let (mut have, mut expected) = (0, Vec::new());
            let mut samples = std::vec![0_u32; ROOM];
            for len in [272, 136, 8] {
                let bytes = random(&mut seed, len);
                for half in bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]) {
                    let half = u32::from(half);
                    match eta {
                        2 if half < 15 => expected.push(2_u32.wrapping_sub(half % 5)),
                        4 if half < 9 => expected.push(4_u32.wrapping_sub(half)),
                        _ => {}
                    }
                }
                // SAFETY: the kernel is for this machine, and there are the bytes, and room for the
                // numbers.
                have = unsafe {
                    let (bytes, numbers) = ((bytes.as_ptr(), len), samples.as_mut_ptr());
                    (kernel.sample_secrets)(bytes, eta, numbers, have)
                };
                let count = have.min(N);
                assert!(have == expected.len() || have >= N, "{} {eta}", kernel.name);
                assert_eq!(samples[..count], expected[..count], "{} {eta}", kernel.name);
                if have >= N {
                    (have, expected) = (0, Vec::new());
                }
            }
        }
    }
}
