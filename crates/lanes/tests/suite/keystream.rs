//! The key stream against the RustCrypto crates, however it is drawn.

use std::sync::Arc;

use aes::Aes128;
use broadloom_lanes::{AesKey, Cpu, Keystream, KeystreamError};
use ctr::cipher::{KeyIvInit, StreamCipher};

use crate::common::{bytes, cipher_cpus};

const KEY: [u8; 16] = *b"a key of 16 byte";

fn key() -> AesKey {
    AesKey::new(&KEY).expect("a good length")
}

/// The stream from a counter on.
fn expected(counter: &[u8; 16], len: usize) -> Vec<u8> {
    let mut stream = vec![0; len];
    ctr::Ctr128BE::<Aes128>::new(&KEY.into(), counter.into()).apply_keystream(&mut stream);
    stream
}

/// Draws of every length up to 200 bytes, some long ones, and none at all, across several refills;
/// over counters that carry out of 32 and 64 bits.
#[test]
fn draws_of_every_length_follow_each_other() {
    let counters: [[u8; 16]; 3] = [
        [3; 16],
        (u128::MAX >> 64).to_be_bytes(),
        0x0123_4567_89ab_cdef_0123_4567_ffff_fffe_u128.to_be_bytes(),
    ];
    let lens = || (0..=200).chain([8192, 1, 8191, 8193, 20000, 16, 0, 5]).chain((150..=170).rev());
    for cpu in cipher_cpus() {
        for counter in counters {
            let expected = expected(&counter, lens().sum());
            let mut drawn = Vec::new();
            let mut stream = Keystream::new(&cpu, key(), &counter);
            for len in lens() {
                let start = drawn.len();
                drawn.resize(start + len, 0xee);
                stream.draw(&mut drawn[start..]).expect("far from the last counter");
            }
            assert!(drawn == expected, "drawn on {}", cpu.isa());

            let plain = bytes(1, expected.len());
            let mut text = plain.clone();
            stream.restart(&counter);
            let mut rest = &mut text[..];
            for len in lens() {
                let (now, later) = rest.split_at_mut(len);
                stream.apply(now).expect("far from the last counter");
                rest = later;
            }
            let added = plain.iter().zip(&expected).map(|(a, b)| a ^ b);
            assert!(added.eq(text.iter().copied()), "applied on {}", cpu.isa());
        }
    }
}

#[test]
fn a_key_is_owned_or_borrowed_or_shared() {
    let (cpu, counter) = (Cpu::detect(), [9; 16]);
    let (borrowed, shared) = (key(), Arc::new(key()));
    let mut drawn = [[0; 50]; 3];
    Keystream::new(&cpu, key(), &counter).draw(&mut drawn[0]).expect("enough");
    Keystream::new(&cpu, &borrowed, &counter).draw(&mut drawn[1]).expect("enough");
    Keystream::new32(&cpu, shared, &counter).draw(&mut drawn[2]).expect("enough");
    assert_eq!(drawn.map(Vec::from), [(); 3].map(|()| expected(&counter, 50)));
}

#[test]
fn a_stream_ends_before_its_counter_passes_zero() {
    let first32 = 0x0707_0707_0707_0707_0707_0707_ffff_fffd_u128.to_be_bytes();
    let first128 = (u128::MAX - 2).to_be_bytes();
    for cpu in cipher_cpus() {
        for (mut stream, counter) in [
            (Keystream::new32(&cpu, key(), &first32), first32),
            (Keystream::new(&cpu, key(), &first128), first128),
        ] {
            let expected = expected(&counter, 48);
            let mut out = [0xee; 60];
            assert_eq!(stream.draw(&mut out[..49]), Err(KeystreamError { left: 48, asked: 49 }));
            assert_eq!(stream.apply(&mut out), Err(KeystreamError { left: 48, asked: 60 }));
            stream.draw(&mut out[..10]).expect("there are 48 left");
            let error = KeystreamError { left: 38, asked: 39 };
            assert_eq!(stream.draw(&mut out[10..49]), Err(error));
            assert!(error.to_string().contains("38") && error.to_string().contains("39"));
            stream.draw(&mut out[10..48]).expect("there are 38 left");
            assert_eq!(stream.draw(&mut out[48..49]), Err(KeystreamError { left: 0, asked: 1 }));
            stream.draw(&mut []).expect("nothing is always left");
            assert_eq!(out[..48], expected);
            assert_eq!(out[48..], [0xee; 12]);
        }
        // More than one refill before the end.
        let counter = 0xffff_f000_u128.to_be_bytes();
        let mut stream = Keystream::new32(&cpu, key(), &counter);
        let mut all = vec![0; 16 * 0x1000];
        let error = KeystreamError { left: all.len() as u128, asked: all.len() + 1 };
        assert_eq!(stream.draw(&mut vec![0; all.len() + 1]), Err(error));
        stream.draw(&mut all).expect("as many as there are");
        assert!(all == self::expected(&counter, all.len()), "{}", cpu.isa());
    }
}
