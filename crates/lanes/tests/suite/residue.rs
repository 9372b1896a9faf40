//! What a call leaves on the stack is searched for secrets. On other processors the compiler spills
//! other words from registers.

#![cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]

use std::ffi::c_void;
use std::ptr;

use broadloom_lanes::{ChaChaKey, ChaChaPolyJob, Planner};
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use num_bigint::BigUint;

use crate::common::{bytes, cipher_cpus};

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

/// How many of some words a stack has.
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
            // The compiler may spill words of the last message's key from registers.
            let what = format!("{}, {messages} texts of {len} bytes", cpu.isa());
            assert!(of_key <= 2 && of_text == 0, "{what}: {of_key} powers, {of_text} sums");
        }
    }
}
