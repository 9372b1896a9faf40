//! What accompanies a packet of SRTP.

use arrayvec::ArrayVec;

/// Whether a packet is RTP or RTCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SrtpKind {
    /// Both come to one port, and the second byte of a packet decides
    /// ([`is_rtcp`](super::is_rtcp)).
    #[default]
    Muxed,
    /// The packet is RTP.
    Rtp,
    /// The packet is RTCP.
    Rtcp,
}

/// What accompanies a packet: whether it is RTP or RTCP.
///
/// ```
/// use broadloom_packets::srtp::{SrtpKind, SrtpMeta};
///
/// let meta = SrtpMeta::from(SrtpKind::Rtcp);
/// assert_eq!(meta.kind, SrtpKind::Rtcp);
/// assert_eq!(SrtpMeta::default().kind, SrtpKind::Muxed);
/// ```
#[derive(Debug, Clone, Default)]
pub struct SrtpMeta {
    /// Whether the packet is RTP or RTCP.
    pub kind: SrtpKind,
    pub(super) progress: Progress,
}

impl From<SrtpKind> for SrtpMeta {
    fn from(kind: SrtpKind) -> Self {
        SrtpMeta { kind, progress: Progress::default() }
    }
}

/// What a packet's job is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stage {
    /// An RTP packet is authenticated, and its payload encrypted or decrypted.
    #[default]
    Rtp,
    /// An RTCP packet is authenticated, and encrypted or decrypted.
    Rtcp,
    /// An element of the header extension is encrypted or decrypted.
    Element,
    /// Sources, header extension and payload are encrypted or decrypted, and authenticated by
    /// another job.
    Cryptex,
}

/// How far a packet has come.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    pub stage: Stage,
    /// The packet is protected, not unprotected.
    pub protects: bool,
    /// An empty header extension was added.
    pub is_extended: bool,
    /// The header of the extension stands before the sources.
    pub is_rotated: bool,
    /// Where the search for the next element of the header extension goes on, from the beginning of
    /// the extension's content.
    pub next: usize,
    /// The bytes before an element that its job changes too.
    pub saved: ArrayVec<u8, 15>,
    /// Where they are, from the beginning of the packet.
    pub saved_at: usize,
}
