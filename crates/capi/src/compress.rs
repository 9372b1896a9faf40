//! Inputs of any length, in the formats of other tools.

use std::ffi::c_char;
use std::io::{self, ErrorKind};
use std::ptr;

use broadloom::algorithm::Checksum;
use broadloom::compression::decompress::{self, DecompressError};
use broadloom::compression::{
    CompressError, Compressor, Decompressor, Format, Settings, SettingsError,
};
use broadloom::{Compression, CompressionAlgorithm, JobError, Session, Transform};

use crate::fault::{Fault, bytes, optional_text, put, report, structure};
use crate::session::open_at;
use crate::status::{
    BL_E_DATA, BL_E_NO_MEMORY, BL_E_OTHER, BL_E_PROVIDER_CALL, BL_E_ROOM, BL_E_SYSTEM,
    BL_E_TRANSFORM, bl_status,
};
use crate::transform::level;

/// How an input is compressed or decompressed. Members that are 0 mean the default.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_stream_options {
    /// sizeof(bl_stream_options)
    pub size: usize,
    /// "gzip", "zlib", "raw", "bgzf" or "parcomp". Null: gzip; of a decompression, gzip, BGZF or
    /// zlib, as the first bytes tell.
    pub format: *const c_char,
    /// The provider, perhaps with options; null: the first that can.
    pub provider: *const c_char,
    /// The provider's level; 0: level 1, and `BL_LEVEL_ZERO`: level 0. A decompression ignores it.
    pub level: i32,
    /// Threads that share the chunks; 0: the calling one.
    pub threads: usize,
    /// Bytes of a chunk; 0: 64 KiB. A decompression ignores it.
    pub chunk: usize,
}

/// Options as the functions work with them.
struct Options<'a> {
    format: Option<Format>,
    provider: Option<&'a str>,
    level: u8,
    threads: usize,
    chunk: usize,
}

/// # Safety
/// The [condition](crate#what-c-vouches-for) *structures* holds, and *texts* for the members,
/// during `'a`.
unsafe fn options<'a>(given: *const bl_stream_options) -> Result<Options<'a>, Fault> {
    if given.is_null() {
        return Ok(Options { format: None, provider: None, level: 1, threads: 1, chunk: 0 });
    }
    // SAFETY: the conditions *structures* and *texts* hold.
    let (given, format, provider) = unsafe {
        let given = structure(given, "bl_stream_options")?;
        (given, optional_text(given.format, "format")?, optional_text(given.provider, "provider")?)
    };
    Ok(Options {
        format: format.map(|name| name.parse().map_err(Fault::name)).transpose()?,
        provider,
        level: level(given.level)?,
        threads: given.threads.max(1),
        chunk: given.chunk,
    })
}

/// Compresses an input of any length, in chunks that go side by side.
///
/// `options`: may be null: gzip, level 1, the calling thread. `produced`: out: bytes of output;
/// with `BL_E_ROOM`, how many there would be. Nothing else is written where the call fails, with
/// `BL_E_NO_MEMORY` for instance.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_compress(
    options: *const bl_stream_options,
    input: *const u8,
    len: usize,
    output: *mut u8,
    room: usize,
    produced: *mut usize,
) -> bl_status {
    // SAFETY: the conditions *structures*, *texts*, *bytes* and *places* hold.
    report(unsafe {
        self::options(options).and_then(|options| {
            let input = bytes(input, len, "input")?;
            let compressor = compressor(&options)?;
            let made = compress(&compressor, input)?;
            deliver(&made, output, room, produced)
        })
    })
}

fn compressor(options: &Options<'_>) -> Result<Compressor, Fault> {
    let mut settings = Settings::new(options.format.unwrap_or(Format::Gzip));
    settings.threads = options.threads;
    if options.chunk != 0 {
        settings.chunk = options.chunk;
    }
    let how = Compression { level: options.level, ..Compression::default() };
    let how = Settings::compression_for(settings.format, how);
    let session = open_at(options.provider, &deflate(how)?)?;
    Compressor::new(session, settings).map_err(wrong_settings)
}

/// The transform of a compression.
pub(crate) fn deflate(how: Compression) -> Result<Transform, Fault> {
    let transform = Transform::compress(CompressionAlgorithm::Deflate, how);
    transform.map_err(|error| Fault::new(BL_E_TRANSFORM, error))
}

/// The transform of a decompression.
pub(crate) fn inflate(checksum: Checksum) -> Result<Transform, Fault> {
    let transform = Transform::decompress(CompressionAlgorithm::Deflate, checksum);
    transform.map_err(|error| Fault::new(BL_E_TRANSFORM, error))
}

pub(crate) fn wrong_settings(error: SettingsError) -> Fault {
    Fault::argument(error)
}

/// Compresses an input.
pub(crate) fn compress(compressor: &Compressor, input: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut output = Vec::new();
    // Without it the output grows as it is made.
    let _ = output.try_reserve(input.len() / 2);
    match compressor.compress(input, &mut output) {
        Ok(_) => Ok(output),
        Err(error) => Err(Fault::new(compress_status(&error), error)),
    }
}

