//! TLS 1.2: AEADs, and AES-CBC with HMAC, against RustCrypto.

use broadloom_packets::tls::{
    CbcHmac, ContentType, RecordAead, RecordCipher, RecordKeys, Tls12Config, Tls12Flow,
};
use broadloom_packets::{Packet, PacketError, PacketProcessor};

use super::reference::{cbc, nonce, pad, seal, tag};
use crate::support::{noise, packet, protect, registry, unprotect};

/// A cipher, and a key and an IV or MAC key made of a seed.
fn keys(cipher: RecordCipher, seed: u64) -> (Vec<u8>, Vec<u8>) {
    let (key, other) = match cipher {
        RecordCipher::Aead(aead) => {
            (aead.key_len(), if aead == RecordAead::ChaCha20Poly1305 { 12 } else { 4 })
        }
        RecordCipher::MacThenCbc(suite) | RecordCipher::CbcThenMac(suite) => {
            (suite.size().key_len(), suite.hash().digest_len())
        }
    };
    (noise(key, seed), noise(other, seed + 50))
}

fn of_cipher<'k>(cipher: RecordCipher, keys: &'k (Vec<u8>, Vec<u8>)) -> RecordKeys<'k> {
    match cipher {
        RecordCipher::Aead(_) => RecordKeys::Raw { key: &keys.0, iv: &keys.1 },
        _ => RecordKeys::CipherAndMac { key: &keys.0, mac_key: &keys.1 },
    }
}

fn end(cipher: RecordCipher, seeds: [u64; 2]) -> Tls12Flow {
    let [write, read] = seeds.map(|seed| keys(cipher, seed));
    let config = Tls12Config {
        cipher,
        write: of_cipher(cipher, &write),
        write_number: 1,
        read: of_cipher(cipher, &read),
        read_number: 1,
    };
    Tls12Flow::new(&registry(), &config).expect("the keys fit")
}

fn ends(cipher: RecordCipher) -> (Tls12Flow, Tls12Flow) {
    (end(cipher, [1, 2]), end(cipher, [2, 1]))
}

fn ciphers() -> impl Iterator<Item = RecordCipher> {
    let chains = CbcHmac::ALL.into_iter();
    let chains =
        chains.flat_map(|suite| [RecordCipher::MacThenCbc(suite), RecordCipher::CbcThenMac(suite)]);
    RecordAead::ALL.into_iter().map(RecordCipher::Aead).chain(chains)
}

fn header(content_type: u8, len: usize) -> Vec<u8> {
    [&[content_type, 3, 3][..], &(len as u16).to_be_bytes()].concat()
}

/// Returns the record of the definition (RFC 5246, 6.2.3; RFC 7366). With AES-CBC, the padding is
/// the shortest and `extra` more bytes, and the IV is that of our flows.
fn record(cipher: RecordCipher, number: u64, kind: u8, text: &[u8], extra: usize) -> Vec<u8> {
    let (key, other) = keys(cipher, 1);
    let body = match cipher {
        RecordCipher::Aead(aead) => {
            let whole = number.to_be_bytes();
            let explicit = if other.len() == 4 { &whole[..] } else { &[] };
            let nonce = match other.len() {
                4 => [&other, explicit].concat(),
                _ => nonce(&other, number),
            };
            let aad = [&whole[..], &header(kind, text.len())].concat();
            [explicit, &seal(aead, &key, &nonce, &aad, text)].concat()
        }
        RecordCipher::MacThenCbc(suite) => {
            let tag = tag(suite, &other, number, &[&header(kind, text.len()), text]);
            let under = [text, &tag].concat();
            let padded = pad(&under, 16 - under.len() % 16 + extra);
            let block = [&number.to_be_bytes()[..], &[0; 8]].concat();
            cbc(&key, [0; 16], &[block, padded].concat())
        }
        RecordCipher::CbcThenMac(suite) => {
            let block = [&number.to_be_bytes()[..], &[0; 8]].concat();
            let padded = pad(text, 16 - text.len() % 16 + extra);
            let sealed = cbc(&key, [0; 16], &[block, padded].concat());
            let tag = tag(suite, &other, number, &[&header(kind, sealed.len()), &sealed]);
            [sealed, tag].concat()
        }
    };
    [header(kind, body.len()), body].concat()
}

