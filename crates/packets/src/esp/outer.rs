//! The outer header of a tunnel (RFC 4301, 5.1.2).

use std::net::IpAddr;

use super::config::Tunnel;
use super::ip::{self, V4_HEADER, V6_HEADER};

/// The bit of IPv4 that forbids fragments, in the byte that has it.
const DONT_FRAGMENT: u8 = 0x40;

/// An outer header, complete but for what differs from packet to packet.
#[derive(Debug)]
pub(super) struct Outer {
    template: [u8; V6_HEADER],
    len: u8,
    /// The sum of the template's words, for the checksum of IPv4.
    sum: u16,
    dscp: Option<u8>,
    flow_label: Option<[u8; 3]>,
    dont_fragment: Option<bool>,
}

impl Outer {
    /// Returns the header of a tunnel that carries a protocol.
    pub(super) fn new(tunnel: &Tunnel, protocol: u8) -> Self {
        let mut template = [0; V6_HEADER];
        let len = match (tunnel.source, tunnel.destination) {
            (IpAddr::V4(source), IpAddr::V4(destination)) => {
                template[0] = 0x45;
                template[8..10].copy_from_slice(&[tunnel.hop_limit, protocol]);
                template[12..16].copy_from_slice(&source.octets());
                template[16..20].copy_from_slice(&destination.octets());
                V4_HEADER
            }
            (source, destination) => {
                let octets = |address: IpAddr| match address {
                    IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
                    IpAddr::V6(address) => address.octets(),
                };
                template[0] = 0x60;
                template[6..8].copy_from_slice(&[protocol, tunnel.hop_limit]);
                template[8..24].copy_from_slice(&octets(source));
                template[24..].copy_from_slice(&octets(destination));
                V6_HEADER
            }
        };
        let Tunnel { dscp, flow_label, dont_fragment, .. } = *tunnel;
        let flow_label = flow_label.map(|label| {
            let [_, label @ ..] = label.to_be_bytes();
            label
        });
        let sum = ip::sum(&template[..len], 0);
        Outer { template, len: len as u8, sum, dscp, flow_label, dont_fragment }
    }

    /// Returns the bytes of the header.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len.into()
    }

    /// Writes the header of `packet`, whose inner packet begins at `inner_at`; `None` for a dummy
    /// packet, which has none.
    #[inline]
    pub(super) fn write(&self, packet: &mut [u8], inner_at: Option<usize>, number: u64) {
        let (class, flow_label, inner_dont_fragment) = match inner_at.map(|at| &packet[at..]) {
            None => (0, [0; 3], true),
            Some(inner) => {
                let class = ip::traffic_class(inner);
                match inner[0] >> 4 {
                    4 => (class, [0; 3], inner[6] & DONT_FRAGMENT != 0),
                    _ => (class, [inner[1] & 15, inner[2], inner[3]], true),
                }
            }
        };
        let class = self.dscp.map_or(class & !3, |dscp| dscp << 2) | class & 3;
        let total = packet.len();
        if self.len() == V4_HEADER {
            let dont_fragment = self.dont_fragment.unwrap_or(inner_dont_fragment);
            let flags = if dont_fragment { DONT_FRAGMENT } else { 0 };
            let (total, id) = (total as u16, number as u16);
            // Of the template these words are zero, but for the version in the first.
            let words = [class.into(), total, id, u16::from(flags) << 8].map(u64::from);
            let sum = !ip::sum(&[], u64::from(self.sum) + words.iter().sum::<u64>());
            let (total, id, sum) = (total.to_be_bytes(), id.to_be_bytes(), sum.to_be_bytes());
            let header: &mut [u8; V4_HEADER] = packet.first_chunk_mut().expect("room was checked");
            header.copy_from_slice(&self.template[..V4_HEADER]);
            header[1..8].copy_from_slice(&[class, total[0], total[1], id[0], id[1], flags, 0]);
            header[10..12].copy_from_slice(&sum);
        } else {
            let flow_label = self.flow_label.unwrap_or(flow_label);
            let header = &mut packet[..V6_HEADER];
            header.copy_from_slice(&self.template);
            header[0] |= class >> 4;
            header[1] = class << 4 | flow_label[0];
            header[2..4].copy_from_slice(&flow_label[1..]);
            header[4..6].copy_from_slice(&((total - V6_HEADER) as u16).to_be_bytes());
        }
    }
}
