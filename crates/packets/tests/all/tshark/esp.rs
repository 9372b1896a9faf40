//! ESP of tunnel and transport mode, over IPv4, IPv6 and UDP.

use broadloom_engine::AesSize;
use broadloom_packets::esp::{EspAlgorithm, EspHash, EspMeta, Mode, Tunnel, UdpPorts};

use super::{capture, fields, is_there, read};
use crate::esp::{Keys, ends_with, hex, ipv6, opaque_ipv4, protect_with};
use crate::secrets::digits;
use crate::support::noise;

/// The algorithms that tshark has, with its names of the cipher and of the MAC.
const ALGORITHMS: [(EspAlgorithm, &str, &str); 10] = [
    (EspAlgorithm::AesGcm(AesSize::Aes128), GCM, "NULL"),
    (EspAlgorithm::AesGcm(AesSize::Aes192), GCM, "NULL"),
    (EspAlgorithm::AesGcm(AesSize::Aes256), GCM, "NULL"),
    (EspAlgorithm::AesCbc(AesSize::Aes128, EspHash::Sha1), CBC, "HMAC-SHA-1-96 [RFC2404]"),
    (EspAlgorithm::AesCbc(AesSize::Aes192, EspHash::Sha256), CBC, "HMAC-SHA-256-128 [RFC4868]"),
    (EspAlgorithm::AesCbc(AesSize::Aes256, EspHash::Sha384), CBC, "HMAC-SHA-384-192 [RFC4868]"),
    (EspAlgorithm::AesCtr(AesSize::Aes128, EspHash::Sha1), CTR, "HMAC-SHA-1-96 [RFC2404]"),
    (EspAlgorithm::AesCtr(AesSize::Aes256, EspHash::Sha512), CTR, "HMAC-SHA-512-256 [RFC4868]"),
    (EspAlgorithm::Null(EspHash::Sha1), "NULL", "HMAC-SHA-1-96 [RFC2404]"),
    (EspAlgorithm::Null(EspHash::Sha256), "NULL", "HMAC-SHA-256-128 [RFC4868]"),
];

const GCM: &str = "AES-GCM with 16 octet ICV [RFC4106]";
const CBC: &str = "AES-CBC [RFC3602]";
const CTR: &str = "AES-CTR [RFC3686]";

/// Returns an option of tshark that gives it the keys of a flow.
fn association(spi: u32, algorithm: EspAlgorithm, cipher: &str, mac: &str) -> Vec<String> {
    let keys = Keys::new(algorithm);
    let key = digits(&[keys.key, keys.salt].concat());
    let key = if key.is_empty() { key } else { format!("0x{key}") };
    let mac_key = digits(&keys.integrity);
    let mac_key = if mac_key.is_empty() { mac_key } else { format!("0x{mac_key}") };
    let of_family = |family| {
        let ends = format!("\"{family}\",\"*\",\"*\",\"{spi:#010x}\"");
        [
            "-o".to_owned(),
            format!("uat:esp_sa:{ends},\"{cipher}\",\"{key}\",\"{mac}\",\"{mac_key}\""),
        ]
    };
    ["IPv4", "IPv6"].into_iter().flat_map(of_family).collect()
}

#[test]
fn tshark_decrypts_our_packets() {
    if !is_there() {
        return;
    }
    let four = Tunnel::new([203, 0, 113, 1].into(), [203, 0, 113, 200].into());
    let six = Tunnel::new([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1].into(), [0xfd00; 8].into());
    let udp = Some(UdpPorts::default());
    // How many bytes of a packet stay before the ESP header.
    let modes = [
        (Mode::Transport, None, 20),
        (Mode::Transport, udp, 20),
        (Mode::Transport, None, 40),
        (Mode::Tunnel(four), None, 0),
        (Mode::Tunnel(four), udp, 0),
        (Mode::Tunnel(six), None, 0),
    ];
    let mut arguments: Vec<String> =
        ["-o", "esp.enable_encryption_decode:TRUE", "-o", "esp.enable_authentication_check:TRUE"]
            .map(str::to_owned)
            .to_vec();
    let (mut sent, mut expected) = (Vec::new(), Vec::new());
    for (at, (algorithm, cipher, mac)) in (0x1000..).zip(ALGORITHMS) {
        for (place, (mode, udp, kept)) in (0..).zip(modes) {
            let spi = at << 8 | place;
            arguments.extend(association(spi, algorithm, cipher, mac));
            let (ours, _) = ends_with(algorithm, |config| {
                (config.spi, config.mode, config.udp) = (spi, mode, udp);
            });
            let inner = |len: usize| match kept {
                20 => opaque_ipv4(&noise(len, 3)),
                _ => ipv6(253, &[], &noise(len, 4), 0),
            };
            let inner: Vec<Vec<u8>> = [1, 15, 40, 1300].map(inner).to_vec();
            sent.extend(protect_with(&ours, EspMeta::default(), &inner));
            let contained = (1..).zip(&inner).map(|(number, inner)| {
                (spi, number, inner[kept..].to_vec(), format!("{algorithm}, {mode:?}, {udp:?}"))
            });
            expected.extend(contained);
        }
    }
    arguments.extend(fields(&["esp.spi", "esp.sequence", "esp.icv_good", "esp.contained_data"]));
    let packets = sent.iter().map(|packet| (false, packet.as_slice()));
    let printed = read(capture(&["-l", "101"], packets), &arguments);
    assert_eq!(printed.lines().count(), expected.len());
    for (line, (spi, number, contained, what)) in printed.lines().zip(expected) {
        let [found, sequence, good, data] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four fields: {line}");
        };
        let (spi, number) = (format!("{spi:#010x}"), format!("{number}"));
        assert_eq!([found, sequence, good], [spi.as_str(), &number, "1"], "{what}");
        assert_eq!(hex(data), contained, "{what}");
    }
}
