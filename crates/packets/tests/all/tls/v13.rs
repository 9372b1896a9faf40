//! TLS 1.3: RFC 8448's traces, RustCrypto, and the rules of a stream.

use std::slice::from_ref;

use broadloom_packets::tls::{
    ContentType, RecordAead, RecordKeys, RecordMeta, Tls13Config, Tls13Flow, record_len,
};
use broadloom_packets::{Packet, PacketError, PacketProcessor};

use super::reference::{expand_label, nonce, seal};
use crate::support::{noise, packet, protect, registry, unprotect};

const AEADS: [RecordAead; 5] = [
    RecordAead::Aes128Gcm,
    RecordAead::Aes256Gcm,
    RecordAead::ChaCha20Poly1305,
    RecordAead::Aes128Ccm,
    RecordAead::Aes128Ccm8,
];

/// RFC 8448, section 3: the secrets of application data.
const CLIENT: &str = "9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5";
const SERVER: &str = "a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643";

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

/// Returns a flow.
fn flow(aead: RecordAead, write: RecordKeys<'_>, read: RecordKeys<'_>, number: u64) -> Tls13Flow {
    let config = Tls13Config { aead, write, write_number: number, read, read_number: number };
    Tls13Flow::new(&registry(), &config).expect("the keys fit")
}

/// Two ends of a connection with secrets that are made of `seed`.
fn ends(aead: RecordAead, seed: u64) -> (Tls13Flow, Tls13Flow) {
    let secret = |seed| noise(aead.hash().digest_len(), seed);
    let (one, other) = (secret(seed), secret(seed + 1000));
    let new = |write, read| flow(aead, RecordKeys::Secret(write), RecordKeys::Secret(read), 0);
    (new(&one, &other), new(&other, &one))
}

fn with_type(flow: &Tls13Flow, text: &[u8], content_type: ContentType) -> Vec<u8> {
    let meta = RecordMeta { content_type, padding: 0 };
    let mut burst = [packet(flow, text).with_meta(meta)];
    PacketProcessor::new().protect_burst(&mut burst);
    assert!(burst[0].succeeded(), "{burst:?}");
    burst[0].bytes().to_vec()
}

#[test]
fn records_are_those_of_rfc_8448() {
    let app: Vec<u8> = (0..50).collect();
    let (client, server) = (hex(CLIENT), hex(SERVER));
    let secret = |secret| RecordKeys::Secret(secret);
    let key = hex("dbfaa693d1762c5b666af5d950258d01");
    let iv = hex("5bd3c71b836e0b76bb73265f");
    let raw = RecordKeys::Raw { key: &key, iv: &iv };
    let client_app = "1703030043a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b4\
        6b395bd54a9a20441e2b62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4";
    let server_app = "17030300432e937e11ef4ac740e538ad36005fc4a46932fc3225d05f82aa1b36e30efaf97d90\
        e6dffc602dcb501a59a8fcc49c4bf2e5f0a21c0047c2abf332540dd032e167c2955d";
    let finished = "170303003575ec4dc238cce60b298044a71e219c56cc77b0517fe9b93c7a4bfc44d87f38f80338\
        ac98fc46deb384bd1caeacab6867d726c40546";
    let client_alert = "1703030013c9872760655666b74d7ff1153efd6db6d0b0e3";
    let server_alert = "1703030013b58fd67166ebf599d24720cfbe7efa7a8864a9";
    let finished_text =
        hex("14000020a8ec436d677634ae525ac1fcebe11a039ec17694fac6e98527b642f2edd5ce61");
    let close = [1, 0];
    let cases = [
        (secret(&client), 0, client_app, ContentType::APPLICATION_DATA, &app[..]),
        (secret(&server), 1, server_app, ContentType::APPLICATION_DATA, &app[..]),
        (secret(&client), 1, client_alert, ContentType::ALERT, &close[..]),
        (secret(&server), 2, server_alert, ContentType::ALERT, &close[..]),
        (raw, 0, finished, ContentType::HANDSHAKE, &finished_text[..]),
    ];
    for (keys, number, record, content_type, text) in cases {
        let writing = flow(RecordAead::Aes128Gcm, keys, keys, number);
        assert_eq!(with_type(&writing, text, content_type), hex(record));
        let mut burst = [packet(&writing, &hex(record))];
        PacketProcessor::new().unprotect_burst(&mut burst);
        assert!(burst[0].succeeded(), "{burst:?}");
        assert_eq!((burst[0].bytes(), burst[0].meta().content_type), (text, content_type));
    }
}

