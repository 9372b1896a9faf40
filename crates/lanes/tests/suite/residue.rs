//! What a call leaves on the stack is searched for secrets, and what it leaves in a living planner.
//! On other processors the compiler spills other words from registers.

#![cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]

use broadloom_lanes::{
    ChaChaKey, ChaChaPolyJob, DesJob, DesKey, F8Job, F9Job, KasumiKey, LinkDirection, Planner,
    Rc4Job, Rc4Key, XChaChaPolyJob,
};
use broadloom_residue::Secret;
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use num_bigint::BigUint;

use crate::common::{bytes, cipher_cpus, isas};
use crate::stack::{check, count, stack_after, work_elsewhere};

#[test]
fn what_stays_on_the_stack_is_found() {
    let words = [1, 2, 3].map(|number| *bytes(number, 8).first_chunk().expect("8 bytes"));
    // Deeper than what ends the thread.
    let left = stack_after(&mut || {
        std::hint::black_box([[words[0], words[1]]; 1000]);
    });
    assert_eq!(count(&left, &words), 2);
}

/// What is secret of a message for Poly1305 (RFC 8439, 2.5 and 2.6): the key's first powers, and
/// sums of blocks, as the kernels have them. The lowest 64 bits of each; of a sum also as it is
/// where it was not reduced.
fn secrets(
    key: &[u8; 32],
    nonce: &[u8; 12],
    associated: &[u8],
    text: &[u8],
) -> (Vec<[u8; 8]>, Vec<[u8; 8]>) {
    let mut r = [0; 16];
    ChaCha20::new(key.into(), nonce.into()).apply_keystream(&mut r);
    let r = BigUint::from(u128::from_le_bytes(r) & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff);
    let prime = (BigUint::from(1u8) << 130) - 5u8;
    let power = |exponent: usize| r.modpow(&exponent.into(), &prime);
    let blocks = [associated.as_chunks::<16>().0, text.as_chunks::<16>().0].concat();
    let before = associated.len() / 16;
    let sum = |end: usize, takes: &dyn Fn(usize) -> bool| {
        let terms = (0..end).filter(|&at| takes(at)).map(|at| {
            (BigUint::from_bytes_le(&blocks[at]) + (BigUint::from(1u8) << 128)) * power(end - at)
        });
        terms.sum::<BigUint>() % &prime
    };
    // The sums behind the associated data and behind the text, and those of each lane.
    let mut sums = vec![sum(before, &|_| true), sum(blocks.len(), &|_| true)];
    for lanes in [4, 8] {
        let end = before + (blocks.len() - before) / lanes * lanes;
        sums.extend(
            (0..lanes).map(|lane| {
                sum(end, &|at| at.checked_sub(before).map_or(0, |at| at % lanes) == lane)
            }),
        );
    }
    let word = |number: BigUint| number.iter_u64_digits().next().unwrap_or_default().to_le_bytes();
    let sums = sums.into_iter().filter(|sum| *sum != BigUint::ZERO);
    let sums = sums.flat_map(|sum| [&sum + &prime, sum]).map(word).collect();
    ((1..=8).map(|exponent| word(power(exponent))).collect(), sums)
}

#[test]
fn keys_powers_and_sums_of_poly1305_do_not_stay_on_the_stack() {
    let key_bytes: [u8; 32] = *bytes(1, 32).first_chunk().expect("32 bytes");
    let key = ChaChaKey::new(&key_bytes);
    for cpu in cipher_cpus() {
        // Texts side by side; one text on all lanes; short texts.
        for (messages, len, associated) in [(32, 600, 0), (1, 4000, 16), (3, 100, 32)] {
            let associated = bytes(3, associated);
            let nonce = |number: usize| *bytes(number, 12).first_chunk().expect("12 bytes");
            let job = |number| {
                let (nonce, text) = (nonce(number), bytes(2, len));
                ChaChaPolyJob::seal(&key, &nonce, &associated[..], text, ()).expect("good lengths")
            };
            let mut jobs: Vec<_> = (0..messages).map(job).collect();
            let mut planner = Planner::new(&cpu);
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            let (mut of_key, mut of_text) = (0, 0);
            for (number, job) in jobs.into_iter().enumerate() {
                let (text, ..) = job.into_parts();
                let (powers, sums) = secrets(&key_bytes, &nonce(number), &associated, &text);
                of_key += count(&left, &powers);
                of_text += count(&left, &sums);
            }
            // The compiler may spill words of the last message's key from registers, and in the dev
            // profile, where it optimises little, a word of each sum.
            let what = format!("{}, {messages} texts of {len} bytes", cpu.isa());
            let spilled = if cfg!(debug_assertions) { messages } else { 0 };
            assert!(of_key <= 2 && of_text <= spilled, "{what}: {of_key} powers, {of_text} sums");
        }
    }
}

