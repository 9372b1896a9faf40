//! Random bytes of the system.

use cryptoki_sys::CKR_DEVICE_ERROR;
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::memory::Outcome;

/// Fills a buffer with random bytes.
///
/// # Errors
/// `CKR_DEVICE_ERROR`: the system gives none.
pub fn fill(bytes: &mut [u8]) -> Outcome {
    let mut rest = bytes;
    while !rest.is_empty() {
        match getrandom(&mut *rest, GetRandomFlags::empty()) {
            Ok(len) => rest = &mut rest[len..],
            Err(Errno::INTR) => {}
            Err(_) => return Err(CKR_DEVICE_ERROR),
        }
    }
    Ok(())
}

/// So many random bytes, as a name in hexadecimal digits.
///
/// # Errors
/// As [`fill`].
pub fn name<const LEN: usize>() -> Outcome<String> {
    let mut bytes = [0; LEN];
    fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