/// Returns the record of a definition: RFC 8446, 5.2.
fn record(aead: RecordAead, secret: &[u8], number: u64, text: &[u8], meta: RecordMeta) -> Vec<u8> {
    let key = expand_label(aead, secret, "tls13 key", aead.key_len());
    let iv = expand_label(aead, secret, "tls13 iv", 12);
    let mut inner = text.to_vec();
    inner.push(meta.content_type.0);
    inner.resize(inner.len() + meta.padding, 0);
    let len = (inner.len() + aead.tag_len()) as u16;
    let mut record = vec![23, 3, 3];
    record.extend(len.to_be_bytes());
    let sealed = seal(aead, &key, &nonce(&iv, number), &record, &inner);
    record.extend(sealed);
    record
}

#[test]
fn records_of_all_suites_are_those_of_the_definition() {
    for aead in AEADS {
        let (ours, theirs) = ends(aead, 7);
        let secret = noise(aead.hash().digest_len(), 7);
        let lens = [0, 1, 15, 16, 31, 255, 256, 1400, 16_384];
        let metas = lens.map(|len| RecordMeta {
            content_type: ContentType::APPLICATION_DATA,
            padding: if len == 16_384 { 0 } else { len % 37 },
        });
        let texts: Vec<_> = lens.iter().map(|len| noise(*len, 3)).collect();
        let mut burst: Vec<_> = texts
            .iter()
            .zip(metas)
            .map(|(text, meta)| packet(&ours, text).with_meta(meta))
            .collect();
        PacketProcessor::new().protect_burst(&mut burst);
        for (number, (text, meta)) in texts.iter().zip(metas).enumerate() {
            let expected = record(aead, &secret, number as u64, text, meta);
            assert_eq!(burst[number].bytes(), expected, "{aead}, {} bytes", text.len());
            assert_eq!(record_len(&expected), Some(expected.len()));
        }
        let sent: Vec<_> = burst.iter().map(|packet| packet.bytes().to_vec()).collect();
        let mut burst: Vec<_> = sent.iter().map(|sent| packet(&theirs, sent)).collect();
        PacketProcessor::new().unprotect_burst(&mut burst);
        for ((packet, text), meta) in burst.iter().zip(&texts).zip(metas) {
            assert!(packet.succeeded(), "{aead}: {packet:?}");
            assert_eq!((packet.bytes(), *packet.meta()), (&text[..], meta));
        }
    }
}

#[test]
fn a_wrong_record_ends_its_connection_and_no_other() {
    let connections: Vec<_> = (0..3).map(|seed| ends(RecordAead::Aes128Gcm, seed)).collect();
    let sent: Vec<_> =
        connections.iter().map(|(ours, _)| protect(ours, &vec![noise(100, 1); 4])).collect();
    let mut burst = Vec::new();
    for number in 0..4 {
        for (connection, ((_, theirs), sent)) in connections.iter().zip(&sent).enumerate() {
            let mut record = sent[number].clone();
            if (connection, number) == (1, 1) {
                record[50] ^= 1;
            }
            burst.push(packet(theirs, &record));
        }
    }
    PacketProcessor::new().unprotect_burst(&mut burst);
    for (at, packet) in burst.iter().enumerate() {
        let expected = match (at % 3, at / 3) {
            (1, 1) => Err(PacketError::Integrity),
            (1, 2..) => Err(PacketError::Ended),
            _ => Ok(()),
        };
        assert_eq!(packet.status(), Some(expected), "connection {}, record {}", at % 3, at / 3);
        let shows_text = packet.buffer().windows(100).any(|bytes| bytes == noise(100, 1));
        assert_eq!(shows_text, expected.is_ok(), "only what is delivered is readable");
    }
    let (ours, theirs) = &connections[1];
    let later = protect(ours, &[noise(9, 1)]);
    assert_eq!(unprotect(theirs, &later), [Err(PacketError::Ended)]);
    let reply = protect(theirs, &[noise(9, 2)]);
    assert!(unprotect(ours, &reply)[0].is_ok(), "the other direction can still send an alert");
}

#[test]
fn every_damaged_bit_is_refused_and_neighbours_pass() {
    let aead = RecordAead::Aes128Gcm;
    let (neighbour, their_neighbour) = ends(aead, 99);
    let (ours, _) = ends(aead, 5);
    let sent = protect(&ours, &[noise(20, 5)]).remove(0);
    let good = protect(&neighbour, &vec![noise(20, 5); sent.len() * 8]);
    for (bit, good) in good.iter().enumerate() {
        let (_, theirs) = ends(aead, 5);
        let mut damaged = sent.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let mut burst = [packet(&theirs, &damaged), packet(&their_neighbour, good)];
        PacketProcessor::new().unprotect_burst(&mut burst);
        assert!(!burst[0].succeeded(), "a record with bit {bit} flipped passed");
        assert!(burst[1].succeeded(), "bit {bit}: the neighbour failed");
    }
}

