//! Memory between two pages that nobody may read or write. The unit tests of the kernels and the
//! fuzz targets share this file.

/// Bytes between two guard pages.
pub struct Guarded {
    pages: *mut libc::c_void,
    page: usize,
}

/// Where in a guarded region a buffer lies.
#[derive(Clone, Copy, Debug)]
pub enum Side {
    Start,
    End,
}

impl Guarded {
    /// Room for 8 KiB at least.
    pub fn new() -> Self {
        // SAFETY: no pointers are involved.
        let page =
            usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a page size");
        let page = page.max(8192);
        // SAFETY: a new mapping, of which the middle is then opened.
        let pages = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let pages = libc::mmap(std::ptr::null_mut(), 3 * page, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(pages, libc::MAP_FAILED);
            let opened =
                libc::mprotect(pages.byte_add(page), page, libc::PROT_READ | libc::PROT_WRITE);
            assert_eq!(opened, 0);
            pages
        };
        Guarded { pages, page }
    }

    /// The first or the last bytes between the guard pages, with some data in them.
    pub fn place(&mut self, side: Side, data: &[u8]) -> &mut [u8] {
        let place = self.bytes(side, data.len());
        place.copy_from_slice(data);
        place
    }

    /// The first or the last bytes between the guard pages, as they are.
    pub fn bytes(&mut self, side: Side, len: usize) -> &mut [u8] {
        // SAFETY: the middle is `page` bytes, readable, writable, and borrowed with `self`.
        let all = unsafe {
            std::slice::from_raw_parts_mut(self.pages.byte_add(self.page).cast(), self.page)
        };
        match side {
            Side::Start => &mut all[..len],
            Side::End => &mut all[self.page - len..],
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made by `new`.
        unsafe { libc::munmap(self.pages, 3 * self.page) };
    }
}
