//! DTLS 1.2 with AES-CBC and HMAC, against RustCrypto.

use broadloom_packets::dtls::{
    CbcHmac, ContentType, Dtls12Config, Dtls12Flow, DtlsMeta, RecordCipher, RecordKeys,
};
use broadloom_packets::{FlowError, PacketError, PacketProcessor};

use crate::support::{no_damaged_packet_passes, noise, packet, protect, registry, unprotect};
use crate::tls::reference::{cbc, pad, tag};

/// Bytes of a record's header.
const HEADER: usize = 13;

/// Keys of one direction: those of AES and of HMAC.
fn keys(suite: CbcHmac, seed: u64) -> (Vec<u8>, Vec<u8>) {
    (noise(suite.size().key_len(), seed), noise(suite.hash().digest_len(), seed + 50))
}

fn suite(cipher: RecordCipher) -> CbcHmac {
    match cipher {
        RecordCipher::MacThenCbc(suite) | RecordCipher::CbcThenMac(suite) => suite,
        RecordCipher::Aead(aead) => panic!("{aead} is an AEAD"),
    }
}

fn open(cipher: RecordCipher, seeds: [u64; 2], id: &[u8]) -> Result<Dtls12Flow, FlowError> {
    let [write, read] = seeds.map(|seed| keys(suite(cipher), seed));
    let config = Dtls12Config {
        cipher,
        write: RecordKeys::CipherAndMac { key: &write.0, mac_key: &write.1 },
        write_number: 0,
        read: RecordKeys::CipherAndMac { key: &read.0, mac_key: &read.1 },
        epoch: 1,
        window: 1024,
        write_id: id,
        read_id: &[],
    };
    Dtls12Flow::new(&registry(), &config)
}

fn ends(cipher: RecordCipher) -> (Dtls12Flow, Dtls12Flow) {
    let open = |seeds| open(cipher, seeds, &[]).expect("the keys fit");
    (open([1, 2]), open([2, 1]))
}

fn ciphers() -> impl Iterator<Item = RecordCipher> {
    let suites = CbcHmac::ALL.into_iter();
    suites.flat_map(|suite| [RecordCipher::MacThenCbc(suite), RecordCipher::CbcThenMac(suite)])
}

/// Returns a record of the definition (RFC 6347, 4.1.2; RFC 5246, 6.2.3; RFC 7366), with `extra`
/// bytes more than the shortest padding, and the IV of our flows. `damage` changes what is
/// encrypted.
fn record(
    cipher: RecordCipher,
    number: u64,
    kind: u8,
    text: &[u8],
    extra: usize,
    damage: impl Fn(&mut Vec<u8>),
) -> Vec<u8> {
    let (key, mac_key) = keys(suite(cipher), 1);
    let whole = 1 << 48 | number;
    let header = |len: usize| [&[kind, 254, 253][..], &(len as u16).to_be_bytes()].concat();
    let block = [&whole.to_be_bytes()[..], &[0; 8]].concat();
    let body = match cipher {
        RecordCipher::CbcThenMac(suite) => {
            let mut padded = pad(text, 16 - text.len() % 16 + extra);
            damage(&mut padded);
            let sealed = cbc(&key, [0; 16], &[block, padded].concat());
            let tag = tag(suite, &mac_key, whole, &[&header(sealed.len()), &sealed]);
            [sealed, tag].concat()
        }
        _ => {
            let tag = tag(suite(cipher), &mac_key, whole, &[&header(text.len()), text]);
            let under = [text, &tag].concat();
            let mut padded = pad(&under, 16 - under.len() % 16 + extra);
            damage(&mut padded);
            cbc(&key, [0; 16], &[block, padded].concat())
        }
    };
    let len = (body.len() as u16).to_be_bytes();
    [&[kind, 254, 253][..], &whole.to_be_bytes(), &len, &body].concat()
}

#[test]
fn records_are_those_of_the_definition() {
    for cipher in ciphers() {
        let (ours, theirs) = ends(cipher);
        let lens = [0, 1, 11, 12, 15, 16, 17, 100, 255, 1400, 16_384];
        let texts = lens.map(|len| noise(len, 3));
        let kind =
            |text: &[u8]| if text.len() == 12 { ContentType::ALERT } else { ContentType(23) };
        let mut burst: Vec<_> = texts
            .iter()
            .map(|text| packet(&ours, text).with_meta(DtlsMeta::new(kind(text))))
            .collect();
        assert_eq!(PacketProcessor::new().protect_burst(&mut burst).refused, 0, "{cipher}");
        for (number, (packet, text)) in burst.iter().zip(&texts).enumerate() {
            let expected = record(cipher, number as u64, kind(text).0, text, 0, |_| {});
            assert_eq!(packet.bytes(), expected, "{cipher}, {} bytes", text.len());
            assert_eq!((packet.meta().epoch, packet.meta().number), (1, number as u64));
        }
        assert_eq!(ours.next_number(), Some(lens.len() as u64));
        // In any order, and twice.
        let mut sent: Vec<_> = burst.iter().map(|packet| packet.bytes().to_vec()).collect();
        sent.reverse();
        sent.push(sent[3].clone());
        let mut burst: Vec<_> = sent.iter().map(|sent| packet(&theirs, sent)).collect();
        PacketProcessor::new().unprotect_burst(&mut burst);
        let repeated = burst.pop().expect("it is the last");
        let number = lens.len() as u64 - 4;
        assert_eq!(repeated.status(), Some(Err(PacketError::Replay { number })), "{cipher}");
        assert_eq!(repeated.bytes()[..HEADER], sent[3][..HEADER], "{cipher}");
        for (packet, text) in burst.iter().zip(texts.iter().rev()) {
            assert!(packet.succeeded(), "{cipher}: {packet:?}");
            assert_eq!((packet.bytes(), packet.meta().content_type), (&text[..], kind(text)));
        }
        let again = unprotect(&theirs, &sent);
        assert!(again.iter().all(|again| matches!(again, Err(PacketError::Replay { .. }))));
    }
}

