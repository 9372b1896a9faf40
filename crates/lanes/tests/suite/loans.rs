//! Loans: work whose buffers are borrowed for a call.

use crate::common::{
    Reference, bytes, cbc_decrypt, cbc_encrypt, cipher_cpus, cpus, every_hash, hash_cpus,
};
use broadloom_lanes::{
    AesKey, Buffers, CbcLanes, Cpu, GcmKey, GcmLanes, HmacKey, Isa, Loan, Occupancy, Planner,
    Stream,
};

/// More than a planner takes at a time.
const COUNT: usize = 600;

fn len(number: usize) -> usize {
    number * 37 % 700
}

#[test]
fn digests_and_tags_are_those_of_the_reference() {
    fn check<A: Reference>() {
        let messages: Vec<_> = (0..COUNT).map(|number| bytes(number, len(number))).collect();
        let keys: Vec<_> = (0..COUNT).map(|number| bytes(number, number % 150)).collect();
        let expanded: Vec<_> = keys.iter().map(|key| HmacKey::<A>::new(key)).collect();
        for cpu in hash_cpus() {
            let mut planner = Planner::new(&cpu);
            let mut digests = vec![[0u8; 64]; COUNT];
            let all = messages.iter().zip(&mut digests).zip(&expanded).enumerate();
            planner.process_each(all.map(|(number, ((message, digest), key))| match number % 3 {
                0 => Loan::<broadloom_lanes::HashLanes<A>>::digest(message, digest),
                _ => Loan::hmac(key, message, digest),
            }));
            for (number, digest) in digests.iter().enumerate() {
                let expected = match number % 3 {
                    0 => A::digest(&messages[number]),
                    _ => A::hmac(&keys[number], &messages[number]),
                };
                assert_eq!(digest[..A::DIGEST_LEN], expected[..], "{} message {number}", A::NAME);
            }
            let Occupancy { used, offered } = planner.occupancy();
            assert!(0 < used && used <= offered, "{used} of {offered}");
        }
    }
    every_hash!(check());
}

/// Messages of two or three shapes, a few blocks long, which a planner sorts by shape: groups fill
/// the lanes, and the rests of groups mix.
#[test]
fn short_messages_of_few_shapes_are_those_of_the_reference() {
    fn check<A: Reference>() {
        let key = bytes(1, 20);
        let expanded = HmacKey::<A>::new(&key);
        for cpu in hash_cpus() {
            let mut planner = Planner::<broadloom_lanes::HashLanes<A>>::new(&cpu);
            for (least, spread) in [(0, 1), (20, 41), (50, 20), (100, 40), (1000, 50)] {
                let has_key = |number: usize| (number * 7 / spread).is_multiple_of(4);
                for count in [1, 5, 17, 100, COUNT] {
                    let messages: Vec<_> = (0..count)
                        .map(|number| bytes(number, least + number * 7 % spread))
                        .collect();
                    let mut digests = vec![[0u8; 64]; count];
                    let all = messages.iter().zip(&mut digests).enumerate();
                    planner.process_each(all.map(|(number, (message, digest))| {
                        match has_key(number) {
                            true => Loan::hmac(&expanded, message, digest),
                            false => Loan::digest(message, digest),
                        }
                    }));
                    for (number, (message, digest)) in messages.iter().zip(&digests).enumerate() {
                        let expected = match has_key(number) {
                            true => A::hmac(&key, message),
                            false => A::digest(message),
                        };
                        let (digest, len) = (&digest[..A::DIGEST_LEN], message.len());
                        assert_eq!(*digest, expected[..], "{} {number}, {len} bytes", A::NAME);
                    }
                }
            }
        }
    }
    every_hash!(check());
}

#[test]
fn a_message_by_itself_is_hashed_as_one_of_many() {
    fn check<A: Reference>() {
        let key = bytes(1, 20);
        let expanded = HmacKey::<A>::new(&key);
        for cpu in hash_cpus() {
            let mut planner = Planner::<broadloom_lanes::HashLanes<A>>::new(&cpu);
            for len in (0..300).chain([1024, 5000]) {
                let (message, mut digest, mut tag) = (bytes(len, len), [0; 64], [0; 64]);
                let before = planner.occupancy().used;
                planner.process_one(Loan::digest(&message, &mut digest));
                planner.process_one(Loan::hmac(&expanded, &message, &mut tag));
                let what = format!("{} of {len} bytes", A::NAME);
                assert_eq!(digest[..A::DIGEST_LEN], A::digest(&message)[..], "{what}");
                assert_eq!(tag[..A::DIGEST_LEN], A::hmac(&key, &message)[..], "HMAC-{what}");
                for room in [digest, tag] {
                    assert!(room[A::DIGEST_LEN..].iter().all(|byte| *byte == 0), "behind {what}");
                }
                assert!(planner.occupancy().used > before, "{what} counts");
            }
            let (first, rest) = (bytes(2, 4 * A::BLOCK_LEN), bytes(3, 77));
            let (mut stream, mut digest) = (Stream::<A>::hmac(&expanded), [0; 64]);
            let update = Loan::<broadloom_lanes::HashLanes<A>>::update(&mut stream, &first);
            planner.process_one(update.expect("whole blocks"));
            planner.process_one(Loan::<broadloom_lanes::HashLanes<A>>::finish(
                &mut stream,
                &rest,
                &mut digest,
            ));
            let expected = A::hmac(&key, &[first, rest].concat());
            assert_eq!(digest[..A::DIGEST_LEN], expected[..], "{} in pieces", A::NAME);
        }
    }
    every_hash!(check());
}

