//! Connections of rustls, whose keys are handed to our flows after the handshake.
//!
//! `certificate.der` and `key.der` were made for these tests alone:
//! `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500` with
//! `-subj /CN=localhost`, the name `DNS:localhost` and `CA:FALSE`.

use std::io::{Read, Write};
use std::sync::Arc;

use broadloom_packets::tls::{RecordAead, record_len};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    ClientConfig, ClientConnection, ConnectionTrafficSecrets, ExtractedSecrets, RootCertStore,
    ServerConfig, ServerConnection, SupportedCipherSuite, SupportedProtocolVersion,
};

use crate::secrets::LoggedSecrets;

/// A client after its handshake with a server, both of rustls.
pub struct Handshake {
    pub client: ClientConnection,
    pub server: ServerConnection,
    pub secrets: Arc<LoggedSecrets>,
    /// What the ends sent, each time with whether the server did.
    pub flights: Vec<(bool, Vec<u8>)>,
}

/// Shakes hands with one suite of one version.
pub fn handshake(
    suite: SupportedCipherSuite,
    version: &'static SupportedProtocolVersion,
) -> Handshake {
    let mut provider = rustls::crypto::ring::default_provider();
    provider.cipher_suites = vec![suite];
    let provider = Arc::new(provider);
    let certificate = CertificateDer::from(&include_bytes!("certificate.der")[..]);
    let key = PrivateKeyDer::Pkcs8(include_bytes!("key.der")[..].into());
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("it is a certificate");
    let secrets = Arc::new(LoggedSecrets::default());
    let mut client = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[version])
        .expect("the suite has this version")
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.enable_secret_extraction = true;
    client.key_log = Arc::clone(&secrets) as Arc<dyn rustls::KeyLog>;
    let server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .expect("the suite has this version")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("the key is the certificate's");
    let name = ServerName::try_from("localhost").expect("it is a name");
    let mut client = ClientConnection::new(Arc::new(client), name).expect("a client");
    let mut server = ServerConnection::new(Arc::new(server)).expect("a server");
    let mut flights = Vec::new();
    while client.wants_write() || server.wants_write() {
        let mut bytes = Vec::new();
        client.write_tls(&mut bytes).expect("memory can be written");
        give(&mut server, &bytes);
        flights.push((false, std::mem::take(&mut bytes)));
        server.write_tls(&mut bytes).expect("memory can be written");
        give(&mut client, &bytes);
        flights.push((true, bytes));
    }
    flights.retain(|(_, bytes)| !bytes.is_empty());
    assert!(!client.is_handshaking() && !server.is_handshaking());
    Handshake { client, server, secrets, flights }
}

/// Gives records to a connection.
fn give<Data>(connection: &mut rustls::ConnectionCommon<Data>, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        connection.read_tls(&mut bytes).expect("memory can be read");
        connection.process_new_packets().expect("the records are authentic");
    }
}

/// Takes a connection's secrets out: the next numbers, and keys of writing and reading.
pub fn extract(client: ClientConnection) -> ExtractedSecrets {
    client.dangerous_extract_secrets().expect("it allows that")
}

/// Returns the AEAD, the key and the IV of one direction.
pub fn keys(secrets: &ConnectionTrafficSecrets) -> (RecordAead, Vec<u8>, Vec<u8>) {
    let (aead, key, iv) = match secrets {
        ConnectionTrafficSecrets::Aes128Gcm { key, iv } => (RecordAead::Aes128Gcm, key, iv),
        ConnectionTrafficSecrets::Aes256Gcm { key, iv } => (RecordAead::Aes256Gcm, key, iv),
        ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => {
            (RecordAead::ChaCha20Poly1305, key, iv)
        }
        _ => panic!("the suite has another AEAD"),
    };
    (aead, key.as_ref().to_vec(), iv.as_ref().to_vec())
}

/// Has a server write texts, each in a record of its own, and returns the records.
pub fn write(server: &mut ServerConnection, texts: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut bytes = Vec::new();
    for text in texts {
        server.writer().write_all(text).expect("it takes a text");
        while server.wants_write() {
            server.write_tls(&mut bytes).expect("memory can be written");
        }
    }
    split(&bytes)
}

/// Returns the records of a stream.
pub fn split(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    while let Some(len) = record_len(bytes) {
        records.push(bytes[..len].to_vec());
        bytes = &bytes[len..];
    }
    assert!(bytes.is_empty(), "whole records");
    records
}

/// Gives records to a server, and returns what its application reads.
pub fn read(server: &mut ServerConnection, records: &[Vec<u8>]) -> Vec<u8> {
    let mut text = Vec::new();
    for record in records {
        give(server, record);
        let len = server.process_new_packets().expect("all is well").plaintext_bytes_to_read();
        let start = text.len();
        text.resize(start + len, 0);
        server.reader().read_exact(&mut text[start..]).expect("so much is there");
    }
    text
}
