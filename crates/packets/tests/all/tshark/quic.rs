//! QUIC of both versions. tshark decrypts the handshake too, where it finds by which key log a
//! connection is read.

use broadloom_packets::quic::{QuicSuite, QuicVersion, Side};

use super::{KeyLog, capture, fields, is_there, read};
use crate::quic::support::hex;
use crate::quic::{aioquic, quinn};

/// Reads the datagrams of a connection, and returns what it finds in the streams of each end.
fn streams(name: &str, key_log: &str, datagrams: &[(Side, Vec<u8>)]) -> [Vec<u8>; 2] {
    let key_log = KeyLog::new(name, key_log);
    let mut arguments = key_log.arguments().to_vec();
    arguments.extend(fields(&["udp.srcport", "quic.stream_data", "quic.decryption_failed"]));
    let packets = datagrams.iter().map(|(sender, bytes)| (*sender == Side::Server, &bytes[..]));
    let capture = capture(&["-4", "10.0.0.1,10.0.0.2", "-u", "40000,443"], packets);
    let printed = read(capture, &arguments);
    assert_eq!(printed.lines().count(), datagrams.len());
    let mut streams = [Vec::new(), Vec::new()];
    for line in printed.lines() {
        let [port, data, failed] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("three fields: {line}");
        };
        assert_eq!(failed, "", "a packet is not decrypted");
        streams[usize::from(port == "443")].extend(data.split(',').flat_map(hex));
    }
    streams
}

#[test]
fn tshark_decrypts_our_packets_of_version_1() {
    if !is_there() {
        return;
    }
    for suite in [QuicSuite::Aes128Gcm, QuicSuite::Aes256Gcm, QuicSuite::ChaCha20Poly1305] {
        let quinn::Session { relay, secrets, texts } = quinn::session(suite, false);
        let streams = streams(suite.name(), &secrets.key_log(), &relay.datagrams);
        assert!(streams == texts, "{suite}: tshark reads other streams");
    }
}

#[test]
fn tshark_decrypts_our_packets_of_version_2() {
    if !is_there() {
        return;
    }
    let suite = QuicSuite::Aes128Gcm;
    let Some(session) = aioquic::session(QuicVersion::V2, suite) else { return };
    let streams = streams("quic-v2", &session.key_log, &session.relay.datagrams);
    assert!(streams == [session.text.clone(), session.text], "tshark reads other streams");
}
