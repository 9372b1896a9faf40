//! DTLS 1.2, against RustCrypto's AEADs.

use broadloom_packets::dtls::{
    ContentType, Dtls12Config, Dtls12Flow, DtlsMeta, RecordAead, RecordKeys, connection_id,
    record_len,
};
use broadloom_packets::{Flow, PacketError, PacketProcessor};

use crate::support::{no_damaged_packet_passes, noise, packet, protect, registry, unprotect};
use crate::tls::reference::seal;

/// Keys of one direction: a key, and an IV or salt.
fn keys(aead: RecordAead, seed: u64) -> (Vec<u8>, Vec<u8>) {
    let iv = if aead == RecordAead::ChaCha20Poly1305 { 12 } else { 4 };
    (noise(aead.key_len(), seed), noise(iv, seed + 50))
}

/// Opens one end; its peer has the seeds and the IDs the other way.
fn end(aead: RecordAead, seeds: [u64; 2], ids: [&[u8]; 2], write_number: u64) -> Dtls12Flow {
    let [(write_key, write_iv), (read_key, read_iv)] = seeds.map(|seed| keys(aead, seed));
    let config = Dtls12Config {
        cipher: aead.into(),
        write: RecordKeys::Raw { key: &write_key, iv: &write_iv },
        write_number,
        read: RecordKeys::Raw { key: &read_key, iv: &read_iv },
        epoch: 1,
        window: 1024,
        write_id: ids[0],
        read_id: ids[1],
    };
    Dtls12Flow::new(&registry(), &config).expect("the keys fit")
}

fn ends(aead: RecordAead, ids: [&[u8]; 2]) -> (Dtls12Flow, Dtls12Flow) {
    (end(aead, [1, 2], ids, 0), end(aead, [2, 1], [ids[1], ids[0]], 0))
}

/// Returns the record of the definition: RFC 6347, 4.1.2, with RFC 5288, 6655, 7905 or 9146.
fn record(aead: RecordAead, number: u64, text: &[u8], meta: DtlsMeta, id: &[u8]) -> Vec<u8> {
    let (key, iv) = keys(aead, 1);
    let whole = (1_u64 << 48 | number).to_be_bytes();
    let explicit = if iv.len() == 4 { &whole[..] } else { &[] };
    let nonce = match iv.len() {
        4 => [&iv, explicit].concat(),
        _ => crate::tls::reference::nonce(&iv, 1 << 48 | number),
    };
    let mut inner = text.to_vec();
    let (outer, aad) = if id.is_empty() {
        let len = (text.len() as u16).to_be_bytes();
        let kind = meta.content_type.0;
        (kind, [&whole[..], &[kind, 254, 253], &len].concat())
    } else {
        inner.push(meta.content_type.0);
        inner.resize(inner.len() + meta.padding, 0);
        let len = (inner.len() as u16).to_be_bytes();
        let start = [&[0xff; 8][..], &[25, id.len() as u8, 25, 254, 253]].concat();
        (25, [&start[..], &whole, id, &len].concat())
    };
    let sealed = seal(aead, &key, &nonce, &aad, &inner);
    let len = ((explicit.len() + sealed.len()) as u16).to_be_bytes();
    [&[outer, 254, 253][..], &whole, id, &len, explicit, &sealed].concat()
}

#[test]
fn records_of_all_suites_are_those_of_the_definition() {
    let long = noise(255, 9);
    for aead in RecordAead::ALL {
        for id in [&[][..], &[0xab], &long[..9], &long[..10], &long] {
            let (ours, theirs) = ends(aead, [id, b"peer"]);
            let metas = [0, 1, 2, 3, 4].map(|at| {
                let content_type = if at == 3 { ContentType::ALERT } else { ContentType(23) };
                let padding = if id.is_empty() { 0 } else { 7 * at };
                DtlsMeta::new(content_type).padded(padding)
            });
            let texts = [0, 1, 16, 100, 16_300].map(|len| noise(len, 4));
            let mut burst: Vec<_> = texts
                .iter()
                .zip(metas)
                .map(|(text, meta)| {
                    let (head, tail) = (300, 100);
                    let mut buffer = vec![0; head];
                    buffer.extend(text);
                    buffer.resize(head + text.len() + tail, 0);
                    let range = head..head + text.len();
                    broadloom_packets::Packet::new(&ours, buffer, range).with_meta(meta)
                })
                .collect();
            assert_eq!(PacketProcessor::new().protect_burst(&mut burst).refused, 0);
            let sent: Vec<_> = burst.iter().map(|packet| packet.bytes().to_vec()).collect();
            for (number, (text, meta)) in texts.iter().zip(metas).enumerate() {
                let expected = record(aead, number as u64, text, meta, id);
                assert_eq!(sent[number], expected, "{aead}, ID of {} bytes", id.len());
                assert_eq!(record_len(&expected, id.len()), Some(expected.len()));
                let found = connection_id(&expected, id.len());
                assert_eq!(found.unwrap_or_default(), id);
            }
            let mut burst: Vec<_> = sent.iter().map(|sent| packet(&theirs, sent)).collect();
            PacketProcessor::new().unprotect_burst(&mut burst);
            for (number, packet) in burst.iter().enumerate() {
                assert!(packet.succeeded(), "{aead}: {packet:?}");
                assert_eq!(packet.bytes(), texts[number]);
                let meta = packet.meta();
                let of_meta = (meta.content_type, meta.padding, meta.epoch, meta.number);
                let sent = metas[number];
                assert_eq!(of_meta, (sent.content_type, sent.padding, 1, number as u64));
            }
        }
    }
}

