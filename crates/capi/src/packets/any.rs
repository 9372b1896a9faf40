//! A flow of any protocol, so that one burst has packets of all of them.

use broadloom::Session;
use broadloom_packets::dtls::{Dtls12Flow, Dtls13Flow, DtlsMeta};
use broadloom_packets::esp::{EspFlow, EspMeta};
use broadloom_packets::quic::{QuicFlow, QuicMeta};
use broadloom_packets::records::ContentType;
use broadloom_packets::srtp::{SrtpKind, SrtpMeta, SrtpSession, SrtpStream};
use broadloom_packets::tls::{RecordMeta, Tls12Flow, Tls13Flow};
use broadloom_packets::wireguard::WireGuardFlow;
use broadloom_packets::{Counters, Flow, Frame, Mask, PacketError, Step, Work};

use super::packet::bl_packet;
use super::srtp::{BL_SRTP_MUXED, BL_SRTP_RTCP, BL_SRTP_RTP};
use crate::fault::Fault;

/// The index of an SRTP packet has 48 bits. Above them, its number has that of the master key.
const SRTP_INDEX: u64 = (1 << 48) - 1;

/// A flow of any protocol.
pub(crate) enum AnyFlow {
    Esp(EspFlow),
    SrtpStream(SrtpStream),
    SrtpSession(SrtpSession),
    Quic(QuicFlow),
    Tls12(Tls12Flow),
    Tls13(Tls13Flow),
    Dtls12(Dtls12Flow),
    /// In a box: it has four epochs, and is much larger than the others.
    Dtls13(Box<Dtls13Flow>),
    WireGuard(WireGuardFlow),
}

/// What accompanies a packet of any protocol.
#[derive(Default)]
pub(crate) struct Meta {
    of: Of,
    /// The packet's whole number, as its flow knows it.
    number: u64,
}

/// What accompanies a packet of its protocol.
enum Of {
    Esp(EspMeta),
    Srtp(SrtpMeta),
    Quic(QuicMeta),
    Tls12(ContentType),
    Tls13(RecordMeta),
    Dtls(DtlsMeta),
    WireGuard(()),
}

impl Default for Of {
    fn default() -> Self {
        Of::WireGuard(())
    }
}

/// Does the same for flows of all protocols.
macro_rules! any {
    ($any:expr, |$flow:ident| $body:expr) => {
        match $any {
            AnyFlow::Esp($flow) => $body,
            AnyFlow::SrtpStream($flow) => $body,
            AnyFlow::SrtpSession($flow) => $body,
            AnyFlow::Quic($flow) => $body,
            AnyFlow::Tls12($flow) => $body,
            AnyFlow::Tls13($flow) => $body,
            AnyFlow::Dtls12($flow) => $body,
            AnyFlow::Dtls13($flow) => $body,
            AnyFlow::WireGuard($flow) => $body,
        }
    };
}

/// Does the same for flows of all protocols, with what accompanies their packets.
macro_rules! with {
    ($any:expr, $of:expr, |$flow:ident, $meta:ident| $body:expr) => {
        match ($any, $of) {
            (AnyFlow::Esp($flow), Of::Esp($meta)) => $body,
            (AnyFlow::SrtpStream($flow), Of::Srtp($meta)) => $body,
            (AnyFlow::SrtpSession($flow), Of::Srtp($meta)) => $body,
            (AnyFlow::Quic($flow), Of::Quic($meta)) => $body,
            (AnyFlow::Tls12($flow), Of::Tls12($meta)) => $body,
            (AnyFlow::Tls13($flow), Of::Tls13($meta)) => $body,
            (AnyFlow::Dtls12($flow), Of::Dtls($meta)) => $body,
            (AnyFlow::Dtls13($flow), Of::Dtls($meta)) => $body,
            (AnyFlow::WireGuard($flow), Of::WireGuard($meta)) => $body,
            _ => unreachable!("what accompanies a packet is of its flow's protocol"),
        }
    };
}

