//! Records of TLS 1.3 behind a handshake of rustls, with key updates.

use broadloom_packets::PacketProcessor;
use broadloom_packets::tls::{ContentType, RecordKeys, RecordMeta, Tls13Config, Tls13Flow};
use rustls::crypto::ring::cipher_suite::{
    TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256,
};
use rustls::version::TLS13;

use super::{KeyLog, capture, is_there, read};
use crate::quic::support::hex;
use crate::support::{noise, packet, protect, registry};
use crate::tls::peer::{Handshake, extract, handshake, keys};

#[test]
fn tshark_decrypts_our_records() {
    if !is_there() {
        return;
    }
    for suite in
        [TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256]
    {
        let Handshake { client, secrets, mut flights, .. } = handshake(suite, &TLS13);
        let extracted = extract(client);
        let aead = keys(&extracted.tx.1).0;
        // What the client receives next is what the server sends next.
        let [client, server] =
            ["CLIENT", "SERVER"].map(|end| secrets.get(&format!("{end}_TRAFFIC_SECRET_0")));
        let open = |write: &[u8], write_number, read: &[u8], read_number| {
            let (write, read) = (RecordKeys::Secret(write), RecordKeys::Secret(read));
            let config = Tls13Config { aead, write, write_number, read, read_number };
            Tls13Flow::new(&registry(), &config).expect("the secrets fit")
        };
        let mut flows = [
            open(&client, extracted.tx.0, &server, extracted.rx.0),
            open(&server, extracted.rx.0, &client, extracted.tx.0),
        ];
        let mut texts = [Vec::new(), Vec::new()];
        for generation in 0..3 {
            for (sender, flow) in flows.iter_mut().enumerate() {
                let burst: Vec<Vec<u8>> = [1, 100, 1400, 16_384]
                    .map(|len| noise(len, generation * 2 + sender as u64))
                    .to_vec();
                texts[sender].extend(burst.concat());
                let records = protect(flow, &burst);
                flights.extend(records.into_iter().map(|record| (sender == 1, record)));
                flights.push((sender == 1, key_update(flow)));
            }
        }
        let key_log = KeyLog::new(&format!("{aead}"), &secrets.key_log());
        let mut arguments = key_log.arguments().to_vec();
        // The texts are of no protocol, and tshark must not guess one.
        let follow = ["-d", "tls.port==443,data", "-q", "-z", "follow,tls,raw,0"];
        arguments.extend(follow.map(str::to_owned));
        let packets = flights.iter().map(|(is_from_server, bytes)| (*is_from_server, &bytes[..]));
        let headers = ["-4", "10.0.0.1,10.0.0.2", "-T", "40000,443"];
        let printed = read(capture(&headers, packets), &arguments);
        // Lines that begin with a tab are those of the other node.
        assert!(printed.contains("Node 0: 10.0.0.2:443"), "{aead}: {printed}");
        let mut read = [Vec::new(), Vec::new()];
        for line in printed.lines() {
            let (sender, digits) = match line.strip_prefix('\t') {
                Some(digits) => (0, digits),
                None => (1, line),
            };
            if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                read[sender].extend(hex(digits));
            }
        }
        assert!(read == texts, "{aead}: tshark reads other texts");
    }
}

/// Protects a message that updates a key, and updates it.
fn key_update(flow: &mut Tls13Flow) -> Vec<u8> {
    let meta = RecordMeta { content_type: ContentType::HANDSHAKE, padding: 0 };
    let mut burst = [packet(flow, &[24, 0, 0, 1, 0]).with_meta(meta)];
    PacketProcessor::new().protect_burst(&mut burst);
    assert!(burst[0].succeeded(), "{burst:?}");
    let record = burst[0].bytes().to_vec();
    drop(burst);
    flow.update_write(&registry()).expect("it has a secret");
    record
}