#[test]
fn records_out_of_order_and_again_are_refused() {
    let (ours, theirs) = ends(RecordAead::ChaCha20Poly1305, 1);
    let sent = protect(&ours, &[noise(20, 1), noise(20, 2)]);
    assert!(unprotect(&theirs, &sent[..1])[0].is_ok());
    assert_eq!(unprotect(&theirs, &sent[..1]), [Err(PacketError::Integrity)]);
    assert_eq!(unprotect(&theirs, &sent[1..]), [Err(PacketError::Ended)]);
}

#[test]
fn random_records_are_refused() {
    let connections: Vec<_> = (0..1000).map(|seed| ends(RecordAead::Aes128Gcm, seed).1).collect();
    let records = noise(1000 * 64, 12);
    let mut burst = Vec::new();
    for (flow, random) in connections.iter().zip(records.chunks(64)) {
        let mut record = vec![23, 3, 3, 0, 64];
        record.extend(random);
        burst.extend((0..100).map(|_| packet(flow, &record)));
    }
    assert_eq!(PacketProcessor::new().unprotect_burst(&mut burst).succeeded, 0);
}

#[test]
fn a_key_update_changes_keys_between_records() {
    for aead in AEADS {
        let (mut ours, mut theirs) = ends(aead, 3);
        let update = with_type(&ours, &[24, 0, 0, 1, 0], ContentType::HANDSHAKE);
        ours.update_write(&registry()).expect("it has a secret");
        let after = protect(&ours, &[noise(300, 1)]).remove(0);
        let first = noise(aead.hash().digest_len(), 3);
        let next = expand_label(aead, &first, "tls13 traffic upd", first.len());
        let meta = RecordMeta::default();
        assert_eq!(after, record(aead, &next, 0, &noise(300, 1), meta));
        let mut burst = [packet(&theirs, &update), packet(&theirs, &after)];
        PacketProcessor::new().unprotect_burst(&mut burst);
        assert_eq!(burst[0].bytes(), [24, 0, 0, 1, 0]);
        assert_eq!(burst[1].status(), Some(Err(PacketError::Deferred)));
        assert_eq!(burst[1].bytes(), after, "it is as it was");
        assert!(theirs.awaits_update());
        assert_eq!(unprotect(&theirs, from_ref(&after)), [Err(PacketError::Deferred)]);
        theirs.update_read(&registry()).expect("it has a secret");
        assert!(!theirs.awaits_update());
        assert_eq!(unprotect(&theirs, &[after]), [Ok(noise(300, 1))]);
    }
}

#[test]
fn a_record_as_long_as_a_key_update_only_delays() {
    let (ours, theirs) = ends(RecordAead::Aes128Gcm, 3);
    let sent = protect(&ours, &[vec![24, 0, 0, 1, 0], b"later".to_vec(), b"last record".to_vec()]);
    let results = unprotect(&theirs, &sent);
    assert_eq!(results[0].as_deref(), Ok(&[24, 0, 0, 1, 0][..]));
    assert_eq!(results[1..], [Err(PacketError::Deferred), Err(PacketError::Deferred)]);
    assert!(!theirs.awaits_update(), "it was application data");
    assert_eq!(unprotect(&theirs, &sent[1..2]), [Ok(b"later".to_vec())]);
    assert_eq!(unprotect(&theirs, &sent[2..]), [Ok(b"last record".to_vec())]);
}

#[test]
fn keys_are_not_used_beyond_their_limits() {
    let (key, iv) = ([7; 32], [9; 12]);
    for aead in AEADS {
        let keys = RecordKeys::Raw { key: &key[..aead.key_len()], iv: &iv };
        let last = aead.record_limit().min(u64::MAX - 1);
        let last = if aead == RecordAead::ChaCha20Poly1305 { last } else { last - 1 };
        let ours = flow(aead, keys, keys, last);
        let sent = protect(&ours, &[noise(30, 1)]);
        assert_eq!(unprotect(&ours, &sent), [Ok(noise(30, 1))], "{aead}: the last number");
        let mut burst = [packet(&ours, &noise(30, 1))];
        PacketProcessor::new().protect_burst(&mut burst);
        assert_eq!(burst[0].status(), Some(Err(PacketError::SequenceCycled)), "{aead}");
        assert_eq!(burst[0].bytes(), noise(30, 1));
    }
    let keys = RecordKeys::Raw { key: &key[..16], iv: &iv };
    let ours = flow(RecordAead::Aes128Gcm, keys, keys, u64::MAX);
    let sent = unprotect(&ours, &[noise(30, 1)]);
    assert!(sent[0].is_err());
}

