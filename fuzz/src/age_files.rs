//! Files of age, armoured or not, and files of keys.

use std::sync::{Arc, LazyLock};

use broadloom_encryption::age::{Decryptor, Header, Identity, Recipient};
use broadloom_encryption::{Input, Output};
use broadloom_engine::Registry;
use broadloom_lanes::Cpu;

/// The identity of age's test kit, where the seeds come from.
const IDENTITY: &str = "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0";

static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));
    Arc::new(registry)
});

/// Reads a header, and compares it with what is written of it; decrypts the file as a stream and by
/// places, which must give the same bytes and the same error; reads it as a file of keys.
pub fn check(bytes: &[u8]) {
    if let Ok(Some(parsed)) = Header::parse(bytes) {
        assert_eq!(parsed.header.to_bytes(), bytes[..parsed.len]);
        assert_eq!(Header::authenticated(&parsed.header.stanzas), bytes[..parsed.authenticated]);
        assert_eq!(Header::parse(&bytes[..parsed.len - 1]), Ok(None));
    }
    let identity: Identity = IDENTITY.parse().expect("it is one");
    let decryptor = Decryptor::new(Arc::clone(&REGISTRY), vec![identity]);
    let (mut streamed, mut placed) = (Vec::new(), Vec::new());
    let stream = decryptor.decrypt(Input::Stream(&mut &*bytes), Output::Stream(&mut streamed));
    let places = decryptor.decrypt(Input::memory(&bytes), Output::Stream(&mut placed));
    assert_eq!(
        stream.map_err(|error| error.to_string()),
        places.map_err(|error| error.to_string())
    );
    assert_eq!(streamed, placed);
    let keys = Identity::read_file(bytes).map(|keys| keys.len());
    if let Ok(recipients) = Recipient::read_file(bytes) {
        assert!(keys.is_err());
        let lines: String = recipients.iter().map(|recipient| format!("{recipient}\n")).collect();
        assert_eq!(Recipient::read_file(lines.as_bytes()), Ok(recipients));
    }
}
