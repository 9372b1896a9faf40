//! Prints which server a captured Initial packet of QUIC asks for: the keys of Initial packets
//! follow from the packet itself.
//!
//! ```sh
//! cargo run -p broadloom-packets --example quic-initial < datagram.hex
//! ```
//!
//! The input is a client's first UDP datagram in hexadecimal digits.

use std::error::Error;
use std::io::Read;

use broadloom_engine::Registry;
use broadloom_lanes::Cpu;
use broadloom_packets::quic::{PacketKind, PacketType, QuicFlow, QuicVersion, Side, split};
use broadloom_packets::{Packet, PacketProcessor};

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let datagram = bytes(&text)?;
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));

    let mut handshake = Vec::new();
    for header in split(&datagram, 0) {
        let header = header?;
        let version = header.version.and_then(QuicVersion::from_number);
        let initial = PacketKind::Protected(PacketType::Initial);
        let Some(version) = version.filter(|_| header.kind == initial) else { continue };
        let flow = QuicFlow::initial(&registry, version, header.destination, Side::Server)?;
        let packet = datagram[header.range.clone()].to_vec();
        let mut packets = [Packet::new(&flow, packet, 0..header.range.len())];
        PacketProcessor::new().unprotect_burst(&mut packets);
        packets[0].status().ok_or("the packet was not processed")??;
        println!("version {version}, packet {}", packets[0].meta().number);
        gather(packets[0].bytes(), &mut handshake).ok_or("a frame is cut off or unexpected")?;
    }
    let name = server_name(&handshake).ok_or("there is no whole ClientHello with a name")?;
    println!("server name {}", String::from_utf8_lossy(name).escape_debug());
    Ok(())
}

/// Returns the bytes that hexadecimal digits stand for.
fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<char> = text.chars().filter(|one| !one.is_whitespace()).collect();
    if !digits.len().is_multiple_of(2) {
        return Err(format!("{} hexadecimal digits; an even number is needed", digits.len()));
    }
    let digit = |one: char| one.to_digit(16).ok_or(format!("{one:?} is no hexadecimal digit"));
    let pair = |pair: &[char]| Ok((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
    digits.chunks(2).map(pair).collect()
}

/// Takes `len` bytes from the front.
fn take<'b>(bytes: &mut &'b [u8], len: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(taken)
}

/// Takes a number of `len` bytes in big-endian order from the front.
fn number(bytes: &mut &[u8], len: usize) -> Option<u64> {
    Some(take(bytes, len)?.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

/// Takes a length or an offset of QUIC from the front (RFC 9000, 16); none is as large as 65,536.
fn integer(bytes: &mut &[u8]) -> Option<usize> {
    let len = 1 << (bytes.first()? >> 6);
    let value = number(bytes, len)? & (u64::MAX >> (64 - 8 * len + 2));
    u16::try_from(value).ok().map(usize::from)
}

/// Writes the content of CRYPTO frames to its place. The other frames of a client's first packet
/// are PADDING and PING.
fn gather(mut frames: &[u8], handshake: &mut Vec<u8>) -> Option<()> {
    while let Some(kind) = take(&mut frames, 1) {
        if kind[0] > 1 {
            let is_crypto = kind[0] == 6;
            let (offset, len) = (integer(&mut frames)?, integer(&mut frames)?);
            let content = take(&mut frames, len).filter(|_| is_crypto)?;
            handshake.resize(handshake.len().max(offset + len), 0);
            handshake[offset..offset + len].copy_from_slice(content);
        }
    }
    Some(())
}

/// Returns the server name of a ClientHello (RFC 8446, 4.1.2; RFC 6066, 3).
fn server_name(mut hello: &[u8]) -> Option<&[u8]> {
    let hello = &mut hello;
    // Type, length, version, random; then session ID, cipher suites, compression methods.
    take(hello, 4 + 2 + 32)?;
    for width in [1, 2, 1] {
        let len = number(hello, width)? as usize;
        take(hello, len)?;
    }
    number(hello, 2)?;
    loop {
        let (kind, len) = (number(hello, 2)?, number(hello, 2)? as usize);
        let mut content = take(hello, len)?;
        if kind == 0 {
            // The list's length, and the type of its first name.
            take(&mut content, 3)?;
            let len = number(&mut content, 2)? as usize;
            return take(&mut content, len);
        }
    }
}
