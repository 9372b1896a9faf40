//! Connections of quinn-proto through a relay: Initial, Handshake and 1-RTT packets, with key
//! updates of both ends.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use broadloom_packets::quic::{PacketType, QuicSuite, Side};
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::{
    ClientConfig, Connection, ConnectionEvent, ConnectionHandle, DatagramEvent, Dir, Endpoint,
    EndpointConfig, ReadError, ServerConfig, StreamId,
};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{KeyLog, RootCertStore};

use super::relay::Relay;
use crate::secrets::LoggedSecrets;
use crate::support::noise;

/// How far the clocks of both ends go on between two exchanges.
const STEP: Duration = Duration::from_millis(20);

/// Exchanges after which an end may update its keys again.
const PAUSE: usize = 100;

/// One end of a connection.
struct End {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    /// Streams of the other end that have not ended.
    streams: Vec<StreamId>,
    /// What was read from such streams.
    read: Vec<u8>,
    peer: SocketAddr,
}

impl End {
    fn new(server: Option<ServerConfig>, peer: SocketAddr, greases: bool) -> Self {
        let mut config = EndpointConfig::default();
        config.grease_quic_bit(greases);
        let endpoint = Endpoint::new(Arc::new(config), server.map(Arc::new), true, None);
        End { endpoint, connection: None, streams: Vec::new(), read: Vec::new(), peer }
    }

    fn connection(&mut self) -> &mut Connection {
        &mut self.connection.as_mut().expect("there is a connection").1
    }

    /// Takes a datagram of the other end.
    fn receive(&mut self, now: Instant, datagram: &[u8]) {
        let mut answer = Vec::new();
        match self.endpoint.handle(now, self.peer, None, None, datagram.into(), &mut answer) {
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, now, &mut answer, None);
                self.connection = Some(accepted.map_err(|error| error.cause).expect("a client"));
            }
            Some(DatagramEvent::ConnectionEvent(_, event)) => self.handle(event),
            Some(DatagramEvent::Response(_)) | None => panic!("a datagram of another connection"),
        }
        assert!(answer.is_empty(), "the endpoint has nothing to say by itself");
    }

    fn handle(&mut self, event: ConnectionEvent) {
        self.connection().handle_event(event);
    }

    /// Returns the datagrams that are to be sent.
    fn send(&mut self, now: Instant) -> Vec<Vec<u8>> {
        let Some((handle, connection)) = &mut self.connection else { return Vec::new() };
        if connection.poll_timeout().is_some_and(|at| at <= now) {
            connection.handle_timeout(now);
        }
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while connection.poll().is_some() {}
        let (mut datagrams, mut bytes) = (Vec::new(), Vec::new());
        while let Some(sent) = connection.poll_transmit(now, 1, &mut bytes) {
            assert_eq!(sent.size, bytes.len(), "one datagram at a time");
            datagrams.push(std::mem::take(&mut bytes));
        }
        datagrams
    }

    /// Writes a text to a new stream, and ends it.
    fn write(&mut self, text: &[u8]) {
        let connection = self.connection();
        let id = connection.streams().open(Dir::Uni).expect("the peer allows a stream");
        let mut stream = connection.send_stream(id);
        assert_eq!(stream.write(text).expect("the stream is open"), text.len());
        stream.finish().expect("the stream is open");
    }

    /// Reads what there is.
    fn read(&mut self) {
        let Some((_, connection)) = &mut self.connection else { return };
        while let Some(id) = connection.streams().accept(Dir::Uni) {
            self.streams.push(id);
        }
        let read = &mut self.read;
        self.streams.retain(|id| {
            let mut stream = connection.recv_stream(*id);
            let mut chunks = stream.read(true).expect("the stream is open");
            let is_open = loop {
                match chunks.next(usize::MAX) {
                    Ok(Some(chunk)) => read.extend(&chunk.bytes[..]),
                    Ok(None) => break false,
                    Err(ReadError::Blocked) => break true,
                    Err(error) => panic!("{error}"),
                }
            };
            let _ = chunks.finalize();
            is_open
        });
    }
}

/// A connection whose ends have exchanged texts.
pub struct Session {
    /// What went through the relay.
    pub relay: Relay,
    /// The secrets of the connection.
    pub secrets: Arc<LoggedSecrets>,
    /// What the client wrote, and what the server wrote.
    pub texts: [Vec<u8>; 2],
}

/// Both ends, and the relay between them.
struct Pair {
    ends: [End; 2],
    now: Instant,
    relay: Relay,
    secrets: Arc<LoggedSecrets>,
}

