//! Nothing outside the buffers is touched: buffers lie against pages that nobody may read or write.

#![cfg(all(unix, not(miri)))]

use crate::common::guarded::{Guarded, Side};
use crate::common::packets::{Message, Mode, Open, Seal, Text, View, every_mode};
use crate::common::{
    Reference, brief, bytes, cbc_decrypt, cbc_encrypt, cipher_cpus, every_hash, everywhere,
    hash_cpus, isas,
};
use crate::kasumi::Message as KasumiMessage;
use broadloom_lanes::{
    AesKey, Blake3Key, Blake3Lanes, Buffers, CbcJob, GcmKey, GcmLanes, HashJob, HmacKey, Loan,
    OutOfPlace, Planner,
};

/// More buffers than any kernel has lanes.
const MANY: usize = 36;

fn regions() -> Vec<Guarded> {
    (0..MANY).map(|_| Guarded::new()).collect()
}

/// The jobs of a call: one alone, two for kernels that take pairs, and enough for all lanes.
const COUNTS: [usize; 3] = [1, 2, MANY];

#[test]
fn hashes_read_their_messages_and_nothing_else() {
    fn check<A: Reference>() {
        let mut regions = regions();
        let key = HmacKey::<A>::new(b"key");
        let lengths = (0..=2 * A::BLOCK_LEN + 1).chain([3 * A::BLOCK_LEN, 1000, 4096, 8191, 8192]);
        // The lengths of a call's messages: one for all, or, in few calls, all of them side by
        // side.
        let lengths: Vec<Vec<usize>> = match brief() {
            false => lengths.map(|len| vec![len; MANY]).collect(),
            true => (0..=2 * A::BLOCK_LEN)
                .step_by(MANY)
                .map(|first| (first..first + MANY).collect())
                .collect(),
        };
        let counts = if brief() { vec![MANY] } else { COUNTS.to_vec() };
        for lengths in lengths {
            let data: Vec<_> = lengths.iter().enumerate().map(|(i, &len)| bytes(i, len)).collect();
            let expected: Vec<_> = data.iter().map(|data| A::hmac(b"key", data)).collect();
            for side in [Side::Start, Side::End] {
                let placed = regions.iter_mut().zip(&data);
                let messages: Vec<&[u8]> = placed.map(|(r, data)| &*r.place(side, data)).collect();
                for cpu in hash_cpus() {
                    for &count in &counts {
                        let job = |i: usize| HashJob::hmac(&key, messages[i], i);
                        everywhere(&cpu, count, 20, job, |job| {
                            let tag = job.output().expect("complete").as_ref();
                            let (i, isa) = (*job.user(), cpu.isa());
                            let len = lengths[i];
                            assert_eq!(tag, expected[i], "{} {isa} {side:?} {len}", A::NAME);
                        });
                    }
                }
            }
        }
        println!("hashes read their messages and nothing else: {}", A::NAME);
    }
    every_hash!(check());
}

#[test]
fn blake3_reads_its_messages_and_writes_its_outputs_and_nothing_else() {
    let (mut from, mut to) = (regions(), regions());
    let key = Blake3Key::keyed(b"thirty-two bytes for keyed hash.");
    let lens = [0, 1, 63, 64, 65, 127, 960, 1023, 1024, 1025, 2047, 2048, 3073, 5000, 8192];
    for (number, out_len) in [1, 32, 33, 64, 131].into_iter().enumerate() {
        let len = |i: usize| lens[(i + number) % lens.len()];
        for side in [Side::Start, Side::End] {
            for cpu in isas() {
                for count in COUNTS {
                    let texts: Vec<_> = (0..count).map(|i| bytes(i, len(i))).collect();
                    let placed = from.iter_mut().zip(&texts);
                    let messages: Vec<&[u8]> =
                        placed.map(|(r, text)| &*r.place(side, text)).collect();
                    let outputs = to.iter_mut().map(|region| region.bytes(side, out_len));
                    let mut outputs: Vec<&mut [u8]> = outputs.take(count).collect();
                    let all = messages.iter().zip(&mut outputs);
                    Planner::<Blake3Lanes>::new(&cpu)
                        .process_each(all.map(|(text, to)| Loan::blake3(&key, text, to)));
                    for (text, output) in texts.iter().zip(outputs) {
                        let mut expected = vec![0; out_len];
                        let mut hasher =
                            blake3::Hasher::new_keyed(b"thirty-two bytes for keyed hash.");
                        hasher.update(text).finalize_xof().fill(&mut expected);
                        assert_eq!(output, expected, "{} {side:?} {}", cpu.isa(), text.len());
                    }
                }
            }
        }
    }
}