#[test]
fn ciphers_work_in_place_and_apart_and_both_ways() {
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for key_len in [16, 24, 32] {
            let key = bytes(9, key_len);
            let expanded = AesKey::new(&key).expect("it has the right length");
            let iv: [u8; 16] = bytes(5, 16).try_into().expect("16 bytes");
            let sources: Vec<_> =
                (0..COUNT).map(|number| bytes(number, len(number) / 16 * 16)).collect();
            let mut results = sources.clone();
            let all = sources.iter().zip(&mut results).enumerate();
            planner.process_each(all.map(|(number, (source, result))| match number % 4 {
                0 => Loan::encrypt(&expanded, &iv, result),
                1 => Loan::decrypt(&expanded, &iv, result),
                2 => Loan::encrypt(&expanded, &iv, Buffers::Apart(source, result)),
                _ => Loan::decrypt(&expanded, &iv, Buffers::Apart(source, result)),
            }));
            for (number, result) in results.iter().enumerate() {
                let source = &sources[number];
                let expected = match number % 2 {
                    0 => cbc_encrypt(&key, &iv, source),
                    _ => cbc_decrypt(&key, &iv, source),
                };
                assert_eq!(*result, expected, "buffer {number}");
            }
        }
    }
}

#[test]
fn a_buffer_by_itself_is_ciphered_as_one_of_many() {
    for cpu in cpus() {
        let mut planner = Planner::<CbcLanes>::new(&cpu);
        let (key, iv) = (bytes(9, 16), [5; 16]);
        let expanded = AesKey::new(&key).expect("it has the right length");
        for len in (0..=640).step_by(16) {
            let source = bytes(len, len);
            let (mut encrypted, mut decrypted) = (source.clone(), source.clone());
            planner.process_one(Loan::<CbcLanes>::encrypt(&expanded, &iv, &mut encrypted));
            planner.process_one(Loan::<CbcLanes>::decrypt(&expanded, &iv, &mut decrypted));
            assert_eq!(encrypted, cbc_encrypt(&key, &iv, &source), "{len} bytes encrypted");
            assert_eq!(decrypted, cbc_decrypt(&key, &iv, &source), "{len} bytes decrypted");
        }
    }
}

/// Texts and tags of GCM messages whose texts have these lengths: every other one has another key
/// if `mixed` is set, and every third one is opened.
fn gcm(cpu: &Cpu, lens: &[usize], mixed: bool) -> Vec<(Vec<u8>, [u8; 16])> {
    let keys = [1, 2].map(|seed| GcmKey::new(&bytes(seed, 16)).expect("it has the right length"));
    let mut made: Vec<_> = lens.iter().map(|len| (bytes(*len, *len), [0; 16])).collect();
    let nonces: Vec<_> = (0..lens.len()).map(|number| bytes(number, 12)).collect();
    let all = made.iter_mut().zip(&nonces).enumerate();
    let loans = all.map(|(number, ((text, tag), nonce))| {
        let (key, opens) = match mixed {
            true => (&keys[number % 2], number.is_multiple_of(3)),
            false => (&keys[0], false),
        };
        match opens {
            true => Loan::<GcmLanes>::open(key, nonce, b"sixteen bytes ..", text, tag),
            false => Loan::<GcmLanes>::seal(key, nonce, b"sixteen bytes ..", text, tag),
        }
    });
    Planner::new(cpu).process_each(loans);
    made
}

/// Kernels process some messages side by side, some one by one, and some in turns: by their number,
/// their lengths, and what else they share.
#[test]
fn gcm_messages_are_the_same_in_any_company() {
    let portable = Cpu::with_isa(Isa::Portable).expect("every machine has it");
    let lens = [0, 16, 48, 64, 65, 128, 320, 511, 512, 576, 577, 800, 1000, 1023, 1024, 1025, 2048];
    let counts = [1, 2, 3, 4, 5, 7];
    let mut cases: Vec<Vec<usize>> =
        lens.iter().flat_map(|len| counts.map(|count| vec![*len; count])).collect();
    for from in 0..lens.len() {
        cases.push((0..9).map(|number| lens[(from + 5 * number) % lens.len()]).collect());
    }
    for mixed in [false, true] {
        let expected: Vec<_> = cases.iter().map(|lens| gcm(&portable, lens, mixed)).collect();
        for cpu in cipher_cpus() {
            for (lens, expected) in cases.iter().zip(&expected) {
                assert!(gcm(&cpu, lens, mixed) == *expected, "{lens:?}, mixed: {mixed}, {cpu:?}");
            }
        }
    }
}

#[test]
fn occupancy_counts_what_ran() {
    for cpu in hash_cpus() {
        let mut planner = Planner::<broadloom_lanes::HashLanes<broadloom_lanes::Sha256>>::new(&cpu);
        assert_eq!(planner.occupancy(), Occupancy::default());
        let lanes = planner.lanes();
        // Two whole blocks and one of padding each, all lanes full.
        let messages = vec![[7u8; 128]; 4 * lanes];
        let mut digests = vec![[0u8; 32]; messages.len()];
        planner.process_each(messages.iter().zip(&mut digests).map(|(m, d)| Loan::digest(m, d)));
        let steps = 3 * messages.len() as u64;
        assert_eq!(planner.occupancy(), Occupancy { used: steps, offered: steps });
        planner.process_each([Loan::digest(&messages[0], &mut digests[0])]);
        let offered = steps + 3 * lanes as u64;
        assert_eq!(planner.occupancy(), Occupancy { used: steps + 3, offered });
    }
}
