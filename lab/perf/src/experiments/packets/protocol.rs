//! The protocols that are measured, by their names, and how the cases of each are measured.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use broadloom::{AesSize, Registry};
use broadloom_packets::Flow;
use broadloom_packets::esp::{EspAlgorithm, EspHash};
use broadloom_packets::quic::QuicSuite;
use broadloom_packets::srtp::SrtpProfile;
use broadloom_packets::tls::RecordAead;

use super::ipsec_mb::InPlaceOfTheEngine;
use super::kits::{self, Kit};
use super::options::{Call, Case, PacketPeer};
use super::ours::Ours;
use super::own_path::OneByOne;
use super::side::{Side, Traffic, failed};
use super::traffic::{Frames, draw};
use super::{Bench, count, threads};
use crate::error::PerfError;
use crate::names::parse;
use crate::registry::registry_on;
use crate::report::row::Row;

/// A protocol and its suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// ESP in a tunnel over IPv4.
    Esp(EspAlgorithm),
    /// RTP packets of SRTP.
    Srtp(SrtpProfile),
    /// 1-RTT packets of QUIC version 1, with the protection of their headers.
    Quic(QuicSuite),
    /// WireGuard's transport data: ChaCha20-Poly1305.
    WireGuard,
    /// Records of TLS 1.3.
    Tls13(RecordAead),
}

impl Protocol {
    /// The protocols that are measured where none are asked for.
    pub const USUAL: [Protocol; 7] = [
        Protocol::Esp(EspAlgorithm::AesGcm(AesSize::Aes128)),
        Protocol::Esp(EspAlgorithm::AesCbc(AesSize::Aes128, EspHash::Sha1)),
        Protocol::Esp(EspAlgorithm::ChaCha20Poly1305),
        Protocol::Srtp(SrtpProfile::Aes128CmHmacSha1_80),
        Protocol::Quic(QuicSuite::Aes128Gcm),
        Protocol::WireGuard,
        Protocol::Tls13(RecordAead::Aes128Gcm),
    ];

    /// Returns all that can be measured.
    pub fn all() -> impl Iterator<Item = Protocol> {
        let tls13 = [RecordAead::Aes128Gcm, RecordAead::Aes256Gcm, RecordAead::ChaCha20Poly1305];
        let all = EspAlgorithm::all().map(Protocol::Esp);
        let all = all.chain(SrtpProfile::ALL.map(Protocol::Srtp));
        let all = all.chain(QuicSuite::ALL.map(Protocol::Quic));
        all.chain([Protocol::WireGuard]).chain(tls13.map(Protocol::Tls13))
    }

    /// Returns the algorithm within the protocol, by its protocol's name without the protocol.
    pub fn algorithm(self) -> String {
        match self {
            Protocol::Esp(algorithm) => algorithm.to_string().trim_start_matches("esp-").to_owned(),
            Protocol::Srtp(profile) => profile.name().trim_start_matches("srtp-").to_owned(),
            Protocol::Quic(suite) => suite.name().trim_start_matches("quic-").to_owned(),
            Protocol::WireGuard => "chacha20-poly1305".to_owned(),
            Protocol::Tls13(aead) => aead.to_string(),
        }
    }

    /// Returns the longest frame that it can protect.
    pub fn longest(self) -> usize {
        match self {
            Protocol::Tls13(_) => 1 << 14,
            _ => 9216,
        }
    }

    /// Measures cases of this protocol that have one number of flows.
    pub(super) fn rows(self, bench: &mut Bench, cases: &[Case]) -> Result<Vec<Row>, PerfError> {
        match self {
            Protocol::Esp(algorithm) => measure(bench, cases, &kits::esp(algorithm)),
            Protocol::Srtp(profile) => measure(bench, cases, &kits::srtp(profile)),
            Protocol::Quic(suite) => measure(bench, cases, &kits::quic(suite)),
            Protocol::WireGuard => measure(bench, cases, &kits::wireguard()),
            Protocol::Tls13(aead) => measure(bench, cases, &kits::tls13(aead)),
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Protocol::Esp(algorithm) => fmt::Display::fmt(algorithm, f),
            Protocol::Srtp(profile) => f.write_str(profile.name()),
            Protocol::Quic(suite) => f.write_str(suite.name()),
            Protocol::WireGuard => f.write_str("wireguard"),
            Protocol::Tls13(aead) => write!(f, "tls13-{aead}"),
        }
    }
}

impl FromStr for Protocol {
    type Err = PerfError;

    fn from_str(name: &str) -> Result<Self, PerfError> {
        parse("protocol", name, Protocol::all())
    }
}

/// Opens the flows of some cases, and measures each.
fn measure<F: Flow + 'static>(
    bench: &mut Bench,
    cases: &[Case],
    kit: &Kit<F>,
) -> Result<Vec<Row>, PerfError> {
    let registry = registry_on(&bench.cpu);
    let mut traffic = Traffic {
        send: Vec::new(),
        receive: Vec::new(),
        parcels: Vec::new(),
        burst: 1,
        text: kit.text,
        header: kit.header,
        next: Vec::new(),
        sequence: Vec::new(),
        meta: kit.meta,
    };
    let mut rows = Vec::new();
    for case in cases {
        if let Frames::Bytes(len) = case.frames
            && len > case.protocol.longest()
        {
            bench.note(format!("{} has no frames of {len} bytes", case.protocol));
            continue;
        }
        if kit.in_order || traffic.send.is_empty() {
            (traffic.send, traffic.receive) = open(kit, &registry, case.flows)?;
            traffic.next = vec![Cell::new(1); case.flows];
        }
        traffic.parcels = draw(case.frames, case.flows, count(case));
        traffic.sequence = vec![Cell::new(0); traffic.parcels.len()];
        traffic.burst = case.burst;
        if case.call == Call::Threads {
            rows.push(threads::measure(bench, case, &traffic)?);
            continue;
        }
        let ours = Ours::new(&traffic, case, &bench.options.placement)?;
        let mut sides: Vec<Box<dyn Side + '_>> = vec![Box::new(ours)];
        for peer in bench.options.peers.clone() {
            let side = match (peer, &kit.transform) {
                (PacketPeer::IpsecMb, Some(transform)) => {
                    let side = InPlaceOfTheEngine::new(&traffic, case.way, transform);
                    Some(side.map(|side| Box::new(side) as Box<dyn Side + '_>))
                }
                _ => (kit.peer)(peer, case.flows).map(|path| {
                    let path = path?;
                    Ok(Box::new(OneByOne::new(&traffic, case.way, path)) as Box<dyn Side + '_>)
                }),
            };
            match side {
                Some(Ok(side)) => sides.push(side),
                Some(Err(error)) => bench.note(format!("{peer} is not measured: {error}")),
                None => bench.note(format!("{peer} is not measured with {}", case.protocol)),
            }
        }
        rows.extend(bench.measure(case, &traffic, &mut sides)?);
    }
    Ok(rows)
}

/// Flows, by their numbers.
type Opened<F> = Vec<Arc<F>>;

/// Opens flows in pairs: those that send, and those that receive.
fn open<F: Flow>(
    kit: &Kit<F>,
    registry: &Registry,
    flows: usize,
) -> Result<(Opened<F>, Opened<F>), PerfError> {
    let pair = |flow| (kit.open)(registry, flow).map_err(failed);
    (0..flows).map(pair).collect()
}
