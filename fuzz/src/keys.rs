//! Keys in DER and PEM, as the engine reads them.

use broadloom_engine::{PrivateKey, PublicKey};

/// Reads a private and a public key. What was read is written and read back.
pub fn check(bytes: &[u8]) {
    if let Ok(key) = PrivateKey::from_der(bytes) {
        let der = key.to_der();
        let again = PrivateKey::from_der(&der).expect("what was written is read");
        assert_eq!(*again.to_der(), *der);
    }
    if let Ok(key) = PublicKey::from_der(bytes) {
        assert_eq!(PublicKey::from_der(&key.to_der()), Ok(key));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = (PrivateKey::from_pem(text), PublicKey::from_pem(text));
    }
}