impl AnyFlow {
    /// The number that the next packet gets.
    pub(super) fn next_number(&self) -> Option<u64> {
        match self {
            AnyFlow::Esp(flow) => flow.next_number(),
            AnyFlow::SrtpStream(_) | AnyFlow::SrtpSession(_) => None,
            AnyFlow::Quic(flow) => flow.next_number(),
            AnyFlow::Tls12(flow) => flow.next_number(),
            AnyFlow::Tls13(flow) => flow.next_number(),
            AnyFlow::Dtls12(flow) => flow.next_number(),
            AnyFlow::Dtls13(flow) => flow.next_number(),
            AnyFlow::WireGuard(flow) => flow.next_number(),
        }
    }

    /// The bytes of the IV that the caller gives with each packet; 0 where the flow makes it.
    #[inline]
    pub(super) fn given_iv_len(&self) -> usize {
        match self {
            AnyFlow::Esp(flow) => flow.given_iv_len().unwrap_or(0),
            _ => 0,
        }
    }

    /// The highest number of an authentic packet.
    pub(super) fn highest_number(&self) -> Option<u64> {
        match self {
            AnyFlow::Esp(flow) => flow.highest_number(),
            AnyFlow::SrtpStream(_) | AnyFlow::SrtpSession(_) => None,
            AnyFlow::Quic(flow) => flow.highest_received(),
            AnyFlow::Tls12(flow) => flow.highest_number(),
            AnyFlow::Tls13(flow) => flow.highest_number(),
            AnyFlow::Dtls12(flow) => flow.highest_number(),
            AnyFlow::Dtls13(flow) => flow.highest_number(),
            AnyFlow::WireGuard(flow) => flow.highest_number(),
        }
    }

    /// Why the flow is not the one that a function takes.
    #[cold]
    pub(super) fn is_no(&self, wanted: &str) -> Fault {
        let protocol = match self {
            AnyFlow::Esp(_) => "ESP",
            AnyFlow::SrtpStream(_) => "one stream of SRTP",
            AnyFlow::SrtpSession(_) => "a session of SRTP",
            AnyFlow::Quic(_) => "QUIC",
            AnyFlow::Tls12(_) => "TLS 1.2",
            AnyFlow::Tls13(_) => "TLS 1.3",
            AnyFlow::Dtls12(_) => "DTLS 1.2",
            AnyFlow::Dtls13(_) => "DTLS 1.3",
            AnyFlow::WireGuard(_) => "WireGuard",
        };
        Fault::argument(format_args!("the flow is one of {protocol}; right is a {wanted}"))
    }
}

impl Meta {
    /// Makes what accompanies a caller's packet of a flow, with the IV that the caller gives.
    #[inline]
    pub(super) fn new(flow: &AnyFlow, packet: &bl_packet, iv: &[u8]) -> Result<Meta, Fault> {
        let of = match flow {
            AnyFlow::Esp(_) => {
                let mut meta = EspMeta::payload(byte(packet.kind)?);
                meta.iv[..iv.len()].copy_from_slice(iv);
                Of::Esp(meta)
            }
            AnyFlow::SrtpStream(_) | AnyFlow::SrtpSession(_) => {
                Of::Srtp(srtp_kind(packet.kind)?.into())
            }
            AnyFlow::Quic(_) => Of::Quic(QuicMeta::with_number(packet.number)),
            AnyFlow::Tls12(_) => Of::Tls12(content_type(packet.kind)?),
            AnyFlow::Tls13(_) => Of::Tls13(RecordMeta {
                content_type: content_type(packet.kind)?,
                padding: packet.padding,
            }),
            AnyFlow::Dtls12(_) | AnyFlow::Dtls13(_) => {
                Of::Dtls(DtlsMeta::new(content_type(packet.kind)?).padded(packet.padding))
            }
            AnyFlow::WireGuard(_) => Of::WireGuard(()),
        };
        Ok(Meta { of, number: packet.number })
    }

