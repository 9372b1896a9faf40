//! scapy's ESP at the other end, in both directions (Debian's python3-scapy).

use std::process::Command;

use broadloom_engine::AesSize;
use broadloom_packets::esp::{EspAlgorithm, EspHash, EspMeta, Mode, Tunnel, UdpPorts};
use broadloom_testing::present;

use super::{Keys, ends_with, hex, ipv6, opaque_ipv4, protect_with};
use crate::support::{noise, output_of, unprotect};

const ALGORITHMS: [(EspAlgorithm, &str, &str); 10] = [
    (EspAlgorithm::AesGcm(AesSize::Aes128), "AES-GCM", "NULL"),
    (EspAlgorithm::AesGcm(AesSize::Aes256), "AES-GCM", "NULL"),
    (EspAlgorithm::AesCcm(AesSize::Aes128), "AES-CCM", "NULL"),
    (EspAlgorithm::ChaCha20Poly1305, "CHACHA20-POLY1305", "NULL"),
    (EspAlgorithm::AesCbc(AesSize::Aes128, EspHash::Sha1), "AES-CBC", "HMAC-SHA1-96"),
    (EspAlgorithm::AesCbc(AesSize::Aes256, EspHash::Sha256), "AES-CBC", "SHA2-256-128"),
    (EspAlgorithm::AesCbc(AesSize::Aes192, EspHash::Sha512), "AES-CBC", "SHA2-512-256"),
    (EspAlgorithm::AesCtr(AesSize::Aes128, EspHash::Sha384), "AES-CTR", "SHA2-384-192"),
    (EspAlgorithm::Null(EspHash::Sha1), "NULL", "HMAC-SHA1-96"),
    (EspAlgorithm::Null(EspHash::Sha256), "NULL", "SHA2-256-128"),
];

/// Returns the number of the packets. scapy 2.5 extends numbers for AEADs alone.
fn number(mac: &str) -> u64 {
    if mac == "NULL" { (3 << 32) + 17 } else { 17 }
}

/// The first Python that has scapy.
fn python() -> Option<&'static str> {
    ["python3", "/usr/bin/python3"].into_iter().find(|python| {
        let import = "import cryptography, scapy.layers.ipsec";
        let output = Command::new(python).args(["-c", import]).output();
        output.is_ok_and(|output| output.status.success())
    })
}

/// Asks scapy all requests, and returns its answers.
fn ask(python: &str, requests: &[String]) -> Vec<Vec<u8>> {
    let mut scapy = Command::new(python);
    scapy.args(["-c", include_str!("scapy.py")]);
    let answers = output_of(&mut scapy, (requests.join("\n") + "\n").into_bytes());
    let answers = String::from_utf8(answers).expect("it is text");
    let answers: Vec<Vec<u8>> = answers.lines().map(hex).collect();
    assert_eq!(answers.len(), requests.len(), "one answer to each request");
    answers
}

#[test]
fn scapy_reads_our_packets_and_we_read_those_of_scapy() {
    let scapy = python().ok_or("python3-scapy is not installed");
    let Some(python) = present("a comparison with scapy", scapy) else { return };
    let tunnel = Tunnel::new([203, 0, 113, 1].into(), [203, 0, 113, 200].into());
    let udp = UdpPorts::default();
    let (four, six) = (opaque_ipv4(&noise(77, 1)), ipv6(253, &[], &noise(50, 2), 0));
    let cases = [
        (Mode::Transport, "transport", None, &four),
        (Mode::Transport, "transport", Some(udp), &four),
        (Mode::Transport, "transport", None, &six),
        (Mode::Tunnel(tunnel), "tunnel", None, &four),
        (Mode::Tunnel(tunnel), "tunnel", Some(udp), &four),
        (Mode::Tunnel(tunnel), "tunnel", None, &six),
    ];
    let (mut requests, mut expected, mut receivers) = (Vec::new(), Vec::new(), Vec::new());
    for (algorithm, cipher, mac) in ALGORITHMS {
        let keys = Keys::new(algorithm);
        let key = digits(&[&keys.key[..], &keys.salt].concat());
        let mac_key = digits(&keys.integrity);
        for (mode, mode_name, udp, inner) in cases {
            let (ours, theirs) = ends_with(algorithm, |config| {
                (config.mode, config.udp) = (mode, udp);
                (config.extended, config.first) = (mac == "NULL", number(mac));
            });
            let sent = protect_with(&ours, EspMeta::default(), std::slice::from_ref(inner));
            let ports = if udp.is_some() { "4500,4500" } else { "-" };
            let request = |what: &str, packet: &[u8]| {
                let (packet, number) = (digits(packet), number(mac));
                let keys = format!("{cipher} {mac} {key} {mac_key}");
                format!("{what} {keys} {mode_name} {ports} {number} {packet}")
            };
            requests.push(request("decrypt", &sent[0]));
            requests.push(request("encrypt", inner));
            expected.push((format!("{algorithm}, {mode:?}, {udp:?}"), inner));
            receivers.push(theirs);
        }
    }
    let answers = ask(python, &requests);
    for ((answers, receiver), (what, inner)) in
        answers.chunks_exact(2).zip(&receivers).zip(&expected)
    {
        assert_eq!(&&answers[0], inner, "scapy decrypts {what}");
        let received = unprotect(receiver, &answers[1..]);
        assert_eq!(received[0].as_ref(), Ok(*inner), "scapy encrypts {what}");
    }
}

/// Returns bytes in hexadecimal digits; `-` if there are none.
fn digits(bytes: &[u8]) -> String {
    match bytes {
        [] => "-".to_owned(),
        bytes => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}
