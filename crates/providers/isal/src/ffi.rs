//! libisal itself: found, checked and opened once; its structures, and whole buffers through them.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

use broadloom_loader::{self as loader, Library, find};

use crate::places::Placed;

/// Where to look, in this order.
const NAMES: &[&str] = if cfg!(windows) {
    &["isa-l.dll"]
} else if cfg!(target_vendor = "apple") {
    &["libisal.2.dylib"]
} else {
    &["libisal.so.2"]
};

const FULL_FLUSH: u16 = 2;
const NO_FLUSH: u16 = 0;
const HUFFTABLE_STATIC: c_int = 2;
const COMP_OK: c_int = 0;
const STATELESS_OVERFLOW: c_int = -1;
const DECOMP_OK: c_int = 0;
const END_INPUT: c_int = 1;
const OUT_OVERFLOW: c_int = 2;
const INVALID_BLOCK: c_int = -1;
const INVALID_SYMBOL: c_int = -2;
const INVALID_LOOKBACK: c_int = -3;

/// Bytes of `level_buf` at each level, as large as makes a difference: `ISAL_DEF_LVLx_DEFAULT`.
const LEVEL_BUFFERS: [u32; 4] = [0, 282_624, 331_776, 348_160];
/// Bytes from one of the structures to the next.
const STRUCTURE: usize = 128 << 10;
/// Words for what is the library's own in its structures, which take about 82,000 and 87,000 bytes.
/// The last [`SPARE`] of them are never written to.
const PRIVATE: usize = (STRUCTURE - 64) / 8;
const SPARE: usize = (32 << 10) / 8;

/// The longest buffer, in bytes: the library counts in 32 bits.
pub(crate) const MAX_LEN: usize = u32::MAX as usize;

/// `struct isal_zstream`.
#[repr(C, align(64))]
struct Zstream {
    next_in: *const u8,
    avail_in: u32,
    total_in: u32,
    next_out: *mut u8,
    avail_out: u32,
    total_out: u32,
    hufftables: *mut c_void,
    level: u32,
    level_buf_size: u32,
    level_buf: *mut u8,
    end_of_stream: u16,
    flush: u16,
    gzip_flag: u16,
    hist_bits: u16,
    private: [u64; PRIVATE],
}

/// `struct inflate_state`.
#[repr(C, align(64))]
struct InflateState {
    next_out: *mut u8,
    avail_out: u32,
    total_out: u32,
    next_in: *const u8,
    read_in: u64,
    avail_in: u32,
    read_in_length: i32,
    private: [u64; PRIVATE],
}

const _: () = assert!(size_of::<Zstream>() == STRUCTURE);

#[repr(C, align(64))]
struct LevelBuffer([u8; LEVEL_BUFFERS[3] as usize]);

/// libisal, opened. There is one in a process, and it is never closed.
pub(crate) struct Libisal {
    deflate_init: unsafe extern "C" fn(*mut Zstream),
    set_hufftables: unsafe extern "C" fn(*mut Zstream, *mut c_void, c_int) -> c_int,
    deflate: unsafe extern "C" fn(*mut Zstream) -> c_int,
    inflate_init: unsafe extern "C" fn(*mut InflateState),
    inflate: unsafe extern "C" fn(*mut InflateState) -> c_int,
    crc32: unsafe extern "C" fn(u32, *const u8, u64) -> u32,
    adler32: unsafe extern "C" fn(u32, *const u8, u64) -> u32,
}

/// Why there is no libisal to work with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// None was found.
    #[error("libisal was not found: {reason}")]
    Absent {
        /// The loader's error.
        reason: String,
    },
    /// It lacks functions of igzip.
    #[error("{name} lacks the function {function}")]
    MissingFunction {
        /// The name it was found by.
        name: String,
        /// The function.
        function: &'static str,
    },
    /// It did not do with a sample what it should.
    #[error("{name} does not work as ISA-L 2 does: {what}")]
    Foreign {
        /// The name it was found by.
        name: String,
        /// How it failed.
        what: &'static str,
    },
}

