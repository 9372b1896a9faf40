//! The functions that open flows.

use std::net::IpAddr;
use std::sync::Arc;

use broadloom_packets::FlowError;
use broadloom_packets::dtls::{Dtls12Config, Dtls12Flow, Dtls13Config, Dtls13Flow};
use broadloom_packets::esp::{
    EspAlgorithm, EspConfig, EspFlow, EspKeys, Mode, Tunnel, UDP_PORT, UdpPorts,
};
use broadloom_packets::quic::{
    Numbers, PacketType, QuicConfig, QuicFlow, QuicSecrets, QuicSuite, QuicVersion, Side,
};
use broadloom_packets::records::{RecordCipher, RecordKeys, RecordSuite, RecordVersion};
use broadloom_packets::srtp::{MasterKey, SrtpConfig, SrtpContext, SrtpProfile, SrtpSession};
use broadloom_packets::tls::{Tls12Config, Tls12Flow, Tls13Config, Tls13Flow};
use broadloom_packets::wireguard::WireGuardFlow;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use zeroize::Zeroizing;

use super::{AnyFlow, Flow};
use crate::buffers::secret;
use crate::engine::{self, REGISTRY};
use crate::{arguments, error};

/// A key or another secret, to be wiped.
type Secret = Zeroizing<Vec<u8>>;

/// Gives Python a flow.
fn give(opened: Result<impl AnyFlow + 'static, FlowError>) -> PyResult<Flow> {
    opened.map(|flow| Flow(Box::new(flow))).map_err(error::value)
}

/// A secret that may be left out.
fn optional(given: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Secret> {
    given.map_or_else(|| Ok(Secret::default()), |given| secret(given, what))
}

/// The error for a word that stands for nothing.
fn no_such(what: &str, word: &str, valid: &str) -> PyErr {
    PyValueError::new_err(format!("{word:?} is no {what}; valid: {valid}"))
}

/// Opens one direction of a security association of ESP.
#[pyfunction]
#[pyo3(signature = (
    key, spi, algorithm, *, salt, integrity_key, direction, mode, source, destination, udp,
    extended, window, first_number
))]
#[expect(clippy::too_many_arguments, reason = "they are Python's, most of them by name")]
pub fn packets_esp(
    key: &Bound<'_, PyAny>,
    spi: u32,
    algorithm: &str,
    salt: Option<&Bound<'_, PyAny>>,
    integrity_key: Option<&Bound<'_, PyAny>>,
    direction: &str,
    mode: &str,
    source: Option<&str>,
    destination: Option<&str>,
    udp: bool,
    extended: bool,
    window: u32,
    first_number: u64,
) -> PyResult<Flow> {
    let algorithm: EspAlgorithm = algorithm.parse().map_err(error::value)?;
    let unprotects = match direction {
        "protect" => false,
        "unprotect" => true,
        other => return Err(no_such("direction", other, "protect, unprotect")),
    };
    let mode = match (mode, source, destination) {
        ("payload", None, None) => Mode::Payload,
        ("transport", None, None) => Mode::Transport,
        ("tunnel", Some(source), Some(destination)) => {
            Mode::Tunnel(Tunnel::new(address(source)?, address(destination)?))
        }
        ("payload" | "transport" | "tunnel", ..) => {
            let message = "source and destination are for mode tunnel, which needs both";
            return Err(PyValueError::new_err(message));
        }
        (other, ..) => return Err(no_such("mode", other, "payload, transport, tunnel")),
    };
    // Address translation may change the port that packets come from.
    let udp = udp.then_some(UdpPorts {
        source: if unprotects { 0 } else { UDP_PORT },
        destination: UDP_PORT,
    });
    engine::with_secrets(|| {
        let (key, salt) = (arguments::key(key)?, optional(salt, "salt")?);
        let integrity = optional(integrity_key, "integrity_key")?;
        let keys = EspKeys { key: &key, salt: &salt, integrity: &integrity };
        let config = EspConfig {
            mode,
            udp,
            extended,
            window,
            first: first_number,
            ..EspConfig::new(algorithm, keys, spi)
        };
        let open = if unprotects { EspFlow::inbound } else { EspFlow::outbound };
        give(open(&REGISTRY, &config))
    })
}

