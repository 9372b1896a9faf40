//! The modes of packets against the RustCrypto crates, on every instruction set.

use broadloom_lanes::{
    AesKey, Buffers, CounterError, Cpu, CtrLanes, GcmKey, GcmLanes, Loan, Planner,
};

use crate::common::packets::{Ctr, Message, Mode, Seal, Text, View, every_mode};
use crate::common::{brief, bytes, cipher_cpus, hex, lengths};

/// Messages, and what a mode makes of them.
struct Known<'a, M: Mode> {
    messages: &'a [Message],
    texts: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)>,
    keys: Vec<M::Key>,
}

impl<'a, M: Mode> Known<'a, M> {
    fn new(messages: &'a [Message]) -> Self {
        let texts = messages.iter().map(Message::texts::<M>).collect();
        let keys = messages.iter().map(|message| M::key(&message.key)).collect();
        Known { messages, texts, keys }
    }

    /// Sends the first messages through the mode in one call, each at its own alignment, every
    /// other one in place; compares what comes out, and what is around it.
    fn check(&self, cpu: &Cpu, count: usize) {
        const AROUND: u8 = 0xa7;
        let (messages, texts) = (&self.messages[..count], &self.texts[..count]);
        let skip = |i: usize| 16 + (i * 5 + count) % 33;
        let framed = |i: usize, text: &[u8]| [&vec![AROUND; skip(i)], text, &[AROUND; 40]].concat();
        let froms = texts.iter().enumerate().map(|(i, texts)| framed(i, &texts.0));
        let froms: Vec<_> = froms.collect();
        let mut tos = froms.clone();
        for (i, to) in tos.iter_mut().enumerate().filter(|(i, _)| i % 2 == 1) {
            let end = to.len() - 40;
            to[skip(i)..end].fill(0x55);
        }
        let mut tags = vec![[0u8; 16]; count];
        let all = messages.iter().zip(&froms).zip(&mut tos).zip(&mut tags).enumerate();
        let views = all.map(|(i, (((message, from), to), tag))| {
            let range = skip(i)..from.len() - 40;
            let text = match i % 2 {
                0 => Text::InPlace(&mut to[range]),
                _ => Text::Apart(&from[range.clone()], &mut to[range]),
            };
            View { nonce: &message.nonce, associated: &message.associated, text, tag }
        });
        M::process(cpu, &self.keys[..count], views.collect());
        for (i, (_, expected, tag)) in texts.iter().enumerate() {
            let Message { key, nonce, associated, plain } = &messages[i];
            let what = || {
                let lens = (key.len(), nonce.len(), associated.len(), plain.len());
                let (name, isa) = (M::NAME, cpu.isa());
                format!("{name} on {isa}, message {i} of {count}, lengths {lens:?}")
            };
            assert!(tos[i] == framed(i, expected), "the text of {}", what());
            assert_eq!(tags[i][..M::TAG], tag[..], "the tag of {}", what());
        }
    }
}

/// Sends messages through a mode in one call on every processor.
pub fn check<M: Mode>(messages: &[Message]) {
    let known = Known::<M>::new(messages);
    cipher_cpus().iter().for_each(|cpu| known.check(cpu, messages.len()));
}

const KEYS: [usize; 3] = [16, 24, 32];

/// Every length up to more than a group of the widest kernel, and some to more than two, alone, and
/// so many of them that groups of every size occur.
#[test]
fn every_length_in_groups_of_every_size() {
    fn all<M: Mode>() {
        let step = if brief() { 290 } else { 19 };
        let lengths = lengths(16, 530);
        for len in lengths.iter().copied().chain((531..=1110).step_by(step)) {
            let number = |i: usize| len * 7 + i;
            let make = |i| Message::new::<M>(number(i), KEYS[number(i) % 3], len);
            let messages: Vec<_> = (0..1 + len % 35).map(make).collect();
            let known = Known::<M>::new(&messages);
            for cpu in cipher_cpus() {
                known.check(&cpu, messages.len());
                known.check(&cpu, 1);
            }
        }
    }
    every_mode!(all());
}

/// Lengths mixed within a call, with more messages than are planned at a time.
#[test]
fn lengths_mix() {
    fn all<M: Mode>() {
        let count = if brief() { 40 } else { 600 };
        let len = |i: usize| [i % 90, i * 37 % 700, 64, 16 * (i % 40), i * 151 % 5000][i % 5];
        let make = |i| Message::new::<M>(i, KEYS[i / 2 % 3], len(i));
        check::<M>(&(0..count).map(make).collect::<Vec<_>>());
    }
    every_mode!(all());
}

