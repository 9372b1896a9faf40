//! A stack with room for the lanes.
//!
//! libcrypto's fibres have 32 KiB of stack and no guard page. Kernels may need more. So inside a
//! job, work of the lanes runs on a stack of the thread's own.

use std::cell::RefCell;

use corosensei::on_stack;
use corosensei::stack::DefaultStack;

use crate::job;

/// As much as the first thread of a program has. The system gives memory to what is touched.
const SIZE: usize = 8 << 20;

thread_local! {
    static STACK: RefCell<Option<DefaultStack>> = const { RefCell::new(None) };
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
            Some(stack) => on_stack(stack, function),
            None => panic!("there is no memory for a stack of {SIZE} bytes"),
        }
    })
}
