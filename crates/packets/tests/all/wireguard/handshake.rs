//! WireGuard's handshake at our end, for the tests: the crate `snow` has its Noise pattern, and
//! here are the header and the MACs around each message (the protocol's whitepaper, section 5.4).

use blake2::Blake2sMac;
use blake2::digest::consts::U16;
use blake2::digest::{Digest, KeyInit, Mac};
use snow::{Builder, HandshakeState};

/// The pattern of Noise that WireGuard has.
const PATTERN: &str = "Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s";
const PROLOGUE: &[u8] = b"WireGuard v1 zx2c4 Jason@zx2c4.com";
/// What the key of a message's first MAC is derived from, together with the receiver's public key.
const LABEL: &[u8] = b"mac1----";

/// The types of messages, as they begin.
const INITIATION: [u8; 4] = [1, 0, 0, 0];
const RESPONSE: [u8; 4] = [2, 0, 0, 0];

/// Bytes of both MACs; the second one is only needed by a receiver under load.
const MACS: usize = 32;
/// Bytes of a whole response.
const RESPONSE_LEN: usize = 92;

/// Our end of a handshake.
pub struct Handshake {
    noise: HandshakeState,
    peer: [u8; 32],
    own_index: u32,
}

/// What a handshake comes to.
pub struct Agreed {
    pub send_key: [u8; 32],
    pub receive_key: [u8; 32],
    pub peer_index: u32,
}

impl Handshake {
    /// Begins at our end, as the initiator or as the responder.
    pub fn new(
        own: &[u8; 32],
        peer: [u8; 32],
        shared: &[u8; 32],
        own_index: u32,
        initiates: bool,
    ) -> Self {
        let noise = Builder::new(PATTERN.parse().expect("snow has the pattern"))
            .prologue(PROLOGUE)
            .and_then(|builder| builder.local_private_key(own))
            .and_then(|builder| builder.psk(2, shared));
        let noise = match initiates {
            true => noise
                .and_then(|builder| builder.remote_public_key(&peer))
                .and_then(Builder::build_initiator),
            false => noise.and_then(Builder::build_responder),
        };
        Handshake { noise: noise.expect("the keys fit"), peer, own_index }
    }

    /// Returns the message that asks for a session. Its payload is a time stamp (TAI64N).
    pub fn initiation(&mut self) -> Vec<u8> {
        let mut message = [INITIATION, self.own_index.to_le_bytes()].concat();
        let time = [&(1_u64 << 62 | 1).to_be_bytes()[..], &[0; 4]].concat();
        self.write(&mut message, &time);
        message
    }

    /// Reads the peer's initiation, and returns the message that answers it and what was agreed on.
    pub fn response(mut self, initiation: &[u8]) -> (Vec<u8>, Agreed) {
        assert_eq!(initiation[..4], INITIATION);
        let peer_index = index(&initiation[4..]);
        let body = &initiation[8..initiation.len() - MACS];
        self.noise.read_message(body, &mut [0; 64]).expect("it is authentic");
        assert_eq!(self.noise.get_remote_static(), Some(&self.peer[..]));
        let mut message = RESPONSE.to_vec();
        message.extend(self.own_index.to_le_bytes());
        message.extend(peer_index.to_le_bytes());
        self.write(&mut message, &[]);
        assert_eq!(message.len(), RESPONSE_LEN);
        let (receive_key, send_key) = self.noise.dangerously_get_raw_split();
        (message, Agreed { send_key, receive_key, peer_index })
    }

    /// Reads the peer's response, and returns what was agreed on.
    pub fn agreed(mut self, response: &[u8]) -> Agreed {
        assert_eq!((response.len(), &response[..4]), (RESPONSE_LEN, &RESPONSE[..]));
        assert_eq!(index(&response[8..]), self.own_index);
        let body = &response[12..RESPONSE_LEN - MACS];
        self.noise.read_message(body, &mut [0; 64]).expect("it is authentic");
        let (send_key, receive_key) = self.noise.dangerously_get_raw_split();
        Agreed { send_key, receive_key, peer_index: index(&response[4..]) }
    }

    /// Adds Noise's message and the MACs to a header.
    fn write(&mut self, message: &mut Vec<u8>, payload: &[u8]) {
        let mut body = [0; 256];
        let len = self.noise.write_message(payload, &mut body).expect("it is our turn");
        message.extend(&body[..len]);
        let key = blake2::Blake2s256::new().chain_update(LABEL).chain_update(self.peer);
        let mut mac = <Blake2sMac<U16> as KeyInit>::new_from_slice(&Digest::finalize(key))
            .expect("a key of 32 bytes");
        Mac::update(&mut mac, message);
        message.extend(mac.finalize().into_bytes());
        message.extend([0; 16]);
    }
}

/// Returns the index at the beginning of some bytes.
fn index(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(*bytes.first_chunk().expect("four bytes"))
}
