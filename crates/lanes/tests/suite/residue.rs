//! What a call leaves on the stack is searched for secrets, and what it leaves in a living planner.
//! On other processors the compiler spills other words from registers.

#![cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]

use std::ffi::c_void;
use std::ptr;

use broadloom_lanes::{
    ChaChaKey, ChaChaPolyJob, CurveJob, DesJob, DesKey, F8Job, F9Job, KasumiKey, LinkDirection,
    MlDsaKeyJob, MlDsaMessage, MlDsaPrivateKey, MlDsaSet, MlDsaSignJob, MlKemJob, MlKemPrivateKey,
    MlKemPublicKey, MlKemSet, P256PrivateKey, P384PrivateKey, P521PrivateKey, Planner, Rc4Job,
    Rc4Key, Secp256k1PrivateKey, X25519Key, XChaChaPolyJob,
};
use broadloom_residue::{Secret, assert_gone};
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use num_bigint::BigUint;
use zeroize::Zeroizing;

use crate::common::{bytes, cipher_cpus, isas};

/// Bytes of a stack.
const STACK: usize = 1 << 20;

/// The stack of a thread that has called a function and has ended.
fn stack_after(what: &mut (impl FnMut() + Send)) -> Vec<u8> {
    extern "C" fn start<F: FnMut()>(what: *mut c_void) -> *mut c_void {
        // SAFETY: `stack_after` passes a function that it borrows until the thread has ended.
        unsafe { (*what.cast::<F>())() };
        ptr::null_mut()
    }

    fn start_of<F: FnMut()>(_: &F) -> extern "C" fn(*mut c_void) -> *mut c_void {
        start::<F>
    }

    let start = start_of(what);
    // SAFETY: the mapping is new, and is a stack for as long as the thread lives. Then nothing
    // refers to it but the slice, which is copied.
    unsafe {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let stack = libc::mmap(ptr::null_mut(), STACK, protection, flags, -1, 0);
        assert_ne!(stack, libc::MAP_FAILED);
        let (mut thread, mut attributes) = (std::mem::zeroed(), std::mem::zeroed());
        assert_eq!(libc::pthread_attr_init(&mut attributes), 0);
        assert_eq!(libc::pthread_attr_setstack(&mut attributes, stack, STACK), 0);
        let what = ptr::from_mut(what).cast();
        assert_eq!(libc::pthread_create(&mut thread, &attributes, start, what), 0);
        assert_eq!(libc::pthread_join(thread, ptr::null_mut()), 0);
        assert_eq!(libc::pthread_attr_destroy(&mut attributes), 0);
        let left = std::slice::from_raw_parts(stack.cast::<u8>(), STACK).to_vec();
        assert_eq!(libc::munmap(stack, STACK), 0);
        left
    }
}

/// Counts the words that a stack has.
fn count(left: &[u8], words: &[[u8; 8]]) -> usize {
    words.iter().filter(|word| left.windows(8).any(|bytes| bytes == *word)).count()
}

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