#[test]
fn ciphers_touch_their_buffers_and_nothing_else() {
    let mut from = regions();
    let mut to = regions();
    for key_len in [16, 24, 32] {
        let secret = bytes(5, key_len);
        let key = AesKey::new(&secret).expect("a good length");
        let (step, long) = if brief() { (5, &[][..]) } else { (1, &[4096, 8192][..]) };
        for len in (0..20).step_by(step).map(|blocks| 16 * blocks).chain(long.iter().copied()) {
            let data: Vec<_> = (0..MANY).map(|i| bytes(i, len)).collect();
            for encrypt in [true, false] {
                let reference = if encrypt { cbc_encrypt } else { cbc_decrypt };
                let expected: Vec<_> =
                    data.iter().map(|data| reference(&secret, &[7; 16], data)).collect();
                for side in [Side::Start, Side::End] {
                    for (cpu, count) in
                        cipher_cpus().iter().flat_map(|cpu| COUNTS.map(|n| (cpu, n)))
                    {
                        let what = format!("{} {side:?} {len} bytes, key of {key_len}", cpu.isa());
                        // Each job is made once for each manager, after those before it came back.
                        let in_place = |i: usize| {
                            let buffer: &mut [u8] = from[i % MANY].place(side, &data[i]);
                            // SAFETY: the jobs of one manager have a region each.
                            let buffer = unsafe { &mut *std::ptr::from_mut(buffer) };
                            let make = if encrypt { CbcJob::encrypt } else { CbcJob::decrypt };
                            make(&key, [7; 16], buffer, i).expect("whole blocks")
                        };
                        everywhere(cpu, count, 20, in_place, |job| {
                            assert_eq!(
                                job.output().expect("complete"),
                                expected[*job.user()],
                                "{what}"
                            );
                        });
                        let apart = |i: usize| {
                            let source: &[u8] = from[i].place(side, &data[i]);
                            let destination = to[i].place(side, &vec![0; len]);
                            // SAFETY: the jobs of one manager have two regions each.
                            let buffers = unsafe {
                                (
                                    &*std::ptr::from_ref(source),
                                    &mut *std::ptr::from_mut(destination),
                                )
                            };
                            let pair =
                                OutOfPlace::new(buffers.0, buffers.1).expect("equal lengths");
                            let make = if encrypt { CbcJob::encrypt } else { CbcJob::decrypt };
                            make(&key, [7; 16], pair, i).expect("whole blocks")
                        };
                        everywhere(cpu, count, 20, apart, |job| {
                            assert_eq!(
                                job.output().expect("complete"),
                                expected[*job.user()],
                                "{what}"
                            );
                        });
                    }
                }
            }
        }
    }
}

#[test]
fn packets_touch_their_buffers_and_nothing_else() {
    fn all<M: Mode>() {
        let (mut from, mut to, mut small) = (regions(), regions(), regions());
        let (step, long) = match brief() {
            true => (13, &[511, 790][..]),
            false => (1, &[511, 512, 4096, 8191][..]),
        };
        for len in (0..=290).step_by(step).chain(long.iter().copied()) {
            for count in if brief() { vec![3] } else { COUNTS.to_vec() } {
                let make = |i: usize| Message::new::<M>(len + i, [16, 24, 32][(len + i) % 3], len);
                let messages: Vec<_> = (0..count).map(make).collect();
                let texts: Vec<_> = messages.iter().map(Message::texts::<M>).collect();
                let keys: Vec<_> = messages.iter().map(|message| M::key(&message.key)).collect();
                for (side, cpu) in [Side::Start, Side::End]
                    .iter()
                    .flat_map(|s| cipher_cpus().into_iter().map(move |c| (*s, c)))
                {
                    let mut tags = vec![[0; 16]; count];
                    let places = from.iter_mut().zip(&mut to).zip(&mut small);
                    let all = places.zip(&messages).zip(&texts).zip(&mut tags).enumerate();
                    let views = all.map(|(i, (((places, message), texts), tag))| {
                        let ((from, to), small) = places;
                        let text = match i % 2 {
                            0 => Text::InPlace(to.place(side, &texts.0)),
                            _ => Text::Apart(
                                from.place(side, &texts.0),
                                to.place(side, &vec![0; texts.0.len()]),
                            ),
                        };
                        let associated = small.place(side, &message.associated);
                        View { nonce: &message.nonce, associated, text, tag }
                    });
                    M::process(&cpu, &keys, views.collect());
                    for (i, (to, (_, expected, tag))) in to.iter_mut().zip(&texts).enumerate() {
                        let what = format!("{} {} {side:?} {len} of {count}", M::NAME, cpu.isa());
                        assert!(to.bytes(side, expected.len()) == expected, "{what}");
                        assert_eq!(tags[i][..M::TAG], tag[..], "{what}");
                    }
                }
            }
        }
    }
    every_mode!(all());
}

