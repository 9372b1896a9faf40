//! QUIC packets, versions 1 and 2 (RFC 9001, RFC 9369).

pub mod aioquic;
mod flows;
mod peer;
pub mod quinn;
mod relay;
pub mod support;
mod vectors;
