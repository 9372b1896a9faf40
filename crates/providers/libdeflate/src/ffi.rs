//! libdeflate's own functions, for whole buffers.

use std::ffi::c_void;
use std::ptr::NonNull;

use libdeflate_sys as sys;

/// There was no memory for a compressor or a decompressor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfMemory;

/// The bytes that a decompression read and wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inflated {
    pub consumed: usize,
    pub produced: usize,
}

/// Why nothing was decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InflateError {
    /// There is more than there was room for.
    Full,
    /// The compressed data are wrong, or end too early: libdeflate does not tell these apart.
    Malformed,
}

/// A compressor of one level.
pub(crate) struct Compressor(NonNull<sys::libdeflate_compressor>);

// SAFETY: a compressor belongs to no thread. Its owner calls it from one thread at a time.
unsafe impl Send for Compressor {}

impl Compressor {
    /// A compressor of a level from 0 to 12.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(crate) fn new(level: u8) -> Result<Compressor, OutOfMemory> {
        // SAFETY: the function takes any number, and returns null for a number that is no level.
        let raw = unsafe { sys::libdeflate_alloc_compressor(i32::from(level)) };
        NonNull::new(raw).map(Compressor).ok_or(OutOfMemory)
    }

    /// Compresses a whole buffer to a complete deflate stream: bytes written, or `None` if there
    /// was too little room.
    pub(crate) fn compress(&mut self, input: &[u8], output: &mut [u8]) -> Option<usize> {
        // SAFETY: the compressor is alive and held by `&mut`; the buffers are as long as is said,
        // and the output alone is written to.
        let written = unsafe {
            sys::libdeflate_deflate_compress(
                self.0.as_ptr(),
                input.as_ptr().cast::<c_void>(),
                input.len(),
                output.as_mut_ptr().cast::<c_void>(),
                output.len(),
            )
        };
        (written != 0).then_some(written)
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: the compressor came from the library, and only this value frees it.
        unsafe { sys::libdeflate_free_compressor(self.0.as_ptr()) };
    }
}

/// Room at which compressing `len` bytes never fails, at any level.
pub(crate) fn bound(len: usize) -> usize {
    // SAFETY: a null compressor stands for any.
    unsafe { sys::libdeflate_deflate_compress_bound(std::ptr::null_mut(), len) }
}

/// A decompressor.
pub(crate) struct Decompressor(NonNull<sys::libdeflate_decompressor>);

// SAFETY: a decompressor belongs to no thread. Its owner calls it from one thread at a time.
unsafe impl Send for Decompressor {}

impl Decompressor {
    /// Makes one.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(crate) fn new() -> Result<Decompressor, OutOfMemory> {
        // SAFETY: the function takes nothing.
        let raw = unsafe { sys::libdeflate_alloc_decompressor() };
        NonNull::new(raw).map(Decompressor).ok_or(OutOfMemory)
    }

    /// Decompresses the deflate stream that `input` begins with.
    ///
    /// # Errors
    /// [`InflateError`].
    pub(crate) fn decompress(
        &mut self,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<Inflated, InflateError> {
        let (mut consumed, mut produced) = (0, 0);
        // SAFETY: the decompressor is alive and held by `&mut`; the buffers are as long as is said,
        // and the output and the two numbers alone are written to.
        let result = unsafe {
            sys::libdeflate_deflate_decompress_ex(
                self.0.as_ptr(),
                input.as_ptr().cast::<c_void>(),
                input.len(),
                output.as_mut_ptr().cast::<c_void>(),
                output.len(),
                &mut consumed,
                &mut produced,
            )
        };
        match result {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => Ok(Inflated { consumed, produced }),
            sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Err(InflateError::Full),
            _ => Err(InflateError::Malformed),
        }
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: the decompressor came from the library, and only this value frees it.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) };
    }
}

/// CRC-32 as in gzip (RFC 1952).
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    // SAFETY: the bytes are as many as is said, and only read.
    unsafe { sys::libdeflate_crc32(0, bytes.as_ptr().cast::<c_void>(), bytes.len()) }
}

/// Adler-32 as in zlib (RFC 1950).
pub(crate) fn adler32(bytes: &[u8]) -> u32 {
    // SAFETY: the bytes are as many as is said, and only read.
    unsafe { sys::libdeflate_adler32(1, bytes.as_ptr().cast::<c_void>(), bytes.len()) }
}

#[cfg(test)]
mod tests;