/// A register for each bit, of which every lane has the same, in kernels with 64 to 512 lanes.
fn sliced(name: &str, bits: impl Iterator<Item = bool> + Clone) -> Vec<Secret> {
    let secret = |width: usize| {
        let mut registers = Vec::with_capacity(64 * width);
        bits.clone().for_each(|bit| {
            registers.resize(registers.len() + width, 0_u8.wrapping_sub(bit.into()));
        });
        let secret = Secret::new(format!("{name} in registers of {width} bytes"), &registers);
        registers.fill(0);
        std::hint::black_box(&registers);
        secret
    };
    [8, 16, 32, 64].map(secret).into()
}

#[test]
fn keys_of_des_do_not_stay_in_living_lanes() {
    let keys: [&[u8]; 2] = [
        b"\x5b\xe3\x1c\x94\x2f\xd8\x67\xa0",
        b"\x83\x4c\xf1\x26\xb9\x0e\x75\xda\x3e\x97\x58\xc1\x6a\xf4\x0b\xad\xd6\x21\x8f\x74\x39\xec\
            \x52\x1b",
    ];
    let mut secrets = Vec::new();
    for part in keys.iter().flat_map(|key| key.chunks(8)) {
        secrets.push(Secret::new("a key's word", part));
        // C of permuted choice 1: from the last byte to the first, the highest bits first, as far
        // as they fill whole rows of the standard's table.
        let c = (0..24).map(|at| part[7 - at % 8] >> (7 - at / 8) & 1 == 1);
        secrets.extend(sliced("C", c));
    }
    let mut planners = Vec::new();
    for cpu in isas() {
        // One block; fewer and more than the lanes of all kernels, alone and beside another key.
        for (messages, others) in [(1_usize, 0), (40, 0), (40, 1), (700, 0), (700, 1)] {
            for bytes in keys {
                let mut planner = Planner::new(&cpu);
                work_elsewhere(|| {
                    let key = DesKey::new(bytes).expect("a good key");
                    let other = DesKey::new(&[0x55; 8]).expect("a good key");
                    let job = |number| {
                        let key = if number < others { &other } else { &key };
                        DesJob::cbc_encrypt(key, [1; 8], vec![2; 8 * (1 + number % 3)], ())
                    };
                    let mut jobs: Vec<_> =
                        (0..messages).map(|number| job(number).expect("whole blocks")).collect();
                    planner.process_many(&mut jobs);
                    assert!(jobs.iter().all(|job| job.output().is_some()));
                });
                planners.push(planner);
            }
        }
    }
    check(&secrets, planners);
}

