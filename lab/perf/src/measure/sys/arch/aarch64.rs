//! AArch64.

use core::arch::asm;

/// Reads the counter before a measured piece of work: all earlier instructions are done.
#[inline(always)]
pub fn start() -> u64 {
    let ticks: u64;
    // SAFETY: ISB and the read of CNTVCT_EL0 are open to user code and touch no memory.
    unsafe {
        // Changes: the register of `ticks`. Memory is declared as changed, so that no access moves
        // over it. No flags, no stack.
        asm!("isb", "mrs {ticks}, cntvct_el0", "isb", ticks = out(reg) ticks, options(nostack));
    }
    ticks
}

/// Writes back and evicts the cache line of a byte.
pub fn flush_line(byte: &u8) {
    // SAFETY: DC CIVAC, which Linux opens to user code, takes any readable address, which a
    // reference is, and changes no value.
    unsafe {
        // Changes: where a line is held; no value in memory, no register, no flags, no stack.
        asm!("dc civac, {line}", line = in(reg) byte, options(nostack));
    }
}

/// Waits for all evictions.
pub fn fence() {
    // Changes: nothing; memory is declared as changed, so that no access moves over the barrier.
    // SAFETY: a barrier touches nothing.
    unsafe { asm!("dsb sy", options(nostack)) };
}
