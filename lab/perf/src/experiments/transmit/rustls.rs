//! rustls with aws-lc-rs, which gives records to be written to a socket.

use std::io::{Cursor, Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::{self, cipher_suite, sign::any_eddsa_type};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::server::AlwaysResolvesServerRawPublicKeys;
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, ServerConfig, ServerConnection,
    SignatureScheme,
};

use super::failed;
use super::options::By;
use super::side::{CHECKED, Side};
use crate::error::PerfError;

/// PKCS #8's form of a key of Ed25519 (RFC 8410), without its 32 bytes.
const KEY_FORM: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/// Connections that rustls makes the records for.
pub(super) struct Rustls<'w> {
    streams: &'w [TcpStream],
    clients: Vec<ClientConnection>,
    servers: Vec<ServerConnection>,
}

impl<'w> Rustls<'w> {
    /// Has the two ends of all connections agree on keys in memory.
    ///
    /// # Errors
    /// A handshake fails.
    pub fn new(streams: &'w [TcpStream]) -> Result<Self, PerfError> {
        let (client, server) = configs().map_err(failed)?;
        let (client, server) = (Arc::new(client), Arc::new(server));
        let (mut clients, mut servers) = (Vec::new(), Vec::new());
        for _ in streams {
            let name = ServerName::try_from("localhost").map_err(failed)?;
            let mut client = ClientConnection::new(Arc::clone(&client), name).map_err(failed)?;
            let mut server = ServerConnection::new(Arc::clone(&server)).map_err(failed)?;
            agree(&mut client, &mut server)?;
            client.set_buffer_limit(None);
            clients.push(client);
            if servers.len() < CHECKED {
                servers.push(server);
            }
        }
        Ok(Rustls { streams, clients, servers })
    }
}

/// Returns the configurations of both ends: TLS 1.3 with AES-128-GCM, and a bare key for the server
/// (RFC 7250), which the client takes as it is.
fn configs() -> Result<(ClientConfig, ServerConfig), Error> {
    let provider = Arc::new(CryptoProvider {
        cipher_suites: vec![cipher_suite::TLS13_AES_128_GCM_SHA256],
        ..aws_lc_rs::default_provider()
    });
    let key = any_eddsa_type(&PrivatePkcs8KeyDer::from([&KEY_FORM[..], &[7; 32]].concat()))?;
    let public = key.public_key().ok_or(Error::General("no public key".to_owned()))?;
    let public = CertificateDer::from(public.as_ref().to_vec());
    let certified = Arc::new(CertifiedKey::new(vec![public], key));
    let client = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyKey))
        .with_no_client_auth();
    let mut server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(certified)));
    server.send_tls13_tickets = 0;
    Ok((client, server))
}

/// Carries the handshake's messages between two ends.
fn agree(client: &mut ClientConnection, server: &mut ServerConnection) -> Result<(), PerfError> {
    while client.is_handshaking() || server.is_handshaking() {
        let mut bytes = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut bytes).map_err(failed)?;
        }
        let mut rest = Cursor::new(bytes);
        while server.read_tls(&mut rest).map_err(failed)? > 0 {
            server.process_new_packets().map_err(failed)?;
        }
        let mut bytes = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut bytes).map_err(failed)?;
        }
        let mut rest = Cursor::new(bytes);
        while client.read_tls(&mut rest).map_err(failed)? > 0 {
            client.process_new_packets().map_err(failed)?;
        }
    }
    Ok(())
}

impl Side for Rustls<'_> {
    fn by(&self) -> By {
        By::Rustls
    }

    fn kernel(&self) -> String {
        "aws-lc-rs".to_owned()
    }

    fn write(&mut self, connections: Range<usize>, text: &[u8]) -> Result<(), PerfError> {
        for (client, mut stream) in
            self.clients[connections.clone()].iter_mut().zip(&self.streams[connections])
        {
            client.writer().write_all(text).map_err(failed)?;
            while client.wants_write() {
                client.write_tls(&mut stream).map_err(failed)?;
            }
        }
        Ok(())
    }

    fn text(&mut self, connection: usize, arrived: Vec<u8>) -> Result<Vec<u8>, PerfError> {
        let server = &mut self.servers[connection];
        let (mut text, mut rest) = (Vec::new(), Cursor::new(arrived));
        while server.read_tls(&mut rest).map_err(failed)? > 0 {
            let state = server.process_new_packets().map_err(failed)?;
            let mut piece = vec![0; state.plaintext_bytes_to_read()];
            server.reader().read_exact(&mut piece).map_err(failed)?;
            text.extend_from_slice(&piece);
        }
        Ok(text)
    }
}

/// Takes any key: both ends are this program.
#[derive(Debug)]
struct AnyKey;

impl ServerCertVerifier for AnyKey {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
