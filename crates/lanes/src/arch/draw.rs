//! The ways in which key stream reaches the caller that draws it: copied, or added to a text.
//!
//! A draw is a copy and little else. A core stores one vector a cycle, whatever its width, so that
//! wide registers halve the time of a draw. A function compiled for some CPUs only would need a
//! call, which costs what the registers gain. So their instructions stand within code that is
//! compiled for all CPUs.

use crate::kernels::aes::bytes::{load_bytes, store_bytes};

/// Copies at least 32 and fewer than 256 bytes, or combines them with the bytes at the destination
/// by the instruction `$add`. The last register ends where the bytes do: it is filled before others
/// are stored, and stored after them. The other registers are as many as are needed for all bytes
/// but one before it.
#[cfg(target_arch = "x86_64")]
macro_rules! by_registers {
    ($from:expr, $to:expr, $len:expr $(, $add:literal)?) => {
        // Changes: the registers of `from`, `to` and `last`; ymm0 to ymm4, and the upper halves of
        // ymm0 to ymm15 (vzeroupper); flags; `$len` bytes from `$to` on. No stack. An xmm register
        // that is declared covers its whole ymm or zmm register.
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
            out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _,
            out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _, out("xmm14") _,
            out("xmm15") _,
            options(nostack),
        )
    };
}

/// The instructions that move bytes on a CPU.
#[derive(Clone, Copy)]
pub(crate) struct Draw {
    /// The CPU has AVX.
    #[cfg(target_arch = "x86_64")]
    avx: bool,
}

impl Draw {
    /// Moves bytes by integers.
    pub(crate) const PLAIN: Draw = Draw {
        #[cfg(target_arch = "x86_64")]
        avx: false,
    };

    /// Moves bytes by registers of 256 bits, on a CPU that has AVX.
    #[cfg(target_arch = "x86_64")]
    pub(in crate::arch) const AVX: Draw = Draw { avx: true };

    /// Copies bytes.
    ///
    /// # Safety
    /// - `from` is readable and `to` writable for `len` bytes, at any alignment.
    /// - The two ranges do not overlap.
    #[inline(always)]
    pub(crate) unsafe fn copy(self, mut from: *const u8, mut to: *mut u8, mut len: usize) {
        // SAFETY: `from` and `to` are valid for `len` bytes by this function's contract. Each piece
        // lies within the rest, and the last one ends where the rest does; `avx` is only set on a
        // CPU that has AVX.
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
    /// The conditions of [`copy`](Self::copy); `to` is readable, too.
    #[inline(always)]
    pub(crate) unsafe fn add(self, mut from: *const u8, mut to: *mut u8, mut len: usize) {
        // SAFETY: `from` and `to` are valid for `len` bytes by this function's contract. Each piece
        // lies within the rest, and the last one ends where the rest does; `avx` is only set on a
        // CPU that has AVX.
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
    #[cfg(target_arch = "x86_64")]
    use super::*;
    use crate::cpu::Cpu;
    #[cfg(target_arch = "x86_64")]
    use crate::cpu::Isa;
    #[cfg(target_arch = "x86_64")]
    use crate::vector::each;
    use std::vec::Vec;

    #[test]
    fn bytes_are_copied_and_added_and_no_others_written_to() {
        let from: Vec<u8> = (0..900u32).map(|i| (i * 7 + 1) as u8).collect();
        for isa in Cpu::available() {
            let draw = Cpu::with_isa(isa).expect("it is available").kernels().draw;
            for len in 0..=900 {
                let mut to = std::vec![0x55; 900];
                // SAFETY: `len` is at most 900, the length of both.
                unsafe { draw.copy(from.as_ptr(), to.as_mut_ptr(), len) };
                assert_eq!(
                    (&to[..len], &to[len..]),
                    (&from[..len], &std::vec![0x55; 900 - len][..])
                );
                to.reverse();
                let before = to.clone();
                // SAFETY: `len` is at most 900, the length of both.
                unsafe { draw.add(from.as_ptr(), to.as_mut_ptr(), len) };
                let sum: Vec<u8> = before.iter().zip(&from).map(|(a, b)| a ^ b).collect();
                assert_eq!((&to[..len], &to[len..]), (&sum[..len], &before[len..]));
            }
        }
    }

    /// Sums that need more registers than a draw names, kept over draws of every length from 32
    /// bytes on.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn sums_around(draw: Draw, adds: bool) -> [[u64; 4]; SUMS] {
        use core::arch::x86_64::*;

        let from = [3; 600];
        let mut to = [0; 600];
        let mut sums: [__m256i; SUMS] =
            each!(i in 8 => _mm256_set1_epi64x(core::hint::black_box(i as i64)));
        for len in 32..=600 {
            match adds {
                // SAFETY: `len` is at most 600, the length of both.
                true => unsafe { draw.add(from.as_ptr(), to.as_mut_ptr(), len) },
                // SAFETY: `len` is at most 600, the length of both.
                false => unsafe { draw.copy(from.as_ptr(), to.as_mut_ptr(), len) },
            }
            let step = _mm256_set1_epi64x(i64::from(core::hint::black_box(&to)[0]));
            each!(i in 8 => sums[i] = _mm256_add_epi64(sums[i], step));
        }
        sums.map(|sum| {
            let mut words = [0; 4];
            // SAFETY: `words` has room for a register of 256 bits.
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), sum) };
            words
        })
    }

    #[cfg(target_arch = "x86_64")]
    const SUMS: usize = 8;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_draw_keeps_the_wide_registers_of_its_caller() {
        for isa in Cpu::available().filter(|isa| matches!(isa, Isa::Avx2 | Isa::Avx512)) {
            let draw = Cpu::with_isa(isa).expect("it is available").kernels().draw;
            for (adds, step) in [(false, 3 * 569), (true, 3 * 285)] {
                // SAFETY: the CPU has AVX2.
                let sums = unsafe { sums_around(draw, adds) };
                assert_eq!(sums, core::array::from_fn(|i| [step + i as u64; 4]), "adds: {adds}");
            }
        }
    }
}