#[test]
fn padding_of_every_length_is_removed() {
    for cipher in ciphers() {
        let (_, theirs) = ends(cipher);
        for len in 0..33 {
            let sent = (0..15).map(|extra| {
                record(
                    cipher,
                    len * 15 + extra,
                    23,
                    &noise(len as usize, 3),
                    16 * extra as usize,
                    |_| {},
                )
            });
            let results = unprotect(&theirs, &sent.collect::<Vec<_>>());
            assert!(
                results.iter().all(|got| *got == Ok(noise(len as usize, 3))),
                "{cipher}, {len}"
            );
        }
    }
}

#[test]
fn damage_disturbs_nobody_else() {
    for cipher in ciphers() {
        let (ours, theirs) = ends(cipher);
        let first = protect(&ours, &[noise(20, 5)]).remove(0);
        let neighbours = protect(&ours, &vec![noise(20, 5); 8 * first.len()]);
        // They are taken from the end: so the numbers rise, and stay within the window.
        let neighbours = neighbours.into_iter().rev().collect();
        no_damaged_packet_passes(&theirs, &first, neighbours);
    }
}

/// A wrong MAC and a wrong padding are one error, the record is wiped, and its number can come yet.
#[test]
fn records_that_are_not_authentic_are_wiped_and_take_no_number() {
    for cipher in ciphers().filter(|cipher| matches!(cipher, RecordCipher::MacThenCbc(_))) {
        let (_, theirs) = ends(cipher);
        let whole = record(cipher, 5, 23, b"text", 0, |_| {});
        for at in [0, 4, 20, 30] {
            let damage = |padded: &mut Vec<u8>| {
                let at = at.min(padded.len() - 1);
                padded[at] ^= 0x55;
            };
            let forged = record(cipher, 5, 23, b"text", 0, damage);
            let mut burst = [packet(&theirs, &forged)];
            PacketProcessor::new().unprotect_burst(&mut burst);
            assert_eq!(burst[0].status(), Some(Err(PacketError::Integrity)), "{cipher}, {at}");
            assert_eq!(burst[0].bytes()[..HEADER], forged[..HEADER], "{cipher}");
            assert!(burst[0].bytes()[HEADER..].iter().all(|byte| *byte == 0), "{cipher}");
        }
        assert_eq!(unprotect(&theirs, &[whole]), [Ok(b"text".to_vec())], "{cipher}");
    }
}

/// With the MAC behind the ciphertext, a record that is not authentic has its header as it was.
#[test]
fn headers_are_put_back() {
    for cipher in ciphers() {
        let (_, theirs) = ends(cipher);
        let mut sent = record(cipher, 5, 22, b"text", 0, |_| {});
        *sent.last_mut().expect("a tag") ^= 1;
        let mut burst = [packet(&theirs, &sent)];
        PacketProcessor::new().unprotect_burst(&mut burst);
        assert_eq!(burst[0].status(), Some(Err(PacketError::Integrity)), "{cipher}");
        assert_eq!(burst[0].bytes()[..HEADER], sent[..HEADER], "{cipher}");
        assert_eq!(burst[0].buffer()[..128], [0xee; 128], "{cipher}: the room before it");
    }
}

#[test]
fn lengths_that_no_record_has_are_refused() {
    for cipher in ciphers() {
        let (_, theirs) = ends(cipher);
        let whole = record(cipher, 5, 23, b"text", 0, |_| {});
        for len in 0..whole.len() {
            let mut cut = whole[..len].to_vec();
            if len >= HEADER {
                let body = ((len - HEADER) as u16).to_be_bytes();
                cut[11..13].copy_from_slice(&body);
            }
            assert!(unprotect(&theirs, &[cut])[0].is_err(), "{cipher}, {len}");
        }
    }
}

#[test]
fn wrong_configurations_are_refused() {
    let cipher = RecordCipher::MacThenCbc(CbcHmac::Aes128Sha1);
    let error = open(cipher, [1, 2], b"id").err().expect("it has an ID").to_string();
    assert_eq!(error, "the length of a connection ID with AES-CBC cannot be 2; valid: 0");
    let config = Dtls12Config {
        cipher,
        write: RecordKeys::Secret(&[1; 32]),
        write_number: 0,
        read: RecordKeys::Secret(&[1; 32]),
        epoch: 1,
        window: 64,
        write_id: &[],
        read_id: &[],
    };
    let error = Dtls12Flow::new(&registry(), &config).err().expect("no keys").to_string();
    assert!(error.contains("a key of AES and a key of HMAC"), "{error}");
}
