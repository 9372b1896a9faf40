//! Tests of SRTP and SRTCP (RFC 3711).

mod definition;
mod failures;
mod headers;
mod libsrtp;
mod prepared;
mod reference;
mod rules;
mod sessions;
mod vectors;

use std::sync::Arc;

use broadloom_packets::srtp::{MasterKey, SrtpConfig, SrtpContext, SrtpProfile, SrtpStream};

use crate::support::{noise, registry};

const SSRC: u32 = 0xdead_beef;

/// Parameters with keys that look random.
fn config(profile: SrtpProfile) -> SrtpConfig {
    SrtpConfig::new(profile, [master(profile, 0)])
}

/// A master key that looks random.
fn master(profile: SrtpProfile, seed: u64) -> MasterKey {
    let (key, salt) = key_and_salt(profile, seed);
    MasterKey::new(&key, &salt)
}

fn key_and_salt(profile: SrtpProfile, seed: u64) -> (Vec<u8>, Vec<u8>) {
    (noise(profile.key_len(), 100 + seed), noise(profile.salt_len(), 200 + seed))
}

fn context(config: &SrtpConfig) -> Arc<SrtpContext> {
    Arc::new(SrtpContext::new(&registry(), config).expect("the parameters are valid"))
}

/// A stream at either end.
fn ends(config: &SrtpConfig) -> [SrtpStream; 2] {
    [(); 2].map(|()| SrtpStream::new(context(config), SSRC))
}

/// An RTP packet with this header, as far as it goes beyond the fixed one.
fn rtp(sequence: u16, first: u8, rest: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![first, 96];
    packet.extend(sequence.to_be_bytes());
    packet.extend([1, 2, 3, 4]);
    packet.extend(SSRC.to_be_bytes());
    packet.extend(rest);
    packet.extend(payload);
    packet
}

/// An RTCP packet: a receiver report.
fn rtcp(len: usize) -> Vec<u8> {
    let mut packet = vec![0x80, 201, 0, 1];
    packet.extend(SSRC.to_be_bytes());
    packet.extend(noise(len, 9));
    packet
}
