//! Memory for results.

/// Bytes from which on it is worth to ask for huge pages: some of them.
const LARGE: usize = 8 << 20;
/// The smallest page of any machine; the system wants whole ones.
const PAGE: usize = 4096;

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
    // SAFETY: the range is memory that the slice borrows alone, and the advice changes no byte.
    // Where it is refused, pages are of the usual size.
    let _ = unsafe { libc::madvise(pages.as_mut_ptr().cast(), pages.len(), libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: &mut [u8]) {}
