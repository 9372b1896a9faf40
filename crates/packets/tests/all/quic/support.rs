//! What the tests of QUIC share: hexadecimal text, flows of two ends, packets of each type.

use broadloom_packets::quic::{
    PacketType, QuicConfig, QuicFlow, QuicMeta, QuicSecrets, QuicSuite, QuicVersion,
};
use broadloom_packets::{Packet, PacketError, PacketProcessor};

use crate::support::{noise, packet, registry};

/// Returns the bytes that hexadecimal digits stand for; white space between them is ignored.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let value = |digit: u8| char::from(digit).to_digit(16).expect("a digit") as u8;
    digits.chunks(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}

/// The traffic secrets of both ends of a suite.
pub fn secrets(suite: QuicSuite) -> (Vec<u8>, Vec<u8>) {
    (noise(suite.secret_len(), 11), noise(suite.secret_len(), 12))
}

/// Opens the flows of a client and a server.
pub fn ends_of(config: &QuicConfig) -> (QuicFlow, QuicFlow) {
    let (client, server) = secrets(config.suite);
    let new = |secrets| QuicFlow::new(&registry(), config, secrets).expect("the secrets fit");
    (new(QuicSecrets::both(&client, &server)), new(QuicSecrets::both(&server, &client)))
}

/// Opens the flows of 1-RTT packets of version 1.
pub fn ends(suite: QuicSuite) -> (QuicFlow, QuicFlow) {
    ends_of(&QuicConfig::new(suite, QuicVersion::V1, PacketType::OneRtt))
}

/// Returns a 1-RTT packet with a connection ID of 8 bytes that is to be protected.
pub fn short(number_len: usize, payload: &[u8]) -> Vec<u8> {
    let mut plain = vec![0x40 | (number_len - 1) as u8];
    plain.extend([7; 8]);
    plain.extend(vec![0xaa; number_len]);
    plain.extend(payload);
    plain
}

/// What a packet came to: its payload and what its flow says of it, or why it was refused.
pub type Received = Result<(Vec<u8>, QuicMeta), PacketError>;

/// Protects packets, each with a number, and returns what is sent.
pub fn send(flow: &QuicFlow, plain: &[(u64, Vec<u8>)]) -> Vec<Result<Vec<u8>, PacketError>> {
    let with_number = |(number, plain): &(u64, Vec<u8>)| {
        packet(flow, plain).with_meta(QuicMeta::with_number(*number))
    };
    let mut packets: Vec<_> = plain.iter().map(with_number).collect();
    PacketProcessor::new().protect_burst(&mut packets);
    let sent = |packet: &Packet<'_, QuicFlow>| {
        packet.status().expect("it has a status").map(|()| packet.bytes().to_vec())
    };
    packets.iter().map(sent).collect()
}

/// Unprotects packets in one burst. One that is refused must have kept its header.
pub fn receive(flow: &QuicFlow, sent: &[Vec<u8>]) -> Vec<Received> {
    let mut packets: Vec<_> = sent.iter().map(|sent| packet(flow, sent)).collect();
    PacketProcessor::new().unprotect_burst(&mut packets);
    let received = |(packet, sent): (&Packet<'_, QuicFlow>, &Vec<u8>)| {
        let status = packet.status().expect("it has a status");
        if status.is_err() {
            assert_eq!(packet.bytes().len(), sent.len());
            // The header and the number are no payload.
            let header = sent.len().min(10);
            assert_eq!(packet.bytes()[..header], sent[..header], "{status:?}");
        }
        status.map(|()| (packet.bytes().to_vec(), packet.meta().clone()))
    };
    packets.iter().zip(sent).map(received).collect()
}
