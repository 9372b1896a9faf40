//! Differential tests against the reference implementation's crate.

use alloc::vec::Vec;

use super::{Blake3Job, Blake3Key, Blake3Lanes, Blake3Stream, job};
use crate::cpu::Cpu;
use crate::kernels::blake3::CHUNK_LEN;
use crate::manager::{Lanes, Loan, OutOfOrder, Planner};

const CONTEXT: &str = "broadloom 2026-11-26 tests of key derivation";
const KEY: [u8; 32] = *b"thirty-two bytes for keyed hash.";

/// A mode, and the reference in it.
type Mode = (fn() -> Blake3Key, fn() -> blake3::Hasher);

const MODES: [Mode; 3] = [
    (Blake3Key::new, blake3::Hasher::new),
    (|| Blake3Key::keyed(&KEY), || blake3::Hasher::new_keyed(&KEY)),
    (|| Blake3Key::derive(CONTEXT), || blake3::Hasher::new_derive_key(CONTEXT)),
];

fn message(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 251) as u8).collect()
}

fn expected(mode: usize, message: &[u8], len: usize) -> Vec<u8> {
    let mut output = alloc::vec![0; len];
    MODES[mode].1().update(message).finalize_xof().fill(&mut output);
    output
}

fn cpus() -> impl Iterator<Item = Cpu> {
    Cpu::available().map(|isa| Cpu::with_isa(isa).expect("this machine has it"))
}

/// The lengths of the reference's own vectors, and others around blocks, chunks and levels.
const LENS: [usize; 34] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 2048, 2049, 3072, 3073,
    4096, 4097, 5120, 5121, 6144, 6145, 7168, 8193, 16_384, 31_744, 102_400, 102_401,
];

#[test]
fn messages_of_all_lengths_and_modes_share_the_lanes() {
    for cpu in cpus() {
        let mut planner = Planner::<Blake3Lanes>::new(&cpu);
        let keys = MODES.map(|(key, _)| key());
        let messages: Vec<_> = LENS.iter().map(|len| message(*len)).collect();
        let all: Vec<_> = (0..3 * LENS.len()).map(|at| (at % 3, &messages[at / 3])).collect();
        let mut outputs: Vec<_> =
            (0..all.len()).map(|at| alloc::vec![0; [32, 20, 0, 33, 64, 200][at % 6]]).collect();
        let loans = all.iter().zip(&mut outputs);
        planner.process_each(loans.map(|((mode, text), to)| Loan::blake3(&keys[*mode], text, to)));
        for ((mode, text), output) in all.iter().zip(&outputs) {
            let len = text.len();
            assert_eq!(*output, expected(*mode, text, output.len()), "{len} {mode} {}", cpu.isa());
        }
    }
}

#[test]
fn a_message_that_is_longer_than_there_is_room_for_goes_in_pieces() {
    let texts = [512 * CHUNK_LEN, 512 * CHUNK_LEN + 1, 1537 * CHUNK_LEN + 77].map(message);
    for cpu in cpus() {
        let key = Blake3Key::new();
        let mut outputs = [[0; 40]; 3];
        let mut planner = Planner::<Blake3Lanes>::new(&cpu);
        let loans = texts.iter().zip(&mut outputs);
        planner.process_each(loans.map(|(text, to)| Loan::blake3(&key, text, to)));
        for (text, output) in texts.iter().zip(outputs) {
            assert_eq!(output[..], expected(0, text, 40), "{} {}", text.len(), cpu.isa());
        }
    }
}

