//! What `broadloom-perf transmit` can be asked for.

use super::paper::{CONNECTIONS, WRITES};
use crate::error::PerfError;
use crate::experiments::options::{check_counts, or_usual};
use crate::names::named;

/// The most connections that can be asked for.
pub const MAX_CONNECTIONS: usize = 20_000;

/// The most bytes of a write.
pub const MAX_WRITE: usize = 1 << 20;

/// Who makes what is sent of what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Nobody: plaintext is sent.
    Plain,
    /// The records of TLS 1.3 of Broadloom, in bursts.
    Records,
    /// OpenSSL's record layer.
    OpenSsl,
    /// rustls with aws-lc-rs.
    Rustls,
    /// The kernel.
    KernelTls,
}

named!(By, "side", {
    Plain => "plain",
    Records => "records",
    OpenSsl => "openssl",
    Rustls => "rustls",
    KernelTls => "ktls",
});

impl By {
    /// Returns the provider of a row.
    pub(super) const fn provider(self) -> &'static str {
        match self {
            By::Records => "native",
            by => by.name(),
        }
    }
}

/// What to measure.
#[derive(Debug, Clone, Default)]
pub struct TransmitOptions {
    /// Numbers of connections; empty: the ten of source 001.
    pub connections: Vec<usize>,
    /// Bytes of a write; empty: 1, 8 and 64 KiB.
    pub writes: Vec<usize>,
    /// Who protects; empty: all.
    pub by: Vec<By>,
    /// The command line, for the report.
    pub command: Option<String>,
    /// `true` to spend less time, for figures that are less steady.
    pub quick: bool,
}

impl TransmitOptions {
    /// # Errors
    /// None, or too many.
    pub(super) fn connections(&self) -> Result<Vec<usize>, PerfError> {
        let connections = sorted(or_usual(&self.connections, &CONNECTIONS));
        check_counts("connections", &connections, MAX_CONNECTIONS, "")?;
        Ok(connections)
    }

    /// # Errors
    /// A write of no bytes, or of too many.
    pub(super) fn writes(&self) -> Result<Vec<usize>, PerfError> {
        let writes = sorted(or_usual(&self.writes, &WRITES));
        check_counts("write", &writes, MAX_WRITE, " bytes")?;
        Ok(writes)
    }

    pub(super) fn by(&self) -> Vec<By> {
        let asked = or_usual(&self.by, &By::ALL);
        By::ALL.into_iter().filter(|by| asked.contains(by)).collect()
    }
}

fn sorted(mut list: Vec<usize>) -> Vec<usize> {
    list.sort_unstable();
    list.dedup();
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_cases_are_usual_and_numbers_out_of_range_are_refused() {
        let usual = TransmitOptions::default();
        assert_eq!(usual.connections().unwrap(), CONNECTIONS);
        assert_eq!(usual.writes().unwrap(), WRITES);
        assert_eq!(usual.by(), By::ALL);
        let with = |connections, writes| TransmitOptions { connections, writes, ..usual.clone() };
        let error = with(vec![0], vec![]).connections().unwrap_err().to_string();
        assert_eq!(error, "connections 0 is out of range; valid: 1 to 20000");
        let error = with(vec![], vec![1 << 21]).writes().unwrap_err().to_string();
        assert_eq!(error, "write 2097152 is out of range; valid: 1 to 1048576 bytes");
        assert_eq!(with(vec![8, 1, 8], vec![]).connections().unwrap(), [1, 8]);
    }
}
