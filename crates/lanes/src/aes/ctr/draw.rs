//! How key stream gets to whoever draws it: copied, or added to a text.
//!
//! A draw is a copy and little else. A core stores a vector in a cycle, whatever its width, so that wide registers
//! halve that; and a call, which a function for some CPUs only would need, costs what they gain. Hence their
//! instructions stand within code that is compiled for all CPUs.

use crate::aes::bytes::{load_bytes, store_bytes};
use crate::cpu::Cpu;
#[cfg(target_arch = "x86_64")]
use crate::cpu::Isa;

/// Copies at least 32 and fewer than 256 bytes; or adds them, if that is said to be done with them. The last register
/// ends where the bytes do: it is filled before others are stored, and stored after them. Others are as many as are
/// needed for all bytes but one before it.
#[cfg(target_arch = "x86_64")]
macro_rules! by_registers {
    ($from:expr, $to:expr, $len:expr $(, $add:literal)?) => {
        core::arch::asm!(
            "lea {last}, [{to} + {len} - 32]",
            "vmovdqu ymm4, ymmword ptr [{from} + {len} - 32]",
            $(concat!($add, " ymm4, ymm4, ymmword ptr [{last}]"),)?
            "test {but_one:l}, 128",
            "jz 2f",
            "vmovdqu ymm0, ymmword ptr [{from}]",
            "vmovdqu ymm1, ymmword ptr [{from} + 32]",
            "vmovdqu ymm2, ymmword ptr [{from} + 64]",
            "vmovdqu ymm3, ymmword ptr [{from} + 96]",
            $(
                concat!($add, " ymm0, ymm0, ymmword ptr [{to}]"),
                concat!($add, " ymm1, ymm1, ymmword ptr [{to} + 32]"),
                concat!($add, " ymm2, ymm2, ymmword ptr [{to} + 64]"),
                concat!($add, " ymm3, ymm3, ymmword ptr [{to} + 96]"),
            )?
            "vmovdqu ymmword ptr [{to}], ymm0",
            "vmovdqu ymmword ptr [{to} + 32], ymm1",
            "vmovdqu ymmword ptr [{to} + 64], ymm2",
            "vmovdqu ymmword ptr [{to} + 96], ymm3",
            "sub {from}, -128",
            "sub {to}, -128",
            "2:",
            "test {but_one:l}, 64",
            "jz 2f",
            "vmovdqu ymm0, ymmword ptr [{from}]",
            "vmovdqu ymm1, ymmword ptr [{from} + 32]",
            $(
                concat!($add, " ymm0, ymm0, ymmword ptr [{to}]"),
                concat!($add, " ymm1, ymm1, ymmword ptr [{to} + 32]"),
            )?
            "vmovdqu ymmword ptr [{to}], ymm0",
            "vmovdqu ymmword ptr [{to} + 32], ymm1",
            "add {from}, 64",
            "add {to}, 64",
            "2:",
            "test {but_one:l}, 32",
            "jz 2f",
            "vmovdqu ymm0, ymmword ptr [{from}]",
            $(concat!($add, " ymm0, ymm0, ymmword ptr [{to}]"),)?
            "vmovdqu ymmword ptr [{to}], ymm0",
            "2:",
            "vmovdqu ymmword ptr [{last}], ymm4",
            "vzeroupper",
            from = inout(reg) $from => _,
            to = inout(reg) $to => _,
            len = in(reg) $len,
            but_one = in(reg) $len - 1,
            last = out(reg) _,
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
            options(nostack),
        )
    };
}

/// What moves bytes on a CPU.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    /// The CPU has AVX.
    #[cfg(target_arch = "x86_64")]
    avx: bool,
}

impl Draw {
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
    pub(super) fn new(cpu: &Cpu) -> Self {
        Draw {
            #[cfg(target_arch = "x86_64")]
            avx: matches!(cpu.isa(), Isa::Avx2 | Isa::Avx512),
        }
    }

    /// Copies bytes.
    ///
    /// # Safety
    /// `from` is readable and `to` writable for `len` bytes, and they are apart.
    #[inline(always)]
    pub(super) unsafe fn copy(self, mut from: *const u8, mut to: *mut u8, mut len: usize) {
        // SAFETY: the caller's: pieces that are within what is left, and one that ends where that does; the CPU
        // has AVX where that is asked for.
        unsafe {
            if len >= 256 {
                return to.copy_from_nonoverlapping(from, len);
            }
            #[cfg(target_arch = "x86_64")]
            if self.avx && len >= 32 {
                return by_registers!(from, to, len);
            }
            if len < 16 {
                return store_bytes(load_bytes(from, len), to, len);
            }
            while len > 16 {
                to.cast::<[u8; 16]>().write(from.cast::<[u8; 16]>().read());
                let step = (len - 16).min(16);
                (from, to, len) = (from.add(step), to.add(step), len - step);
            }
            to.cast::<[u8; 16]>().write(from.cast::<[u8; 16]>().read());
        }
    }

    /// Adds (XOR) bytes to others.
    ///
    /// # Safety
    /// As [`copy`](Self::copy).
    #[inline(always)]
    pub(super) unsafe fn add(self, mut from: *const u8, mut to: *mut u8, mut len: usize) {
        // SAFETY: as in `copy`.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if self.avx && len >= 32 {
                while len >= 256 {
                    by_registers!(from, to, 128_usize, "vxorps");
                    (from, to, len) = (from.add(128), to.add(128), len - 128);
                }
                return by_registers!(from, to, len, "vxorps");
            }
            while len >= 16 {
                let text = to.cast::<u128>();
                text.write_unaligned(text.read_unaligned() ^ from.cast::<u128>().read_unaligned());
                (from, to, len) = (from.add(16), to.add(16), len - 16);
            }
            store_bytes(load_bytes(to, len) ^ load_bytes(from, len), to, len);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn bytes_are_copied_and_added_and_no_others_written_to() {
        let from: Vec<u8> = (0..900u32).map(|i| (i * 7 + 1) as u8).collect();
        for isa in Cpu::available() {
            let draw = Draw::new(&Cpu::with_isa(isa).expect("it is available"));
            for len in 0..=900 {
                let mut to = std::vec![0x55; 900];
                // SAFETY: there are so many bytes at both, apart from each other.
                unsafe { draw.copy(from.as_ptr(), to.as_mut_ptr(), len) };
                assert_eq!((&to[..len], &to[len..]), (&from[..len], &std::vec![0x55; 900 - len][..]));
                to.reverse();
                let before = to.clone();
                // SAFETY: as above.
                unsafe { draw.add(from.as_ptr(), to.as_mut_ptr(), len) };
                let sum: Vec<u8> = before.iter().zip(&from).map(|(a, b)| a ^ b).collect();
                assert_eq!((&to[..len], &to[len..]), (&sum[..len], &before[len..]));
            }
        }
    }
}