#[test]
fn streams_are_the_same_however_they_are_cut() {
    let text = message(700_000);
    for cpu in cpus() {
        let mut planner = Planner::<Blake3Lanes>::new(&cpu);
        for (mode, (key, _)) in MODES.iter().enumerate() {
            // The cuts, over and over.
            for cuts in [
                &[1024][..],
                &[1, 1023, 1024, 2048],
                &[5000, 64, 3],
                &[100_000],
                &[0, 1, 1025],
                &[524_288, 1],
                &[600_000, 99_999],
            ] {
                let mut stream = Blake3Stream::new(&key());
                let (mut at, mut steps) = (0, cuts.iter().cycle());
                let end = if cuts[0] < 2000 { 20_000 } else { text.len() };
                loop {
                    let step = *steps.next().expect("they go on");
                    if at + step >= end {
                        break;
                    }
                    let piece = &text[at..at + step];
                    let mut jobs = [Blake3Job::update(&mut stream, piece, Vec::new(), ())];
                    planner.process_many(&mut jobs);
                    at += step;
                    assert_eq!(stream.len(), at as u64);
                }
                // Twice: the last piece leaves the stream as it was.
                for len in [32, 100] {
                    let output = alloc::vec![0; len];
                    let mut last = [Blake3Job::finish(&mut stream, &text[at..end], output, ())];
                    planner.process_many(&mut last);
                    let expected = expected(mode, &text[..end], len);
                    assert_eq!(last[0].output(), Some(&expected[..]), "{cuts:?} {mode}");
                }
            }
        }
    }
}

#[test]
fn parts_are_the_message() {
    let text = message(200_000);
    let mut planner = Planner::<Blake3Lanes>::new(&Cpu::detect());
    for (mode, (key, _)) in MODES.iter().enumerate() {
        let key = key();
        for (len, part_len) in
            [(200_000, 1 << 16), (1 << 17, 1 << 15), (5000, 1024), (1024, 1024), (8193, 4096)]
        {
            let mut whole = Blake3Stream::new(&key);
            for (number, piece) in text[..len].chunks(part_len).enumerate() {
                let mut part = Blake3Stream::part(&key, (part_len * number) as u64);
                let (first, second) = piece.split_at(piece.len() / 3);
                for piece in [first, second] {
                    let mut jobs = [Blake3Job::update(&mut part, piece, Vec::new(), ())];
                    planner.process_many(&mut jobs);
                }
                whole.append(&part);
            }
            whole.append(&Blake3Stream::part(&key, len.next_multiple_of(1024) as u64));
            assert_eq!(whole.len(), len as u64);
            let mut last = [Blake3Job::finish(&mut whole, &b""[..], alloc::vec![0; 32], ())];
            planner.process_many(&mut last);
            assert_eq!(last[0].output(), Some(&expected(mode, &text[..len], 32)[..]), "{len}");
        }
    }
}

#[test]
fn streams_and_messages_go_through_a_manager_together() {
    for cpu in cpus() {
        let key = Blake3Key::new();
        let texts: Vec<_> = (0..300).map(|at| message(at * 37 % 5000)).collect();
        let mut manager = OutOfOrder::new(&cpu, 100);
        let mut done = Vec::new();
        for (number, text) in texts.iter().enumerate() {
            let job = Blake3Job::hash(&key, &text[..], alloc::vec![0; 32], number);
            done.extend(manager.submit(job));
        }
        done.extend(core::iter::from_fn(|| manager.flush()));
        assert_eq!(done.len(), texts.len());
        for job in done {
            let expected = expected(0, &texts[*job.user()], 32);
            assert_eq!(job.output(), Some(&expected[..]), "{}", job.user());
        }
    }
}

#[test]
fn nothing_is_left_of_a_keyed_message() {
    let text = message(5001);
    for (key, is_secret) in [(Blake3Key::new(), false), (Blake3Key::keyed(&KEY), true)] {
        let mut output = [0; 32];
        let mut lanes = Blake3Lanes::new(&Cpu::detect());
        let task = job::whole(&key, &text, output.as_mut_ptr(), output.len());
        // SAFETY: the key, the text and the output outlive the call, so that the task is good.
        unsafe { lanes.compute(&[(0, task)]) };
        assert_eq!(output[..], expected(usize::from(is_secret), &text, 32));
        assert_eq!(lanes.is_wiped(), is_secret);
    }
}
