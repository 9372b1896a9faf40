//! The traffic secrets of connections of rustls.

use std::sync::{Mutex, PoisonError};

/// Keeps the secrets that a connection logs.
#[derive(Debug, Default)]
pub struct LoggedSecrets(Mutex<Vec<Secret>>);

#[derive(Debug)]
struct Secret {
    label: String,
    client_random: Vec<u8>,
    secret: Vec<u8>,
}

impl LoggedSecrets {
    /// Returns the secret with a label.
    pub fn get(&self, label: &str) -> Vec<u8> {
        let secrets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = secrets.iter().find(|logged| logged.label == label);
        found.unwrap_or_else(|| panic!("no {label}")).secret.clone()
    }

    /// Returns the secrets in the format of NSS key logs, which other programs read.
    pub fn key_log(&self) -> String {
        let line = |Secret { label, client_random, secret }: &Secret| {
            format!("{label} {} {}\n", digits(client_random), digits(secret))
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(line).collect()
    }
}

impl rustls::KeyLog for LoggedSecrets {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let (label, client_random) = (label.to_owned(), client_random.to_vec());
        let logged = Secret { label, client_random, secret: secret.to_vec() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(logged);
    }
}

/// Returns bytes in hexadecimal digits.
pub fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
