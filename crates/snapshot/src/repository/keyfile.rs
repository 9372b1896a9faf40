//! Files of keys: a repository's keys, sealed with a password by scrypt (RFC 7914).

use broadloom_engine::{Processor, Registry};
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, Zeroizing};

use super::crypto::{Cryptor, Keys};
use crate::error::SnapshotError;
use crate::json::{Base64Bytes, write_json};
use crate::time::Time;

/// Parameters of scrypt for new keys, those of restic where it measures nothing.
const COST: Cost = Cost { n: 1 << 15, r: 8, p: 5 };

/// Most memory in bytes that the parameters of a key may ask for: 128 n r.
const MOST_MEMORY: u64 = 1 << 30;

/// Most work that they may ask for: N r p, fifty times that of new keys.
pub const MOST_WORK: u64 = 1 << 26;

/// More bytes than the JSON of a repository's keys has.
const KEYS_TEXT: usize = 512;

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
        // All of it at once: memory that grows leaves what it had behind.
        let mut text = Zeroizing::new(Vec::with_capacity(KEYS_TEXT));
        write_json(&json, &mut text);
        drop(json);
        let cryptor = Cryptor::new(registry, &derive(COST, &salt, password)?)?;
        let data = Base64Bytes(cryptor.seal(&mut Processor::new(), &text)?);
        let Cost { n, r, p } = COST;
        let (created, kdf, salt) = (Time::now(), "scrypt".to_owned(), bytes(&salt));
        Ok(KeyFile { created, username, hostname, kdf, n, r, p, salt, data })
    }

    fn cost(&self) -> Cost {
        Cost { n: self.n, r: self.r, p: self.p }
    }

    /// The work that scrypt has with the key: N r p.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.cost().work()
    }

    /// Checks how the key is derived.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self) -> Result<(), String> {
        match &*self.kdf {
            "scrypt" => self.cost().check(),
            kdf => Err(format!("a key is derived by {kdf:?}; valid: scrypt")),
        }
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
        self.check().map_err(SnapshotError::Other)?;
        let cryptor = Cryptor::new(registry, &derive(self.cost(), &self.salt.0, password)?)?;
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

impl Cost {
    /// N r p, or the largest number if they are larger.
    fn work(self) -> u64 {
        let Cost { n, r, p } = self;
        n.saturating_mul(r.into()).saturating_mul(p.into())
    }

    /// Checks that the parameters are scrypt's, and not too large.
    fn check(self) -> Result<(), String> {
        let Cost { n, r, p } = self;
        let memory = n.saturating_mul(r.into()).saturating_mul(128);
        let fits = memory <= MOST_MEMORY && self.work() <= MOST_WORK;
        // Larger numbers overflow within the crate.
        let valid = || scrypt::Params::new(n.ilog2() as u8, r, p).is_ok();
        match fits && n.is_power_of_two() && valid() {
            true => Ok(()),
            false => Err(format!(
                "a key has scrypt's parameters N = {n}, r = {r}, p = {p}; valid: N a power of \
                 two, at most 1 GiB of memory, and N r p at most {MOST_WORK}"
            )),
        }
    }
}

fn derive(cost: Cost, salt: &[u8], password: &[u8]) -> Result<Keys, SnapshotError> {
    cost.check().map_err(SnapshotError::Other)?;
    let wrong = |text: String| SnapshotError::Other(format!("scrypt: {text}"));
    let parameters = scrypt::Params::new(cost.n.ilog2() as u8, cost.r, cost.p);
    let parameters = parameters.map_err(|error| wrong(error.to_string()))?;
    let mut bytes = Zeroizing::new([0; 64]);
    scrypt::scrypt(password, salt, &parameters, &mut bytes[..])
        .map_err(|error| wrong(error.to_string()))?;
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
