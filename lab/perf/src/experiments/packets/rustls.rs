//! The QUIC packets of rustls with aws-lc-rs: keys for each connection, and for each packet a call
//! for the payload and one for the header.

use std::ops::Range;

use rustls::Side;
use rustls::crypto::aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256;
use rustls::quic::{Keys, Version};

use super::kits::QUIC_HEADER;
use super::own_path::OwnPath;
use super::side::failed;
use crate::error::PerfError;

/// Bytes of the packet number, at the end of the header.
const NUMBER: usize = 4;

/// Bytes of the sample for the mask, and of the tag.
const SAMPLE: usize = 16;

/// rustls at work on the packets of many connections. Its keys are those of Initial packets, which
/// are AES-128-GCM's like any others; the packets have short headers.
pub struct RustlsPackets {
    connections: Vec<Connection>,
}

struct Connection {
    client: Keys,
    server: Keys,
    next: u64,
}

impl RustlsPackets {
    /// Derives the keys of all flows.
    ///
    /// # Errors
    /// rustls has no QUIC for the suite.
    pub fn new(flows: usize) -> Result<Self, PerfError> {
        let suite = TLS13_AES_128_GCM_SHA256.tls13();
        let suite = suite.ok_or_else(|| failed("the suite is not one of TLS 1.3"))?;
        let quic = suite.quic.ok_or_else(|| failed("the suite has no QUIC"))?;
        let connection = |flow: usize| {
            let id = flow.to_be_bytes();
            let keys = |side| Keys::initial(Version::V1, suite, quic, &id, side);
            Connection { client: keys(Side::Client), server: keys(Side::Server), next: 0 }
        };
        Ok(RustlsPackets { connections: (0..flows).map(connection).collect() })
    }
}

impl OwnPath for RustlsPackets {
    fn name(&self) -> &'static str {
        "rustls"
    }

    fn kernel(&self) -> String {
        "quic, aws-lc-rs".to_owned()
    }

    fn has_own_keys(&self) -> bool {
        true
    }

    fn protect(
        &mut self,
        flow: usize,
        buffer: &mut [u8],
        range: Range<usize>,
    ) -> Result<Range<usize>, PerfError> {
        let Connection { client, next, .. } = &mut self.connections[flow];
        let keys = &client.local;
        let (start, end) = (range.start, range.end);
        let (header, payload) = buffer[start..end].split_at_mut(QUIC_HEADER);
        header[QUIC_HEADER - NUMBER..].copy_from_slice(&(*next as u32).to_be_bytes());
        let tag = keys.packet.encrypt_in_place(*next, header, payload).map_err(failed)?;
        *next += 1;
        buffer[end..end + SAMPLE].copy_from_slice(tag.as_ref());
        let (header, payload) = buffer[start..end + SAMPLE].split_at_mut(QUIC_HEADER);
        let (first, rest) = header.split_at_mut(1);
        let number = &mut rest[QUIC_HEADER - NUMBER - 1..];
        keys.header.encrypt_in_place(&payload[..SAMPLE], &mut first[0], number).map_err(failed)?;
        Ok(start..end + SAMPLE)
    }

    fn unprotect(
        &mut self,
        flow: usize,
        buffer: &mut [u8],
        range: Range<usize>,
    ) -> Result<Range<usize>, PerfError> {
        let keys = &self.connections[flow].server.remote;
        let (header, payload) = buffer[range.clone()].split_at_mut(QUIC_HEADER);
        let (first, rest) = header.split_at_mut(1);
        let number = &mut rest[QUIC_HEADER - NUMBER - 1..];
        keys.header.decrypt_in_place(&payload[..SAMPLE], &mut first[0], number).map_err(failed)?;
        let number = u32::from_be_bytes(number.try_into().map_err(failed)?);
        let text = keys.packet.decrypt_in_place(number.into(), header, payload).map_err(failed)?;
        let start = range.start + QUIC_HEADER;
        Ok(start..start + text.len())
    }
}
