//! libz itself: found, checked and opened once, and its streams, which end when they are dropped.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

use broadloom_loader::{self as loader, Library, find};

use crate::codec::{Flush, Shape, Step, StepError};

/// Where to look, in this order.
const NAMES: &[&str] = if cfg!(windows) {
    &["zlib1.dll"]
} else if cfg!(target_vendor = "apple") {
    &["libz.1.dylib", "libz.dylib"]
} else {
    &["libz.so.1"]
};

/// The version whose interface is used. libz compares its first digit and the size of [`ZStream`].
const INTERFACE: &CStr = c"1.2.11";

const Z_NO_FLUSH: c_int = 0;
const Z_FULL_FLUSH: c_int = 3;
const Z_FINISH: c_int = 4;
const Z_OK: c_int = 0;
const Z_STREAM_END: c_int = 1;
const Z_NEED_DICT: c_int = 2;
#[cfg(test)]
const Z_STREAM_ERROR: c_int = -2;
const Z_DATA_ERROR: c_int = -3;
const Z_BUF_ERROR: c_int = -5;
const Z_DEFLATED: c_int = 8;
const Z_FIXED: c_int = 4;
const Z_DEFAULT_STRATEGY: c_int = 0;
/// `deflateInit`'s own choice.
const MEM_LEVEL: c_int = 8;
/// The largest window, negative for a stream without zlib's header.
const RAW: c_int = -15;

/// `z_stream` of zlib 1.x.
#[repr(C)]
struct ZStream {
    next_in: *const u8,
    avail_in: c_uint,
    total_in: c_ulong,
    next_out: *mut u8,
    avail_out: c_uint,
    total_out: c_ulong,
    msg: *const c_char,
    state: *mut c_void,
    zalloc: *mut c_void,
    zfree: *mut c_void,
    opaque: *mut c_void,
    data_type: c_int,
    adler: c_ulong,
    reserved: c_ulong,
}

type StepFunction = unsafe extern "C" fn(*mut ZStream, c_int) -> c_int;
type Plain = unsafe extern "C" fn(*mut ZStream) -> c_int;
type DeflateInit = unsafe extern "C" fn(
    *mut ZStream,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_char,
    c_int,
) -> c_int;
type InflateInit = unsafe extern "C" fn(*mut ZStream, c_int, *const c_char, c_int) -> c_int;

/// libz, opened. There is one in a process, and it is never closed.
pub(crate) struct Libz {
    deflate_init: DeflateInit,
    deflate: StepFunction,
    deflate_reset: Plain,
    deflate_end: Plain,
    inflate_init: InflateInit,
    inflate: StepFunction,
    inflate_reset: Plain,
    inflate_end: Plain,
    version: String,
}

/// Why there is no libz to work with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// None was found.
    #[error("libz was not found: {reason}")]
    Absent {
        /// The loader's error.
        reason: String,
    },
    /// It lacks functions of zlib 1.2.
    #[error("{name} lacks the function {function}")]
    MissingFunction {
        /// The name it was found by.
        name: String,
        /// The function.
        function: &'static str,
    },
    /// It does not have the interface of zlib 1.
    #[error("libz is {version}, and version 1 is needed")]
    Version {
        /// Its own name for its version.
        version: String,
    },
}