#[test]
fn private_numbers_of_curves_do_not_stay_on_the_stack() {
    let mut found = Vec::new();
    for cpu in cipher_cpus() {
        for jobs in [1, 2, 20] {
            // What the test frees is wiped, so that it is no part of memory that jobs get.
            let number = |number: usize| {
                let bytes = Zeroizing::new(bytes(100 + number, 32));
                *bytes.first_chunk::<32>().expect("32 bytes")
            };
            let numbers: Zeroizing<Vec<[u8; 32]>> = Zeroizing::new((0..jobs).map(number).collect());
            let what = format!("{jobs} jobs, {}", cpu.isa());
            let mut planner = Planner::new(&cpu);

            let keys: Vec<_> = numbers.iter().map(X25519Key::new).collect();
            let job = |key| CurveJob::x25519(key, [9; 32].to_vec(), ()).expect("32 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            // The bits that the standard sets are in the first and the last byte.
            let mut words = Zeroizing::new(Vec::with_capacity(2 * numbers.len()));
            words.extend(numbers.iter().flat_map(|number| &number.as_chunks::<8>().0[1..3]));
            found.push((format!("X25519, {what}"), count(&left, &words)));
            let job = |key| CurveJob::x25519_public(key, [0; 32].to_vec(), ()).expect("32 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            found.push((format!("public keys of X25519, {what}"), count(&left, &words)));

            let point = base_point();
            let key = |number| P256PrivateKey::new(number).expect("a scalar");
            let keys: Vec<_> = numbers.iter().map(key).collect();
            let job = |key| CurveJob::p256_agree(key, point.clone(), ()).expect("64 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            let mut words = Zeroizing::new(Vec::with_capacity(4 * numbers.len()));
            let all = numbers.iter().flat_map(|number| number.as_chunks::<8>().0);
            words.extend(all.map(|word| reversed(*word)));
            found.push((format!("P-256, {what}"), count(&left, &words)));
            let job = |key| CurveJob::p256_public(key, [0; 64].to_vec(), ()).expect("64 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            found.push((format!("public keys of P-256, {what}"), count(&left, &words)));

            let point = base_point_k1();
            let key = |number| Secp256k1PrivateKey::new(number).expect("a scalar");
            let keys: Vec<_> = numbers.iter().map(key).collect();
            let job = |key| CurveJob::secp256k1_agree(key, point.clone(), ()).expect("64 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            found.push((format!("secp256k1, {what}"), count(&left, &words)));

            // The highest bytes are zeros, and then the number follows.
            let point = base_point_384();
            let long = |number: &[u8; 32]| {
                let mut bytes = [0; 48];
                bytes[16..].copy_from_slice(number);
                P384PrivateKey::new(&bytes).expect("a scalar")
            };
            let keys: Vec<_> = numbers.iter().map(long).collect();
            let job = |key| CurveJob::p384_agree(key, point.clone(), ()).expect("96 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            found.push((format!("P-384, {what}"), count(&left, &words)));

            let point = base_point_521();
            let long = |number: &[u8; 32]| {
                let mut bytes = [0; 66];
                bytes[34..].copy_from_slice(number);
                P521PrivateKey::new(&bytes).expect("a scalar")
            };
            let keys: Vec<_> = numbers.iter().map(long).collect();
            let job = |key| CurveJob::p521_agree(key, point.clone(), ()).expect("132 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            found.push((format!("P-521, {what}"), count(&left, &words)));
        }
    }
    found.retain(|(_, words)| *words > 0);
    assert!(found.is_empty(), "words of private numbers are left: {found:?}");
}

/// The base point of P-256: its coordinates, the highest bytes first.
fn base_point() -> Vec<u8> {
    crate::common::hex(
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296\
         4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
    )
}

/// The base point of secp256k1: its coordinates, the highest bytes first.
fn base_point_k1() -> Vec<u8> {
    crate::common::hex(
        "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798\
         483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
    )
}

/// The base point of P-384: its coordinates, the highest bytes first.
fn base_point_384() -> Vec<u8> {
    crate::common::hex(
        "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e38\
         72760ab73617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d\
         7a431d7c90ea0e5f",
    )
}

/// The base point of P-521: its coordinates, the highest bytes first.
fn base_point_521() -> Vec<u8> {
    crate::common::hex(
        "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1d\
         c127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66011839296a789a3bc0045c8a5fb42c7d1bd998f54449\
         579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650",
    )
}

fn reversed(mut word: [u8; 8]) -> [u8; 8] {
    word.reverse();
    word
}

/// Does work on a stack that then is gone.
fn work_elsewhere(mut what: impl FnMut() + Send) {
    let mut left = stack_after(&mut what);
    left.fill(0);
    std::hint::black_box(&left);
}

/// Looks for secrets in all memory, while all planners that worked with them are there.
fn check<T>(secrets: &[Secret], living: Vec<T>) {
    assert_gone(&secrets.iter().collect::<Vec<_>>());
    drop(living);
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

/// A buffer of a length that begins with some bytes.
fn buffer(begin: &[u8], len: usize) -> Vec<u8> {
    let mut buffer = vec![0; len];
    buffer[..begin.len()].copy_from_slice(begin);
    buffer
}

#[test]
fn secrets_of_ml_kem_do_not_stay_on_the_stack() {
    // Of the first and the last operation: the others go through the same registers.
    let words = |all: &[&[u8]]| -> Vec<[u8; 8]> {
        let ends = [all[0], all[all.len() - 1]];
        ends.iter().flat_map(|bytes| bytes.as_chunks::<8>().0).copied().collect()
    };
    for cpu in isas() {
        for (set, number) in MlKemSet::ALL.into_iter().flat_map(|set| [(set, 1), (set, 37)]) {
            let what = format!("{number} jobs of {set}, {}", cpu.isa());
            let mut planner = Planner::new(&cpu);
            let seeds: Vec<_> = (0..number).map(|at| bytes(300 + at, 64)).collect();
            let job = |seed: &Vec<u8>| {
                MlKemJob::generate(set, buffer(seed, set.private_key_len()), ())
                    .expect("a key's length")
            };
            let mut jobs: Vec<_> = seeds.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            let made: Vec<_> = jobs.into_iter().map(|job| job.into_parts().0).collect();
            let vectors: Vec<_> = made.iter().map(|key| &key[..64]).collect();
            let seeds: Vec<_> = seeds.iter().map(Vec::as_slice).collect();
            let secrets = [words(&seeds), words(&vectors)].concat();
            assert_eq!(count(&left, &secrets), 0, "generating, {what}");

            let private = |key: &Vec<u8>| MlKemPrivateKey::generated(set, key).expect("its length");
            let privates: Vec<_> = made.iter().map(private).collect();
            let public = |key: &MlKemPrivateKey| {
                MlKemPublicKey::new(set, key.public()).expect("a key that was generated")
            };
            let publics: Vec<_> = privates.iter().map(public).collect();
            let messages: Vec<_> = (0..number).map(|at| bytes(400 + at, 32)).collect();
            let job = |(key, message): (_, &Vec<u8>)| {
                let room = buffer(message, set.ciphertext_len() + MlKemSet::SECRET_LEN);
                MlKemJob::encapsulate(key, room, ()).expect("a ciphertext's and a secret's length")
            };
            let mut jobs: Vec<_> = publics.iter().zip(&messages).map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            let sent: Vec<_> = jobs.into_iter().map(|job| job.into_parts().0).collect();
            let shared: Vec<_> = sent.iter().map(|sent| &sent[set.ciphertext_len()..]).collect();
            let messages: Vec<_> = messages.iter().map(Vec::as_slice).collect();
            let secrets = [words(&messages), words(&shared)].concat();
            assert_eq!(count(&left, &secrets), 0, "encapsulating, {what}");

            let job = |(key, sent): (_, &Vec<u8>)| {
                MlKemJob::decapsulate(key, sent[..set.ciphertext_len()].to_vec(), ())
                    .expect("a ciphertext's length")
            };
            let mut jobs: Vec<_> = privates.iter().zip(&sent).map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            assert_eq!(jobs[0].output().map(|output| &output[..32]), Some(shared[0]));
            let rejections: Vec<_> = seeds.iter().map(|seed| &seed[32..]).collect();
            let secrets = [secrets, words(&vectors), words(&rejections)].concat();
            assert_eq!(count(&left, &secrets), 0, "decapsulating, {what}");
        }
    }
}

#[test]
fn secrets_of_ml_kem_do_not_stay_in_living_lanes() {
    let d = b"\x4e\xb1\x27\x90\xda\x63\xfc\x18\x85\x3f\xc6\x0a\x71\xed\x54\x9b\
        \x02\xd7\x6c\xa9\x3e\xf5\x18\x8b\x40\xc3\x7d\xe6\x59\xb4\x2a\x97";
    let z = b"\x91\x0d\xe4\x7a\x36\xcb\x58\xf2\xa7\x1c\x83\x6e\xd0\x45\xbf\x29\
        \xfa\x64\x13\x9e\x82\x57\xcd\x30\xeb\x76\x08\xa1\x4f\xd8\x95\x62";
    let message = b"\x6f\xc8\x15\x9a\xe3\x40\x7e\xd1\x2b\xb6\x04\xf9\x5d\xa2\x38\xc7\
        \x81\x1e\xfb\x4a\x93\x65\xd0\x2c\xbe\x57\x09\xe8\x74\xa3\x1f\xdc";
    let secrets = [Secret::new("d", d), Secret::new("z", z), Secret::new("the message", message)];
    let mut planners = Vec::new();
    for cpu in isas() {
        for (set, count) in MlKemSet::ALL.into_iter().flat_map(|set| [(set, 1), (set, 37)]) {
            let mut planner = Planner::new(&cpu);
            work_elsewhere(|| {
                let generate = |_| {
                    let mut room = buffer(d, set.private_key_len());
                    room[32..64].copy_from_slice(z);
                    MlKemJob::generate(set, room, ()).expect("a key's length")
                };
                let mut jobs: Vec<_> = (0..count).map(generate).collect();
                planner.process_many(&mut jobs);
                let mut made: Vec<_> = jobs.into_iter().map(|job| job.into_parts().0).collect();
                let key = MlKemPrivateKey::generated(set, &made[0]).expect("a key's length");
                made.iter_mut().for_each(|key| key.fill(0));
                std::hint::black_box(&made);
                let public = MlKemPublicKey::new(set, key.public()).expect("it was generated");
                let encapsulate = |_| {
                    let room = buffer(message, set.ciphertext_len() + MlKemSet::SECRET_LEN);
                    MlKemJob::encapsulate(&public, room, ()).expect("the length of both")
                };
                let mut jobs: Vec<_> = (0..count).map(encapsulate).collect();
                planner.process_many(&mut jobs);
                let decapsulate = |job: &MlKemJob<'_, Vec<u8>>| {
                    let sent = job.output().expect("it is complete");
                    let ciphertext = sent[..set.ciphertext_len()].to_vec();
                    MlKemJob::decapsulate(&key, ciphertext, ()).expect("a ciphertext's length")
                };
                let mut received: Vec<_> = jobs.iter().map(decapsulate).collect();
                planner.process_many(&mut received);
                assert!(received.iter().all(|job| job.output().is_some()));
            });
            planners.push(planner);
        }
    }
    check(&secrets, planners);
}

/// The words of secrets: a key's seed, the seed of its signatures, and the beginnings of its secret
/// vectors and of the lower part of the public vector.
fn secrets_of_ml_dsa(set: MlDsaSet, seed: &[u8], keys: &[u8]) -> Vec<[u8; 8]> {
    let private = &keys[..set.private_key_len()];
    let all = [seed, &private[32..64], &private[128..192], &private[private.len() - 64..]];
    all.iter().flat_map(|bytes| bytes.as_chunks::<8>().0).copied().collect()
}

#[test]
fn secrets_of_ml_dsa_do_not_stay_on_the_stack() {
    for cpu in isas() {
        for (set, number) in MlDsaSet::ALL.into_iter().flat_map(|set| [(set, 1), (set, 19)]) {
            let what = format!("{number} jobs of {set}, {}", cpu.isa());
            let mut planner = Planner::new(&cpu);
            let len = set.private_key_len() + set.public_key_len();
            let seeds: Vec<_> = (0..number).map(|at| bytes(500 + at, 32)).collect();
            let job = |seed: &Vec<u8>| {
                MlDsaKeyJob::generate(set, buffer(seed, len), ()).expect("both keys' length")
            };
            let mut jobs: Vec<_> = seeds.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            let made: Vec<_> = jobs.into_iter().map(|job| job.into_parts().0).collect();
            let last = number - 1;
            let mut secrets = secrets_of_ml_dsa(set, &seeds[0], &made[0]);
            secrets.extend(secrets_of_ml_dsa(set, &seeds[last], &made[last]));
            assert_eq!(count(&left, &secrets), 0, "generating, {what}");

            let private = |keys: &Vec<u8>| {
                MlDsaPrivateKey::generated(set, &keys[..set.private_key_len()]).expect("its length")
            };
            let keys: Vec<_> = made.iter().map(private).collect();
            let message = MlDsaMessage::new(b"a message");
            let job = |key| {
                let room = vec![0; set.signature_len()];
                MlDsaSignJob::sign(key, message, None, room, ()).expect("a signature's length")
            };
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            assert_eq!(count(&left, &secrets), 0, "signing, {what}");
        }
    }
}

#[test]
fn secrets_of_ml_dsa_do_not_stay_in_living_lanes() {
    let seed = b"\x5c\xa9\x14\xe7\x3b\x80\xd2\x6f\x97\x41\xbe\x08\xf3\x2a\xc5\x79\
        \x1d\xe6\x84\x3f\xb0\x5b\xca\x72\x0e\x93\xdf\x46\xa8\x11\x7c\xf5";
    let mut planners = Vec::new();
    for cpu in isas() {
        for (set, count) in MlDsaSet::ALL.into_iter().flat_map(|set| [(set, 1), (set, 19)]) {
            let mut planner = Planner::new(&cpu);
            work_elsewhere(|| {
                let len = set.private_key_len() + set.public_key_len();
                let generate = |_| {
                    MlDsaKeyJob::generate(set, buffer(seed, len), ()).expect("both keys' length")
                };
                let mut jobs: Vec<_> = (0..count).map(generate).collect();
                planner.process_many(&mut jobs);
                let mut made: Vec<_> = jobs.into_iter().map(|job| job.into_parts().0).collect();
                let key = MlDsaPrivateKey::generated(set, &made[0][..set.private_key_len()]);
                let key = key.expect("a key's length");
                made.iter_mut().for_each(|keys| keys.fill(0));
                std::hint::black_box(&made);
                let message = MlDsaMessage::new(b"a message");
                let sign = |_| {
                    let room = vec![0; set.signature_len()];
                    MlDsaSignJob::sign(&key, message, None, room, ()).expect("its length")
                };
                let mut jobs: Vec<_> = (0..count).map(sign).collect();
                planner.process_many(&mut jobs);
                assert!(jobs.iter().all(|job| job.output().is_some()));
            });
            planners.push(planner);
        }
    }
    check(&[Secret::new("the seed", seed)], planners);
}
