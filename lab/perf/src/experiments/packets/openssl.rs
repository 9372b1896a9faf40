//! OpenSSL's record layer: a connection for each flow, and a call for each record.

use std::ffi::CStr;
use std::ops::Range;

use super::own_path::OwnPath;
use super::side::failed;
use crate::error::PerfError;
use crate::measure::peers::openssl_tls::{Connection, Ssl};

/// OpenSSL at work on the records of many connections.
pub struct OpenSslRecords {
    version: String,
    connections: Vec<Connection>,
}

impl OpenSslRecords {
    /// Opens the connections of all flows with a suite.
    ///
    /// # Errors
    /// The library is absent, or a handshake fails.
    pub fn new(suite: &CStr, flows: usize) -> Result<Self, PerfError> {
        let library = Ssl::load(suite).map_err(failed)?;
        let connections = (0..flows).map(|_| library.connect().map_err(failed));
        let connections = connections.collect::<Result<_, _>>()?;
        Ok(OpenSslRecords { version: library.version(), connections })
    }
}

impl OwnPath for OpenSslRecords {
    fn name(&self) -> &'static str {
        "openssl"
    }

    fn kernel(&self) -> String {
        format!("{} SSL_write, SSL_read", self.version)
    }

    fn has_own_keys(&self) -> bool {
        true
    }

    fn protect(
        &mut self,
        flow: usize,
        buffer: &mut [u8],
        range: Range<usize>,
    ) -> Result<Range<usize>, PerfError> {
        let record = self.connections[flow].protect(&mut buffer[range.start..], range.len());
        record.map(|len| range.start..range.start + len).map_err(failed)
    }

    fn unprotect(
        &mut self,
        flow: usize,
        buffer: &mut [u8],
        range: Range<usize>,
    ) -> Result<Range<usize>, PerfError> {
        let content = self.connections[flow].unprotect(&mut buffer[range.start..], range.len());
        content.map(|len| range.start..range.start + len).map_err(failed)
    }
}
