//! Random bytes of the system.

use broadloom_engine::JobError;

/// Fills a buffer with random bytes of the system.
///
/// # Errors
/// [`JobError::Provider`] with the system's code, if it gives none.
#[cfg(target_os = "linux")]
pub fn fill(bytes: &mut [u8]) -> Result<(), JobError> {
    use rustix::rand::{GetRandomFlags, getrandom};

    let mut rest = bytes;
    while !rest.is_empty() {
        match getrandom(&mut *rest, GetRandomFlags::empty()) {
            Ok(len) => rest = &mut rest[len..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(JobError::Provider { code: error.raw_os_error().into() }),
        }
    }
    Ok(())
}

/// Fills a buffer with random bytes of the system.
///
/// # Errors
/// [`JobError::Provider`] with the system's code, if it gives none.
#[cfg(not(target_os = "linux"))]
pub fn fill(bytes: &mut [u8]) -> Result<(), JobError> {
    getrandom::fill(bytes)
        .map_err(|error| JobError::Provider { code: error.raw_os_error().unwrap_or(-1).into() })
}
