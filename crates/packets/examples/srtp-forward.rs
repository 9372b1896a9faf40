//! Forwards SRTP as a media server does: packets of many streams come to one UDP port under the
//! keys of their sender, and leave under the keys of the receiver.
//!
//! ```sh
//! cargo run --release -p broadloom-packets --example srtp-forward
//! cargo run --release -p broadloom-packets --example srtp-forward -- \
//!     PROFILE KEY LISTEN PROFILE KEY RECEIVER
//! ```
//!
//! Without arguments it sends itself 63 streams on the loopback interface, forwards them from
//! AES-CM and HMAC-SHA1 to AES-GCM, and checks what arrives. With arguments it forwards until it is
//! stopped: first the profile, the master key and its salt (in hexadecimal digits) and the address
//! to receive with, and then those to send with. RTP and RTCP share the ports.

use std::collections::HashSet;
use std::error::Error;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use broadloom_engine::Registry;
use broadloom_lanes::Cpu;
use broadloom_packets::srtp::{MasterKey, SrtpConfig, SrtpContext, SrtpProfile, SrtpSession};
use broadloom_packets::{Packet, PacketProcessor};

/// Packets that are read at most before they are protected together.
const BURST: usize = 64;

/// Bytes of a buffer: a packet of an Ethernet frame, and room for what the receiver's profile adds.
const BUFFER: usize = 2048;

/// Bytes of a buffer that stay free for the receiver's tag.
const ROOM: usize = 64;

/// The most streams of a session.
const STREAMS: usize = 10_000;

/// Packets of each stream that the demonstration sends.
const ROUNDS: u16 = 100;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => demonstrate(),
        [from_profile, from_key, listen, to_profile, to_key, receiver] => {
            let from = session(from_profile, from_key)?;
            let to = session(to_profile, to_key)?;
            let socket = UdpSocket::bind(listen)?;
            let mut forwarder = Forwarder::new(from, to, receiver.parse()?);
            loop {
                forwarder.forward(&socket)?;
                println!("{} packets forwarded, {} refused", forwarder.sent, forwarder.refused);
            }
        }
        _ => Err("usage: srtp-forward [PROFILE KEY LISTEN PROFILE KEY RECEIVER]".into()),
    }
}

/// Returns a session of a profile, whose master key and salt follow each other in `key`.
fn session(profile: &str, key: &str) -> Result<SrtpSession, Failure> {
    let profile: SrtpProfile = profile.parse()?;
    let bytes = hex(key).ok_or("a key has two hexadecimal digits for each byte")?;
    let expected = profile.key_len() + profile.salt_len();
    if bytes.len() != expected {
        let given = bytes.len();
        return Err(format!("{profile} takes {expected} bytes of key and salt, not {given}").into());
    }
    let (key, salt) = bytes.split_at(profile.key_len());
    let config = SrtpConfig::new(profile, [MasterKey::new(key, salt)]);
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));
    let context = SrtpContext::new(&registry, &config)?;
    Ok(SrtpSession::new(Arc::new(context), STREAMS))
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
        _ => None,
    };
    text.as_bytes().chunks(2).map(byte).collect()
}

/// What unprotects packets with one session and protects them with another.
struct Forwarder {
    from: SrtpSession,
    to: SrtpSession,
    receiver: SocketAddr,
    buffers: Vec<[u8; BUFFER]>,
    processor: PacketProcessor,
    /// Packets that were forwarded, and those that were refused.
    sent: usize,
    refused: usize,
}

impl Forwarder {
    fn new(from: SrtpSession, to: SrtpSession, receiver: SocketAddr) -> Self {
        let buffers = vec![[0; BUFFER]; BURST];
        let processor = PacketProcessor::new();
        Forwarder { from, to, receiver, buffers, processor, sent: 0, refused: 0 }
    }

    /// Waits for packets, and forwards all that are there.
    fn forward(&mut self, socket: &UdpSocket) -> io::Result<()> {
        let lens = receive(socket, &mut self.buffers)?;
        let mut incoming = packets(&self.from, &mut self.buffers, &lens);
        self.refused += self.processor.unprotect_burst(&mut incoming).refused;
        let authentic = incoming.into_iter().filter(Packet::succeeded);
        let mut outgoing: Vec<_> = authentic
            .map(|packet| {
                let (buffer, range) = packet.into_parts();
                Packet::new(&self.to, buffer, range)
            })
            .collect();
        self.refused += self.processor.protect_burst(&mut outgoing).refused;
        for packet in outgoing.iter().filter(|packet| packet.succeeded()) {
            socket.send_to(packet.bytes(), self.receiver)?;
            self.sent += 1;
        }
        Ok(())
    }
}

