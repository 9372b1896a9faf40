//! Random bytes of the operating system.

use crate::error::EncryptionError;

/// Fills a buffer with random bytes.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), EncryptionError> {
    getrandom::fill(bytes).map_err(|error| EncryptionError::Random(error.to_string()))
}
