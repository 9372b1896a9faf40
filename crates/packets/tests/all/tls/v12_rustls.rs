//! TLS 1.2 with rustls at the other end of the connection.

use broadloom_packets::tls::{RecordKeys, Tls12Config, Tls12Flow};
use rustls::crypto::ring::cipher_suite::{
    TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
};
use rustls::version::TLS12;

use super::peer::{Handshake, extract, handshake, keys, read, write};
use crate::support::{noise, protect, registry, unprotect};

#[test]
fn rustls_reads_our_records_and_we_read_its_own() {
    let texts: Vec<Vec<u8>> = (0..1000).map(|len| noise(1 + len * 13 % 4000, 5)).collect();
    for suite in [
        TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    ] {
        let Handshake { client, mut server, .. } = handshake(suite, &TLS12);
        let secrets = extract(client);
        let (aead, write_key, write_iv) = keys(&secrets.tx.1);
        let (_, read_key, read_iv) = keys(&secrets.rx.1);
        // For AES-GCM rustls appends an explicit part to the salt.
        let iv_len = if aead.explicit_len() == 0 { 12 } else { 4 };
        let config = Tls12Config {
            cipher: aead.into(),
            write: RecordKeys::Raw { key: &write_key, iv: &write_iv[..iv_len] },
            write_number: secrets.tx.0,
            read: RecordKeys::Raw { key: &read_key, iv: &read_iv[..iv_len] },
            read_number: secrets.rx.0,
        };
        let flow = Tls12Flow::new(&registry(), &config).expect("the keys fit");
        for burst in texts.chunks(100) {
            assert_eq!(read(&mut server, &protect(&flow, burst)), burst.concat());
            let records = write(&mut server, burst);
            assert_eq!(records.len(), burst.len());
            let texts: Vec<_> = burst.iter().cloned().map(Ok).collect();
            assert_eq!(unprotect(&flow, &records), texts);
        }
    }
}
