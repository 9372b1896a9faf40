//! What a flow of ESP is made of.

use std::net::IpAddr;

use super::algorithm::EspAlgorithm;
use crate::error::FlowError;

/// The keys of a flow, as a key exchange delivers them for one direction.
#[derive(Clone, Copy, Default)]
pub struct EspKeys<'a> {
    /// The key of the cipher or of the AEAD, of [`EspAlgorithm::key_len`] bytes.
    pub key: &'a [u8],
    /// The salt, of [`EspAlgorithm::salt_len`] bytes.
    pub salt: &'a [u8],
    /// The key of HMAC, of [`EspAlgorithm::integrity_key_len`] bytes.
    pub integrity: &'a [u8],
}

/// What the packets of a flow are, before they are protected and after they are unprotected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Payloads without an IP header: a protected packet begins with the ESP header (or with the
    /// UDP header before it), and the caller makes the IP header. The payload's protocol is
    /// [`EspMeta::next_header`](super::EspMeta::next_header), in both directions.
    #[default]
    Payload,
    /// IP packets of which the payload is protected: the IP header stays, and so do the extension
    /// headers of IPv6 that are for nodes on the way (RFC 4303, 3.1.1).
    Transport,
    /// IP packets that are protected as a whole, behind a new IP header.
    Tunnel(Tunnel),
}

/// The outer header of a tunnel (RFC 4301, 5.1.2). An inbound flow does not look at it.
///
/// The identification of an outer IPv4 header is the low half of the sequence number. The hop limit
/// of the inner packet is for the forwarding code of the caller to decrement. Explicit congestion
/// notification is copied to the outer header, and back from it as RFC 6040 says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tunnel {
    /// The address of this end.
    pub source: IpAddr,
    /// The address of the other end, of the same family.
    pub destination: IpAddr,
    /// The time to live or hop limit.
    pub hop_limit: u8,
    /// The differentiated services code point, up to 63; `None` copies that of the inner packet.
    pub dscp: Option<u8>,
    /// The flow label of an outer IPv6 header, of 20 bits; `None` copies that of an inner IPv6
    /// packet, and is 0 for IPv4.
    pub flow_label: Option<u32>,
    /// The bit that forbids fragments of an outer IPv4 packet; `None` copies that of an inner IPv4
    /// packet, and sets it for IPv6.
    pub dont_fragment: Option<bool>,
}

impl Tunnel {
    /// Returns a tunnel with a hop limit of 64 that copies all it can from inner packets.
    pub fn new(source: IpAddr, destination: IpAddr) -> Self {
        let (dscp, flow_label, dont_fragment) = (None, None, None);
        Tunnel { source, destination, hop_limit: 64, dscp, flow_label, dont_fragment }
    }
}

/// The ports of a flow in UDP (RFC 3948), as they are in its packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UdpPorts {
    /// The source port. An inbound flow with 0 takes packets from any port, since address
    /// translation may change it.
    pub source: u16,
    /// The destination port. An inbound flow with 0 takes packets to any port.
    pub destination: u16,
}

impl Default for UdpPorts {
    /// Returns port 4500 at both ends.
    fn default() -> Self {
        UdpPorts { source: super::UDP_PORT, destination: super::UDP_PORT }
    }
}

