//! OpenSSL's record layer, which writes to the socket itself.

use std::net::TcpStream;
use std::ops::Range;

use super::failed;
use super::options::By;
use super::side::{CHECKED, Side};
use crate::error::PerfError;
use crate::measure::peers::openssl_tls::{Reader, Ssl, Writer};

/// Connections that OpenSSL writes to.
pub(super) struct OpenSsl<'w> {
    version: String,
    writers: Vec<Writer<'w>>,
    readers: Vec<Reader>,
}

impl<'w> OpenSsl<'w> {
    /// Has the two ends of all connections agree on keys in memory.
    ///
    /// # Errors
    /// The library is absent, or a handshake fails.
    pub fn new(streams: &'w [TcpStream]) -> Result<Self, PerfError> {
        let library = Ssl::load(c"TLS_AES_128_GCM_SHA256").map_err(failed)?;
        let (mut writers, mut readers) = (Vec::new(), Vec::new());
        for stream in streams {
            let connection = library.connect().map_err(failed)?;
            let (writer, reader) = connection.write_to(stream).map_err(failed)?;
            writers.push(writer);
            if readers.len() < CHECKED {
                readers.push(reader);
            }
        }
        Ok(OpenSsl { version: library.version(), writers, readers })
    }
}

impl Side for OpenSsl<'_> {
    fn by(&self) -> By {
        By::OpenSsl
    }

    fn kernel(&self) -> String {
        format!("{} SSL_write", self.version)
    }

    fn write(&mut self, connections: Range<usize>, text: &[u8]) -> Result<(), PerfError> {
        self.writers[connections]
            .iter_mut()
            .try_for_each(|writer| writer.write(text))
            .map_err(failed)
    }

    fn text(&mut self, connection: usize, arrived: Vec<u8>) -> Result<Vec<u8>, PerfError> {
        self.readers[connection].text(&arrived).map_err(failed)
    }
}
