//! Compressors and decompressors by the names and numbers that Python gives.

use std::io::ErrorKind;
use std::sync::OnceLock;

use broadloom::algorithm::Checksum;
use broadloom::compression::format::Cause;
use broadloom::compression::{
    CompressError, Compressor, DecompressError, Decompressor, Format, Settings, decompress,
};
use broadloom::encryption::EncryptionError;
use broadloom::{Compression, CompressionAlgorithm, JobError, Session, Transform};
use pyo3::exceptions::{PyEOFError, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::engine::{self, REGISTRY};
use crate::error::InternalError;
use crate::{age, error};

/// The formats that have a name here.
const FORMATS: [Format; 4] = [Format::Gzip, Format::Bgzf, Format::Zlib, Format::Raw];
/// The lowest and the highest level: libdeflate's, which is built in.
const LEVELS: std::ops::RangeInclusive<i64> = 0..=12;
/// Bytes of a chunk of a stream. Chunks know nothing of each other: larger ones compress better.
const CHUNK: usize = 256 << 10;

/// A format by its name.
///
/// # Errors
/// `ValueError` where there is no such format.
pub fn format(name: &str) -> PyResult<Format> {
    let found = FORMATS.into_iter().find(|format| format.name() == name);
    found.ok_or_else(|| error::no_such("format", name, FORMATS.into_iter()))
}

/// What compresses into a format.
///
/// # Errors
/// `ValueError` where the level is not 0 to 12.
pub fn compressor(format: Format, level: i64, threads: usize, mtime: u32) -> PyResult<Compressor> {
    if !LEVELS.contains(&level) {
        return Err(PyValueError::new_err(format!("level is {level}; valid: 0 to 12")));
    }
    let usual = Settings::new(format);
    let chunk = if format == Format::Bgzf { usual.chunk } else { CHUNK };
    let settings = Settings { threads, mtime, chunk, ..usual };
    let session = sessions(format)[level as usize].open(|| {
        let how = Compression { level: level as u8, ..Compression::default() };
        let how = settings.compression(how);
        let transform = Transform::compress(CompressionAlgorithm::Deflate, how);
        engine::open(&transform.map_err(error::value)?)
    })?;
    Compressor::new(session, settings).map_err(error::value)
}

/// A session that is opened when it is first needed, and kept: to open one takes as long as to
/// compress a short message.
struct Kept(OnceLock<Session>);

impl Kept {
    /// Returns the session.
    ///
    /// # Errors
    /// Those of `open`.
    fn open(&self, open: impl FnOnce() -> PyResult<Session>) -> PyResult<Session> {
        if let Some(session) = self.0.get() {
            return Ok(session.clone());
        }
        let session = open()?;
        Ok(self.0.get_or_init(|| session).clone())
    }
}

/// Sessions of one format, by their level.
type ByLevel = [Kept; *LEVELS.end() as usize + 1];

/// Returns the sessions of a format: one for each level.
fn sessions(format: Format) -> &'static ByLevel {
    static SESSIONS: [ByLevel; FORMATS.len()] =
        [const { [const { Kept(OnceLock::new()) }; *LEVELS.end() as usize + 1] }; FORMATS.len()];
    let place = FORMATS.iter().position(|known| *known == format);
    &SESSIONS[place.expect("formats that have a name here are those of FORMATS")]
}

/// What decompresses a format, or gzip, BGZF and zlib where none is named.
///
/// # Errors
/// `ValueError` where a setting is wrong.
pub fn decompressor(
    format: Option<Format>,
    threads: usize,
    limit: Option<u64>,
) -> PyResult<Decompressor> {
    static SESSION: Kept = Kept(OnceLock::new());
    let session = SESSION.open(|| {
        let transform = Transform::decompress(CompressionAlgorithm::Deflate, Checksum::Crc32);
        let transform = transform.map_err(error::value)?;
        // libdeflate is built in, and decodes faster than the other providers.
        REGISTRY.open_at("libdeflate", &transform).map_err(error::value)
    })?;
    let settings = decompress::Settings { format, threads, limit, ..Default::default() };
    Decompressor::new(session, settings).map_err(error::value)
}

/// Why a stream failed.
pub enum Failure {
    /// Of a compression.
    Compress(CompressError),
    /// Of a decompression.
    Decompress(DecompressError),
    /// Of an encryption or a decryption.
    Encryption(EncryptionError),
    /// A provider panicked, and has printed why.
    Panic,
}

impl From<CompressError> for Failure {
    fn from(error: CompressError) -> Self {
        Failure::Compress(error)
    }
}

impl From<DecompressError> for Failure {
    fn from(error: DecompressError) -> Self {
        Failure::Decompress(error)
    }
}

impl From<EncryptionError> for Failure {
    fn from(error: EncryptionError) -> Self {
        Failure::Encryption(error)
    }
}

impl Failure {
    /// Returns `true` if there was no memory for what goes in or comes out.
    fn is_out_of_memory(&self) -> bool {
        match self {
            Failure::Compress(CompressError::Chunk { error, .. })
            | Failure::Decompress(DecompressError::Provider { error, .. }) => {
                matches!(error, JobError::OutOfMemory { .. })
            }
            Failure::Compress(
                CompressError::Read { error, .. } | CompressError::Write { error, .. },
            )
            | Failure::Decompress(
                DecompressError::Read { error, .. } | DecompressError::Write { error, .. },
            ) => error.kind() == ErrorKind::OutOfMemory,
            _ => false,
        }
    }

    /// The exception: `EOFError` for an input that ends too early, `ValueError` for one that is
    /// wrong or stands for more than allowed, `MemoryError` for one that there is too little memory
    /// for, `RuntimeError` for a provider or a thread that failed. `prefix` says which input it
    /// was.
    pub fn raise(&self, prefix: &str) -> PyErr {
        match self {
            Failure::Panic => InternalError::new_err(format!("{prefix}a provider panicked")),
            Failure::Compress(error) if self.is_out_of_memory() => {
                PyMemoryError::new_err(format!("{prefix}{error}"))
            }
            Failure::Decompress(error) if self.is_out_of_memory() => {
                PyMemoryError::new_err(format!("{prefix}{error}"))
            }
            Failure::Encryption(error) => age::raise(error),
            Failure::Compress(error) => PyRuntimeError::new_err(format!("{prefix}{error}")),
            Failure::Decompress(error) => {
                let message = format!("{prefix}{error}");
                match error {
                    DecompressError::Format(format)
                        if matches!(format.cause, Cause::Truncated(_)) =>
                    {
                        PyEOFError::new_err(message)
                    }
                    DecompressError::Format(_) | DecompressError::OutputLimit { .. } => {
                        PyValueError::new_err(message)
                    }
                    _ => PyRuntimeError::new_err(message),
                }
            }
        }
    }
}