#[test]
fn kasumi_touches_its_buffers_and_nothing_else() {
    let (mut texts, mut data) = (regions(), regions());
    let (step, longest) = if brief() { (23, 521) } else { (1, 8 * 8191) };
    let bits = (0..=200).step_by(step).chain([511, 512, 513, 8 * 1000 + 3, longest]);
    for (bits, count) in bits.flat_map(|bits| COUNTS.map(|count| (bits, count))) {
        let messages: Vec<_> = (0..count).map(|i| KasumiMessage::new(2 * i, bits)).collect();
        for (side, cpu) in
            [Side::Start, Side::End].iter().flat_map(|s| isas().map(move |c| (*s, c)))
        {
            let mut tags = vec![[0; 4]; count];
            let places = texts.iter_mut().zip(&mut data).zip(&messages).zip(&mut tags);
            let loans = places.flat_map(|(((text, data), message), tag)| {
                let data = data.place(side, &message.text);
                [message.f8(text.place(side, &message.text)), message.f9(data, tag)]
            });
            Planner::new(&cpu).process_each(loans);
            for (i, (text, message)) in texts.iter_mut().zip(&messages).enumerate() {
                let what = format!("{} {side:?} {bits} bits, {i} of {count}", cpu.isa());
                assert!(text.bytes(side, message.text.len()) == message.f8, "{what}");
                assert_eq!(tags[i], message.f9, "{what}");
            }
        }
    }
}

#[test]
fn rc4_touches_its_buffers_and_nothing_else() {
    let (mut from, mut to) = (regions(), regions());
    let secret = bytes(1, 16);
    let key = broadloom_lanes::Rc4Key::new(&secret).expect("a good length");
    let lengths = (0..=290).step_by(if brief() { 37 } else { 1 }).chain([8191]);
    for (len, count) in lengths.flat_map(|len| COUNTS.map(|count| (len, count))) {
        let text = bytes(len, len);
        let expected = crate::rc4::reference(&secret, &text);
        for (side, cpu) in
            [Side::Start, Side::End].iter().flat_map(|s| isas().map(move |c| (*s, c)))
        {
            let places = from.iter_mut().zip(&mut to).take(count).enumerate();
            let loans = places.map(|(i, (from, to))| match i % 2 {
                0 => broadloom_lanes::Loan::rc4(&key, to.place(side, &text)),
                _ => broadloom_lanes::Loan::rc4(
                    &key,
                    Buffers::Apart(from.place(side, &text), to.place(side, &vec![0; len])),
                ),
            });
            Planner::new(&cpu).process_each(loans);
            for (i, to) in to.iter_mut().take(count).enumerate() {
                let what = format!("{} {side:?} {len} bytes, {i} of {count}", cpu.isa());
                assert!(to.bytes(side, len) == expected, "{what}");
            }
        }
    }
}

/// Of one key and one length, as many as some kernels take side by side, and fewer.
#[test]
fn messages_of_gcm_alike_touch_their_buffers_and_nothing_else() {
    let (mut from, mut to, mut small) = (regions(), regions(), regions());
    let secret = bytes(5, 16);
    let key = GcmKey::new(&secret).expect("a good length");
    let step = if brief() { 37 } else { 3 };
    for len in (0..=70).chain((71..560).step_by(step)) {
        for seals in [true, false] {
            let count = 2 + len % 4;
            let make =
                |i| Message { key: secret.clone(), ..Message::new::<Seal>(5 + 7 * i, 16, len) };
            let messages: Vec<_> = (0..count).map(make).collect();
            let texts = |message: &Message| match seals {
                true => message.texts::<Seal>(),
                false => message.texts::<Open>(),
            };
            let texts: Vec<_> = messages.iter().map(texts).collect();
            for (side, cpu) in [Side::Start, Side::End]
                .iter()
                .flat_map(|s| cipher_cpus().into_iter().map(move |c| (*s, c)))
            {
                let mut tags = vec![[0; 16]; count];
                let places = from.iter_mut().zip(&mut to).zip(&mut small);
                let all = places.zip(&messages).zip(&texts).zip(&mut tags).enumerate();
                Planner::new(&cpu).process_each(all.map(
                    |(i, (((places, message), texts), tag))| {
                        let ((from, to), small) = places;
                        let associated = small.place(side, &message.associated);
                        let (nonce, text) = (&message.nonce, &texts.0);
                        if (i + len) % 2 == 0 {
                            let text = to.place(side, text);
                            return match seals {
                                true => Loan::<GcmLanes>::seal(&key, nonce, associated, text, tag),
                                false => Loan::<GcmLanes>::open(&key, nonce, associated, text, tag),
                            };
                        }
                        let (text, to) = (from.place(side, text), to.place(side, &vec![0; len]));
                        match seals {
                            true => Loan::<GcmLanes>::seal(
                                &key,
                                nonce,
                                associated,
                                Buffers::Apart(text, to),
                                tag,
                            ),
                            false => Loan::<GcmLanes>::open(
                                &key,
                                nonce,
                                associated,
                                Buffers::Apart(text, to),
                                tag,
                            ),
                        }
                    },
                ));
                for (i, (to, (_, expected, tag))) in to.iter_mut().zip(&texts).enumerate() {
                    let what =
                        format!("{} {side:?} {len}, {i} of {count}, seals: {seals}", cpu.isa());
                    assert!(to.bytes(side, len) == expected, "{what}");
                    assert_eq!(tags[i], tag[..], "{what}");
                }
            }
        }
    }
}