/// One key for all, as packets of one connection have.
#[test]
fn messages_share_a_key() {
    fn all<M: Mode>() {
        for key_len in KEYS {
            for len in if brief() { &[0, 100][..] } else { &[0, 1, 16, 64, 100, 256, 1000] } {
                let make = |i| {
                    let message = Message::new::<M>(i, key_len, len + i % 2);
                    Message { key: bytes(3, key_len), ..message }
                };
                check::<M>(&(0..40).map(make).collect::<Vec<_>>());
            }
        }
    }
    every_mode!(all());
}

/// Of neighbours in a call, one may be ciphered beside the other, whichever way each of them goes.
#[test]
fn messages_of_gcm_are_sealed_and_opened_in_one_call() {
    const LENGTHS: [usize; 5] = [100, 512, 700, 1024, 1600];
    let keys = KEYS.map(|len| GcmKey::new(&bytes(len, len)).expect("a good length"));
    // Every length, sealed and opened, behind every other.
    let kinds = || LENGTHS.iter().flat_map(|len| [(*len, true), (*len, false)]);
    let order: Vec<_> =
        kinds().flat_map(|kind| kinds().flat_map(move |next| [kind, next])).collect();
    let before: Vec<_> = order.iter().enumerate().map(|(i, (len, _))| bytes(i, *len)).collect();
    for cpu in cipher_cpus() {
        let run = |together: usize| {
            let (mut texts, mut tags) = (before.clone(), vec![[0; 16]; order.len()]);
            let mut planner = Planner::new(&cpu);
            let mut loans = texts.iter_mut().zip(&mut tags).enumerate().map(|(i, (text, tag))| {
                let key = &keys[i % 3];
                match order[i].1 {
                    true => Loan::<GcmLanes>::seal(key, b"123456789abc", b"associated", text, tag),
                    false => Loan::<GcmLanes>::open(key, b"123456789abc", b"associated", text, tag),
                }
            });
            while loans.len() > 0 {
                planner.process_each(loans.by_ref().take(together));
            }
            drop(loans);
            (texts, tags)
        };
        assert!(run(1) == run(order.len()), "{}", cpu.isa());
    }
}

/// A message for GCM, the number of its key, and which way it goes.
struct OfGcm {
    key: usize,
    seals: bool,
    message: Message,
}

/// Sends messages in one call, those under one number with one and the same key, every other one in
/// place; compares what comes out, and what is around it.
fn check_gcm(secrets: &[Vec<u8>], messages: &[OfGcm]) {
    const AROUND: usize = 80;
    let keys: Vec<_> = secrets.iter().map(|key| GcmKey::new(key).expect("a good length")).collect();
    let framed = |text: &[u8]| [&[0xa7; AROUND], text, &[0xa7; AROUND]].concat();
    let all: Vec<_> = messages
        .iter()
        .map(|OfGcm { seals, message, .. }| {
            let (ciphertext, tag) = Seal::expected(message);
            let plain = message.plain.clone();
            let (from, to) = if *seals { (plain, ciphertext) } else { (ciphertext, plain) };
            (from, framed(&to), tag)
        })
        .collect();
    for cpu in cipher_cpus() {
        let mut tags = vec![[0; 16]; messages.len()];
        let to = |(i, (from, _, _)): (usize, &(Vec<u8>, _, _))| {
            if i % 2 == 0 { framed(from) } else { framed(&vec![0x55; from.len()]) }
        };
        let mut tos: Vec<_> = all.iter().enumerate().map(to).collect();
        let loans = messages.iter().zip(&all).zip(tos.iter_mut().zip(&mut tags)).enumerate();
        Planner::new(&cpu).process_each(loans.map(|(i, ((of, (from, _, _)), (to, tag)))| {
            let OfGcm { key, seals, message: Message { nonce, associated, .. } } = of;
            let to = &mut to[AROUND..AROUND + from.len()];
            match (seals, i % 2 == 0) {
                (true, true) => Loan::<GcmLanes>::seal(&keys[*key], nonce, associated, to, tag),
                (false, true) => Loan::<GcmLanes>::open(&keys[*key], nonce, associated, to, tag),
                (true, false) => Loan::<GcmLanes>::seal(
                    &keys[*key],
                    nonce,
                    associated,
                    Buffers::Apart(from, to),
                    tag,
                ),
                (false, false) => Loan::<GcmLanes>::open(
                    &keys[*key],
                    nonce,
                    associated,
                    Buffers::Apart(from, to),
                    tag,
                ),
            }
        }));
        for (i, ((_, to, tag), OfGcm { key, seals, message })) in
            all.iter().zip(messages).enumerate()
        {
            let what = || {
                let lens = (secrets[*key].len(), message.associated.len(), message.plain.len());
                format!("{} of {}, {lens:?}, seals: {seals}, {}", i, messages.len(), cpu.isa())
            };
            assert!(tos[i] == *to, "the text of {}", what());
            assert_eq!(tags[i], tag[..], "the tag of {}", what());
        }
    }
}

