//! TLS 1.3 with rustls at the other end of the connection.

use broadloom_packets::tls::{ContentType, RecordKeys, RecordMeta, Tls13Config, Tls13Flow};
use broadloom_packets::{Packet, PacketProcessor};
use rustls::SupportedCipherSuite;
use rustls::crypto::ring::cipher_suite::{
    TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256,
};
use rustls::version::TLS13;

use super::peer::{Handshake, extract, handshake, keys, read, write};
use crate::support::{noise, packet, protect, registry, unprotect};

const SUITES: [SupportedCipherSuite; 3] =
    [TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256];

#[test]
fn rustls_reads_our_records_and_we_read_its_own() {
    let mut texts: Vec<Vec<u8>> = (0..1000).map(|len| noise(1 + len * 13 % 4000, 5)).collect();
    texts.push(noise(16_384, 6));
    for suite in SUITES {
        let Handshake { client, mut server, .. } = handshake(suite, &TLS13);
        let secrets = extract(client);
        let (aead, write_key, write_iv) = keys(&secrets.tx.1);
        let (_, read_key, read_iv) = keys(&secrets.rx.1);
        let config = Tls13Config {
            aead,
            write: RecordKeys::Raw { key: &write_key, iv: &write_iv },
            write_number: secrets.tx.0,
            read: RecordKeys::Raw { key: &read_key, iv: &read_iv },
            read_number: secrets.rx.0,
        };
        let flow = Tls13Flow::new(&registry(), &config).expect("the keys fit");
        for burst in texts.chunks(100) {
            assert_eq!(read(&mut server, &protect(&flow, burst)), burst.concat());
        }
        for burst in texts.chunks(100) {
            let records = write(&mut server, burst);
            assert_eq!(records.len(), burst.len());
            let mut packets: Vec<_> = records.iter().map(|one| packet(&flow, one)).collect();
            // Records as long as a key update delay the others.
            let mut rest = &mut packets[..];
            let mut received = Vec::new();
            while !rest.is_empty() {
                let outcome = PacketProcessor::new().unprotect_burst(rest);
                let (done, later) = rest.split_at_mut(outcome.succeeded);
                assert!(!done.is_empty() && done.iter().all(Packet::succeeded), "{later:?}");
                received.extend(done.iter().flat_map(|packet| packet.bytes().to_vec()));
                rest = later;
            }
            assert_eq!(received, burst.concat());
        }
    }
}

#[test]
fn keys_are_updated_in_both_directions() {
    for suite in SUITES {
        let Handshake { client, mut server, secrets, .. } = handshake(suite, &TLS13);
        let extracted = extract(client);
        let write_secret = secrets.get("CLIENT_TRAFFIC_SECRET_0");
        let read_secret = secrets.get("SERVER_TRAFFIC_SECRET_0");
        let config = Tls13Config {
            aead: keys(&extracted.tx.1).0,
            write: RecordKeys::Secret(&write_secret),
            write_number: extracted.tx.0,
            read: RecordKeys::Secret(&read_secret),
            read_number: extracted.rx.0,
        };
        let registry = registry();
        let mut flow = Tls13Flow::new(&registry, &config).expect("the keys fit");
        for round in 0..3 {
            server.refresh_traffic_keys().expect("the handshake is over");
            let records = write(&mut server, &[b"after its update".to_vec()]);
            let [update, text] = &records[..] else { panic!("a key update and a text") };
            let results = unprotect(&flow, &[update.clone(), text.clone()]);
            // 1 asks for an update of ours.
            assert_eq!(results[0].as_deref(), Ok(&[24, 0, 0, 1, 1][..]), "round {round}");
            assert!(flow.awaits_update());
            flow.update_read(&registry).expect("it has a secret");
            assert_eq!(
                unprotect(&flow, std::slice::from_ref(text)),
                [Ok(b"after its update".to_vec())]
            );
            let content_type = ContentType::HANDSHAKE;
            let meta = RecordMeta { content_type, padding: 0 };
            let mut burst = [packet(&flow, &[24, 0, 0, 1, 0]).with_meta(meta)];
            PacketProcessor::new().protect_burst(&mut burst);
            let update = burst[0].bytes().to_vec();
            flow.update_write(&registry).expect("it has a secret");
            let mut sent = vec![update];
            sent.extend(protect(&flow, &[b"after our update".to_vec()]));
            assert_eq!(read(&mut server, &sent), b"after our update");
        }
    }
}
