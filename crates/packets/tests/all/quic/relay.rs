//! A relay between the two ends of a connection, both of which others wrote.
//!
//! The relay unprotects what an end sends, and protects it again with the same numbers. Its packets
//! must be those of the sender, and the receiver gets the relay's.

use std::collections::HashMap;

use broadloom_engine::Registry;
use broadloom_packets::quic::{
    InitialSecrets, Numbers, PacketHeader, PacketKind, PacketType, QuicConfig, QuicFlow, QuicMeta,
    QuicSecrets, QuicSuite, QuicVersion, Side, split,
};
use broadloom_packets::{Packet, PacketProcessor};

use crate::support::{packet, registry};

/// Bytes of the connection IDs of both ends.
const ID_LEN: usize = 8;

/// The flows of what one end sends: for each type of packets the generations of its keys, the
/// newest last. A flow has the sender's secret for both directions.
type Direction = HashMap<PacketType, Vec<QuicFlow>>;

/// A packet between its unprotection and its protection.
struct Opened {
    packets: PacketType,
    meta: QuicMeta,
    /// The header and the payload.
    plain: Vec<u8>,
}

/// The relay of a connection, and what went through it.
pub struct Relay {
    registry: Registry,
    suite: QuicSuite,
    /// The version and the Destination Connection ID of the first packet.
    first: Option<(QuicVersion, Vec<u8>)>,
    /// What the client sends, and what the server sends.
    directions: [Direction; 2],
    /// The datagrams, each with its sender.
    pub datagrams: Vec<(Side, Vec<u8>)>,
    /// How many packets of each type went through.
    pub passed: HashMap<PacketType, usize>,
}

impl Relay {
    /// Returns the relay of a connection whose ends will agree on a suite.
    pub fn new(suite: QuicSuite) -> Self {
        Relay {
            registry: registry(),
            suite,
            first: None,
            directions: [HashMap::new(), HashMap::new()],
            datagrams: Vec::new(),
            passed: HashMap::new(),
        }
    }

    /// Returns how often an end has updated the keys that it sends with.
    pub fn updates(&self, sender: Side) -> u64 {
        newest(&self.directions[sender as usize], PacketType::OneRtt).generation()
    }

    /// Unprotects datagrams of an end in one burst, and protects them again in another. Returns
    /// what the other end is to receive. `secret` knows the secrets by their labels in key logs.
    pub fn pass(
        &mut self,
        sender: Side,
        datagrams: &[Vec<u8>],
        secret: &dyn Fn(&str) -> Vec<u8>,
    ) -> Vec<Vec<u8>> {
        let headers: Vec<Vec<PacketHeader<'_>>> =
            datagrams.iter().map(|datagram| packets_of(datagram)).collect();
        headers.iter().flatten().for_each(|header| self.open(sender, header, secret));
        let each = datagrams.iter().zip(&headers).flat_map(|(datagram, headers)| {
            headers.iter().map(|header| (packet_type(header), &datagram[header.range.clone()]))
        });
        let opened = self.unprotect(sender, each);
        for one in &opened {
            *self.passed.entry(one.packets).or_default() += 1;
        }
        let mut protected = self.protect(sender, &opened).into_iter();
        let again = |(datagram, headers): (&Vec<u8>, &Vec<PacketHeader<'_>>)| {
            let mut again: Vec<u8> = protected.by_ref().take(headers.len()).flatten().collect();
            again.extend(&datagram[again.len()..]);
            again
        };
        let passed: Vec<Vec<u8>> = datagrams.iter().zip(&headers).map(again).collect();
        assert!(passed == datagrams, "our packets are not those of the {sender:?}");
        self.datagrams.extend(passed.iter().map(|datagram| (sender, datagram.clone())));
        passed
    }