impl Pair {
    fn new(suite: QuicSuite, greases: bool) -> Self {
        let secrets = Arc::new(LoggedSecrets::default());
        let (client, server) = configurations(suite, &secrets);
        let address = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let now = Instant::now();
        let client_end = End::new(None, address(443), greases);
        let server_end = End::new(Some(server), address(40_000), greases);
        let mut ends = [client_end, server_end];
        let connected = ends[0].endpoint.connect(now, client, address(443), "localhost");
        ends[0].connection = Some(connected.expect("the configuration is valid"));
        Pair { ends, now, relay: Relay::new(suite), secrets }
    }

    /// Lets each end send what it has, and returns `true` if one of them had something.
    fn exchange(&mut self) -> bool {
        self.now += STEP;
        let mut has_sent = false;
        for sender in [Side::Client, Side::Server] {
            let datagrams = self.ends[sender as usize].send(self.now);
            has_sent |= !datagrams.is_empty();
            let secrets = &self.secrets;
            let passed = self.relay.pass(sender, &datagrams, &|label| secrets.get(label));
            let receiver = &mut self.ends[1 - sender as usize];
            for datagram in passed {
                receiver.receive(self.now, &datagram);
            }
            receiver.read();
        }
        has_sent
    }
}

/// Connects two ends, and lets each write texts and update its keys. `greases` says whether some
/// packets have a zero for their fixed bit (RFC 9287).
pub fn session(suite: QuicSuite, greases: bool) -> Session {
    let mut pair = Pair::new(suite, greases);
    while pair.exchange() {}
    let mut texts = [Vec::new(), Vec::new()];
    for round in 0..4 {
        for writer in [Side::Client, Side::Server] {
            let text = noise(20_000, round * 2 + writer as u64);
            pair.ends[writer as usize].write(&text);
            texts[writer as usize].extend(text);
            (0..PAUSE).for_each(|_| _ = pair.exchange());
        }
        let updater = [Side::Client, Side::Server][round as usize % 2];
        if round < 3 {
            pair.ends[updater as usize].connection().force_key_update();
        }
    }
    for (reader, writer) in [(0, 1), (1, 0)] {
        assert!(pair.ends[reader].read == texts[writer], "end {reader} has read another text");
    }
    Session { relay: pair.relay, secrets: pair.secrets, texts }
}

/// Returns the configurations of both ends, which agree on a suite.
fn configurations(suite: QuicSuite, secrets: &Arc<LoggedSecrets>) -> (ClientConfig, ServerConfig) {
    let all = ring::default_provider();
    // Initial packets have their own suite, whatever the ends agree on.
    let initial = all.cipher_suites.iter().find_map(|one| match u16::from(one.suite()) {
        0x1301 => one.tls13().and_then(|suite| suite.quic_suite()),
        _ => None,
    });
    let initial = initial.expect("the provider has AES-128-GCM");
    let mut provider = all;
    provider.cipher_suites.retain(|one| u16::from(one.suite()) == suite.tls_number());
    let provider: Arc<CryptoProvider> = Arc::new(provider);
    let certificate = CertificateDer::from(&include_bytes!("../tls/certificate.der")[..]);
    let key = PrivateKeyDer::Pkcs8(include_bytes!("../tls/key.der")[..].into());
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("it is a certificate");
    let mut client = rustls::ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("the suite is one of TLS 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut server = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("the suite is one of TLS 1.3")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("the key is the certificate's");
    client.key_log = Arc::clone(secrets) as Arc<dyn KeyLog>;
    server.key_log = Arc::clone(secrets) as Arc<dyn KeyLog>;
    let client = QuicClientConfig::with_initial(Arc::new(client), initial);
    let server = QuicServerConfig::with_initial(Arc::new(server), initial);
    (
        ClientConfig::new(Arc::new(client.expect("the suite fits"))),
        ServerConfig::with_crypto(Arc::new(server.expect("the suite fits"))),
    )
}

#[test]
fn the_ends_of_quinn_understand_what_our_flows_protect() {
    for suite in [QuicSuite::Aes128Gcm, QuicSuite::Aes256Gcm, QuicSuite::ChaCha20Poly1305] {
        let relay = session(suite, true).relay;
        for packets in [PacketType::Initial, PacketType::Handshake, PacketType::OneRtt] {
            assert!(relay.passed[&packets] > 1, "{packets:?}: {:?}", relay.passed);
        }
        // The end that did not begin an update follows it. quinn also begins one by itself, after
        // a random number of packets.
        let [client, server] = [Side::Client, Side::Server].map(|sender| relay.updates(sender));
        assert!(client == server && client >= 3, "{client} and {server} updates");
    }
}
