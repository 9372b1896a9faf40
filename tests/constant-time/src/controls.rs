//! Leaks that either observer must report: a kind each, in the forms in which they were once
//! overlooked.

use std::hint::black_box;
use std::process::ExitCode;

use broadloom_lanes::{Cpu, Isa};

use crate::check::{Checks, Seen};
use crate::observer::{Observer, watch};
use crate::secrets::{disclose, forge, secret};

/// A leak, and what it is called.
type Control = (&'static str, fn());

/// Runs every control, and fails unless all are reported, and the sound one is not.
pub fn check_all(observer: &mut Observer) -> ExitCode {
    let mut controls: Vec<Control> = vec![
        ("a branch on a secret", branch),
        ("an address made from a secret", address),
        ("a table indexed by a key, in its expansion", table_in_expansion),
        ("a comparison of tags that stops at the first difference", early_exit),
        ("a comparison by the language's ==", equality),
    ];
    if observer.sees_wide_vectors() {
        #[cfg(target_arch = "x86_64")]
        controls.extend([
            ("a branch on a mask of AVX-512", wide::branch as fn()),
            ("an address from a register of AVX-512", wide::address),
        ]);
    }
    if observer.sees_divisions() {
        controls.push(("a division of a secret", division));
    }
    let reports = observer.reports();
    let (mut seen, mut missed) = (Seen::new(), 0);
    let cpu = Cpu::with_isa(Isa::Portable).expect("every machine has it");
    let mut checks = Checks::new(cpu, observer, &mut seen);
    for (name, leak) in &controls {
        let before = checks.failed.len();
        checks.check(name, |_| {
            leak();
            true
        });
        let reported = checks.failed.len() > before;
        if reports {
            println!("control: {name}: {}", if reported { "reported" } else { "NOT REPORTED" });
        }
        missed += usize::from(!reported);
    }
    checks.check("no leak", |_| {
        sound();
        true
    });
    let sound = checks.failed.last().is_none_or(|name| name != "no leak");
    println!("control: no leak: {}", if sound { "not reported" } else { "REPORTED" });
    println!("controls: {} of {} reported", controls.len() - missed, controls.len());
    if missed == 0 && sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn branch() {
    let bytes = secret(1, 16);
    watch(|| {
        for byte in &bytes {
            if black_box(*byte) & 1 == 1 {
                black_box(byte);
            }
        }
    });
}

fn address() {
    let table = black_box([1u8; 256]);
    let bytes = secret(1, 2);
    watch(|| {
        for byte in &bytes {
            black_box(table[usize::from(*byte)]);
        }
    });
}

/// As in an AES key expansion by tables.
fn table_in_expansion() {
    let table: [u8; 256] = black_box(core::array::from_fn(|i| (i as u8).rotate_left(3) ^ 0x63));
    let mut words = [0u32; 44];
    for (word, bytes) in words.iter_mut().zip(secret(1, 16).as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    watch(|| {
        for at in 4..words.len() {
            let word = words[at - 1].rotate_right(8).to_le_bytes();
            let substituted = word.map(|byte| table[usize::from(byte)]);
            words[at] = words[at - 4] ^ u32::from_le_bytes(substituted);
        }
    });
    black_box(words);
}

/// A tag, and what came with the message: wrong in some byte, which is another one in every run.
fn tags() -> (Vec<u8>, Vec<u8>) {
    let tag = secret(1, 16);
    let mut came = tag.clone();
    disclose(&mut came);
    forge(&mut came);
    (tag, came)
}

fn early_exit() {
    let (tag, came) = tags();
    let same = watch(|| tag.iter().zip(&came).all(|(a, b)| black_box(a == b)));
    black_box(same);
}

/// `==` of slices is the C library's `memcmp`, and its outcome is branched on without being
/// declared.
fn equality() {
    let (tag, came) = tags();
    let lengths = black_box([tag.len(), 8]);
    let one_by_one = |n: usize| lengths.map(|len| tag[n..len.max(n)] == came[n..len.max(n)]);
    watch(|| {
        for n in 0..tag.len() {
            if black_box(one_by_one(n))[0] {
                black_box(n);
            }
        }
    });
}

fn division() {
    let bytes = secret(1, 16);
    watch(|| {
        for pair in bytes.as_chunks::<8>().0 {
            black_box(black_box(u64::from_le_bytes(*pair)) / black_box(1_000_003));
        }
    });
}

/// The comparison that the crates use.
fn sound() {
    use subtle::ConstantTimeEq;
    let (tag, came) = tags();
    watch(|| {
        if broadloom_lanes::public(tag.ct_eq(&came)) {
            black_box(&came);
        }
    });
}

/// Leaks by instructions that memcheck does not know.
#[cfg(target_arch = "x86_64")]
mod wide {
    use core::arch::x86_64::*;

    use super::{black_box, secret, watch};

    fn load() -> [u8; 64] {
        secret(1, 64).try_into().expect("as many bytes")
    }

    pub fn branch() {
        let bytes = load();
        // SAFETY: controls with AVX-512 run where the machine has it.
        watch(|| unsafe { branch_in(&bytes) });
    }

    pub fn address() {
        let bytes = load();
        // SAFETY: as above.
        watch(|| unsafe { address_in(&bytes) });
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn branch_in(bytes: &[u8; 64]) {
        // SAFETY: 64 bytes are readable.
        let x = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
        let mask = _mm512_cmplt_epi8_mask(x, _mm512_setzero_si512());
        for bit in 0..8 {
            if black_box(mask) >> bit & 1 == 1 {
                black_box(&mask);
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn address_in(bytes: &[u8; 64]) {
        let table = black_box([1u8; 256]);
        // SAFETY: 64 bytes are readable.
        let x = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
        let first = _mm_cvtsi128_si32(_mm512_castsi512_si128(_mm512_add_epi8(x, x)));
        black_box(table[first as usize & 255]);
    }
}
