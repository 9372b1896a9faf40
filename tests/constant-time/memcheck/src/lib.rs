//! What a program can ask of valgrind's memcheck while it runs under it.
//!
//! A request is an array of six words, the first of which says what is asked (valgrind/valgrind.h
//! and valgrind/memcheck.h have the numbers). The processor is told to do nothing in a way that no
//! compiler would; valgrind knows it, and answers.

#![no_std]

extern crate alloc;

use alloc::vec;
use alloc::vec::Vec;

/// Errors that memcheck found so far; `None` where the program does not run under valgrind.
pub fn errors() -> Option<usize> {
    const RUNNING_ON_VALGRIND: usize = 0x1001;
    const COUNT_ERRORS: usize = 0x1201;
    (request(RUNNING_ON_VALGRIND, [0; 3]) > 0).then(|| request(COUNT_ERRORS, [0; 3]))
}

/// Makes bytes undefined: what is computed from them is undefined too, and memcheck reports a
/// branch or an address that depends on it.
pub fn undefine(bytes: &mut [u8]) {
    const MAKE_MEM_UNDEFINED: usize = MEMCHECK + 1;
    request(MAKE_MEM_UNDEFINED, [bytes.as_mut_ptr().expose_provenance(), bytes.len(), 0]);
}

/// Makes bytes defined: nothing is reported of them any more.
pub fn define(bytes: &mut [u8]) {
    const MAKE_MEM_DEFINED: usize = MEMCHECK + 2;
    request(MAKE_MEM_DEFINED, [bytes.as_mut_ptr().expose_provenance(), bytes.len(), 0]);
}

/// Returns the bits of each byte that are undefined.
pub fn undefined_bits(bytes: &[u8]) -> Vec<u8> {
    const GET_VBITS: usize = MEMCHECK + 8;
    let mut bits = vec![0; bytes.len()];
    let to = bits.as_mut_ptr().expose_provenance();
    request(GET_VBITS, [bytes.as_ptr().expose_provenance(), to, bytes.len()]);
    bits
}

/// The first of memcheck's own requests.
const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;

/// Asks valgrind, and returns its answer; 0 where there is no valgrind.
#[cfg(target_arch = "x86_64")]
fn request(what: usize, [first, second, third]: [usize; 3]) -> usize {
    let words = [what, first, second, third, 0, 0];
    let mut answer = 0;
    // Changes: RDX, flags, and under valgrind the buffers that are named; no stack. RDI is rotated
    // by 128 bits in all, and RBX exchanged with itself, so that neither changes; RDX takes
    // valgrind's answer. SAFETY: valgrind reads `words`, and touches only the buffers that they
    // name, of exposed addresses.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") words.as_ptr(),
            inout("rdx") answer,
            options(nostack),
        );
    }
    answer
}

/// Elsewhere the program is not run under valgrind.
#[cfg(not(target_arch = "x86_64"))]
fn request(_: usize, _: [usize; 3]) -> usize {
    0
}
