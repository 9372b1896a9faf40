//! A stack with room for the lanes.
//!
//! libcrypto's fibres have 32 KiB of stack and no guard page. Kernels may need more. So inside a
//! job, work of the lanes runs on a stack of the thread's own.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::hint::black_box;
use std::{ptr, slice};

use corosensei::on_stack;
use corosensei::stack::{DefaultStack, Stack};

use crate::job;

/// As much as the first thread of a program has. The system gives memory to what is touched.
const SIZE: usize = 8 << 20;

thread_local! {
    static STACK: RefCell<Option<DefaultStack>> = const { RefCell::new(None) };
    /// Something was called there since it was last wiped.
    static IS_USED: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function, inside a job on the thread's own stack. The function does not pause the job.
pub fn with_room<R>(function: impl FnOnce() -> R) -> R {
    if !job::is_inside() {
        return function();
    }
    STACK.with_borrow_mut(|stack| {
        if stack.is_none() {
            *stack = DefaultStack::new(SIZE).ok();
        }
        match stack {
            Some(stack) => {
                IS_USED.set(true);
                on_stack(stack, function)
            }
            None => panic!("there is no memory for a stack of {SIZE} bytes"),
        }
    })
}

/// So many bytes of the stack stay in memory, and are wiped by zeros: work with a few requests uses
/// less. To give a page to the system and to take it again costs more than to wipe it.
const KEPT: usize = 128 << 10;

/// Wipes what functions have left on the thread's own stack: keys, while they were expanded.
pub fn wipe() {
    // At the end of a thread, and on that very stack, there is nothing to do.
    if !IS_USED.try_with(|is_used| is_used.replace(false)).unwrap_or(false) {
        return;
    }
    let _ = STACK.try_with(|stack| {
        let Ok(stack) = stack.try_borrow() else { return };
        let Some(stack) = &*stack else { return };
        let (limit, base) = (stack.limit().get(), stack.base().get());
        let limit = ptr::with_exposed_provenance_mut::<c_void>(limit);
        let zeroed = |len: usize| {
            let start = ptr::with_exposed_provenance_mut::<u8>(base - len);
            // SAFETY: the stack is this thread's, has more bytes above its guard page, and nothing
            // runs on it.
            let bytes = unsafe { slice::from_raw_parts_mut(start, len) };
            bytes.fill(0);
            // Byte by byte, as `zeroize` does it, takes twenty times as long.
            black_box(bytes);
        };
        // The system takes the memory, and gives zeros; but not where memory is locked.
        // SAFETY: as above.
        match unsafe { libc::madvise(limit, base - KEPT - limit.addr(), libc::MADV_DONTNEED) } {
            0 => zeroed(KEPT),
            _ => zeroed(SIZE),
        }
    });
}