/// Returns the packets in the first of these buffers.
fn packets<'a>(
    session: &'a SrtpSession,
    buffers: &'a mut [[u8; BUFFER]],
    lens: &[usize],
) -> Vec<Packet<'a, SrtpSession>> {
    let packet = |(buffer, len): (&'a mut [u8; BUFFER], &usize)| {
        Packet::new(session, &mut buffer[..], 0..*len)
    };
    buffers.iter_mut().zip(lens).map(packet).collect()
}

/// Waits for a packet, reads as many as are there and have a buffer, and returns their lengths.
fn receive(socket: &UdpSocket, buffers: &mut [[u8; BUFFER]]) -> io::Result<Vec<usize>> {
    let mut lens = Vec::with_capacity(buffers.len());
    for buffer in buffers {
        match socket.recv_from(&mut buffer[..BUFFER - ROOM]) {
            Ok((len, _)) => lens.push(len),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && !lens.is_empty() => break,
            Err(error) => return Err(error),
        }
        // Only the first packet is waited for.
        if lens.len() == 1 {
            socket.set_nonblocking(true)?;
        }
    }
    socket.set_nonblocking(false)?;
    Ok(lens)
}

/// Sends streams to a forwarder on the loopback interface, and checks what it forwards.
fn demonstrate() -> Result<(), Failure> {
    let (cm, cm_key) = ("srtp-aes-128-cm-hmac-sha1-80", "0b".repeat(30));
    let (gcm, gcm_key) = ("srtp-aes-256-gcm", "c7".repeat(44));
    let bind = || -> io::Result<UdpSocket> {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.set_read_timeout(Some(Duration::from_secs(5)))?;
        Ok(socket)
    };
    let (sender, between, receiver) = (bind()?, bind()?, bind()?);
    let (from, to) = (session(cm, &cm_key)?, session(gcm, &gcm_key)?);
    let mut forwarder = Forwarder::new(from, to, receiver.local_addr()?);
    let (sending, receiving) = (session(cm, &cm_key)?, session(gcm, &gcm_key)?);
    let mut processor = PacketProcessor::new();
    let mut buffers = vec![[0; BUFFER]; BURST];
    let mut arrived = HashSet::new();
    for round in 1..=ROUNDS {
        // Each stream sends 20 ms of G.711, and a forged packet comes last.
        let mut outgoing: Vec<_> =
            (1..BURST as u32).map(|ssrc| audio(&sending, ssrc, round)).collect();
        processor.protect_burst(&mut outgoing);
        for packet in &outgoing {
            sender.send_to(packet.bytes(), between.local_addr()?)?;
        }
        sender.send_to(&[0x80; 182], between.local_addr()?)?;
        while forwarder.sent + forwarder.refused < usize::from(round) * BURST {
            forwarder.forward(&between)?;
        }
        let mut left = outgoing.len();
        while left > 0 {
            let lens = receive(&receiver, &mut buffers)?;
            left -= lens.len();
            let mut incoming = packets(&receiving, &mut buffers, &lens);
            processor.unprotect_burst(&mut incoming);
            let authentic = incoming.iter().filter(|packet| packet.succeeded());
            arrived.extend(authentic.map(|packet| packet.bytes()[2..12].to_vec()));
        }
    }
    println!("{} packets forwarded, {} refused", forwarder.sent, forwarder.refused);
    println!("{} packets of {} streams arrived", arrived.len(), receiving.len());
    let rounds = usize::from(ROUNDS);
    match arrived.len() == rounds * (BURST - 1) && forwarder.refused == rounds {
        true => Ok(()),
        false => Err("each stream's packets should arrive, and forged ones be refused".into()),
    }
}

/// Returns an RTP packet with 20 ms of silence, and room for its tag.
fn audio(session: &SrtpSession, ssrc: u32, sequence: u16) -> Packet<'_, SrtpSession> {
    let mut packet = vec![0x80, 0];
    packet.extend(sequence.to_be_bytes());
    packet.extend((u32::from(sequence) * 160).to_be_bytes());
    packet.extend(ssrc.to_be_bytes());
    packet.extend([0xff; 160]);
    let len = packet.len();
    packet.resize(len + ROOM, 0);
    Packet::new(session, packet, 0..len)
}