impl Libz {
    /// The process's libz; the first call looks for it.
    ///
    /// # Errors
    /// It is not installed, or is not zlib 1.
    pub(crate) fn get() -> Result<&'static Libz, LibraryError> {
        static OPENED: OnceLock<Result<Libz, LibraryError>> = OnceLock::new();
        OPENED.get_or_init(|| Libz::open(NAMES)).as_ref().map_err(LibraryError::clone)
    }

    /// Opens the first of `names` that the loader finds.
    fn open(names: &[&str]) -> Result<Libz, LibraryError> {
        // SAFETY: the names belong to libz, whose initialisers, if it has any, prepare only itself
        // and may run on any thread.
        let opened = unsafe { loader::open(names) };
        let (library, name) = opened.map_err(|reason| LibraryError::Absent { reason })?;
        Libz::with(library, name)
    }

    fn with(library: Library, name: &str) -> Result<Libz, LibraryError> {
        let lacking = |function| LibraryError::MissingFunction { name: name.to_owned(), function };
        // SAFETY: this is the function's type in every version.
        let version =
            unsafe { find::<unsafe extern "C" fn() -> *const c_char>(&library, "zlibVersion") };
        let version = version.map_err(lacking)?;
        // SAFETY: the function takes nothing and returns a static string.
        let version = unsafe { CStr::from_ptr(version()) }.to_string_lossy().into_owned();
        if !version.starts_with("1.") {
            return Err(LibraryError::Version { version });
        }
        let libz = Libz::of(&library, version).map_err(lacking)?;
        // Never closed: the functions stay where they are.
        std::mem::forget(library);
        Ok(libz)
    }

    /// Finds the functions of a version 1, or names the first that it lacks.
    fn of(library: &Library, version: String) -> Result<Libz, &'static str> {
        // SAFETY: these are the functions' types in the header of zlib 1.
        unsafe {
            Ok(Libz {
                deflate_init: find(library, "deflateInit2_")?,
                deflate: find(library, "deflate")?,
                deflate_reset: find(library, "deflateReset")?,
                deflate_end: find(library, "deflateEnd")?,
                inflate_init: find(library, "inflateInit2_")?,
                inflate: find(library, "inflate")?,
                inflate_reset: find(library, "inflateReset")?,
                inflate_end: find(library, "inflateEnd")?,
                version,
            })
        }
    }

    /// Its own name for its version, such as `1.2.13`.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }
}

/// A stream, at an address of its own, which libz keeps and compares.
struct Stream {
    raw: NonNull<ZStream>,
    library: &'static Libz,
    end: Plain,
}

// SAFETY: a stream belongs to no thread. Its owner calls it from one thread at a time.
unsafe impl Send for Stream {}

impl Stream {
    /// A stream that `init` makes ready.
    fn new(
        library: &'static Libz,
        end: Plain,
        init: impl FnOnce(*mut ZStream, c_int) -> c_int,
    ) -> Result<Stream, c_int> {
        // SAFETY: null pointers and zeros are valid for every field, and ask for libz's own
        // allocator.
        let zeroed: ZStream = unsafe { std::mem::zeroed() };
        let raw = NonNull::from(Box::leak(Box::new(zeroed)));
        // From here on it is freed whatever happens: ending a stream without a state does nothing.
        let stream = Stream { raw, library, end };
        match init(raw.as_ptr(), size_of::<ZStream>() as c_int) {
            Z_OK => Ok(stream),
            code => Err(code),
        }
    }

    /// Lets `work` read of `input` and write to `output`, each shorter than 4 GiB: its code, and
    /// how much it read and wrote.
    fn step(
        &mut self,
        work: StepFunction,
        input: &[u8],
        output: &mut [u8],
        flush: Flush,
    ) -> (c_int, usize, usize) {
        let short =
            |len: usize| c_uint::try_from(len).expect("a step's buffers are shorter than 4 GiB");
        let (avail_in, avail_out) = (short(input.len()), short(output.len()));
        let flush = match flush {
            Flush::None => Z_NO_FLUSH,
            Flush::Full => Z_FULL_FLUSH,
            Flush::Finish => Z_FINISH,
        };
        // SAFETY: the stream was made ready and is held by `&mut`; both buffers are as long as is
        // said, and libz writes to the output alone.
        let (code, left_in, left_out) = unsafe {
            let raw = self.raw.as_ptr();
            (*raw).next_in = input.as_ptr();
            (*raw).avail_in = avail_in;
            (*raw).next_out = output.as_mut_ptr();
            (*raw).avail_out = avail_out;
            let code = work(raw, flush);
            (code, (*raw).avail_in, (*raw).avail_out)
        };
        (code, (avail_in - left_in) as usize, (avail_out - left_out) as usize)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream came from a box and is only freed here, after libz has freed its
        // state.
        unsafe {
            (self.end)(self.raw.as_ptr());
            drop(Box::from_raw(self.raw.as_ptr()));
        }
    }
}

/// A compressor.
pub(crate) struct Deflate(Stream);