impl Libisal {
    /// The process's libisal; the first call looks for it.
    ///
    /// # Errors
    /// It is not installed, or is not what is known as libisal.
    pub(crate) fn get() -> Result<&'static Libisal, LibraryError> {
        static OPENED: OnceLock<Result<Libisal, LibraryError>> = OnceLock::new();
        let opened = OPENED.get_or_init(|| Libisal::open(NAMES)).as_ref();
        let library = opened.map_err(LibraryError::clone)?;
        static CHECKED: OnceLock<Result<(), &'static str>> = OnceLock::new();
        let checked = *CHECKED.get_or_init(|| check(library));
        checked.map_err(|what| LibraryError::Foreign { name: NAMES.join(" or "), what })?;
        Ok(library)
    }

    /// Opens the first of `names` that the loader finds.
    fn open(names: &[&str]) -> Result<Libisal, LibraryError> {
        // SAFETY: the names belong to libisal, whose initialisers, if it has any, prepare only
        // itself and may run on any thread.
        let opened = unsafe { loader::open(names) };
        let (library, name) = opened.map_err(|reason| LibraryError::Absent { reason })?;
        let libisal = Libisal::with(&library).map_err(|function| {
            LibraryError::MissingFunction { name: name.to_owned(), function }
        })?;
        // Never closed: the functions stay where they are.
        std::mem::forget(library);
        Ok(libisal)
    }

    /// Finds its functions, or names the first that it lacks.
    fn with(library: &Library) -> Result<Libisal, &'static str> {
        // SAFETY: these are the functions' types in ISA-L's headers.
        unsafe {
            Ok(Libisal {
                deflate_init: find(library, "isal_deflate_stateless_init")?,
                set_hufftables: find(library, "isal_deflate_set_hufftables")?,
                deflate: find(library, "isal_deflate_stateless")?,
                inflate_init: find(library, "isal_inflate_init")?,
                inflate: find(library, "isal_inflate_stateless")?,
                crc32: find(library, "crc32_gzip_refl")?,
                adler32: find(library, "isal_adler32")?,
            })
        }
    }

    /// CRC-32 as in gzip (RFC 1952).
    pub(crate) fn crc32(&self, bytes: &[u8]) -> u32 {
        // SAFETY: the bytes are as many as is said, and only read.
        unsafe { (self.crc32)(0, bytes.as_ptr(), bytes.len() as u64) }
    }

    /// Adler-32 as in zlib (RFC 1950).
    pub(crate) fn adler32(&self, bytes: &[u8]) -> u32 {
        // SAFETY: the bytes are as many as is said, and only read.
        unsafe { (self.adler32)(1, bytes.as_ptr(), bytes.len() as u64) }
    }
}

/// Something on the heap that is only used through pointers to it, all of it zero at first. It
/// takes no memory of the system's before it is written to.
struct Zeroed<T> {
    value: NonNull<T>,
    memory: NonNull<u8>,
}

/// A structure for which zeros are a value.
///
/// # Safety
/// They must be.
unsafe trait Zeroable {}

// SAFETY: its fields are numbers, and pointers that may be null.
unsafe impl Zeroable for InflateState {}

// SAFETY: it is bytes.
unsafe impl Zeroable for LevelBuffer {}

// SAFETY: the library's structures belong to no thread. The owner of one calls it from one thread
// at a time.
unsafe impl<T: Zeroable> Send for Zeroed<T> {}

impl<T: Zeroable> Zeroed<T> {
    /// With an alignment above 16 bytes, Rust's allocator would clear the memory itself, and so
    /// touch all of it. The value is aligned within a larger allocation instead.
    const LAYOUT: Layout =
        match Layout::from_size_align(size_of::<T>() + align_of::<T>(), align_of::<u128>()) {
            Ok(layout) => layout,
            Err(_) => panic!("it is too large"),
        };

    fn new() -> Zeroed<T> {
        // SAFETY: the layout has a size.
        let memory = unsafe { alloc_zeroed(Self::LAYOUT) };
        let Some(memory) = NonNull::new(memory) else { handle_alloc_error(Self::LAYOUT) };
        let beyond = memory.align_offset(align_of::<T>());
        // SAFETY: the allocation has room for the value behind as many bytes as its alignment.
        let value = unsafe { memory.add(beyond) }.cast();
        Zeroed { value, memory }
    }

    fn as_ptr(&self) -> *mut T {
        self.value.as_ptr()
    }
}

