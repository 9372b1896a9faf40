//! The functions of source 003's compression framework.
//!
//! Names and signatures are the source's own.
#![allow(non_snake_case)]

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_uchar};
use std::sync::{Arc, Mutex, PoisonError};

use broadloom::algorithm::{Checksum, Huffman};
use broadloom::compression::{Compressor, Format, Settings, decompress};
use broadloom::provider::Provider;
use broadloom::workers::allowed_cores;
use broadloom::{Compression, Session};

use crate::compress::{self, deflate, deliver, inflate, wrong_settings};
use crate::fault::{Fault, bytes, object, put, report, text};
use crate::session::REGISTRY;
use crate::status::{BL_E_PROVIDER, BL_E_SYSTEM};

/// A provider: an implementation of the framework's functions.
pub struct CfProvider {
    provider: Arc<dyn Provider>,
}

/// How to compress or decompress. Of a decompression, level, window, static codes and chunk size do
/// not count.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CfParams {
    /// The provider's level: zlib has 0 to 9, libdeflate 0 to 12, isal 0 to 3.
    pub level: c_int,
    /// The window, 0 to 7, as QuickAssist counts: 2^(8 + N) bytes, so that 7 is 32 KB.
    pub deflateWindowSize: c_int,
    /// Not 0: the Huffman codes of the standard, not codes made for the data.
    pub bStatic: c_int,
    /// Bytes of a chunk, 1024 to 2^30; 0: 65536.
    pub chunkSize: c_int,
    /// Jobs that are outstanding for each thread at any time, 1 to 256; 0: 1.
    pub maxJobsOutstanding: c_int,
    /// Not 0: tells on standard error who worked, and how.
    pub bDebug: c_int,
    /// Threads, 0 to 32, which share the chunks; 0: the calling thread alone.
    pub numThreads: c_int,
    /// The cores that threads are pinned to in turn, as a mask; 0: they are not pinned.
    pub coreAffinity: c_int,
}

/// The most threads of the source.
const MAX_THREADS: usize = 32;

/// What the parameters mean.
struct Plan {
    how: Compression,
    chunk: usize,
    outstanding: usize,
    threads: usize,
    cores: Option<Vec<usize>>,
    debug: bool,
}

impl Plan {
    /// # Safety
    /// They point to parameters, or are null.
    unsafe fn new(params: *mut CfParams) -> Result<Plan, Fault> {
        // SAFETY: the parameters are null or can be read, by the contract.
        let given = unsafe { object(params, "CfParams") }?;
        let within = |name: &str, value: c_int, range: std::ops::RangeInclusive<usize>| {
            let fits = usize::try_from(value).ok().filter(|value| range.contains(value));
            fits.ok_or_else(|| {
                let (first, last) = (range.start(), range.end());
                Fault::argument(format_args!("{name} is {value}; valid: {first} to {last}"))
            })
        };
        let level = within("level", given.level, 0..=usize::from(u8::MAX))?;
        let window = within("deflateWindowSize", given.deflateWindowSize, 0..=7)?;
        let threads = within("numThreads", given.numThreads, 0..=MAX_THREADS)?;
        let huffman = if given.bStatic != 0 { Huffman::Static } else { Huffman::Dynamic };
        let how = Compression {
            level: level as u8,
            window: window as u8 + 8,
            huffman,
            ..Compression::default()
        };
        Ok(Plan {
            how: Settings::compression_for(Format::Parcomp, how),
            chunk: within("chunkSize", given.chunkSize, 0..=1 << 30)?,
            outstanding: within("maxJobsOutstanding", given.maxJobsOutstanding, 0..=256)?.max(1),
            threads: threads.max(1),
            cores: match given.coreAffinity {
                0 => None,
                mask => Some(cores(mask.cast_unsigned())?),
            },
            debug: given.bDebug != 0,
        })
    }
}

/// The cores of a mask that the process may run on.
fn cores(mask: u32) -> Result<Vec<usize>, Fault> {
    let allowed = allowed_cores().map_err(|error| Fault::new(BL_E_SYSTEM, error))?;
    let chosen: Vec<usize> =
        allowed.iter().copied().filter(|&core| core < 32 && mask & (1 << core) != 0).collect();
    if chosen.is_empty() {
        let text = format!(
            "coreAffinity is {mask:#x}, and has none of the cores that the process may run on: \
             {allowed:?}"
        );
        return Err(Fault::new(BL_E_SYSTEM, text));
    }
    Ok(chosen)
}

/// Finds a provider: "zlib", "libdeflate", "isal", or "qat", which is emulated, because there is no
/// device: "emulated:preset=8955". It lives as long as the process.
///
/// Returns 0, or the bl_status of `broadloom.h`, whose `bl_last_error` tells more. So do the other
/// functions.
///
/// Threads: any, at once. The same holds for the other functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfGetProvider(
    name: *mut c_char,
    ppProvider: *mut *mut CfProvider,
) -> c_int {
    // SAFETY: the conditions *texts* and *places* hold.
    report(unsafe {
        text(name, "provider")
            .and_then(provider)
            .and_then(|provider| put(ppProvider, "place for the provider", provider))
    })
}