fn address(text: &str) -> PyResult<IpAddr> {
    text.parse().map_err(|_| no_such("address", text, "IPv4 and IPv6"))
}

/// Opens all streams of one direction of an SRTP session.
#[pyfunction]
#[pyo3(signature = (key, salt, profile, *, mki, window, max_streams, cryptex, plain_rtcp))]
#[expect(clippy::too_many_arguments, reason = "they are Python's, most of them by name")]
pub fn packets_srtp(
    key: &Bound<'_, PyAny>,
    salt: &Bound<'_, PyAny>,
    profile: &str,
    mki: &[u8],
    window: u32,
    max_streams: usize,
    cryptex: bool,
    plain_rtcp: bool,
) -> PyResult<Flow> {
    let profile: SrtpProfile = profile.parse().map_err(error::value)?;
    engine::with_secrets(|| {
        let (key, salt) = (arguments::key(key)?, secret(salt, "salt")?);
        let mut config = SrtpConfig::new(profile, [MasterKey::new(&key, &salt).with_mki(mki)]);
        config.window = window;
        config.cryptex = cryptex;
        config.encrypts_rtcp = !plain_rtcp;
        let context = SrtpContext::new(&REGISTRY, &config);
        give(context.map(|context| SrtpSession::new(Arc::new(context), max_streams)))
    })
}

/// The version of QUIC that a number stands for.
fn quic_version(number: u32) -> PyResult<QuicVersion> {
    match number {
        1 => Ok(QuicVersion::V1),
        2 => Ok(QuicVersion::V2),
        other => Err(no_such("version of QUIC", &other.to_string(), "1, 2")),
    }
}

/// Opens the packets of one type of a connection of QUIC.
#[pyfunction]
#[pyo3(signature = (
    suite, *, send, receive, version, packets, peer_id_len, own_id_len, given_numbers, window
))]
#[expect(clippy::too_many_arguments, reason = "they are Python's, most of them by name")]
pub fn packets_quic(
    suite: &str,
    send: Option<&Bound<'_, PyAny>>,
    receive: Option<&Bound<'_, PyAny>>,
    version: u32,
    packets: &str,
    peer_id_len: usize,
    own_id_len: usize,
    given_numbers: bool,
    window: u32,
) -> PyResult<Flow> {
    let suite: QuicSuite = suite.parse().map_err(error::value)?;
    let packets = match packets {
        "1-rtt" => PacketType::OneRtt,
        "handshake" => PacketType::Handshake,
        "0-rtt" => PacketType::ZeroRtt,
        "initial" => PacketType::Initial,
        other => {
            let valid = "1-rtt, handshake, 0-rtt, initial";
            return Err(no_such("type of packets", other, valid));
        }
    };
    let mut config = QuicConfig::new(suite, quic_version(version)?, packets);
    (config.peer_id_len, config.own_id_len, config.window) = (peer_id_len, own_id_len, window);
    if given_numbers {
        config.numbers = Numbers::Given;
    }
    engine::with_secrets(|| {
        let send = send.map(|given| secret(given, "send")).transpose()?;
        let receive = receive.map(|given| secret(given, "receive")).transpose()?;
        let secrets = QuicSecrets {
            send: send.as_ref().map(|secret| &secret[..]),
            receive: receive.as_ref().map(|secret| &secret[..]),
        };
        give(QuicFlow::new(&REGISTRY, &config, secrets))
    })
}

/// Opens the Initial packets of a connection of QUIC.
#[pyfunction]
#[pyo3(signature = (connection_id, *, is_server, version))]
pub fn packets_quic_initial(connection_id: &[u8], is_server: bool, version: u32) -> PyResult<Flow> {
    let side = if is_server { Side::Server } else { Side::Client };
    give(QuicFlow::initial(&REGISTRY, quic_version(version)?, connection_id, side))
}

