//! Files of keys: a repository's keys, sealed with a password by scrypt (RFC 7914).

use broadloom_engine::{Processor, Registry};
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, Zeroizing};

use super::crypto::{Cryptor, Keys};
use crate::error::SnapshotError;
use crate::json::{Base64Bytes, to_json};
use crate::time::Time;

/// Parameters of scrypt for new keys, those of restic where it measures nothing.
const COST: Cost = Cost { n: 1 << 15, r: 8, p: 5 };

/// Most memory in bytes that the parameters of a key may ask for: 128 n r.
const MOST_MEMORY: u64 = 1 << 30;

/// Most work that they may ask for: N r p, fifty times that of new keys.
const MOST_WORK: u64 = 1 << 26;

/// Parameters of scrypt.
#[derive(Clone, Copy)]
struct Cost {
    n: u64,
    r: u32,
    p: u32,
}

/// A file of `keys`.
#[derive(Serialize, Deserialize)]
pub struct KeyFile {
    created: Time,
    #[serde(default)]
    username: String,
    #[serde(default)]
    hostname: String,
    kdf: String,
    #[serde(rename = "N")]
    n: u64,
    r: u32,
    p: u32,
    salt: Base64Bytes,
    data: Base64Bytes,
}

#[derive(Serialize, Deserialize)]
struct KeysJson {
    mac: MacJson,
    encrypt: Base64Bytes,
}

#[derive(Serialize, Deserialize)]
struct MacJson {
    k: Base64Bytes,
    r: Base64Bytes,
}

impl Drop for KeysJson {
    fn drop(&mut self) {
        for bytes in [&mut self.mac.k, &mut self.mac.r, &mut self.encrypt] {
            bytes.0.zeroize();
        }
    }
}

impl KeyFile {
    /// Seals keys with a password.
    ///
    /// # Errors
    /// If the system gives no random bytes, or no provider has the ciphers.
    pub fn new(
        registry: &Registry,
        keys: &Keys,
        password: &[u8],
        (username, hostname): (String, String),
    ) -> Result<KeyFile, SnapshotError> {
        let mut salt = [0; 64];
        getrandom::fill(&mut salt)?;
        let bytes = |bytes: &[u8]| Base64Bytes(bytes.to_vec());
        let json = KeysJson {
            mac: MacJson { k: bytes(&keys.k), r: bytes(&keys.r) },
            encrypt: bytes(&keys.encrypt),
        };
        let json = Zeroizing::new(to_json(&json));
        let cryptor = Cryptor::new(registry, &derive(COST, &salt, password)?)?;
        let data = Base64Bytes(cryptor.seal(&mut Processor::new(), &json)?);
        let Cost { n, r, p } = COST;
        let (created, kdf, salt) = (Time::now(), "scrypt".to_owned(), bytes(&salt));
        Ok(KeyFile { created, username, hostname, kdf, n, r, p, salt, data })
    }

    /// Opens the keys with a password; `None` if the password is another one.
    ///
    /// # Errors
    /// Parameters that are none of scrypt's, and keys of another length, in words.
    pub fn open(
        &self,
        registry: &Registry,
        password: &[u8],
    ) -> Result<Option<Keys>, SnapshotError> {
        if self.kdf != "scrypt" {
            let kdf = &self.kdf;
            return Err(SnapshotError::Other(format!(
                "a key is derived by {kdf:?}; valid: scrypt"
            )));
        }
        let cost = Cost { n: self.n, r: self.r, p: self.p };
        let cryptor = Cryptor::new(registry, &derive(cost, &self.salt.0, password)?)?;
        let Some(json) = cryptor.open(&mut Processor::new(), self.data.0.clone())? else {
            return Ok(None);
        };
        let json = Zeroizing::new(json);
        let wrong = |text: &str| SnapshotError::Other(format!("a key {text}"));
        let read: KeysJson =
            serde_json::from_slice(&json).map_err(|_| wrong("holds no keys of restic"))?;
        let mut keys = Keys { encrypt: [0; 32], k: [0; 16], r: [0; 16] };
        for (key, bytes) in [
            (&mut keys.encrypt[..], &read.encrypt.0),
            (&mut keys.k, &read.mac.k.0),
            (&mut keys.r, &read.mac.r.0),
        ] {
            if key.len() != bytes.len() {
                return Err(wrong("has another length than restic's"));
            }
            key.copy_from_slice(bytes);
        }
        Ok(Some(keys))
    }
}

fn derive(cost: Cost, salt: &[u8], password: &[u8]) -> Result<Keys, SnapshotError> {
    let Cost { n, r, p } = cost;
    let memory = n.checked_mul(u64::from(r)).and_then(|product| product.checked_mul(128));
    let wrong = || {
        let text = format!(
            "a key has scrypt's parameters N = {n}, r = {r}, p = {p}; valid: N a power of two, \
             at most 1 GiB of memory, and N r p at most {MOST_WORK}"
        );
        SnapshotError::Other(text)
    };
    let fits = memory.is_some_and(|memory| {
        memory <= MOST_MEMORY && (memory / 128).saturating_mul(p.into()) <= MOST_WORK
    });
    if !n.is_power_of_two() || !fits {
        return Err(wrong());
    }
    let parameters = scrypt::Params::new(n.ilog2() as u8, r, p).map_err(|_| wrong())?;
    let mut bytes = Zeroizing::new([0; 64]);
    scrypt::scrypt(password, salt, &parameters, &mut bytes[..]).map_err(|_| wrong())?;
    Ok(Keys::from_password_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_not_ask_for_hours() {
        let refused = |n, r, p| match derive(Cost { n, r, p }, &[0; 64], b"password") {
            Ok(_) => false,
            Err(error) => error.to_string().contains("N r p at most 67108864"),
        };
        assert!(!refused(2, 1, 1) && !refused(16, 8, 64));
        let wrong =
            [(3, 8, 1), (1 << 20, 8, 9), (1 << 21, 8, 1), (2, 1, u32::MAX), (1 << 63, 8, 1)];
        for (n, r, p) in wrong {
            assert!(refused(n, r, p), "N = {n}, r = {r}, p = {p}");
        }
    }
}