#[test]
fn records_of_all_suites_are_those_of_the_definition() {
    for cipher in ciphers() {
        let (ours, theirs) = ends(cipher);
        let lens = [0, 1, 11, 12, 15, 16, 17, 100, 255, 1400, 16_384];
        let texts = lens.map(|len| noise(len, 3));
        let kind =
            |text: &[u8]| if text.len() == 12 { ContentType::ALERT } else { ContentType(23) };
        let mut burst: Vec<_> =
            texts.iter().map(|text| packet(&ours, text).with_meta(kind(text))).collect();
        assert_eq!(PacketProcessor::new().protect_burst(&mut burst).refused, 0, "{cipher}");
        for (at, text) in texts.iter().enumerate() {
            let expected = record(cipher, 1 + at as u64, kind(text).0, text, 0);
            assert_eq!(burst[at].bytes(), expected, "{cipher}, {} bytes", text.len());
        }
        let sent: Vec<_> = burst.iter().map(|packet| packet.bytes().to_vec()).collect();
        let mut burst: Vec<_> = sent.iter().map(|sent| packet(&theirs, sent)).collect();
        PacketProcessor::new().unprotect_burst(&mut burst);
        for (packet, text) in burst.iter().zip(&texts) {
            assert!(packet.succeeded(), "{cipher}: {packet:?}");
            assert_eq!((packet.bytes(), *packet.meta()), (&text[..], kind(text)));
        }
    }
}

#[test]
fn padding_of_every_length_is_removed() {
    for cipher in ciphers().filter(|cipher| !matches!(cipher, RecordCipher::Aead(_))) {
        let theirs = end(cipher, [2, 1]);
        let mut number = 1;
        for len in 0..40 {
            let texts: Vec<_> = (0..16).map(|extra| (noise(len, 3), 16 * extra)).collect();
            let sent: Vec<_> = texts
                .iter()
                // The longest padding has 256 bytes.
                .filter(|(_, extra)| *extra < 240)
                .enumerate()
                .map(|(at, (text, extra))| record(cipher, number + at as u64, 23, text, *extra))
                .collect();
            number += sent.len() as u64;
            let results = unprotect(&theirs, &sent);
            assert_eq!(results.len(), 15);
            assert!(results.iter().all(|got| got.as_ref() == Ok(&texts[0].0)), "{cipher}, {len}");
        }
    }
}

#[test]
fn wrong_padding_and_wrong_macs_are_one_error() {
    let suite = CbcHmac::Aes128Sha1;
    let cipher = RecordCipher::MacThenCbc(suite);
    let (key, mac_key) = keys(cipher, 1);
    let text = noise(30, 3);
    let mac = tag(suite, &mac_key, 1, &[&header(23, 30), &text]);
    let good = pad(&[&text[..], &mac].concat(), 14);
    for at in 0..=255 {
        let mut wrong = good.clone();
        match at {
            0..64 => wrong[at] ^= 1,
            _ => wrong[63] = at as u8,
        }
        let block = [0; 16];
        let sealed = cbc(&key, block, &[&block[..], &wrong].concat());
        let record = [header(23, sealed.len()), sealed].concat();
        let theirs = end(cipher, [2, 1]);
        let mut burst = [packet(&theirs, &record)];
        PacketProcessor::new().unprotect_burst(&mut burst);
        assert_eq!(burst[0].status(), Some(Err(PacketError::Integrity)), "{at}");
        assert!(!burst[0].buffer().windows(20).any(|bytes| bytes == &text[..20]), "it is wiped");
    }
    // With encrypt-then-MAC, only a peer that has the keys makes a wrong padding.
    let cipher = RecordCipher::CbcThenMac(suite);
    for last in [2, 16, 200] {
        let mut padded = pad(&text, 2);
        padded[31] = last;
        let sealed = cbc(&key, [0; 16], &[&[0; 16][..], &padded].concat());
        let mac = tag(suite, &mac_key, 1, &[&header(23, sealed.len()), &sealed]);
        let body = [sealed, mac].concat();
        let record = [header(23, body.len()), body].concat();
        let theirs = end(cipher, [2, 1]);
        assert_eq!(unprotect(&theirs, &[record]), [Err(PacketError::BadPadding)], "{last}");
    }
}

#[test]
fn every_damaged_bit_is_refused_and_neighbours_pass() {
    let suites = [
        RecordCipher::Aead(RecordAead::Aes128Gcm),
        RecordCipher::MacThenCbc(CbcHmac::Aes128Sha1),
        RecordCipher::CbcThenMac(CbcHmac::Aes128Sha1),
    ];
    for cipher in suites {
        let (neighbour, their_neighbour) = (end(cipher, [7, 8]), end(cipher, [8, 7]));
        let sent = protect(&end(cipher, [1, 2]), &[noise(20, 5)]).remove(0);
        let good = protect(&neighbour, &vec![noise(20, 5); sent.len() * 8]);
        for (bit, good) in good.iter().enumerate() {
            let theirs = end(cipher, [2, 1]);
            let mut damaged = sent.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let mut burst = [packet(&theirs, &damaged), packet(&their_neighbour, good)];
            PacketProcessor::new().unprotect_burst(&mut burst);
            assert!(!burst[0].succeeded(), "{cipher}: a record with bit {bit} flipped passed");
            assert!(burst[1].succeeded(), "{cipher}, bit {bit}: the neighbour failed");
        }
    }
}

