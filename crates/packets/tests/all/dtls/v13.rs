//! DTLS 1.3, against RustCrypto.

use aes::{Aes128, Aes256};
use broadloom_packets::dtls::{
    ContentType, Dtls13Config, Dtls13Flow, DtlsMeta, RecordAead, connection_id, record_len,
};
use broadloom_packets::{Flow, PacketError, PacketProcessor};
use chacha20::ChaCha20;
use chacha20::cipher::{BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher, StreamCipherSeek};

use crate::support::{no_damaged_packet_passes, noise, packet, protect, registry, unprotect};
use crate::tls::reference::{expand_label, nonce, seal};

const AEADS: [RecordAead; 5] = [
    RecordAead::Aes128Gcm,
    RecordAead::Aes256Gcm,
    RecordAead::ChaCha20Poly1305,
    RecordAead::Aes128Ccm,
    RecordAead::Aes128Ccm8,
];

/// How an end frames records.
#[derive(Clone, Copy)]
struct Form<'a> {
    aead: RecordAead,
    ids: [&'a [u8]; 2],
    long: bool,
    lengths: bool,
}

const PLAIN: Form<'_> =
    Form { aead: RecordAead::Aes128Gcm, ids: [&[], &[]], long: true, lengths: true };

fn end(form: Form<'_>, seeds: [u64; 2], write_number: u64) -> Dtls13Flow {
    let [write, read] = seeds.map(|seed| noise(form.aead.hash().digest_len(), seed));
    let config = Dtls13Config {
        aead: form.aead,
        write_secret: &write,
        write_epoch: 3,
        write_number,
        read_secret: &read,
        read_epoch: 3,
        window: 1024,
        write_id: form.ids[0],
        read_id: form.ids[1],
        long_numbers: form.long,
        lengths: form.lengths,
    };
    Dtls13Flow::new(&registry(), &config).expect("the secrets fit")
}

fn ends(form: Form<'_>) -> (Dtls13Flow, Dtls13Flow) {
    let other = Form { ids: [form.ids[1], form.ids[0]], ..form };
    (end(form, [1, 2], 0), end(other, [2, 1], 0))
}

/// Returns the mask over a record number (RFC 9147, 4.2.3).
fn mask(aead: RecordAead, secret: &[u8], ciphertext: &[u8]) -> [u8; 16] {
    let key = expand_label(aead, secret, "dtls13sn", aead.key_len());
    let mut block: [u8; 16] = ciphertext[..16].try_into().expect("16 bytes");
    match aead {
        RecordAead::ChaCha20Poly1305 => {
            let counter = u32::from_le_bytes(block[..4].try_into().expect("4 bytes"));
            let mut cipher = ChaCha20::new_from_slices(&key, &block[4..]).expect("they fit");
            cipher.seek(64 * u64::from(counter));
            block = [0; 16];
            cipher.apply_keystream(&mut block);
        }
        _ if key.len() == 16 => {
            Aes128::new_from_slice(&key).expect("it fits").encrypt_block((&mut block).into());
        }
        _ => Aes256::new_from_slice(&key).expect("it fits").encrypt_block((&mut block).into()),
    }
    block
}

/// Returns the record of the definition (RFC 9147, 4).
fn record(
    form: Form<'_>,
    secret: &[u8],
    (epoch, number): (u64, u64),
    text: &[u8],
    meta: DtlsMeta,
) -> Vec<u8> {
    let Form { aead, ids: [id, _], long, lengths } = form;
    let key = expand_label(aead, secret, "dtls13key", aead.key_len());
    let iv = expand_label(aead, secret, "dtls13iv", 12);
    let mut inner = text.to_vec();
    inner.push(meta.content_type.0);
    inner.resize((inner.len() + meta.padding).max(16 - aead.tag_len()), 0);
    let flags = [(!id.is_empty(), 16), (long, 8), (lengths, 4)];
    let flags: u8 = flags.iter().map(|(is_set, bit)| if *is_set { *bit } else { 0 }).sum();
    let mut header = vec![0x20 + flags + (epoch % 4) as u8];
    header.extend(id);
    let at = header.len();
    let number_len = if long { 2 } else { 1 };
    header.extend(&number.to_be_bytes()[8 - number_len..]);
    if lengths {
        header.extend(((inner.len() + aead.tag_len()) as u16).to_be_bytes());
    }
    let sealed = seal(aead, &key, &nonce(&iv, number), &header, &inner);
    let mask = mask(aead, secret, &sealed);
    header[at..at + number_len].iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    [header, sealed].concat()
}

