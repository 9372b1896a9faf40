//! TLS in the kernel.

use std::io::{self, ErrorKind, Write};
use std::net::TcpStream;
use std::ops::Range;

use broadloom::Registry;
use broadloom_packets::tls::RecordKeys;

use super::failed;
use super::options::By;
use super::records::{Receivers, flow};
use super::side::{CHECKED, Side};
use super::wire::Wire;
use crate::error::PerfError;
use crate::measure::sys::kernel_tls::protect;

/// Connections whose records the kernel makes.
pub(super) struct KernelTls<'w> {
    streams: &'w [TcpStream],
    receivers: Receivers,
}

impl<'w> KernelTls<'w> {
    /// Gives the kernel the keys of all connections, which carry nothing but its records from then
    /// on.
    ///
    /// # Errors
    /// The kernel does not take them.
    pub fn new(registry: &Registry, streams: &'w [TcpStream]) -> Result<Self, PerfError> {
        for (number, stream) in streams.iter().enumerate() {
            let (key, iv) = keys(number);
            protect(stream, &key, &iv).map_err(failed)?;
        }
        let flow = |number| {
            let (key, iv) = keys(number);
            flow(registry, RecordKeys::Raw { key: &key, iv: &iv })
        };
        let flows = (0..streams.len().min(CHECKED)).map(flow).collect::<Result<_, _>>()?;
        Ok(KernelTls { streams, receivers: Receivers::new(flows) })
    }
}

/// Looks whether this kernel has TLS.
///
/// # Errors
/// It has not: the reason.
pub(super) fn probe() -> Result<(), String> {
    let wire = Wire::open(1, None).map_err(|error| error.to_string())?;
    let (key, iv) = keys(0);
    protect(&wire.streams()[0], &key, &iv).map_err(|error| reason(&error))
}

/// Says why the kernel makes no records. It answers that there is no such thing where it has
/// neither the protocol nor the module that would bring it.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => {
            "this kernel has no TLS: its module tls is not loaded (modprobe tls loads it where \
             there is one)"
                .to_owned()
        }
        _ => format!("this kernel does not take a key of TLS 1.3 with AES-128-GCM: {error}"),
    }
}

impl Side for KernelTls<'_> {
    fn by(&self) -> By {
        By::KernelTls
    }

    fn write(&mut self, connections: Range<usize>, text: &[u8]) -> Result<(), PerfError> {
        for mut stream in &self.streams[connections] {
            stream.write_all(text).map_err(failed)?;
        }
        Ok(())
    }

    fn text(&mut self, connection: usize, arrived: Vec<u8>) -> Result<Vec<u8>, PerfError> {
        self.receivers.text(connection, arrived)
    }
}

/// Returns the key and the IV of a connection.
fn keys(connection: usize) -> ([u8; 16], [u8; 12]) {
    let mut key = [5; 16];
    key[..8].copy_from_slice(&(connection as u64).to_le_bytes());
    (key, [6; 12])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_tells_a_missing_module_from_a_refused_key() {
        let absent = reason(&ErrorKind::NotFound.into());
        assert!(absent.contains("module tls is not loaded (modprobe tls"), "{absent}");
        let refused = reason(&io::Error::from_raw_os_error(libc::EINVAL));
        assert!(refused.contains("AES-128-GCM: Invalid argument"), "{refused}");
    }
}