#[test]
fn random_records_are_refused() {
    for cipher in ciphers() {
        let records = noise(1000 * 96, 12);
        let flows: Vec<_> = (0..50).map(|_| end(cipher, [2, 1])).collect();
        let mut burst = Vec::new();
        for random in records.chunks(96) {
            let body = if matches!(cipher, RecordCipher::CbcThenMac(_)) { 84 } else { 96 };
            let record = [header(23, body), random[..body].to_vec()].concat();
            burst.push(packet(&flows[burst.len() % flows.len()], &record));
        }
        assert_eq!(PacketProcessor::new().unprotect_burst(&mut burst).succeeded, 0, "{cipher}");
    }
}

#[test]
fn a_wrong_record_ends_its_connection() {
    for cipher in ciphers() {
        let (ours, theirs) = ends(cipher);
        let mut sent = protect(&ours, &vec![noise(100, 1); 4]);
        sent[1][50] ^= 1;
        let results = unprotect(&theirs, &sent);
        assert!(results[0].is_ok(), "{cipher}");
        let expected = [PacketError::Integrity, PacketError::Ended, PacketError::Ended].map(Err);
        assert_eq!(results[1..], expected, "{cipher}");
    }
}

#[test]
fn room_is_asked_for_before_a_number_is_taken() {
    for cipher in ciphers() {
        let (ours, theirs) = ends(cipher);
        let (head, tail) = match cipher {
            RecordCipher::Aead(aead) => (5 + aead.explicit_len(), aead.tag_len()),
            RecordCipher::MacThenCbc(suite) => {
                let mac = suite.hash().digest_len();
                (21, mac + 16 - (4 + mac) % 16)
            }
            RecordCipher::CbcThenMac(suite) => (29, suite.hash().digest_len() + 12),
        };
        let with = |head: usize, tail: usize| {
            let mut buffer = vec![0; head];
            buffer.extend(b"text");
            buffer.resize(head + 4 + tail, 0);
            let mut burst = [Packet::new(&ours, buffer, head..head + 4)];
            PacketProcessor::new().protect_burst(&mut burst);
            (burst[0].status().expect("it was in a burst"), burst[0].bytes().to_vec())
        };
        let no_head = PacketError::NoHeadRoom { need: head, have: head - 1 };
        let no_tail = PacketError::NoTailRoom { need: tail, have: tail - 1 };
        assert_eq!(with(head - 1, tail), (Err(no_head), b"text".to_vec()), "{cipher}");
        assert_eq!(with(head, tail - 1), (Err(no_tail), b"text".to_vec()), "{cipher}");
        let (status, sent) = with(head, tail);
        assert_eq!(status, Ok(()));
        assert_eq!(unprotect(&theirs, &[sent]), [Ok(b"text".to_vec())], "{cipher}");
    }
}

#[test]
fn ivs_of_cbc_are_unlike_each_other() {
    use std::collections::HashSet;

    for mac_is_first in [true, false] {
        let suite = CbcHmac::Aes256Sha256;
        let cipher = match mac_is_first {
            true => RecordCipher::MacThenCbc(suite),
            false => RecordCipher::CbcThenMac(suite),
        };
        let sent = protect(&end(cipher, [1, 2]), &vec![noise(20, 5); 1000]);
        let ivs: HashSet<_> = sent.iter().map(|record| record[5..21].to_vec()).collect();
        assert_eq!(ivs.len(), 1000);
    }
}

#[test]
fn keys_of_another_kind_are_named() {
    let error = |cipher, keys| {
        let config =
            Tls12Config { cipher, write: keys, write_number: 0, read: keys, read_number: 0 };
        Tls12Flow::new(&registry(), &config).err().expect("it is refused").to_string()
    };
    let raw = RecordKeys::Raw { key: &[1; 16], iv: &[1; 12] };
    let both = RecordKeys::CipherAndMac { key: &[1; 16], mac_key: &[1; 21] };
    let gcm = RecordCipher::Aead(RecordAead::Aes128Gcm);
    let cbc = RecordCipher::MacThenCbc(CbcHmac::Aes128Sha1);
    assert_eq!(error(gcm, raw), "an IV of 12 bytes does not fit aes-128-gcm, which takes 4");
    assert_eq!(
        error(gcm, both),
        "the keys of an AEAD of version 1.2 cannot be keys of another kind; \
         valid: a raw key and its IV or salt"
    );
    assert_eq!(
        error(cbc, raw),
        "the keys of AES-CBC with HMAC cannot be keys of another kind; \
         valid: a key of AES and a key of HMAC"
    );
    assert_eq!(
        error(cbc, both),
        "a MAC key of 21 bytes does not fit aes-128-cbc-hmac-sha1, which takes 20"
    );
}
