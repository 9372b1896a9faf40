//! Tunnels whose other end is boringtun.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use broadloom_packets::PacketError;
use broadloom_packets::wireguard::{WireGuardFlow, trimmed_len};
use broadloom_testing::present;
use x25519_dalek::{X25519_BASEPOINT_BYTES, x25519};

use super::handshake::{Agreed, Handshake};
use crate::esp::hex;
use crate::secrets::digits;
use crate::support::{noise, protect, registry, unprotect};

/// The index by which the peer knows our end.
const OWN_INDEX: u32 = 0x0102_0304;

/// What boringtun makes of a message.
#[derive(Debug, PartialEq)]
enum Made {
    /// An IP packet for its tunnel.
    Packet(Vec<u8>),
    /// A message for the other end.
    Message(Vec<u8>),
    /// Nothing: the message was a keepalive.
    Nothing,
    /// It refuses the message, with an error of this name.
    Refused(String),
}

fn refused(error: &str) -> Made {
    Made::Refused(error.to_owned())
}

/// The other end of a tunnel: boringtun in a process of its own, which ends when its input does.
/// `tests/boringtun/src/main.rs` has the lines that it reads and writes.
struct Peer {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts the program; `None` if `tests/build-boringtun` has not built it.
    fn new(secret: &[u8; 32], public: &[u8; 32], shared: Option<[u8; 32]>) -> Option<Peer> {
        let builds = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a folder of builds");
        let process = Command::new(builds.join("tools/boringtun/bin/boringtun-peer"))
            .args([secret, public].into_iter().chain(&shared).map(|key| digits(key)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let reason = |error| format!("{error}: crates/packets/tests/build-boringtun builds it");
        let mut process = present("a tunnel to boringtun", process.map_err(reason))?;
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        Some(Peer { input: process.stdin.take(), output, process })
    }

    /// Gives boringtun a command, and returns its answer.
    fn answers(&mut self, command: &str, given: &[u8]) -> Made {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{command} {}", digits(given)).expect("boringtun reads it");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("boringtun answers");
        let (what, rest) = answer.trim_end().split_once(' ').unwrap_or((answer.trim_end(), ""));
        match what {
            "packet" => Made::Packet(hex(rest)),
            "message" => Made::Message(hex(rest)),
            "nothing" => Made::Nothing,
            "refused" => refused(rest),
            _ => panic!("boringtun answers: {answer:?}"),
        }
    }

    /// Gives boringtun a message.
    fn receives(&mut self, message: &[u8]) -> Made {
        self.answers("receive", message)
    }

    /// Has boringtun send an IP packet, and returns its message.
    fn sends(&mut self, packet: &[u8]) -> Vec<u8> {
        match self.answers("send", packet) {
            Made::Message(message) => message,
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.input.take());
        let status = self.process.wait();
        let has_ended_well = status.as_ref().is_ok_and(|status| status.success());
        assert!(has_ended_well || std::thread::panicking(), "boringtun: {status:?}");
    }
}

/// Returns our end of a tunnel, and boringtun at the other one, after a handshake that we or
/// boringtun began; `None` if there is no boringtun.
fn tunnel(initiates: bool, shared: Option<[u8; 32]>) -> Option<(WireGuardFlow, Peer)> {
    let (own, other) = ([1; 32], [2; 32]);
    let [own_public, public] = [own, other].map(|secret| x25519(secret, X25519_BASEPOINT_BYTES));
    let mut peer = Peer::new(&other, &own_public, shared)?;
    let shared = shared.unwrap_or_default();
    let mut handshake = Handshake::new(&own, public, &shared, OWN_INDEX, initiates);
    let open = |Agreed { send_key, receive_key, peer_index }| {
        WireGuardFlow::new(&registry(), &send_key, peer_index, &receive_key, OWN_INDEX)
            .expect("native has it")
    };
    if initiates {
        let Made::Message(response) = peer.receives(&handshake.initiation()) else {
            panic!("boringtun answers an initiation");
        };
        let flow = open(handshake.agreed(&response));
        // The initiator sends first (section 5.1): an empty packet confirms the keys.
        let confirms = protect(&flow, &[Vec::new()]);
        assert_eq!(peer.receives(&confirms[0]), Made::Nothing);
        return Some((flow, peer));
    }
    let Made::Message(initiation) = peer.answers("initiate", &[]) else {
        panic!("boringtun begins a handshake");
    };
    let (response, agreed) = handshake.response(&initiation);
    let Made::Message(confirms) = peer.receives(&response) else {
        panic!("boringtun confirms the keys");
    };
    let flow = open(agreed);
    assert_eq!(WireGuardFlow::receiver_index(&confirms), Some(OWN_INDEX));
    assert_eq!(unprotect(&flow, &[confirms]), [Ok(Vec::new())], "it is empty");
    Some((flow, peer))
}

/// Returns an IP packet of a length, from 20 bytes on: of IPv6 if it is odd and long enough.
fn ip_packet(len: usize) -> Vec<u8> {
    let mut packet = noise(len, len as u64);
    if len % 2 == 1 && len >= 40 {
        packet[0] = 0x60;
        packet[4..6].copy_from_slice(&(len as u16 - 40).to_be_bytes());
    } else {
        packet[0] = 0x45;
        packet[2..4].copy_from_slice(&(len as u16).to_be_bytes());
    }
    packet
}

/// The tunnels that there are: who begins, with and without a key that both ends have before.
fn tunnels() -> impl Iterator<Item = (WireGuardFlow, Peer)> {
    [(true, None), (true, Some([9; 32])), (false, None), (false, Some([9; 32]))]
        .into_iter()
        .filter_map(|(initiates, shared)| tunnel(initiates, shared))
}

#[test]
fn boringtun_delivers_our_packets() {
    for (flow, mut peer) in tunnels() {
        let packets: Vec<_> = (20..200).chain([1420, 1500, 9000]).map(ip_packet).collect();
        let mut sent: Vec<_> = protect(&flow, &packets).into_iter().zip(&packets).collect();
        // They arrive in another order, and then again.
        sent.chunks_mut(7).for_each(<[_]>::reverse);
        for (message, packet) in &sent {
            assert_eq!(peer.receives(message), Made::Packet(packet.to_vec()));
        }
        let again = refused("DuplicateCounter");
        for (message, _) in &sent[sent.len() - 7..] {
            assert_eq!(peer.receives(message), again);
        }
        let keepalive = protect(&flow, &[Vec::new()]);
        assert_eq!(peer.receives(&keepalive[0]), Made::Nothing);
    }
}

#[test]
fn we_deliver_packets_of_boringtun() {
    for (flow, mut peer) in tunnels() {
        let packets: Vec<_> = (20..200).chain([1420, 1500, 9000]).map(ip_packet).collect();
        let mut sent: Vec<_> = packets.iter().map(|packet| peer.sends(packet)).collect();
        sent.reverse();
        for (received, packet) in unprotect(&flow, &sent).iter().zip(packets.iter().rev()) {
            let received = received.as_ref().expect("it is authentic");
            assert_eq!(trimmed_len(received), Some(packet.len()));
            assert_eq!(&received[..packet.len()], packet);
        }
        for again in unprotect(&flow, &sent) {
            assert!(matches!(again, Err(PacketError::Replay { .. })), "{again:?}");
        }
    }
}

#[test]
fn neither_end_takes_damaged_packets_of_the_other() {
    let Some((flow, mut peer)) = tunnel(true, None) else { return };
    let (packet, wrong_tag) = (ip_packet(64), refused("InvalidAeadTag"));
    let ours = protect(&flow, std::slice::from_ref(&packet)).remove(0);
    let theirs = peer.sends(&packet);
    for byte in 16..ours.len() {
        let mut damaged = ours.clone();
        damaged[byte] ^= 1;
        assert_eq!(peer.receives(&damaged), wrong_tag, "byte {byte}");
    }
    for byte in 16..theirs.len() {
        let mut damaged = theirs.clone();
        damaged[byte] ^= 1;
        assert_eq!(unprotect(&flow, &[damaged]), [Err(PacketError::Integrity)], "byte {byte}");
    }
    assert_eq!(peer.receives(&ours), Made::Packet(packet.clone()));
    let received = unprotect(&flow, &[theirs]).remove(0).expect("it is authentic");
    assert_eq!(received[..packet.len()], packet);
}
