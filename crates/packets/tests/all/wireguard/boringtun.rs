//! Tunnels whose other end is boringtun.

use boringtun::noise::errors::WireGuardError;
use boringtun::noise::{Tunn, TunnResult};
use boringtun::x25519::{PublicKey, StaticSecret};
use broadloom_packets::PacketError;
use broadloom_packets::wireguard::{WireGuardFlow, trimmed_len};

use super::handshake::Handshake;
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
    /// It refuses the message.
    Refused(String),
}

impl From<TunnResult<'_>> for Made {
    fn from(result: TunnResult<'_>) -> Self {
        match result {
            TunnResult::WriteToTunnelV4(packet, _) => Made::Packet(packet.to_vec()),
            TunnResult::WriteToTunnelV6(packet, _) => Made::Packet(packet.to_vec()),
            TunnResult::WriteToNetwork(message) => Made::Message(message.to_vec()),
            TunnResult::Done => Made::Nothing,
            TunnResult::Err(error) => refused(&error),
        }
    }
}

fn refused(error: &WireGuardError) -> Made {
    Made::Refused(format!("{error:?}"))
}

/// Gives boringtun a message.
fn receives(peer: &mut Tunn, message: &[u8]) -> Made {
    peer.decapsulate(None, message, &mut vec![0; message.len().max(256)]).into()
}

/// Has boringtun send an IP packet, and returns its message.
fn sends(peer: &mut Tunn, packet: &[u8]) -> Vec<u8> {
    match peer.encapsulate(packet, &mut vec![0; packet.len() + 32]).into() {
        Made::Message(message) => message,
        other => panic!("{other:?}"),
    }
}

/// Returns our end of a tunnel, and boringtun at the other one, after a handshake that we or
/// boringtun began.
fn tunnel(initiates: bool, shared: Option<[u8; 32]>) -> (WireGuardFlow, Tunn) {
    let (own, other) = (StaticSecret::from([1; 32]), StaticSecret::from([2; 32]));
    let (own_public, public) = (PublicKey::from(&own), PublicKey::from(&other));
    let mut peer = Tunn::new(other, own_public, shared, None, 7, None);
    let shared = shared.unwrap_or_default();
    let mut handshake = Handshake::new(&own, public, &shared, OWN_INDEX, initiates);
    let open = |agreed: super::handshake::Agreed| {
        let super::handshake::Agreed { send_key, receive_key, peer_index } = agreed;
        WireGuardFlow::new(&registry(), &send_key, peer_index, &receive_key, OWN_INDEX)
            .expect("native has it")
    };
    if initiates {
        let Made::Message(response) = receives(&mut peer, &handshake.initiation()) else {
            panic!("boringtun answers an initiation");
        };
        let flow = open(handshake.agreed(&response));
        // The initiator sends first (section 5.1): an empty packet confirms the keys.
        let confirms = protect(&flow, &[Vec::new()]);
        assert_eq!(receives(&mut peer, &confirms[0]), Made::Nothing);
        return (flow, peer);
    }
    let initiation: Made = peer.format_handshake_initiation(&mut [0; 256], false).into();
    let Made::Message(initiation) = initiation else { panic!("{initiation:?}") };
    let (response, agreed) = handshake.response(&initiation);
    let Made::Message(confirms) = receives(&mut peer, &response) else {
        panic!("boringtun confirms the keys");
    };
    let flow = open(agreed);
    assert_eq!(WireGuardFlow::receiver_index(&confirms), Some(OWN_INDEX));
    assert_eq!(unprotect(&flow, &[confirms]), [Ok(Vec::new())], "it is empty");
    (flow, peer)
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
fn tunnels() -> impl Iterator<Item = (WireGuardFlow, Tunn)> {
    [(true, None), (true, Some([9; 32])), (false, None), (false, Some([9; 32]))]
        .into_iter()
        .map(|(initiates, shared)| tunnel(initiates, shared))
}

#[test]
fn boringtun_delivers_our_packets() {
    for (flow, mut peer) in tunnels() {
        let packets: Vec<_> = (20..200).chain([1420, 1500, 9000]).map(ip_packet).collect();
        let mut sent: Vec<_> = protect(&flow, &packets).into_iter().zip(&packets).collect();
        // They arrive in another order, and then again.
        sent.chunks_mut(7).for_each(<[_]>::reverse);
        for (message, packet) in &sent {
            assert_eq!(receives(&mut peer, message), Made::Packet(packet.to_vec()));
        }
        let again = refused(&WireGuardError::DuplicateCounter);
        for (message, _) in &sent[sent.len() - 7..] {
            assert_eq!(receives(&mut peer, message), again);
        }
        let keepalive = protect(&flow, &[Vec::new()]);
        assert_eq!(receives(&mut peer, &keepalive[0]), Made::Nothing);
    }
}

#[test]
fn we_deliver_packets_of_boringtun() {
    for (flow, mut peer) in tunnels() {
        let packets: Vec<_> = (20..200).chain([1420, 1500, 9000]).map(ip_packet).collect();
        let mut sent: Vec<_> = packets.iter().map(|packet| sends(&mut peer, packet)).collect();
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
    let (flow, mut peer) = tunnel(true, None);
    let (packet, wrong_tag) = (ip_packet(64), refused(&WireGuardError::InvalidAeadTag));
    let ours = protect(&flow, std::slice::from_ref(&packet)).remove(0);
    let theirs = sends(&mut peer, &packet);
    for byte in 16..ours.len() {
        let mut damaged = ours.clone();
        damaged[byte] ^= 1;
        assert_eq!(receives(&mut peer, &damaged), wrong_tag, "byte {byte}");
    }
    for byte in 16..theirs.len() {
        let mut damaged = theirs.clone();
        damaged[byte] ^= 1;
        assert_eq!(unprotect(&flow, &[damaged]), [Err(PacketError::Integrity)], "byte {byte}");
    }
    assert_eq!(receives(&mut peer, &ours), Made::Packet(packet.clone()));
    let received = unprotect(&flow, &[theirs]).remove(0).expect("it is authentic");
    assert_eq!(received[..packet.len()], packet);
}
