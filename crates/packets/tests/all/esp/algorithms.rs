//! Every algorithm against an independent implementation.

use std::collections::HashSet;

use broadloom_engine::AesSize;
use broadloom_packets::esp::{EspAlgorithm, EspHash, EspMeta};

use super::{Keys, SPI, ends_with, protect_with, reference};
use crate::support::{noise, unprotect};

/// The text of a payload: padding 1, 2, 3, and so on, its length, and the next header.
fn with_trailer(payload: &[u8], alignment: usize, next_header: u8) -> Vec<u8> {
    let mut text = payload.to_vec();
    let mut padding = 0;
    while !(text.len() + 2).is_multiple_of(alignment) {
        padding += 1;
        text.push(padding);
    }
    text.extend([padding, next_header]);
    text
}

/// Lengths at which padding, blocks and stages of the kernels begin and end.
const LENS: [usize; 14] = [0, 1, 2, 3, 13, 14, 15, 16, 17, 46, 62, 64, 255, 1422];

/// Numbers of 64 bits pass 2^32 in the middle of the burst.
#[test]
fn packets_are_those_of_an_independent_implementation() {
    for algorithm in EspAlgorithm::all() {
        for extended in [false, true] {
            let first = if extended { (1 << 32) - 7 } else { 1 };
            let (ours, theirs) = ends_with(algorithm, |config| {
                (config.extended, config.first) = (extended, first);
            });
            let keys = Keys::new(algorithm);
            let texts: Vec<Vec<u8>> = LENS.map(|len| noise(len, 3)).to_vec();
            let sent = protect_with(&ours, EspMeta::payload(17), &texts);
            for ((text, sent), number) in texts.iter().zip(&sent).zip(first..) {
                let iv = &sent[8..8 + algorithm.iv_len()];
                let text = with_trailer(text, algorithm.alignment(), 17);
                let expected =
                    reference::protect(algorithm, &keys, SPI, number, extended, iv, &text);
                assert_eq!(sent, &expected, "{algorithm}, number {number:#x}");
                if iv.len() == 8 {
                    assert_eq!(iv, number.to_be_bytes(), "{algorithm}: the IV counts");
                }
            }
            for (result, text) in unprotect(&theirs, &sent).iter().zip(&texts) {
                assert_eq!(result.as_ref(), Ok(text), "{algorithm}, extended: {extended}");
            }
        }
    }
}

/// A flow that takes IVs writes those that it was given, under any number.
#[test]
fn packets_with_given_ivs_are_those_of_an_independent_implementation() {
    for algorithm in EspAlgorithm::all() {
        for extended in [false, true] {
            let (ours, theirs) = ends_with(algorithm, |config| {
                (config.extended, config.takes_ivs, config.window) = (extended, true, 64);
            });
            let keys = Keys::new(algorithm);
            let first = if extended { (1 << 32) + 5 } else { 70 };
            for (number, len) in [first, first + 40, first + 39].into_iter().zip(LENS) {
                let given: [u8; 16] = noise(16, number).try_into().expect("16 bytes");
                let mut meta = EspMeta::payload(17);
                meta.iv = given;
                ours.set_next(number).expect("a flow that takes IVs counts from anywhere");
                let text = noise(len, 3);
                let sent = protect_with(&ours, meta, std::slice::from_ref(&text));
                let iv = &given[..algorithm.iv_len()];
                let padded = with_trailer(&text, algorithm.alignment(), 17);
                let expected =
                    reference::protect(algorithm, &keys, SPI, number, extended, iv, &padded);
                assert_eq!(sent[0], expected, "{algorithm}, number {number:#x}");
                if !extended {
                    assert_eq!(unprotect(&theirs, &sent)[0].as_ref(), Ok(&text), "{algorithm}");
                }
            }
        }
    }
}

/// A packet of the other implementation, with any IV, is read; its next header is reported.
#[test]
fn packets_of_an_independent_implementation_are_read() {
    use broadloom_packets::PacketProcessor;

    for algorithm in EspAlgorithm::all() {
        let (_, theirs) = ends_with(algorithm, |config| config.extended = true);
        let (keys, iv) = (Keys::new(algorithm), noise(algorithm.iv_len(), 99));
        let text = with_trailer(&[7; 50], algorithm.alignment(), 6);
        let sent = reference::protect(algorithm, &keys, SPI, 5, true, &iv, &text);
        let mut packets = [crate::support::packet(&theirs, &sent)];
        PacketProcessor::new().unprotect_burst(&mut packets);
        assert_eq!(packets[0].status(), Some(Ok(())), "{algorithm}");
        assert_eq!((packets[0].bytes(), packets[0].meta().next_header), (&[7; 50][..], 6));
    }
}

/// The IVs of CBC are neither counters nor the same for two flows with one key, and none repeats.
#[test]
fn ivs_of_cbc_cannot_be_predicted() {
    let algorithm = EspAlgorithm::AesCbc(AesSize::Aes128, EspHash::Sha1);
    let mut ivs = HashSet::new();
    for _ in 0..2 {
        let (ours, _) = ends_with(algorithm, |_| {});
        for sent in protect_with(&ours, EspMeta::payload(17), &vec![vec![0; 32]; 300]) {
            let iv: [u8; 16] = sent[8..24].try_into().expect("16 bytes");
            assert!(iv[..8] != [0; 8], "{iv:x?} counts");
            assert!(ivs.insert(iv), "{iv:x?} repeats");
        }
    }
}

#[test]
fn names_lead_back_to_algorithms() {
    let names: HashSet<String> = EspAlgorithm::all().map(|known| known.to_string()).collect();
    assert_eq!(names.len(), 3 * 3 + 1 + 2 * 3 * 4 + 4);
    for name in [
        "esp-aes-128-gcm",
        "esp-aes-192-gmac",
        "esp-aes-256-ccm",
        "esp-chacha20-poly1305",
        "esp-aes-128-cbc-hmac-sha1",
        "esp-aes-256-ctr-hmac-sha512",
        "esp-null-hmac-sha256",
    ] {
        let algorithm: EspAlgorithm = name.parse().expect("it is a name");
        assert_eq!(algorithm.to_string(), name);
    }
    let error = "esp-rot13".parse::<EspAlgorithm>().expect_err("there is none").to_string();
    assert!(error.starts_with("an algorithm of ESP cannot be esp-rot13; valid: esp-aes-128-gcm,"));
}