/// Opens both directions of a peer of WireGuard.
#[pyfunction]
pub fn packets_wireguard(
    send_key: &Bound<'_, PyAny>,
    peer_index: u32,
    receive_key: &Bound<'_, PyAny>,
    own_index: u32,
) -> PyResult<Flow> {
    engine::with_secrets(|| {
        let (send, receive) = (secret(send_key, "send_key")?, secret(receive_key, "receive_key")?);
        let [send, receive] =
            [("send_key", &send), ("receive_key", &receive)].map(|(what, key)| {
                key[..].try_into().map_err(|_| {
                    PyValueError::new_err(format!("{what} has {} bytes; valid: 32", key.len()))
                })
            });
        give(WireGuardFlow::new(&REGISTRY, send?, peer_index, receive?, own_index))
    })
}

/// The secret of a direction, or its key and what goes with the key.
struct Keys(Secret, Option<Secret>);

impl Keys {
    fn new(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Keys> {
        let Ok(pair) = given.cast::<PyTuple>() else { return Ok(Keys(secret(given, what)?, None)) };
        let (key, other): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        Ok(Keys(secret(&key, what)?, Some(secret(&other, what)?)))
    }

    fn of(&self, cipher: RecordCipher) -> RecordKeys<'_> {
        match (self, cipher) {
            (Keys(secret, None), _) => RecordKeys::Secret(secret),
            (Keys(key, Some(iv)), RecordCipher::Aead(_)) => RecordKeys::Raw { key, iv },
            (Keys(key, Some(mac_key)), _) => RecordKeys::CipherAndMac { key, mac_key },
        }
    }
}

/// Opens the records of a connection of TLS or DTLS, in both directions.
#[pyfunction]
#[pyo3(signature = (suite, write, read, *, write_number, read_number, epoch, window))]
pub fn packets_records(
    suite: &str,
    write: &Bound<'_, PyAny>,
    read: &Bound<'_, PyAny>,
    write_number: u64,
    read_number: u64,
    epoch: u64,
    window: u32,
) -> PyResult<Flow> {
    let suite: RecordSuite = suite.parse().map_err(error::value)?;
    engine::with_secrets(|| {
        let (write, read) = (Keys::new(write, "write")?, Keys::new(read, "read")?);
        let keys = (write.of(suite.cipher), read.of(suite.cipher));
        open_records(suite, keys, (write_number, read_number), epoch, window)
    })
}

fn open_records(
    suite: RecordSuite,
    (write, read): (RecordKeys<'_>, RecordKeys<'_>),
    (write_number, read_number): (u64, u64),
    epoch: u64,
    window: u32,
) -> PyResult<Flow> {
    match (suite.version, suite.cipher) {
        (RecordVersion::Tls12, cipher) => {
            let config = Tls12Config { cipher, write, write_number, read, read_number };
            give(Tls12Flow::new(&REGISTRY, &config))
        }
        (RecordVersion::Tls13, RecordCipher::Aead(aead)) => {
            let config = Tls13Config { aead, write, write_number, read, read_number };
            give(Tls13Flow::new(&REGISTRY, &config))
        }
        (RecordVersion::Dtls12, cipher) => {
            let (write_id, read_id): (&[u8], &[u8]) = (&[], &[]);
            let epoch = u16::try_from(epoch)
                .map_err(|_| no_such("epoch of DTLS 1.2", &epoch.to_string(), "0 to 65535"))?;
            let config = Dtls12Config {
                cipher,
                write,
                write_number,
                read,
                epoch,
                window,
                write_id,
                read_id,
            };
            give(Dtls12Flow::new(&REGISTRY, &config))
        }
        (RecordVersion::Dtls13, RecordCipher::Aead(aead)) => {
            let (RecordKeys::Secret(write_secret), RecordKeys::Secret(read_secret)) = (write, read)
            else {
                return Err(PyValueError::new_err("DTLS 1.3 takes a secret for each direction"));
            };
            let config = Dtls13Config {
                aead,
                write_secret,
                write_epoch: epoch,
                write_number,
                read_secret,
                read_epoch: epoch,
                window,
                write_id: &[],
                read_id: &[],
                long_numbers: true,
                lengths: true,
            };
            give(Dtls13Flow::new(&REGISTRY, &config))
        }
        (_, RecordCipher::MacThenCbc(_) | RecordCipher::CbcThenMac(_)) => {
            unreachable!("only version 1.2 has suites with AES-CBC")
        }
    }
}