#[test]
fn lengths_and_types_that_records_do_not_have_are_refused() {
    let aead = RecordAead::Aes128Gcm;
    let (ours, _) = ends(aead, 8);
    let refused = |text: &[u8], content_type, padding| {
        let mut burst = [packet(&ours, text).with_meta(RecordMeta { content_type, padding })];
        PacketProcessor::new().protect_burst(&mut burst);
        assert_eq!(burst[0].bytes(), text);
        burst[0].status().expect("it was in a burst").expect_err("it is refused")
    };
    let data = ContentType::APPLICATION_DATA;
    let too_long = PacketError::TooLong { len: 16_385, max: 16_384 };
    assert_eq!(refused(&[0; 16_385], data, 0), too_long);
    assert_eq!(refused(&[0; 16_380], data, 5), too_long);
    let empty = PacketError::Malformed { field: "content length", value: 0 };
    assert_eq!(refused(&[], ContentType::HANDSHAKE, 9), empty);
    let no_type = PacketError::Malformed { field: "inner content type", value: 0 };
    assert_eq!(refused(b"x", ContentType(0), 0), no_type);
    let mut burst = [Packet::new(&ours, vec![1; 4], 4..4), Packet::new(&ours, vec![1; 30], 5..14)];
    PacketProcessor::new().protect_burst(&mut burst);
    let head = PacketError::NoHeadRoom { need: 5, have: 4 };
    let tail = PacketError::NoTailRoom { need: 17, have: 16 };
    assert_eq!(burst[0].status(), Some(Err(head)));
    assert_eq!(burst[1].status(), Some(Err(tail)));
    let secret = noise(32, 8);
    let (_, theirs) = ends(aead, 8);
    let first = protect(&ours, &[noise(3, 1)]);
    assert!(unprotect(&theirs, &first)[0].is_ok(), "refused records took no number");
    // What only a peer that breaks the rules would seal.
    let sealed = |len, content_type, padding| {
        let (_, theirs) = ends(aead, 8);
        let meta = RecordMeta { content_type: ContentType(content_type), padding };
        unprotect(&theirs, &[record(aead, &secret, 0, &vec![0; len], meta)]).remove(0)
    };
    assert_eq!(sealed(16_384, 23, 0), Ok(vec![0; 16_384]));
    let inner = PacketError::TooLong { len: 16_386, max: 16_385 };
    assert_eq!(sealed(16_385, 23, 0), Err(inner));
    assert_eq!(sealed(16_380, 23, 5), Err(inner));
    let long = PacketError::TooLong { len: 5 + 16_641, max: 5 + 16_640 };
    assert_eq!(sealed(16_624, 23, 0), Err(long));
    assert_eq!(sealed(10, 0, 0), Err(no_type));
    assert_eq!(sealed(0, 22, 3), Err(empty));
    assert_eq!(sealed(0, 23, 3), Ok(Vec::new()));
}

#[test]
fn headers_that_are_wrong_end_the_connection() {
    let short = PacketError::Runt { len: 21, min: 22 };
    let plain = PacketError::Malformed { field: "content type", value: 20 };
    let length = PacketError::Malformed { field: "length", value: 17 };
    let cases = [
        ([&[23, 3, 3, 0, 16][..], &[0; 16]].concat(), short),
        ([&[20, 3, 3, 0, 17][..], &[0; 17]].concat(), plain),
        ([&[23, 3, 3, 0, 17][..], &[0; 18]].concat(), length),
    ];
    for (record, error) in cases {
        let (ours, theirs) = ends(RecordAead::Aes128Gcm, 8);
        assert_eq!(unprotect(&theirs, from_ref(&record)), [Err(error)]);
        let next = protect(&ours, &[noise(3, 1)]);
        assert_eq!(unprotect(&theirs, &next), [Err(PacketError::Ended)]);
    }
}

#[test]
fn keys_that_do_not_fit_are_named() {
    let error = |aead, keys| {
        let config = Tls13Config { aead, write: keys, write_number: 0, read: keys, read_number: 0 };
        Tls13Flow::new(&registry(), &config).err().expect("it is refused").to_string()
    };
    let secret = RecordKeys::Secret(&[1; 32]);
    assert_eq!(
        error(RecordAead::Aes256Gcm, secret),
        "a traffic secret of 32 bytes does not fit aes-256-gcm, which takes 48"
    );
    let raw = RecordKeys::Raw { key: &[1; 16], iv: &[1; 11] };
    assert_eq!(
        error(RecordAead::Aes128Gcm, raw),
        "an IV of 11 bytes does not fit aes-128-gcm, which takes 12"
    );
    assert_eq!(
        error(RecordAead::Aes256Ccm, secret),
        "the AEAD of TLS 1.3 cannot be aes-256-ccm; valid: AES-GCM, ChaCha20-Poly1305, AES-128-CCM"
    );
    let raw = RecordKeys::Raw { key: &[1; 16], iv: &[1; 12] };
    let mut flow = flow(RecordAead::Aes128Gcm, raw, raw, 0);
    assert_eq!(
        flow.update_read(&registry()).expect_err("it has no secret").to_string(),
        "the key before a key update cannot be a raw key; valid: a traffic secret"
    );
}
