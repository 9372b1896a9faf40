//! Our records of TLS 1.3, of many connections in a burst.

use std::io::Write;
use std::mem;
use std::net::TcpStream;
use std::ops::Range;

use broadloom::Registry;
use broadloom_packets::tls::{
    HEADER, MAX_CONTENT, RecordAead, RecordKeys, Tls13Config, Tls13Flow, record_len,
};
use broadloom_packets::{Packet, PacketProcessor};

use super::failed;
use super::options::By;
use super::side::{CHECKED, Side, TAIL, wire_len};
use crate::error::PerfError;

/// Bytes of the records of a burst: what the second cache has room for.
const BURST_BYTES: usize = 256 << 10;

/// Records of a burst.
const BURST_RECORDS: usize = 64;

/// Our sender, with the keys of all connections.
pub(super) struct Records<'w> {
    streams: &'w [TcpStream],
    flows: Vec<Tls13Flow>,
    receivers: Receivers,
    processor: PacketProcessor,
    /// Where the records of a burst are made, those of a write in a row.
    arena: Vec<u8>,
}

impl<'w> Records<'w> {
    /// Opens the flows of all connections.
    ///
    /// # Errors
    /// No provider has the algorithm.
    pub fn new(registry: &Registry, streams: &'w [TcpStream]) -> Result<Self, PerfError> {
        let flow = |number| flow(registry, RecordKeys::Secret(&secret(number)));
        let receivers = (0..streams.len().min(CHECKED)).map(flow);
        Ok(Records {
            streams,
            receivers: Receivers::new(receivers.collect::<Result<_, _>>()?),
            flows: (0..streams.len()).map(flow).collect::<Result<_, _>>()?,
            processor: PacketProcessor::new(),
            arena: Vec::new(),
        })
    }

    /// Makes the records of a burst, and sends them.
    fn send(&mut self, connections: Range<usize>, text: &[u8]) -> Result<(), PerfError> {
        let mut packets = Vec::with_capacity(BURST_RECORDS);
        let mut room = self.arena.as_mut_slice();
        for flow in &self.flows[connections.clone()] {
            for piece in text.chunks(MAX_CONTENT) {
                let (record, rest) = mem::take(&mut room).split_at_mut(HEADER + piece.len() + TAIL);
                room = rest;
                let content = HEADER..HEADER + piece.len();
                record[content.clone()].copy_from_slice(piece);
                packets.push(Packet::new(flow, record, content));
            }
        }
        let outcome = self.processor.protect_burst(&mut packets);
        if outcome.refused > 0 {
            let refused = packets.iter().find_map(|packet| packet.status()?.err());
            return Err(failed(refused.map_or_else(String::new, |error| error.to_string())));
        }
        drop(packets);
        let records = self.arena.chunks(wire_len(By::Records, text.len()));
        for (mut stream, records) in self.streams[connections].iter().zip(records) {
            stream.write_all(records).map_err(failed)?;
        }
        Ok(())
    }
}

impl Side for Records<'_> {
    fn by(&self) -> By {
        By::Records
    }

    fn burst(&self, write: usize) -> usize {
        let records = write.div_ceil(MAX_CONTENT);
        (BURST_BYTES / write).min(BURST_RECORDS / records).clamp(1, self.streams.len())
    }

    fn write(&mut self, connections: Range<usize>, text: &[u8]) -> Result<(), PerfError> {
        let burst = self.burst(text.len());
        self.arena.resize(burst * wire_len(By::Records, text.len()), 0);
        for start in connections.clone().step_by(burst) {
            self.send(start..connections.end.min(start + burst), text)?;
        }
        Ok(())
    }

    fn text(&mut self, connection: usize, arrived: Vec<u8>) -> Result<Vec<u8>, PerfError> {
        self.receivers.text(connection, arrived)
    }
}

/// The receiving ends of the first connections.
pub(super) struct Receivers {
    flows: Vec<Tls13Flow>,
    processor: PacketProcessor,
}

impl Receivers {
    /// Receives by these flows.
    pub fn new(flows: Vec<Tls13Flow>) -> Receivers {
        Receivers { flows, processor: PacketProcessor::new() }
    }

    /// Returns the text of the records that arrived on a connection.
    ///
    /// # Errors
    /// They are not whole, or a record is refused.
    pub fn text(&mut self, connection: usize, mut arrived: Vec<u8>) -> Result<Vec<u8>, PerfError> {
        let (mut text, mut rest) = (Vec::new(), arrived.as_mut_slice());
        while !rest.is_empty() {
            let len = record_len(rest).filter(|len| *len <= rest.len());
            let len = len.ok_or_else(|| failed("the last record is not complete"))?;
            let (record, after) = mem::take(&mut rest).split_at_mut(len);
            rest = after;
            let mut packet = [Packet::new(&self.flows[connection], record, 0..len)];
            self.processor.unprotect_burst(&mut packet);
            match packet[0].status() {
                Some(Ok(())) => text.extend_from_slice(packet[0].bytes()),
                Some(Err(error)) => return Err(failed(error)),
                None => return Err(failed("a record was not done")),
            }
        }
        Ok(text)
    }
}

/// Opens a flow that has the same keys for both directions, of which one is used.
pub(super) fn flow(registry: &Registry, keys: RecordKeys<'_>) -> Result<Tls13Flow, PerfError> {
    let config = Tls13Config {
        aead: RecordAead::Aes128Gcm,
        write: keys,
        write_number: 0,
        read: keys,
        read_number: 0,
    };
    Tls13Flow::new(registry, &config).map_err(failed)
}

/// Returns the traffic secret of a connection.
fn secret(connection: usize) -> [u8; 32] {
    let mut secret = [7; 32];
    secret[..8].copy_from_slice(&(connection as u64).to_le_bytes());
    secret
}