#[test]
fn records_of_all_suites_are_those_of_the_definition() {
    for aead in AEADS {
        for (id, long, lengths) in [
            (&[][..], true, true),
            (b"", false, true),
            (b"id", true, false),
            (b"longer", false, false),
        ] {
            let form = Form { aead, ids: [id, b"peer"], long, lengths };
            let (ours, theirs) = ends(form);
            let secret = noise(aead.hash().digest_len(), 1);
            let lens = [0, 1, 7, 8, 15, 16, 300, 16_000];
            let texts = lens.map(|len| noise(len, 4));
            let metas = lens.map(|len| {
                let content_type = if len == 7 { ContentType::ACK } else { ContentType(23) };
                DtlsMeta::new(content_type).padded(len % 5)
            });
            let mut burst: Vec<_> = texts
                .iter()
                .zip(metas)
                .map(|(text, meta)| packet(&ours, text).with_meta(meta))
                .collect();
            assert_eq!(PacketProcessor::new().protect_burst(&mut burst).refused, 0);
            let sent: Vec<_> = burst.iter().map(|packet| packet.bytes().to_vec()).collect();
            for (number, (text, meta)) in texts.iter().zip(metas).enumerate() {
                let expected = record(form, &secret, (3, number as u64), text, meta);
                assert_eq!(sent[number], expected, "{aead}, {long}, {lengths}, {number}");
                assert_eq!(record_len(&expected, id.len()), Some(expected.len()));
                assert_eq!(connection_id(&expected, id.len()).unwrap_or_default(), id);
            }
            let mut burst: Vec<_> = sent.iter().map(|sent| packet(&theirs, sent)).collect();
            PacketProcessor::new().unprotect_burst(&mut burst);
            for (number, packet) in burst.iter().enumerate() {
                assert!(packet.succeeded(), "{aead}: {packet:?}");
                assert_eq!(packet.bytes(), texts[number]);
                let meta = packet.meta();
                let of_meta = (meta.content_type, meta.epoch, meta.number);
                assert_eq!(of_meta, (metas[number].content_type, 3, number as u64));
                assert!(meta.padding >= metas[number].padding);
            }
        }
    }
}

#[test]
fn records_arrive_once_and_in_any_order() {
    for long in [true, false] {
        let (ours, theirs) = ends(Form { long, ..PLAIN });
        // More numbers than a byte has, in groups that are each reversed.
        let texts: Vec<_> = (0..1000).map(|len| noise(len % 90, 3)).collect();
        let sent = protect(&ours, &texts);
        for (group, texts) in sent.chunks(50).zip(texts.chunks(50)) {
            let mut group = group.to_vec();
            group.reverse();
            group.push(group[7].clone());
            let results = unprotect(&theirs, &group);
            let ends_well = |(got, text): (&Result<_, _>, _)| got.as_ref() == Ok(text);
            assert!(results.iter().zip(texts.iter().rev()).all(ends_well));
            assert!(matches!(results[50], Err(PacketError::Replay { .. })));
        }
        for (again, number) in unprotect(&theirs, &sent[936..]).iter().zip(936..) {
            assert_eq!(again, &Err(PacketError::Replay { number }));
        }
    }
}

#[test]
fn a_refused_record_is_as_it_was() {
    let (ours, theirs) = ends(PLAIN);
    let sent = protect(&ours, &[noise(40, 1)]);
    assert!(unprotect(&theirs, &sent)[0].is_ok());
    let mut burst = [packet(&theirs, &sent[0])];
    PacketProcessor::new().unprotect_burst(&mut burst);
    assert_eq!(burst[0].status(), Some(Err(PacketError::Replay { number: 0 })));
    assert_eq!(burst[0].bytes(), sent[0], "its number is encrypted again");
}

#[test]
fn damage_disturbs_nobody_else() {
    for ids in [[&[][..], &[]], [b"id", b"other"]] {
        let (ours, theirs) = ends(Form { ids, ..PLAIN });
        let mut sent = protect(&ours, &vec![noise(20, 5); 1 + 64 * 8]);
        let first = sent.remove(0);
        let neighbours = sent[..first.len() * 8].to_vec();
        no_damaged_packet_passes(&theirs, &first, neighbours);
        assert_eq!(theirs.counters().read().packets, first.len() as u64 * 8);
    }
}

#[test]
fn random_records_are_refused() {
    let (_, theirs) = ends(PLAIN);
    let records = noise(100_000 + 64, 12);
    let mut burst: Vec<_> = (0..100_000)
        .map(|at| {
            let mut record = records[at..at + 64].to_vec();
            record[0] = 0x2f;
            record[3..5].copy_from_slice(&[0, 59]);
            packet(&theirs, &record)
        })
        .collect();
    assert_eq!(PacketProcessor::new().unprotect_burst(&mut burst).succeeded, 0);
}