    /// Opens the flow of a packet if there is none.
    fn open(&mut self, sender: Side, header: &PacketHeader<'_>, secret: &dyn Fn(&str) -> Vec<u8>) {
        let packets = packet_type(header);
        let (version, first_id) = self.first.get_or_insert_with(|| {
            let version = header.version.and_then(QuicVersion::from_number);
            (version.expect("a long header comes first"), header.destination.to_vec())
        });
        let flow = || {
            let end = if sender == Side::Client { "CLIENT" } else { "SERVER" };
            let (suite, secret) = match (packets, sender) {
                (PacketType::Initial, Side::Client) => {
                    let secrets = InitialSecrets::new(*version, first_id);
                    (QuicSuite::Aes128Gcm, secrets.client.to_vec())
                }
                (PacketType::Initial, Side::Server) => {
                    let secrets = InitialSecrets::new(*version, first_id);
                    (QuicSuite::Aes128Gcm, secrets.server.to_vec())
                }
                (PacketType::Handshake, _) => {
                    (self.suite, secret(&format!("{end}_HANDSHAKE_TRAFFIC_SECRET")))
                }
                (PacketType::OneRtt, _) => (self.suite, secret(&format!("{end}_TRAFFIC_SECRET_0"))),
                (PacketType::ZeroRtt, _) => panic!("nobody sends 0-RTT packets"),
            };
            let config = QuicConfig {
                numbers: Numbers::Given,
                fixed_bit_may_be_zero: true,
                ..QuicConfig::new(suite, *version, packets)
            };
            let secrets = QuicSecrets::both(&secret, &secret);
            vec![QuicFlow::new(&self.registry, &config, secrets).expect("the secret fits")]
        };
        self.directions[sender as usize].entry(packets).or_insert_with(flow);
    }

    /// Unprotects packets of an end, and follows its key updates.
    fn unprotect<'d>(
        &mut self,
        sender: Side,
        sent: impl Iterator<Item = (PacketType, &'d [u8])>,
    ) -> Vec<Opened> {
        let direction = &mut self.directions[sender as usize];
        let (types, mut burst): (Vec<_>, Vec<_>) =
            sent.map(|(packets, sent)| (packets, packet(newest(direction, packets), sent))).unzip();
        let starts: Vec<usize> = burst.iter().map(|packet| packet.range().start).collect();
        let outcome = PacketProcessor::new().unprotect_burst(&mut burst);
        assert_eq!(outcome.refused, 0, "of the {sender:?}: {types:?}, {burst:?}");
        let opened = |((packets, packet), start): ((&PacketType, &Packet<'_, QuicFlow>), usize)| {
            // The header stays in the buffer, without its mask.
            let plain = packet.buffer()[start..packet.range().end].to_vec();
            Opened { packets: *packets, meta: packet.meta().clone(), plain }
        };
        let opened = types.iter().zip(&burst).zip(starts).map(opened).collect();
        drop(burst);
        if let Some(flows) = direction.get_mut(&PacketType::OneRtt) {
            let newest = flows.last().expect("each type has a flow");
            if newest.peer_has_updated() {
                let updated = newest.updated(&self.registry).expect("it has updates");
                flows.push(updated);
            }
        }
        opened
    }

    /// Protects packets as their sender did.
    fn protect(&self, sender: Side, opened: &[Opened]) -> Vec<Vec<u8>> {
        let direction = &self.directions[sender as usize];
        let again = |one: &Opened| {
            let has_phase = |flow: &&QuicFlow| (flow.generation() & 1 == 1) == one.meta.key_phase;
            let flow = direction[&one.packets].iter().rev().find(has_phase);
            let flow = flow.expect("a generation has this key phase");
            packet(flow, &one.plain).with_meta(QuicMeta::with_number(one.meta.number))
        };
        let mut burst: Vec<Packet<'_, QuicFlow>> = opened.iter().map(again).collect();
        let outcome = PacketProcessor::new().protect_burst(&mut burst);
        assert_eq!(outcome.refused, 0, "of the {sender:?}: {burst:?}");
        burst.iter().map(|packet| packet.bytes().to_vec()).collect()
    }
}

/// Returns the flow with the newest keys.
fn newest(direction: &Direction, packets: PacketType) -> &QuicFlow {
    direction[&packets].last().expect("each type has a flow")
}

/// Returns the packets of a datagram. Both ends may fill a datagram up with zeros behind them.
fn packets_of(datagram: &[u8]) -> Vec<PacketHeader<'_>> {
    let packets: Vec<PacketHeader<'_>> = split(datagram, ID_LEN).map_while(Result::ok).collect();
    let end = packets.last().map_or(0, |packet| packet.range.end);
    assert!(datagram[end..].iter().all(|byte| *byte == 0), "a datagram is made of packets");
    packets
}

/// Returns the type of a packet.
fn packet_type(header: &PacketHeader<'_>) -> PacketType {
    match header.kind {
        PacketKind::Protected(packets) => packets,
        other => panic!("nobody sends {other:?}"),
    }
}
