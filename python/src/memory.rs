//! Memory for results.

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

/// So many zeros. Large memory is in huge pages where the system has them, since otherwise the
/// first touch of each page takes longer than the digests in it.
pub fn zeros(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    if len >= LARGE {
        let skipped = bytes.as_ptr().align_offset(PAGE);
        ask_for_huge_pages(&mut bytes[skipped..]);
    }
    bytes
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
