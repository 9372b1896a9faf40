//! x86-64.

use core::arch::x86_64::{_mm_clflush, _mm_lfence, _mm_mfence, _rdtsc};

/// Reads the counter before a measured piece of work: all earlier instructions are done.
#[inline(always)]
pub fn start() -> u64 {
    // SAFETY: LFENCE and RDTSC are part of x86-64 and touch no memory.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

/// Writes back and evicts the cache line of a byte.
pub fn flush_line(byte: &u8) {
    // SAFETY: CLFLUSH is part of x86-64 and takes any readable address, which a reference is.
    unsafe { _mm_clflush(byte) };
}

/// Waits for all evictions.
pub fn fence() {
    // SAFETY: MFENCE is part of x86-64 and touches nothing.
    unsafe { _mm_mfence() };
}
