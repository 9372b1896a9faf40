//! Connections of aioquic through a relay, in both versions of QUIC (aioquic of PyPI, which
//! `tests/install-aioquic` installs).

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use broadloom_packets::quic::{PacketType, QuicSuite, QuicVersion, Side};
use broadloom_testing::present;

use super::relay::Relay;
use super::support::hex;
use crate::secrets::digits;

/// Returns the first Python that has aioquic: that of `tests/install-aioquic`, or another.
fn python() -> Option<PathBuf> {
    let builds = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a folder of builds");
    let pythons = [builds.join("tools/aioquic/bin/python"), "python3".into()];
    pythons.into_iter().find(|python| {
        let output = Command::new(python).args(["-c", "import aioquic.quic.packet"]).output();
        output.is_ok_and(|output| output.status.success())
    })
}

/// A connection of aioquic.
pub struct Session {
    /// What went through the relay.
    pub relay: Relay,
    /// The connection's key log.
    pub key_log: String,
    /// What each end has received.
    pub text: Vec<u8>,
}

/// Lets both ends of a connection of aioquic shake hands, exchange texts and update their keys;
/// `None` if there is no aioquic.
pub fn session(version: QuicVersion, suite: QuicSuite) -> Option<Session> {
    let reason = "no Python has aioquic, which crates/packets/tests/install-aioquic installs";
    let python = present("a comparison with aioquic", python().ok_or(reason))?;
    let name = match suite {
        QuicSuite::Aes128Gcm => "AES_128_GCM_SHA256",
        QuicSuite::Aes256Gcm => "AES_256_GCM_SHA384",
        QuicSuite::ChaCha20Poly1305 => "CHACHA20_POLY1305_SHA256",
        QuicSuite::Aes128Ccm => panic!("aioquic does not have {suite}"),
    };
    let file = |name| format!("{}/tests/all/tls/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut ends = Command::new(python)
        .args(["-c", include_str!("aioquic.py"), &version.to_string(), name])
        .args([file("certificate.der"), file("key.der")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut input = ends.stdin.take().expect("it is piped");
    let output = BufReader::new(ends.stdout.take().expect("it is piped"));
    let (mut relay, mut secrets) = (Relay::new(suite), HashMap::new());
    let (mut key_log, mut text) = (String::new(), Vec::new());
    for line in output.lines() {
        let line = line.expect("it is text");
        let (what, rest) = line.split_once(' ').expect("a word and what follows it");
        let sender = match what {
            "client" => Side::Client,
            "server" => Side::Server,
            "text" => {
                text = hex(rest);
                continue;
            }
            _ => {
                let [label, _, secret] = rest.split(' ').collect::<Vec<_>>()[..] else {
                    panic!("no line of a key log: {rest}");
                };
                secrets.insert(label.to_owned(), hex(secret));
                key_log += rest;
                key_log.push('\n');
                continue;
            }
        };
        let datagrams: Vec<Vec<u8>> = rest.split(' ').map(hex).collect();
        let passed = relay.pass(sender, &datagrams, &|label| secrets[label].clone());
        let passed: Vec<String> = passed.iter().map(|datagram| digits(datagram)).collect();
        writeln!(input, "{}", passed.join(" ")).expect("Python reads it");
    }
    let status = ends.wait().expect("it ends");
    assert!(status.success(), "version {version}, {suite}: {status}");
    Some(Session { relay, key_log, text })
}

#[test]
fn the_ends_of_aioquic_understand_what_our_flows_protect() {
    for version in QuicVersion::ALL {
        for suite in [QuicSuite::Aes128Gcm, QuicSuite::Aes256Gcm, QuicSuite::ChaCha20Poly1305] {
            let Some(Session { relay, .. }) = session(version, suite) else { return };
            for packets in [PacketType::Initial, PacketType::Handshake, PacketType::OneRtt] {
                assert!(relay.passed[&packets] > 1, "{packets:?}: {:?}", relay.passed);
            }
            // The end that did not begin an update follows it.
            assert_eq!([Side::Client, Side::Server].map(|sender| relay.updates(sender)), [3, 3]);
        }
    }
}