/// A provider of a name. It is kept, because the framework has no function that closes one.
fn provider(name: &str) -> Result<*mut CfProvider, Fault> {
    /// Pointers to providers that are never freed.
    struct Kept(*mut CfProvider);
    // SAFETY: a `CfProvider` is `Send` and `Sync`, and nothing of it is ever written.
    unsafe impl Send for Kept {}

    static PROVIDERS: Mutex<BTreeMap<String, Kept>> = Mutex::new(BTreeMap::new());
    let mut providers = PROVIDERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(Kept(provider)) = providers.get(name) {
        return Ok(*provider);
    }
    let spec = if name == "qat" { "emulated:preset=8955" } else { name };
    let none = |error| Fault::new(BL_E_PROVIDER, error);
    let spec = REGISTRY.parse(spec).map_err(none)?;
    let provider = REGISTRY.open_provider(&spec).map_err(none)?;
    let provider = Box::into_raw(Box::new(CfProvider { provider }));
    providers.insert(name.to_owned(), Kept(provider));
    Ok(provider)
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<CfProvider>();
};

/// Opens a session at a provider.
fn open(provider: &CfProvider, transform: &broadloom::Transform) -> Result<Session, Fault> {
    let session = Session::open(Arc::clone(&provider.provider), transform);
    session.map_err(|error| Fault::new(BL_E_PROVIDER, error))
}

/// A length that a caller gave.
fn length(value: c_int, name: &str) -> Result<usize, Fault> {
    usize::try_from(value)
        .map_err(|_| Fault::argument(format_args!("{name} is {value}; valid: 0 to {}", c_int::MAX)))
}

/// Compresses a buffer of any length: each chunk on its own, behind its length in four bytes, the
/// lowest first.
///
/// `compressedDataSize`: out: bytes of output; where the output does not fit, how many there would
/// be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfCompressBuffer(
    pProvider: *mut CfProvider,
    pParams: *mut CfParams,
    uncompressedBuffer: *mut c_uchar,
    uncompressedBufferSize: c_int,
    compressedBuffer: *mut c_uchar,
    compressedBufferSize: c_int,
    compressedDataSize: *mut c_int,
) -> c_int {
    let work = || {
        // SAFETY: the conditions *structures* and *bytes* hold.
        let (provider, plan, input) = unsafe {
            let len = length(uncompressedBufferSize, "uncompressedBufferSize")?;
            let input = bytes(uncompressedBuffer, len, "uncompressedBuffer")?;
            (object(pProvider, "CfProvider")?, Plan::new(pParams)?, input)
        };
        let session = open(provider, &deflate(plan.how)?)?;
        let kernel = session.kernel();
        let mut settings = Settings::new(Format::Parcomp);
        if plan.chunk != 0 {
            settings.chunk = plan.chunk;
        }
        (settings.outstanding, settings.threads) = (plan.outstanding, plan.threads);
        settings.cores = plan.cores;
        let compressor = Compressor::new(session, settings).map_err(wrong_settings)?;
        let made = compress::compress(&compressor, input)?;
        if plan.debug {
            let (from, to) = (input.len(), made.len());
            eprintln!("cfCompressBuffer: {kernel}, {from} bytes to {to}");
        }
        // SAFETY: the conditions *bytes* and *places* hold.
        unsafe { hand_over(&made, compressedBuffer, compressedBufferSize, compressedDataSize) }
    };
    report(work())
}

/// Decompresses what `cfCompressBuffer` has made.
///
/// `uncompressedDataSize`: out: bytes of output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfDecompressBuffer(
    pProvider: *mut CfProvider,
    pParams: *mut CfParams,
    compressedBuffer: *mut c_uchar,
    compressedBufferSize: c_int,
    uncompressedBuffer: *mut c_uchar,
    uncompressedBufferSize: c_int,
    uncompressedDataSize: *mut c_int,
) -> c_int {
    let work = || {
        // SAFETY: the conditions *structures* and *bytes* hold.
        let (provider, plan, input) = unsafe {
            let len = length(compressedBufferSize, "compressedBufferSize")?;
            let input = bytes(compressedBuffer, len, "compressedBuffer")?;
            (object(pProvider, "CfProvider")?, Plan::new(pParams)?, input)
        };
        let session = open(provider, &inflate(Checksum::None)?)?;
        let kernel = session.kernel();
        let settings = decompress::Settings {
            format: Some(Format::Parcomp),
            threads: plan.threads,
            outstanding: plan.outstanding,
            cores: plan.cores,
            ..decompress::Settings::default()
        };
        let room = length(uncompressedBufferSize, "uncompressedBufferSize")?;
        let made = compress::decompress(session, settings, input, room)?;
        if plan.debug {
            let (from, to) = (input.len(), made.len());
            eprintln!("cfDecompressBuffer: {kernel}, {from} bytes to {to}");
        }
        let (output, room, produced) =
            (uncompressedBuffer, uncompressedBufferSize, uncompressedDataSize);
        // SAFETY: the conditions *bytes* and *places* hold.
        unsafe { hand_over(&made, output, room, produced) }
    };
    report(work())
}

/// Copies an output to where the caller wants it.
///
/// # Safety
/// The [conditions](crate#what-c-vouches-for) *bytes* and *places* hold.
unsafe fn hand_over(
    made: &[u8],
    output: *mut u8,
    room: c_int,
    produced: *mut c_int,
) -> Result<(), Fault> {
    let room = length(room, "size of the output buffer")?;
    let mut len = 0;
    // SAFETY: the condition *bytes* holds.
    let outcome = unsafe { deliver(made, output, room, &raw mut len) };
    let len = c_int::try_from(len).unwrap_or(c_int::MAX);
    // SAFETY: the condition *places* holds.
    unsafe { put(produced, "place for the size of the output", len) }?;
    outcome
}
