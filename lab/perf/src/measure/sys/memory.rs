//! The memory that this process has allocated, as the C library's allocator tells it.

use std::sync::OnceLock;

use broadloom_loader as loader;

/// `struct mallinfo2` of glibc, from 2.33 on.
#[repr(C)]
#[derive(Clone, Copy)]
struct Mallinfo2 {
    arena: usize,
    free_chunks: usize,
    fast_chunks: usize,
    mapped_chunks: usize,
    mapped_bytes: usize,
    unused: usize,
    fast_bytes: usize,
    bytes_in_use: usize,
    free_bytes: usize,
    releasable: usize,
}

type Ask = unsafe extern "C" fn() -> Mallinfo2;

/// Bytes that are allocated now, by all threads of this process, with what the allocator adds to
/// each. Nothing where the allocator does not tell. Small pieces that a thread gave back a moment
/// ago may still count.
pub fn allocated() -> Option<usize> {
    static ASK: OnceLock<Option<Ask>> = OnceLock::new();
    let ask = (*ASK.get_or_init(find))?;
    // SAFETY: the function takes nothing, and locks what it looks at.
    let told = unsafe { ask() };
    Some(told.bytes_in_use + told.mapped_bytes)
}

/// The function, in the C library that this process has already.
fn find() -> Option<Ask> {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return None;
    }
    // SAFETY: a process has its C library already, whose initialisers have run.
    let (library, _) = unsafe { loader::open(&["libc.so.6"]) }.ok()?;
    // SAFETY: the type is that of the header of glibc 2.33, which later versions keep, and the
    // library stays open as long as the process lives.
    let found = unsafe { loader::find::<Ask>(&library, "mallinfo2") };
    std::mem::forget(library);
    found.ok()
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn what_is_allocated_is_counted_until_it_is_given_back() {
        const GIB: usize = 1 << 30;
        let Some(before) = allocated() else { return };
        let some = black_box(Vec::<u8>::with_capacity(GIB));
        let during = allocated().expect("it was told before");
        // Other tests allocate at the same time, but not as much.
        assert!(during.abs_diff(before + GIB) < GIB / 2, "{before} {during}");
        drop(some);
        let after = allocated().expect("it was told before");
        assert!(during.abs_diff(after + GIB) < GIB / 2, "{during} {after}");
    }
}