    /// Tells the caller what a packet came with.
    #[inline]
    pub(super) fn store(&self, packet: &mut bl_packet) {
        packet.number = self.number;
        match &self.of {
            Of::Esp(meta) => packet.kind = meta.next_header.into(),
            Of::Srtp(_) => packet.number &= SRTP_INDEX,
            Of::Quic(meta) => packet.kind = meta.key_phase.into(),
            Of::Tls12(content_type) => packet.kind = content_type.0.into(),
            Of::Tls13(meta) => {
                (packet.kind, packet.padding) = (meta.content_type.0.into(), meta.padding);
            }
            Of::Dtls(meta) => {
                (packet.kind, packet.padding) = (meta.content_type.0.into(), meta.padding);
                packet.epoch = meta.epoch;
            }
            Of::WireGuard(()) => {}
        }
    }
}

/// The kind of a packet whose protocol numbers kinds with one byte.
#[inline]
fn byte(kind: u32) -> Result<u8, Fault> {
    u8::try_from(kind).map_err(|_| {
        Fault::argument(format_args!("the member kind of a packet is {kind}; valid: 0 to 255"))
    })
}

/// The type of a record's content.
#[inline]
fn content_type(kind: u32) -> Result<ContentType, Fault> {
    Ok(match byte(kind)? {
        0 => ContentType::APPLICATION_DATA,
        kind => ContentType(kind),
    })
}

/// Whether a packet is RTP or RTCP.
#[inline]
fn srtp_kind(kind: u32) -> Result<SrtpKind, Fault> {
    match kind {
        BL_SRTP_MUXED => Ok(SrtpKind::Muxed),
        BL_SRTP_RTP => Ok(SrtpKind::Rtp),
        BL_SRTP_RTCP => Ok(SrtpKind::Rtcp),
        _ => Err(Fault::argument(format_args!(
            "the member kind of a packet of SRTP is {kind}; valid: BL_SRTP_MUXED, BL_SRTP_RTP, \
             BL_SRTP_RTCP"
        ))),
    }
}

impl Flow for AnyFlow {
    type Meta = Meta;

    const MASKS: bool = true;

    #[inline]
    fn masks(&self) -> bool {
        matches!(self, AnyFlow::Quic(_) | AnyFlow::Dtls13(_))
    }

    #[inline]
    fn protect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut Meta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        with!(self, &mut meta.of, |flow, of| flow.protect(frame, of, work))
    }

    #[inline]
    fn protected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut Meta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        meta.number = work.number;
        with!(self, &mut meta.of, |flow, of| flow.protected(frame, of, work))
    }

    #[inline]
    fn unprotect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut Meta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        with!(self, &mut meta.of, |flow, of| flow.unprotect(frame, of, work))
    }

    #[inline]
    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut Meta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        meta.number = work.number;
        with!(self, &mut meta.of, |flow, of| flow.unprotected(frame, of, work))
    }

    fn failed(&self, frame: &mut Frame<'_>, meta: &mut Meta, work: &Work) {
        with!(self, &mut meta.of, |flow, of| flow.failed(frame, of, work));
    }

    #[inline]
    fn mask(&self, frame: &Frame<'_>, meta: &Meta) -> Result<Option<Mask<'_>>, PacketError> {
        with!(self, &meta.of, |flow, of| flow.mask(frame, of))
    }

    fn masked(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut Meta,
        mask: &[u8; 16],
        protects: bool,
    ) -> Result<(), PacketError> {
        with!(self, &mut meta.of, |flow, of| flow.masked(frame, of, mask, protects))
    }

    #[inline]
    fn touch(&self, protects: bool) -> Option<&Session> {
        any!(self, |flow| flow.touch(protects))
    }

    #[inline]
    fn counters(&self) -> &Counters {
        any!(self, |flow| flow.counters())
    }
}