/// The number of a compression's failure.
fn compress_status(error: &CompressError) -> bl_status {
    match error {
        CompressError::Chunk { error, .. } => provider_status(*error),
        CompressError::Verify { .. } | CompressError::Format { .. } => BL_E_PROVIDER_CALL,
        CompressError::Thread(_) => BL_E_SYSTEM,
        CompressError::Read { error, .. } | CompressError::Write { error, .. } => io_status(error),
        _ => BL_E_OTHER,
    }
}

/// The number of a decompression's failure.
fn decompress_status(error: &DecompressError) -> bl_status {
    match error {
        DecompressError::Format(_) => BL_E_DATA,
        DecompressError::OutputLimit { .. } => BL_E_ROOM,
        DecompressError::Memory { .. } => BL_E_NO_MEMORY,
        DecompressError::Provider { error, .. } => provider_status(*error),
        DecompressError::WrongResult { .. } => BL_E_PROVIDER_CALL,
        DecompressError::Thread(_) => BL_E_SYSTEM,
        DecompressError::Read { error, .. } | DecompressError::Write { error, .. } => {
            io_status(error)
        }
        _ => BL_E_OTHER,
    }
}

/// The number of a provider's failure in a call over a whole input.
fn provider_status(error: JobError) -> bl_status {
    match error {
        JobError::OutOfMemory { .. } => BL_E_NO_MEMORY,
        _ => BL_E_PROVIDER_CALL,
    }
}

/// The number of an error between memory and memory.
fn io_status(error: &io::Error) -> bl_status {
    match error.kind() {
        ErrorKind::OutOfMemory => BL_E_NO_MEMORY,
        _ => BL_E_OTHER,
    }
}

/// Copies an output to where the caller wants it.
///
/// # Safety
/// The [conditions](crate#what-c-vouches-for) *bytes* and *places* hold.
pub(crate) unsafe fn deliver(
    made: &[u8],
    output: *mut u8,
    room: usize,
    produced: *mut usize,
) -> Result<(), Fault> {
    // SAFETY: the condition *places* holds.
    unsafe { put(produced, "place for the number of bytes", made.len()) }?;
    if made.is_empty() {
        return Ok(());
    }
    if made.len() > room {
        let text = format!("{} bytes of output do not fit into {room}", made.len());
        return Err(Fault::new(BL_E_ROOM, text));
    }
    if output.is_null() {
        return Err(Fault::argument("the output is a null pointer"));
    }
    // SAFETY: `output` has room for `made` by the condition *bytes*, and `made` is no memory of C.
    unsafe { ptr::copy_nonoverlapping(made.as_ptr(), output, made.len()) };
    Ok(())
}

/// Decompresses an input of any length, side by side where the format allows it. Checksums and
/// lengths are checked.
///
/// `options`: may be null. `produced`: out: bytes of output. `BL_E_ROOM` where there would be more
/// than `room`: nothing is written then, and `produced` is 0. `BL_E_DATA` where the input is wrong
/// or cut short, and `bl_last_error` tells the offset and the cause. `BL_E_NO_MEMORY` where there
/// is no memory for the output.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_decompress(
    options: *const bl_stream_options,
    input: *const u8,
    len: usize,
    output: *mut u8,
    room: usize,
    produced: *mut usize,
) -> bl_status {
    // SAFETY: the conditions *structures*, *texts*, *bytes* and *places* hold.
    report(unsafe {
        self::options(options).and_then(|options| {
            put(produced, "place for the number of bytes", 0)?;
            let input = bytes(input, len, "input")?;
            let session = open_at(options.provider, &inflate(Checksum::Crc32)?)?;
            let settings = decompress::Settings {
                format: options.format,
                threads: options.threads,
                ..decompress::Settings::default()
            };
            let made = decompress(session, settings, input, room)?;
            deliver(&made, output, room, produced)
        })
    })
}

/// Decompresses an input to at most `room` bytes.
pub(crate) fn decompress(
    session: Session,
    settings: decompress::Settings,
    input: &[u8],
    room: usize,
) -> Result<Vec<u8>, Fault> {
    let settings = decompress::Settings { limit: Some(room as u64), ..settings };
    let decompressor = Decompressor::new(session, settings).map_err(wrong_settings)?;
    let mut output = Vec::new();
    match decompressor.decompress(input, &mut output) {
        Ok(_) => Ok(output),
        Err(error) => Err(Fault::new(decompress_status(&error), error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_of_memory_has_its_own_number_wherever_it_shows() {
        let error = JobError::OutOfMemory { len: 1 };
        let system = || io::Error::from(ErrorKind::OutOfMemory);
        let chunk = CompressError::Chunk { offset: 0, len: 1, provider: String::new(), error };
        assert_eq!(compress_status(&chunk), BL_E_NO_MEMORY);
        let write = CompressError::Write { offset: 0, error: system() };
        assert_eq!(compress_status(&write), BL_E_NO_MEMORY);
        let provider = DecompressError::Provider { offset: 0, error };
        assert_eq!(decompress_status(&provider), BL_E_NO_MEMORY);
        let write = DecompressError::Write { offset: 0, error: system() };
        assert_eq!(decompress_status(&write), BL_E_NO_MEMORY);
        let memory = DecompressError::Memory { offset: 0, most: 1 };
        assert_eq!(decompress_status(&memory), BL_E_NO_MEMORY);
        let other = DecompressError::Provider { offset: 0, error: JobError::NotDone };
        assert_eq!(decompress_status(&other), BL_E_PROVIDER_CALL);
    }
}
