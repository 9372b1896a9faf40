//! Memory for buffers that foreign code reads and writes. A buffer ends where a page begins that
//! nobody may read or write: the address sanitizer sees no access by a library that was built
//! without it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Buffers at a time.
const SLOTS: usize = 64;

/// Bytes of a slot. Longer buffers have no guard page.
const SLOT: usize = 8 << 20;

/// Bytes of the page behind each slot; no machine has larger ones.
const GUARD: usize = 64 << 10;

thread_local! {
    static ON: Cell<bool> = const { Cell::new(false) };
}

/// The allocator of the fuzz targets: that of the system, but for byte buffers made by
/// [`guarding`].
struct Guarding;

#[global_allocator]
static ALLOCATOR: Guarding = Guarding;

static USED: [AtomicBool; SLOTS] = [const { AtomicBool::new(false) }; SLOTS];
static BASE: OnceLock<usize> = OnceLock::new();

/// What `run` allocates for bytes lies against guard pages.
pub fn guarding<T>(run: impl FnOnce() -> T) -> T {
    /// Switches it off again, whatever happens.
    struct Off(bool);
    impl Drop for Off {
        fn drop(&mut self) {
            ON.set(self.0);
        }
    }
    let _off = Off(ON.replace(true));
    run()
}

/// The first slot's address: all are reserved, with their guard pages, when the first is asked for.
fn base() -> usize {
    *BASE.get_or_init(|| {
        let len = SLOTS * (SLOT + GUARD);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping, of which all but the guard pages is then opened.
        unsafe {
            let base = libc::mmap(std::ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(base, libc::MAP_FAILED, "no address space for guarded buffers");
            for slot in 0..SLOTS {
                let at = base.byte_add(slot * (SLOT + GUARD));
                let opened = libc::mprotect(at, SLOT, libc::PROT_READ | libc::PROT_WRITE);
                assert_eq!(opened, 0, "slots cannot be opened");
            }
            base.addr()
        }
    })
}

/// The slot that an address lies in.
fn slot_of(address: usize) -> Option<usize> {
    let offset = address.checked_sub(*BASE.get()?)?;
    Some(offset / (SLOT + GUARD)).filter(|slot| *slot < SLOTS)
}

// SAFETY: a slot is given to one buffer until that is freed, has room for it, and any alignment of
// one byte; all else is left to the system's allocator.
unsafe impl GlobalAlloc for Guarding {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let guarded = layout.align() == 1 && (1..=SLOT).contains(&layout.size());
        // While a thread ends, its values are gone.
        if guarded && ON.try_with(Cell::get).unwrap_or(false) {
            let base = base();
            let free = USED.iter().position(|used| !used.swap(true, Ordering::Acquire));
            if let Some(slot) = free {
                let end = base + slot * (SLOT + GUARD) + SLOT;
                return std::ptr::with_exposed_provenance_mut(end - layout.size());
            }
        }
        // SAFETY: `layout` fulfils the contract of `GlobalAlloc::alloc`, which `System` has, too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        match slot_of(pointer.addr()) {
            Some(slot) => {
                let begin = pointer.addr() & !(GUARD - 1);
                let len = layout.size() + (pointer.addr() - begin);
                // SAFETY: these pages are this slot's, which nobody uses any more.
                let given_back = unsafe {
                    let begin = std::ptr::with_exposed_provenance_mut(begin);
                    libc::madvise(begin, len, libc::MADV_DONTNEED)
                };
                debug_assert_eq!(given_back, 0);
                USED[slot].store(false, Ordering::Release);
            }
            // SAFETY: the pointer lies in no slot, so that `System` allocated it, with this layout,
            // by the contract of `GlobalAlloc::dealloc`.
            None => unsafe { System.dealloc(pointer, layout) },
        }
    }
}
