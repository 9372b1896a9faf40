//! Tests of IPsec ESP (RFC 4303).

mod algorithms;
mod many_flows;
mod memory;
mod modes;
mod queues;
mod reference;
mod refusals;
mod scapy;
mod sequence;
mod vectors;

use broadloom_packets::esp::{EspAlgorithm, EspConfig, EspFlow, EspKeys, EspMeta};
use broadloom_packets::{Packet, PacketError, PacketProcessor};

use crate::support::{noise, packet, registry};

/// Keys of their own for a test.
pub struct Keys {
    pub key: Vec<u8>,
    pub salt: Vec<u8>,
    pub integrity: Vec<u8>,
}

impl Keys {
    /// Keys that look random, of the lengths that an algorithm takes.
    pub fn new(algorithm: EspAlgorithm) -> Self {
        Keys {
            key: noise(algorithm.key_len(), 11),
            salt: noise(algorithm.salt_len(), 12),
            integrity: noise(algorithm.integrity_key_len(), 13),
        }
    }

    pub fn as_slices(&self) -> EspKeys<'_> {
        EspKeys { key: &self.key, salt: &self.salt, integrity: &self.integrity }
    }
}

pub const SPI: u32 = 0xc0de_1234;

/// The two ends of an algorithm's flow, after `change` changed the configuration of both.
pub fn ends_with(
    algorithm: EspAlgorithm,
    change: impl Fn(&mut EspConfig<'_>),
) -> (EspFlow, EspFlow) {
    let keys = Keys::new(algorithm);
    let mut config = EspConfig::new(algorithm, keys.as_slices(), SPI);
    change(&mut config);
    let registry = registry();
    let outbound = EspFlow::outbound(&registry, &config).expect("the configuration is valid");
    let inbound = EspFlow::inbound(&registry, &config).expect("the configuration is valid");
    (outbound, inbound)
}

/// Protects packets in one burst, with the same meta data, and returns what is sent.
pub fn protect_with(flow: &EspFlow, meta: EspMeta, texts: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut packets: Vec<_> = texts.iter().map(|text| packet(flow, text).with_meta(meta)).collect();
    let outcome = PacketProcessor::new().protect_burst(&mut packets);
    assert_eq!(outcome.refused, 0, "{packets:?}");
    packets.iter().map(|packet| packet.bytes().to_vec()).collect()
}

/// What a packet is refused with when it is protected. Checks that it stays as it was.
pub fn refused(flow: &EspFlow, meta: EspMeta, text: &[u8]) -> PacketError {
    refused_packet(packet(flow, text).with_meta(meta))
}

pub fn refused_packet(packet: Packet<'_, EspFlow>) -> PacketError {
    let (before, mut packets) = (packet.buffer().to_vec(), [packet]);
    let outcome = PacketProcessor::new().protect_burst(&mut packets);
    assert_eq!(outcome.refused, 1);
    assert_eq!(packets[0].buffer(), before, "a refused packet is as it was");
    packets[0].status().expect("it has a status").expect_err("it was refused")
}

/// Returns bytes from hexadecimal digits.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|digit| !digit.is_whitespace())
        .map(|digit| digit.to_digit(16).expect("a hexadecimal digit") as u8)
        .collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// An IPv4 packet of UDP with a payload, with the right checksum in its header.
pub fn ipv4(payload: &[u8], traffic_class: u8, dont_fragment: bool) -> Vec<u8> {
    let mut packet = vec![0x45, traffic_class, 0, 0, 0x12, 0x34, 0, 0, 63, 17, 0, 0];
    packet.extend([192, 0, 2, 1, 198, 51, 100, 7]);
    packet.extend(payload);
    let len = packet.len() as u16;
    packet[2..4].copy_from_slice(&len.to_be_bytes());
    packet[6] = if dont_fragment { 0x40 } else { 0 };
    let sum = ones_complement(&packet[..20], 0);
    packet[10..12].copy_from_slice(&(!sum).to_be_bytes());
    packet
}

/// Returns an IPv4 packet whose payload no program looks into.
pub fn opaque_ipv4(payload: &[u8]) -> Vec<u8> {
    let mut packet = ipv4(payload, 0, true);
    packet[9] = 253;
    packet[10..12].fill(0);
    let sum = !ones_complement(&packet[..20], 0);
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
    packet
}

/// An IPv6 packet with extension headers and a payload.
pub fn ipv6(first: u8, extensions: &[u8], payload: &[u8], traffic_class: u8) -> Vec<u8> {
    let mut packet = vec![0x60 | traffic_class >> 4, traffic_class << 4 | 0xa, 0xbc, 0xde];
    packet.extend(((extensions.len() + payload.len()) as u16).to_be_bytes());
    packet.extend([first, 63]);
    packet.extend((0..32).map(|at| 0x20 + at));
    packet.extend(extensions);
    packet.extend(payload);
    packet
}

/// The sum of big-endian words of 16 bits in ones' complement.
pub fn ones_complement(bytes: &[u8], start: u32) -> u16 {
    let mut sum = start;
    for pair in bytes.chunks(2) {
        sum += u32::from(pair[0]) << 8 | pair.get(1).copied().map_or(0, u32::from);
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}