/// What a flow of ESP is made of: one direction of a security association.
#[derive(Clone, Copy)]
pub struct EspConfig<'a> {
    /// The algorithm.
    pub algorithm: EspAlgorithm,
    /// The keys.
    pub keys: EspKeys<'a>,
    /// The security parameters index, from 1 on. The numbers up to 255 are reserved (RFC 4303,
    /// 2.1): no key exchange gives one, but what an RFC or two ends by agreement use is taken.
    pub spi: u32,
    /// What the packets are.
    pub mode: Mode,
    /// The ports, if the packets travel in UDP.
    pub udp: Option<UdpPorts>,
    /// `true` if sequence numbers have 64 bits, of which the low 32 are sent (RFC 4303, 2.2.1).
    pub extended: bool,
    /// The packets of the replay window of an inbound flow, 32 to 65,536. With 0 the flow takes
    /// packets that it has received before, which RFC 4303, 3.4.3 permits. Extended numbers need a
    /// window.
    pub window: u32,
    /// The number of the first packet: 1, unless this flow goes on where another one ended. No two
    /// outbound flows may use the same numbers under the same key.
    pub first: u64,
    /// How many packets the flow protects, or unprotects and delivers, before it refuses more with
    /// [`PacketError::KeyUsedUp`](crate::PacketError::KeyUsedUp): the hard lifetime of RFC 4301,
    /// 4.4.2.1. [`u64::MAX`] leaves it to the sequence numbers.
    pub packet_limit: u64,
    /// Shorter packets are padded to this length in bytes before they are encrypted, so that their
    /// length is hidden (RFC 4303, 2.7); 0 pads none. Only tunnels can.
    pub pad_to: usize,
    /// `true` if the caller gives the IV of each packet that an outbound flow protects, in
    /// [`EspMeta::iv`](super::EspMeta::iv). Then it is the caller who must never give an IV twice
    /// under one key and, for CBC, none that can be predicted.
    pub takes_ivs: bool,
}

impl<'a> EspConfig<'a> {
    /// Returns a configuration with mode [`Mode::Payload`], 32-bit sequence numbers from 1 on, a
    /// replay window of 64 packets, IVs of its own, and neither UDP nor padding nor a limit.
    pub fn new(algorithm: EspAlgorithm, keys: EspKeys<'a>, spi: u32) -> Self {
        EspConfig {
            algorithm,
            keys,
            spi,
            mode: Mode::default(),
            udp: None,
            extended: false,
            window: 64,
            first: 1,
            packet_limit: u64::MAX,
            pad_to: 0,
            takes_ivs: false,
        }
    }

    /// Checks all values but the keys, which the engine checks, and the window.
    pub(super) fn check(&self) -> Result<(), FlowError> {
        let wrong = |what, value: String, valid: &str| {
            Err(FlowError::Parameter { what, value, valid: valid.to_owned() })
        };
        if self.spi == 0 {
            return wrong("the SPI", self.spi.to_string(), "1 to 4294967295");
        }
        let last = super::sequence::last(self.extended);
        if !(1..=last).contains(&self.first) {
            return wrong("the first number", self.first.to_string(), &format!("1 to {last}"));
        }
        if self.packet_limit == 0 {
            return wrong("the limit of packets", "0".to_owned(), "1 to 18446744073709551615");
        }
        if self.takes_ivs && self.packet_limit != u64::MAX {
            let valid = "18446744073709551615; a flow that takes IVs may count from any number";
            return wrong("the limit of packets", self.packet_limit.to_string(), valid);
        }
        match self.mode {
            Mode::Tunnel(tunnel) => {
                let Tunnel { source, destination, dscp, flow_label, .. } = tunnel;
                if source.is_ipv4() != destination.is_ipv4() {
                    let value = format!("{source} to {destination}");
                    return wrong("a tunnel", value, "two addresses of one family");
                }
                if let Some(dscp) = dscp.filter(|dscp| *dscp > 63) {
                    return wrong("the DSCP", dscp.to_string(), "0 to 63");
                }
                if let Some(label) = flow_label.filter(|label| *label > 0xf_ffff) {
                    return wrong("the flow label", label.to_string(), "0 to 1048575");
                }
                if self.pad_to > usize::from(u16::MAX) {
                    let value = self.pad_to.to_string();
                    return wrong("the padded length", value, "0 to 65535");
                }
            }
            Mode::Payload | Mode::Transport if self.pad_to != 0 => {
                let valid = "0; only a tunnel's packets say how long they are without padding";
                return wrong("the padded length", self.pad_to.to_string(), valid);
            }
            Mode::Payload | Mode::Transport => {}
        }
        Ok(())
    }

    /// Checks that a key has the length that the algorithm takes.
    pub(super) fn check_key(
        &self,
        what: &'static str,
        key: &[u8],
        valid: usize,
    ) -> Result<(), FlowError> {
        match key.len() == valid {
            true => Ok(()),
            false => Err(FlowError::KeyLength {
                what,
                len: key.len(),
                algorithm: self.algorithm.to_string(),
                valid: format!("{valid} bytes"),
            }),
        }
    }
}