#[test]
fn records_arrive_once_and_in_any_order() {
    let (ours, theirs) = ends(RecordAead::Aes128Gcm, [&[], &[]]);
    let texts: Vec<_> = (0..60).map(|len| noise(len, 3)).collect();
    let mut sent = protect(&ours, &texts);
    sent.reverse();
    sent.push(sent[7].clone());
    let results = unprotect(&theirs, &sent);
    assert!(
        results[..60].iter().zip(texts.iter().rev()).all(|(got, text)| got.as_ref() == Ok(text))
    );
    assert_eq!(results[60], Err(PacketError::Replay { number: 52 }));
    for (again, number) in unprotect(&theirs, &sent[..60]).iter().zip((0..60).rev()) {
        assert_eq!(again, &Err(PacketError::Replay { number }));
    }
}

#[test]
fn damage_disturbs_nobody_else() {
    for ids in [[&[][..], &[]], [b"id", b"other"]] {
        let (ours, theirs) = ends(RecordAead::Aes128Gcm, ids);
        let mut sent = protect(&ours, &vec![noise(20, 5); 1 + 64 * 8]);
        let first = sent.remove(0);
        let neighbours = sent[..first.len() * 8].to_vec();
        no_damaged_packet_passes(&theirs, &first, neighbours);
        let statistics = theirs.counters().read();
        assert_eq!(statistics.packets, first.len() as u64 * 8);
    }
    let (ours, theirs) = ends(RecordAead::Aes128Gcm, [&[], &[]]);
    let sent = protect(&ours, &[noise(20, 5)]).remove(0);
    let mut forged = sent.clone();
    forged[5] = 0x7f;
    forged[30] ^= 1;
    assert_eq!(unprotect(&theirs, &[forged]), [Err(PacketError::Integrity)]);
    assert!(unprotect(&theirs, &[sent])[0].is_ok(), "a forgery does not move the window");
}

#[test]
fn random_records_are_refused() {
    let theirs = end(RecordAead::Aes128Gcm, [1, 2], [&[], &[]], 0);
    let records = noise(100_000 + 64, 12);
    let mut burst: Vec<_> = (0..100_000)
        .map(|at| {
            let mut record = vec![23, 254, 253, 0, 1, 0, 0, 0, 0, 0, at as u8, 0, 64];
            record.extend(&records[at..at + 64]);
            packet(&theirs, &record)
        })
        .collect();
    assert_eq!(PacketProcessor::new().unprotect_burst(&mut burst).succeeded, 0);
}

#[test]
fn numbers_end_at_48_bits_and_at_the_limit_of_the_key() {
    let aead = RecordAead::ChaCha20Poly1305;
    let (last, theirs) =
        (end(aead, [1, 2], [&[], &[]], (1 << 48) - 1), end(aead, [2, 1], [&[], &[]], 0));
    let sent = protect(&last, &[noise(9, 1)]);
    assert_eq!(unprotect(&theirs, &sent), [Ok(noise(9, 1))]);
    let gcm = end(RecordAead::Aes256Gcm, [1, 2], [&[], &[]], RecordAead::Aes256Gcm.record_limit());
    for flow in [&last, &gcm] {
        let mut burst = [packet(flow, b"one more")];
        PacketProcessor::new().protect_burst(&mut burst);
        assert_eq!(burst[0].status(), Some(Err(PacketError::SequenceCycled)));
        assert_eq!(burst[0].bytes(), b"one more");
    }
}

#[test]
fn records_of_others_are_named() {
    let (ours, theirs) = ends(RecordAead::Aes128Gcm, [b"id", &[]]);
    let sent = protect(&ours, &[noise(9, 1)]).remove(0);
    let with = |at: usize, byte: u8| {
        let mut changed = sent.clone();
        changed[at] = byte;
        unprotect(&theirs, &[changed]).remove(0)
    };
    assert_eq!(with(4, 2), Err(PacketError::WrongFlow { found: 2 }));
    let found = u64::from_be_bytes(*b"\0\0\0\0\0\0ix");
    assert_eq!(with(12, b'x'), Err(PacketError::WrongFlow { found }));
    assert_eq!(with(0, 23), Err(PacketError::Malformed { field: "content type", value: 23 }));
    assert_eq!(with(2, 255), Err(PacketError::Malformed { field: "version", value: 0xfeff }));
    assert_eq!(with(14, 9), Err(PacketError::Malformed { field: "length", value: 9 }));
    let short = unprotect(&theirs, &[sent[..30].to_vec()]);
    assert_eq!(short, [Err(PacketError::Runt { len: 30, min: 15 + 24 })]);
    assert!(unprotect(&theirs, &[sent])[0].is_ok());
}

#[test]
fn padding_needs_a_connection_id() {
    let (ours, _) = ends(RecordAead::Aes128Gcm, [&[], &[]]);
    let meta = DtlsMeta::new(ContentType::APPLICATION_DATA).padded(3);
    let mut burst = [packet(&ours, b"text").with_meta(meta)];
    PacketProcessor::new().protect_burst(&mut burst);
    let error = PacketError::Malformed { field: "padding without an ID", value: 3 };
    assert_eq!(burst[0].status(), Some(Err(error)));
}
