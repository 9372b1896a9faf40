//! boringtun's packet path: a pair of tunnels for each flow, and a call for each packet, which
//! writes to another buffer than it reads from. A copy back to the packet's place is timed, too.

use std::ops::Range;

use boringtun::noise::{Tunn, TunnResult};
use boringtun::x25519::{PublicKey, StaticSecret};

use super::own_path::OwnPath;
use super::side::failed;
use crate::error::PerfError;

/// Bytes of room for a packet and what WireGuard adds.
const ROOM: usize = 10_000;

/// boringtun at work on many tunnels, of which it has both ends.
pub struct BoringTun {
    tunnels: Vec<(Tunn, Tunn)>,
    /// Where boringtun writes a packet.
    room: Vec<u8>,
}

impl BoringTun {
    /// Opens the tunnels of all flows, and has both ends shake hands.
    ///
    /// # Errors
    /// A handshake fails.
    pub fn new(flows: usize) -> Result<Self, PerfError> {
        let tunnels = (0..flows).map(tunnel).collect::<Result<_, _>>()?;
        Ok(BoringTun { tunnels, room: vec![0; ROOM] })
    }
}

/// Opens a tunnel, and returns its two ends.
fn tunnel(flow: usize) -> Result<(Tunn, Tunn), PerfError> {
    let secret = |role: u8| {
        let mut bytes = [role; 32];
        bytes[..8].copy_from_slice(&flow.to_le_bytes());
        StaticSecret::from(bytes)
    };
    let (one, other) = (secret(1), secret(2));
    let (public_one, public_other) = (PublicKey::from(&one), PublicKey::from(&other));
    let mut client = Tunn::new(one, public_other, None, None, flow as u32, None);
    let mut server = Tunn::new(other, public_one, None, None, flow as u32, None);
    let mut message = match client.format_handshake_initiation(&mut [0; 2048], false) {
        TunnResult::WriteToNetwork(bytes) => bytes.to_vec(),
        other => return Err(failed(format!("a handshake begins with {other:?}"))),
    };
    for turn in 0..3 {
        let end = if turn % 2 == 0 { &mut server } else { &mut client };
        message = match end.decapsulate(None, &message, &mut [0; 2048]) {
            TunnResult::WriteToNetwork(bytes) => bytes.to_vec(),
            TunnResult::Done => return Ok((client, server)),
            other => return Err(failed(format!("a handshake goes on with {other:?}"))),
        };
    }
    Err(failed("the handshake does not end"))
}

impl OwnPath for BoringTun {
    fn name(&self) -> &'static str {
        "boringtun"
    }

    fn kernel(&self) -> String {
        "encapsulate, decapsulate".to_owned()
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
        let end = &mut self.tunnels[flow].0;
        match end.encapsulate(&buffer[range.clone()], &mut self.room) {
            TunnResult::WriteToNetwork(bytes) => {
                buffer[range.start..range.start + bytes.len()].copy_from_slice(bytes);
                Ok(range.start..range.start + bytes.len())
            }
            other => Err(failed(format!("encapsulate returns {other:?}"))),
        }
    }

    fn unprotect(
        &mut self,
        flow: usize,
        buffer: &mut [u8],
        range: Range<usize>,
    ) -> Result<Range<usize>, PerfError> {
        let end = &mut self.tunnels[flow].1;
        match end.decapsulate(None, &buffer[range.clone()], &mut self.room) {
            TunnResult::WriteToTunnelV4(bytes, _) => {
                buffer[range.start..range.start + bytes.len()].copy_from_slice(bytes);
                Ok(range.start..range.start + bytes.len())
            }
            other => Err(failed(format!("decapsulate returns {other:?}"))),
        }
    }
}