impl<T> Drop for Zeroed<T> {
    fn drop(&mut self) {
        let size = size_of::<T>() + align_of::<T>();
        // SAFETY: the memory was allocated with this layout, only this value frees it, and the
        // structures have nothing to drop.
        unsafe {
            let layout = Layout::from_size_align_unchecked(size, align_of::<u128>());
            dealloc(self.memory.as_ptr(), layout);
        }
    }
}

/// How to compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct How {
    /// 0 to 3.
    pub level: u8,
    /// The logarithm of the window, 8 to 15.
    pub window: u8,
    /// The codes that the standard gives, and no other: at level 0.
    pub fixed: bool,
    /// Makes a complete stream; otherwise a stream that ends on a byte boundary, without a final
    /// block.
    pub closes: bool,
}

/// The bytes that a decompression read and wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inflated {
    pub consumed: usize,
    pub produced: usize,
}

/// Why there is no whole result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodecError {
    /// There is more than there was room for.
    Full,
    /// The compressed data are wrong.
    Malformed,
    /// The compressed data end before their final block does.
    Truncated,
    /// There is more data than the library can count.
    TooLong,
    /// The library's own code.
    Code(i32),
}

/// A compressor.
pub(crate) struct Deflater {
    library: &'static Libisal,
    /// A [`Zstream`].
    stream: Placed,
    buffer: Zeroed<LevelBuffer>,
}

impl Deflater {
    pub(crate) fn new(library: &'static Libisal) -> Deflater {
        let Some(stream) = Placed::new(STRUCTURE) else {
            handle_alloc_error(Layout::new::<Zstream>())
        };
        Deflater { library, stream, buffer: Zeroed::new() }
    }

    /// Compresses a whole buffer: bytes written.
    ///
    /// # Errors
    /// [`CodecError`], but for what is of compressed data.
    ///
    /// # Panics
    /// If there is no such level.
    pub(crate) fn compress(
        &mut self,
        how: How,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CodecError> {
        let level_buf_size = LEVEL_BUFFERS[usize::from(how.level)];
        let avail_in = u32::try_from(input.len()).map_err(|_| CodecError::TooLong)?;
        let avail_out = u32::try_from(output.len()).unwrap_or(u32::MAX);
        let stream = self.stream.as_ptr().cast::<Zstream>();
        // SAFETY: the stream is held by `&mut`. It is laid out as the library has it, which `check`
        // saw; the initialisation sets everything in a stream that is read before it is written.
        // The buffers are as long as is said, the level's is the library's until the call ends, and
        // the input is only read.
        let (code, left_in, left_out) = unsafe {
            (self.library.deflate_init)(stream);
            if how.fixed {
                (self.library.set_hufftables)(stream, std::ptr::null_mut(), HUFFTABLE_STATIC);
            }
            (*stream).level = u32::from(how.level);
            (*stream).level_buf = self.buffer.as_ptr().cast::<u8>();
            (*stream).level_buf_size = level_buf_size;
            (*stream).hist_bits = u16::from(how.window);
            (*stream).end_of_stream = u16::from(how.closes);
            (*stream).flush = if how.closes { NO_FLUSH } else { FULL_FLUSH };
            (*stream).next_in = input.as_ptr();
            (*stream).avail_in = avail_in;
            (*stream).next_out = output.as_mut_ptr();
            (*stream).avail_out = avail_out;
            let code = (self.library.deflate)(stream);
            (code, (*stream).avail_in, (*stream).avail_out)
        };
        match code {
            COMP_OK if left_in == 0 => Ok((avail_out - left_out) as usize),
            COMP_OK | STATELESS_OVERFLOW => Err(CodecError::Full),
            code => Err(CodecError::Code(code)),
        }
    }
}

/// A decompressor.
pub(crate) struct Inflater {
    library: &'static Libisal,
    state: Zeroed<InflateState>,
}

impl Inflater {
    pub(crate) fn new(library: &'static Libisal) -> Inflater {
        Inflater { library, state: Zeroed::new() }
    }