#[test]
fn epochs_choose_the_key_within_a_burst() {
    let registry = registry();
    let (mut ours, mut theirs) = ends(PLAIN);
    let mut sent = protect(&ours, &[noise(30, 1), noise(30, 2)]);
    ours.update_write(&registry).expect("it has a secret");
    assert_eq!(ours.write_epoch(), 4);
    let next = expand_label(PLAIN.aead, &noise(32, 1), "dtls13traffic upd", 32);
    let new = protect(&ours, &[noise(30, 3), noise(30, 4)]);
    assert_eq!(new[0], record(PLAIN, &next, (4, 0), &noise(30, 3), DtlsMeta::default()));
    let unknown = unprotect(&theirs, &new);
    assert_eq!(unknown, vec![Err(PacketError::WrongFlow { found: 0 }); 2]);
    theirs.update_read(&registry).expect("it has a secret");
    sent.splice(1..1, new);
    let expected = [1, 3, 4, 2].map(|seed| Ok(noise(30, seed)));
    assert_eq!(unprotect(&theirs, &sent), expected, "both epochs, mixed");
    assert!(unprotect(&theirs, &sent).iter().all(Result::is_err));
    theirs.remove_read_epochs_before(4);
    assert_eq!(unprotect(&theirs, &sent[..1]), [Err(PacketError::WrongFlow { found: 3 })]);
    for epoch in 5..12 {
        ours.update_write(&registry).expect("it has a secret");
        theirs.update_read(&registry).expect("it has a secret");
        let sent = protect(&ours, &[noise(30, epoch)]);
        assert_eq!(unprotect(&theirs, &sent), [Ok(noise(30, epoch))], "epoch {epoch}");
    }
}

#[test]
fn forgeries_are_limited() {
    let form = Form { aead: RecordAead::Aes128Ccm8, ..PLAIN };
    let (ours, theirs) = ends(form);
    let sent = protect(&ours, &[noise(30, 1), noise(30, 2)]);
    let mut forged = sent[0].clone();
    forged[20] ^= 1;
    assert!(unprotect(&theirs, &vec![forged.clone(); 127]).iter().all(Result::is_err));
    assert!(unprotect(&theirs, &sent[..1])[0].is_ok());
    assert!(unprotect(&theirs, &[forged])[0].is_err());
    assert_eq!(unprotect(&theirs, &sent[1..]), [Err(PacketError::Ended)]);
}

#[test]
fn numbers_end_at_the_limit_of_the_key() {
    let form = Form { aead: RecordAead::ChaCha20Poly1305, ..PLAIN };
    let last = end(form, [1, 2], (1 << 48) - 1);
    assert_eq!(protect(&last, &[noise(9, 1)]).len(), 1);
    let gcm = end(PLAIN, [1, 2], RecordAead::Aes128Gcm.record_limit());
    for flow in [&last, &gcm] {
        let mut burst = [packet(flow, b"one more")];
        PacketProcessor::new().protect_burst(&mut burst);
        assert_eq!(burst[0].status(), Some(Err(PacketError::SequenceCycled)));
        assert_eq!(burst[0].bytes(), b"one more");
    }
}

#[test]
fn headers_of_others_are_refused() {
    let (ours, theirs) = ends(Form { ids: [b"id", &[]], ..PLAIN });
    let sent = protect(&ours, &[noise(9, 1)]).remove(0);
    let with = |at: usize, byte: u8| {
        let mut changed = sent.clone();
        changed[at] = byte;
        unprotect(&theirs, &[changed]).remove(0)
    };
    assert_eq!(sent[0], 0x3f);
    let unified = |value| Err(PacketError::Malformed { field: "unified header", value });
    assert_eq!(with(0, 0x17), unified(0x17));
    assert_eq!(with(0, 0x2f), unified(0x2f), "the connection ID is missing");
    assert_eq!(with(0, 0x3d), Err(PacketError::WrongFlow { found: 1 }));
    let found = u64::from_be_bytes(*b"\0\0\0\0\0\0ix");
    assert_eq!(with(2, b'x'), Err(PacketError::WrongFlow { found }));
    assert_eq!(with(6, 7), Err(PacketError::Malformed { field: "length", value: 7 }));
    let short = unprotect(&theirs, &[sent[..20].to_vec()]);
    assert_eq!(short, [Err(PacketError::Runt { len: 20, min: 7 + 17 })]);
    assert_eq!(unprotect(&theirs, &[Vec::new()]), [Err(PacketError::Runt { len: 0, min: 1 })]);
    assert!(unprotect(&theirs, &[sent])[0].is_ok());
}
