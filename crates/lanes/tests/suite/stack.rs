//! What a call leaves on the stack is searched for secrets, and what it leaves in living planners.
//! The tests of `broadloom-public-key` share this file.

use std::ffi::c_void;
use std::ptr;

use broadloom_residue::{Secret, assert_gone};

/// Bytes of a stack.
const STACK: usize = 1 << 20;

/// The stack of a thread that has called a function and has ended.
pub fn stack_after(what: &mut (impl FnMut() + Send)) -> Vec<u8> {
    extern "C" fn start<F: FnMut()>(what: *mut c_void) -> *mut c_void {
        // SAFETY: `stack_after` passes a function that it borrows until the thread has ended.
        unsafe { (*what.cast::<F>())() };
        ptr::null_mut()
    }

    fn start_of<F: FnMut()>(_: &F) -> extern "C" fn(*mut c_void) -> *mut c_void {
        start::<F>
    }

    let start = start_of(what);
    // SAFETY: the mapping is new, and is a stack for as long as the thread lives. Then nothing
    // refers to it but the slice, which is copied.
    unsafe {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let stack = libc::mmap(ptr::null_mut(), STACK, protection, flags, -1, 0);
        assert_ne!(stack, libc::MAP_FAILED);
        let (mut thread, mut attributes) = (std::mem::zeroed(), std::mem::zeroed());
        assert_eq!(libc::pthread_attr_init(&mut attributes), 0);
        assert_eq!(libc::pthread_attr_setstack(&mut attributes, stack, STACK), 0);
        let what = ptr::from_mut(what).cast();
        assert_eq!(libc::pthread_create(&mut thread, &attributes, start, what), 0);
        assert_eq!(libc::pthread_join(thread, ptr::null_mut()), 0);
        assert_eq!(libc::pthread_attr_destroy(&mut attributes), 0);
        let left = std::slice::from_raw_parts(stack.cast::<u8>(), STACK).to_vec();
        assert_eq!(libc::munmap(stack, STACK), 0);
        left
    }
}

/// Counts the words that a stack has.
pub fn count(left: &[u8], words: &[[u8; 8]]) -> usize {
    words.iter().filter(|word| left.windows(8).any(|bytes| bytes == *word)).count()
}

/// Does work on a stack that then is gone.
pub fn work_elsewhere(mut what: impl FnMut() + Send) {
    let mut left = stack_after(&mut what);
    left.fill(0);
    std::hint::black_box(&left);
}

/// Looks for secrets in all memory, while all planners that worked with them are there.
pub fn check<T>(secrets: &[Secret], living: Vec<T>) {
    assert_gone(&secrets.iter().collect::<Vec<_>>());
    drop(living);
}