/// Of one key, as many blocks and one way: as packets of one connection come.
#[test]
fn messages_of_gcm_that_are_alike() {
    let lens = |blocks: usize, less: usize| 16 * blocks - if blocks > 0 { less % 16 } else { 0 };
    let step = if brief() { 7 } else { 1 };
    for text in (0..=33).step_by(step) {
        for (a, associated) in [0, 1, 2, 5, 19, 30].into_iter().enumerate() {
            let number = text * 6 + a;
            // All lengths the same, or different ones of the same number of blocks.
            let less = |i: usize| if number % 5 == 0 { 0 } else { i * 5 + number };
            for seals in [true, false] {
                let make = |i: usize| {
                    let message = Message::new::<Seal>(number + i, 16, lens(text, less(i)));
                    let associated = bytes(i, lens(associated, less(3 * i)));
                    OfGcm {
                        key: 0,
                        seals,
                        message: Message { key: bytes(3, KEYS[text % 3]), associated, ..message },
                    }
                };
                let messages: Vec<_> = (0..1 + number % 9).map(make).collect();
                check_gcm(&[bytes(3, KEYS[text % 3])], &messages);
            }
        }
    }
}

/// Of few keys, in an order without any, with neighbours that have something in common or nothing.
#[test]
fn messages_of_gcm_of_all_kinds_in_one_call() {
    let secrets: Vec<_> =
        [16, 16, 24, 32, 32].iter().enumerate().map(|(i, len)| bytes(i + 60, *len)).collect();
    let mut state = 1u64;
    let mut below = |end: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) as usize % end
    };
    for round in 0..if brief() { 3 } else { 60 } {
        let (mut key, mut seals, mut most) = (0, true, 64);
        let mut make = |i: usize| {
            if below(6) == 0 {
                (key, seals) = (below(secrets.len()), below(2) == 0);
            }
            if below(8) == 0 {
                most = [17, 65, 257, 600, 4000][below(5)];
            }
            let text = below(most);
            let associated = bytes(i, [0, 8, 12, 13, 16, 20, 100, 500][below(8) * below(8) / 7]);
            let message = Message::new::<Seal>(i, 16, text);
            OfGcm {
                key,
                seals,
                message: Message { key: secrets[key].clone(), associated, ..message },
            }
        };
        let messages: Vec<_> = (0..round * 3 + 2).map(&mut make).collect();
        check_gcm(&secrets, &messages);
    }
}

/// Wherever the last 32 or more bits of a counter pass zero, and beyond the last of all counters.
#[test]
fn counters_carry() {
    let firsts = [
        "00000000000000000000000000000000",
        "000000000000000000000000fffffff0",
        "0123456789abcdef01234567ffffffff",
        "0123456789abcdefffffffffffffffe9",
        "00ffffffffffffffffffffffffffffff",
        "fffffffffffffffffffffffffffffff3",
        "ffffffffffffffffffffffffffffffff",
    ];
    for len in [0, 1, 15, 16, 17, 31, 32, 33, 100, 255, 256, 257, 600] {
        let make = |first: &&str| {
            let plain = bytes(5, len);
            Message { key: bytes(9, 16), nonce: hex(first), associated: Vec::new(), plain }
        };
        check::<Ctr>(&firsts.iter().map(make).collect::<Vec<_>>());
    }
}

#[test]
fn a_counter_of_32_bits_that_would_pass_zero_is_refused_and_nothing_is_written() {
    let key = AesKey::new(&[1; 16]).expect("a good length");
    let mut counter = [7; 16];
    counter[12..].copy_from_slice(&0xffff_fffeu32.to_be_bytes());
    for len in 0..=64 {
        let (mut to, mut to_apart) = (vec![9; len], vec![8; len]);
        let from = to.clone();
        let refused = CounterError { first: 0xffff_fffe, blocks: len.div_ceil(16) as u64 };
        match (
            Loan::ctr32(&key, &counter, &mut to),
            Loan::ctr32(&key, &counter, Buffers::Apart(&from, &mut to_apart)),
        ) {
            (Ok(in_place), Ok(apart)) => {
                assert!(len <= 32);
                Planner::<CtrLanes>::new(&Cpu::detect()).process_each([in_place, apart]);
                let message = Message {
                    key: vec![1; 16],
                    nonce: counter.to_vec(),
                    associated: Vec::new(),
                    plain: from,
                };
                assert_eq!([&to, &to_apart], [&Ctr::expected(&message).0; 2]);
            }
            (in_place, apart) => {
                assert!(len > 32);
                assert_eq!([in_place.err(), apart.err()], [Some(refused); 2]);
                assert_eq!((to, to_apart), (vec![9; len], vec![8; len]));
                let words = refused.to_string();
                let blocks = len.div_ceil(16).to_string();
                assert!(words.contains("0xfffffffe") && words.contains(&blocks), "{words}");
            }
        }
    }
}