impl Deflate {
    /// A stream that writes raw deflate.
    ///
    /// # Errors
    /// libz's code: there is no memory.
    pub(crate) fn new(library: &'static Libz, shape: Shape) -> Result<Deflate, StepError> {
        let strategy = if shape.fixed { Z_FIXED } else { Z_DEFAULT_STRATEGY };
        let (level, window) = (c_int::from(shape.level), -c_int::from(shape.window));
        let stream = Stream::new(library, library.deflate_end, |raw, size| {
            // SAFETY: the stream is zeroed, of the size that is said, and stays where it is.
            unsafe {
                (library.deflate_init)(
                    raw,
                    level,
                    Z_DEFLATED,
                    window,
                    MEM_LEVEL,
                    strategy,
                    INTERFACE.as_ptr(),
                    size,
                )
            }
        });
        stream.map(Deflate).map_err(StepError::Code)
    }

    /// Starts anew, with the same shape.
    pub(crate) fn reset(&mut self) {
        // SAFETY: the stream was made ready by `deflateInit2_`.
        let code = unsafe { (self.0.library.deflate_reset)(self.0.raw.as_ptr()) };
        assert_eq!(code, Z_OK, "a stream that was made can be reset");
    }

    pub(crate) fn step(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        flush: Flush,
    ) -> Result<Step, StepError> {
        let work = self.0.library.deflate;
        match self.0.step(work, input, output, flush) {
            (code @ (Z_OK | Z_STREAM_END | Z_BUF_ERROR), consumed, produced) => {
                Ok(Step { consumed, produced, ended: code == Z_STREAM_END })
            }
            (code, ..) => Err(StepError::Code(code)),
        }
    }
}

/// A decompressor.
pub(crate) struct Inflate(Stream);

impl Inflate {
    /// A stream that reads raw deflate with any window.
    ///
    /// # Errors
    /// libz's code: there is no memory.
    pub(crate) fn new(library: &'static Libz) -> Result<Inflate, StepError> {
        let stream = Stream::new(library, library.inflate_end, |raw, size| {
            // SAFETY: the stream is zeroed, of the size that is said, and stays where it is.
            unsafe { (library.inflate_init)(raw, RAW, INTERFACE.as_ptr(), size) }
        });
        stream.map(Inflate).map_err(StepError::Code)
    }

    /// Starts anew.
    pub(crate) fn reset(&mut self) {
        // SAFETY: the stream was made ready by `inflateInit2_`.
        let code = unsafe { (self.0.library.inflate_reset)(self.0.raw.as_ptr()) };
        assert_eq!(code, Z_OK, "a stream that was made can be reset");
    }

    pub(crate) fn step(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        flush: Flush,
    ) -> Result<Step, StepError> {
        let work = self.0.library.inflate;
        match self.0.step(work, input, output, flush) {
            (code @ (Z_OK | Z_STREAM_END | Z_BUF_ERROR), consumed, produced) => {
                Ok(Step { consumed, produced, ended: code == Z_STREAM_END })
            }
            (Z_DATA_ERROR | Z_NEED_DICT, ..) => Err(StepError::Malformed),
            (code, ..) => Err(StepError::Code(code)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_absent() {
        let Err(error) = Libz::open(&["libz-of-nowhere.so"]) else { panic!("it was found") };
        assert!(matches!(error, LibraryError::Absent { .. }), "{error}");
        assert!(error.to_string().contains("libz-of-nowhere.so"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_library_without_the_functions_names_the_first() {
        let Err(error) = Libz::open(&["libc.so.6"]) else { panic!("it was taken") };
        assert_eq!(error.to_string(), "libc.so.6 lacks the function zlibVersion");
    }

    #[test]
    fn a_stream_that_cannot_be_made_is_refused_with_the_code() {
        let libz = broadloom_testing::present("a refusal of libz", Libz::get());
        let Some(library) = libz else { return };
        let shape = Shape { level: 1, window: 8, fixed: false };
        let error = Deflate::new(library, shape).err().expect("no raw window of 256 bytes");
        assert_eq!(error, StepError::Code(Z_STREAM_ERROR));
    }
}
