//! Memory for copies and results, which may be more than there is.

use std::io::{self, ErrorKind, Write};

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

/// Bytes from which on it is worth to ask for huge pages: some of them.
const LARGE: usize = 8 << 20;
/// The smallest page of any machine; the system wants whole ones.
const PAGE: usize = 4096;
/// A huge page of the usual machine.
#[cfg(target_os = "linux")]
const HUGE: usize = 2 << 20;
/// The first touch of a huge page takes a tenth of this where there is free memory. It takes longer
/// where the system has to move other pages away first, or the host of a virtual machine to find
/// memory for the whole page. Small pages are faster then.
#[cfg(target_os = "linux")]
const SLOW: Duration = Duration::from_millis(1);

/// The error for bytes that there is no memory for.
pub fn none_left(len: usize) -> PyErr {
    PyMemoryError::new_err(format!("there is no memory for {len} bytes"))
}

/// The memory of a call's results, or of its notes about its buffers, which is not filled yet.
///
/// # Errors
/// `MemoryError`.
pub fn with_capacity<T>(count: usize) -> PyResult<Vec<T>> {
    let mut items = Vec::new();
    let len = count.saturating_mul(size_of::<T>());
    items.try_reserve_exact(count).map_err(|_| none_left(len))?;
    Ok(items)
}

/// The items of an iterator of known length.
///
/// # Errors
/// `MemoryError`.
pub fn collect<T>(items: impl ExactSizeIterator<Item = T>) -> PyResult<Vec<T>> {
    let mut all = with_capacity(items.len())?;
    all.extend(items);
    Ok(all)
}

/// Looks whether there is memory for a number of things of some bytes each: something may claim
/// many of them, and have none.
///
/// # Errors
/// `MemoryError`.
pub fn check(count: usize, bytes: usize) -> PyResult<usize> {
    let len = count.saturating_mul(bytes);
    Vec::<u8>::new().try_reserve_exact(len).map(|()| len).map_err(|_| none_left(len))
}

/// So many zeros, which the system makes where they are first touched; `None` without memory.
pub fn zeros(len: usize) -> Option<Vec<u8>> {
    // The standard library has no call that gives zeros or fails.
    Vec::<u8>::new().try_reserve_exact(len).ok()?;
    Some(vec![0; len])
}

/// So many zeros. Large memory is in huge pages where the system has them, since otherwise the
/// first touch of each page takes longer than the digests in it.
///
/// # Errors
/// `MemoryError`.
pub fn touched_zeros(len: usize) -> PyResult<Vec<u8>> {
    let mut bytes = zeros(len).ok_or_else(|| none_left(len))?;
    if len >= LARGE {
        let skipped = bytes.as_ptr().align_offset(PAGE);
        ask_for_huge_pages(&mut bytes[skipped..]);
    }
    Ok(bytes)
}

/// A copy.
///
/// # Errors
/// `MemoryError`.
pub fn copy(bytes: &[u8]) -> PyResult<Vec<u8>> {
    let mut copy = with_capacity(bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// Several pieces, one behind another.
///
/// # Errors
/// `MemoryError`.
pub fn concat(pieces: &[Vec<u8>]) -> PyResult<Vec<u8>> {
    let mut all = with_capacity(pieces.iter().map(Vec::len).sum())?;
    pieces.iter().for_each(|piece| all.extend_from_slice(piece));
    Ok(all)
}

/// Python's `bytes` with a copy.
///
/// # Errors
/// `MemoryError`.
pub fn bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, bytes.len(), |room| {
        room.copy_from_slice(bytes);
        Ok(())
    })
}

/// A writer that appends, and fails where there is no memory.
pub struct Appender<'v>(pub &'v mut Vec<u8>);

impl Write for Appender<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_reserve(bytes.len()).map_err(|_| io::Error::from(ErrorKind::OutOfMemory))?;
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn ask_for_huge_pages(pages: &mut [u8]) {
    advise(pages, libc::MADV_HUGEPAGE);
    for first in (pages.as_ptr().align_offset(HUGE)..pages.len()).step_by(HUGE) {
        let begin = Instant::now();
        *std::hint::black_box(&mut pages[first]) = 0;
        if begin.elapsed() > SLOW {
            return advise(&mut pages[first..], libc::MADV_NOHUGEPAGE);
        }
    }
}

#[cfg(target_os = "linux")]
fn advise(pages: &mut [u8], advice: libc::c_int) {
    // SAFETY: the range is memory that the slice borrows alone, and the advice changes no byte.
    // Where it is refused, pages are of the usual size.
    let _ = unsafe { libc::madvise(pages.as_mut_ptr().cast(), pages.len(), advice) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: &mut [u8]) {}