    /// Decompresses the deflate stream that `input` begins with.
    ///
    /// # Errors
    /// [`CodecError`].
    pub(crate) fn decompress(
        &mut self,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<Inflated, CodecError> {
        let avail_in = u32::try_from(input.len()).unwrap_or(u32::MAX);
        let avail_out = u32::try_from(output.len()).unwrap_or(u32::MAX);
        let state = self.state.as_ptr();
        // SAFETY: the state is held by `&mut`, and laid out as the library has it, which `check`
        // saw; the initialisation sets everything in it that is read before it is written. The
        // buffers are as long as is said, and the input is only read.
        let (code, left_in, left_out) = unsafe {
            (self.library.inflate_init)(state);
            (*state).next_in = input.as_ptr();
            (*state).avail_in = avail_in;
            (*state).next_out = output.as_mut_ptr();
            (*state).avail_out = avail_out;
            let code = (self.library.inflate)(state);
            (code, (*state).avail_in, (*state).avail_out)
        };
        match code {
            DECOMP_OK => {
                let (consumed, produced) = (avail_in - left_in, avail_out - left_out);
                Ok(Inflated { consumed: consumed as usize, produced: produced as usize })
            }
            END_INPUT if input.len() > MAX_LEN => Err(CodecError::TooLong),
            END_INPUT => Err(CodecError::Truncated),
            OUT_OVERFLOW if output.len() >= MAX_LEN => Err(CodecError::TooLong),
            OUT_OVERFLOW => Err(CodecError::Full),
            // It decodes up to three literals at once, and a match after those that it had no room
            // for seems to it to reach too far back. With more room it is seen for what it is.
            INVALID_LOOKBACK if left_out == 0 && output.len() < MAX_LEN => Err(CodecError::Full),
            INVALID_BLOCK | INVALID_SYMBOL | INVALID_LOOKBACK => Err(CodecError::Malformed),
            code => Err(CodecError::Code(code)),
        }
    }
}

/// Bytes of the sample: enough for the library to use all of its hash table at level 0, which is in
/// the stream. Every program that opens the provider waits for this.
const SAMPLE: u32 = 8200;

/// Whether the library handles a sample correctly, and writes nothing beyond its known structures.
fn check(library: &'static Libisal) -> Result<(), &'static str> {
    const FOLLOWS: [u8; 3] = [0xff; 3];
    let sample: Vec<u8> = (0..SAMPLE).map(|i| (i / 5 % 251) as u8 ^ (i / 4096) as u8).collect();
    let (mut deflater, mut inflater) = (Deflater::new(library), Inflater::new(library));
    let mut compressed = vec![0; sample.len()];
    let mut decompressed = vec![0; sample.len() + 1];
    for (level, closes) in [(0, true), (0, false), (1, true), (2, false), (3, true)] {
        let how = How { level, window: 15, fixed: false, closes };
        let Ok(len) = deflater.compress(how, &sample, &mut compressed) else {
            return Err("it cannot compress a sample");
        };
        if len >= sample.len() / 2 {
            return Err("it does not make a sample smaller");
        }
        let mut stream = compressed[..len].to_vec();
        if !closes {
            stream.extend([3, 0]);
        }
        let consumed = stream.len();
        stream.extend(FOLLOWS);
        let inflated = inflater.decompress(&stream, &mut decompressed);
        if inflated != Ok(Inflated { consumed, produced: sample.len() })
            || decompressed[..sample.len()] != sample
        {
            return Err("it cannot decompress its own sample");
        }
        if inflater.decompress(&stream[..consumed / 2], &mut decompressed)
            != Err(CodecError::Truncated)
        {
            return Err("it does not see that a sample was cut short");
        }
    }
    if library.crc32(b"123456789") != 0xcbf4_3926 || library.adler32(b"Wikipedia") != 0x11e6_0398 {
        return Err("its checksums are others");
    }
    // SAFETY: all structures were zero at first, are alive, and are in no call.
    let spare = unsafe {
        let stream = &*deflater.stream.as_ptr().cast::<Zstream>();
        let state = inflater.state.value.as_ref();
        [&stream.private[PRIVATE - SPARE..], &state.private[PRIVATE - SPARE..]]
    };
    match spare.concat().iter().all(|&word| word == 0) {
        true => Ok(()),
        false => Err("its structures are larger"),
    }
}

#[cfg(test)]
mod tests;