#[test]
fn keys_of_kasumi_do_not_stay_in_living_lanes() {
    let bytes = b"\x6d\x19\xf2\x8b\x40\xc7\x3a\xe5\x92\x5e\x07\xbd\x71\xa8\xd4\x2c";
    // The first word of the key: its bits from the lowest on, twice.
    let word = u16::from_be_bytes([bytes[0], bytes[1]]);
    let first = (0..32).map(|at| word >> (at % 16) & 1 == 1);
    let reversed = |half: &[u8]| half.iter().rev().copied().collect::<Vec<_>>();
    let mut secrets = sliced("the first word", first);
    secrets.extend(bytes.chunks(8).map(|half| Secret::new("a half", half)));
    secrets.extend(bytes.chunks(8).map(|half| Secret::new("a half as a number", &reversed(half))));
    let mut planners = Vec::new();
    for cpu in isas() {
        for messages in [1, 40, 700] {
            let (mut planner, mut macs) = (Planner::new(&cpu), Planner::new(&cpu));
            work_elsewhere(|| {
                let key = KasumiKey::new(bytes);
                let (up, down) = (LinkDirection::Uplink, LinkDirection::Downlink);
                let f8 = |number| F8Job::f8(&key, number, 5, up, vec![3; 24], 190, ());
                let mut jobs: Vec<_> =
                    (0..messages).map(|number| f8(number).expect("a bearer, and bits")).collect();
                planner.process_many(&mut jobs);
                assert!(jobs.iter().all(|job| job.output().is_some()));
                let f9 = |number| F9Job::f9(&key, number, 7, down, vec![3; 24], 190, ());
                let mut jobs: Vec<_> =
                    (0..messages).map(|number| f9(number).expect("bits")).collect();
                macs.process_many(&mut jobs);
                assert!(jobs.iter().all(|job| job.output().is_some()));
            });
            planners.push((planner, macs));
        }
    }
    check(&secrets, planners);
}

#[test]
fn states_of_rc4_do_not_stay_in_living_lanes() {
    let bytes = b"\x37\xe8\x5a\xc4\x0d\x96\x7b\xf1\x28\xb3\x6f\x9c\x45\xd0\xea\x12";
    let len = 100;
    // RC4 as everybody writes it, up to the last byte.
    let mut state: [u32; 256] = std::array::from_fn(|at| at as u32);
    let mut place = 0;
    for at in 0..256 {
        place = (place + state[at] as usize + usize::from(bytes[at % 16])) % 256;
        state.swap(at, place);
    }
    place = 0;
    for at in 1..=len {
        place = (place + state[at] as usize) % 256;
        state.swap(at, place);
    }
    let mut left: Vec<u8> = state.iter().flat_map(|entry| entry.to_ne_bytes()).collect();
    let secret = [Secret::new("the state", &left)];
    left.fill(0);
    state.fill(0);
    std::hint::black_box((&left, &state));
    let mut planners = Vec::new();
    for cpu in isas() {
        for messages in [1, 3, 9] {
            let mut planner = Planner::new(&cpu);
            work_elsewhere(|| {
                let key = Rc4Key::new(bytes).expect("16 bytes");
                let mut jobs: Vec<_> =
                    (0..messages).map(|_| Rc4Job::rc4(&key, vec![0; len], ())).collect();
                planner.process_many(&mut jobs);
                assert!(jobs.iter().all(|job| job.output().is_some()));
            });
            planners.push(planner);
        }
    }
    check(&secret, planners);
}

#[test]
fn keys_that_xchacha_derives_do_not_stay_in_living_lanes() {
    // draft-irtf-cfrg-xchacha-03, 2.2.1; the nonce's first 16 bytes are those of the example.
    let key = b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\
        \x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f";
    let nonce = b"\x00\x00\x00\x09\x00\x00\x00\x4a\x00\x00\x00\x00\x31\x41\x59\x27\
        \x00\x00\x00\x00\x00\x00\x00\x01";
    let derived = [
        Secret::new(
            "the first half",
            b"\x82\x41\x3b\x42\x27\xb2\x7b\xfe\
            \xd3\x0e\x42\x50\x8a\x87\x7d\x73",
        ),
        Secret::new(
            "the second half",
            b"\xa0\xf9\xe4\xd5\x8a\x74\xa8\x53\
            \xc1\x2e\xc4\x13\x26\xd3\xec\xdc",
        ),
    ];
    let mut planners = Vec::new();
    for cpu in cipher_cpus() {
        for (messages, len) in [(1, 0), (1, 40), (40, 200), (1, 40_000)] {
            let mut planner = Planner::new(&cpu);
            work_elsewhere(|| {
                let key = ChaChaKey::new(key);
                let job = |_| XChaChaPolyJob::seal(&key, nonce, &b"header"[..], vec![0; len], ());
                let mut jobs: Vec<_> =
                    (0..messages).map(|number| job(number).expect("short")).collect();
                planner.process_many(&mut jobs);
                assert!(jobs.iter().all(|job| job.output().is_some()));
            });
            planners.push(planner);
        }
    }
    check(&derived, planners);
}
