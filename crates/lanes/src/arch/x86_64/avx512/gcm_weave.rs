//! Groups of a long text of GCM on four blocks at once, as one piece of assembly.
//!
//! A group is eight registers: 32 blocks, or 512 bytes. Its blocks are ciphered while a group of
//! ciphertext is hashed:
//!
//! ```text
//! round keys -> zmm8 to zmm21
//! for each group:
//!     zmm0 to zmm7 = 32 counter blocks, with the first round key
//!     for the pairs (2, 3), (4, 5), (6, 7) and (0, 1) of registers of ciphertext:
//!         two AES rounds of zmm0 to zmm7, and between their instructions:
//!             load the pair, and reverse the bytes of its blocks
//!             low, high and middle products with the powers of the hash key -> three sums
//!             eight counters of the next group, if integers make them
//!     the two, four or six rounds that are left; the last one adds the text; store
//!     reduce the three sums to the hash so far, which the pair (0, 1) of the next group needs
//! ```
//!
//! The pair (0, 1) comes last because its first block waits for the hash of the group before.
//!
//! On AMD Zen 4, two of four pipes execute AES rounds, and one of these two executes carry-less
//! products, so that a register of four blocks keeps them busy for 13 cycles. Sums, shuffles and
//! counters that are given one of these pipes get in the way. Therefore integer instructions make
//! the counters and write them into the next group's blocks in memory, the round keys stay in
//! registers, and each operation of the hash stands behind one round of a register. A register then
//! takes 15 cycles, or 16.5 if texts are not aligned; the compiler's code took 18.
//!
//! On CPUs where an operation on four blocks is one, and not two of half the width, vectors make
//! the counters: there is room for them, and the first round need not wait for 32 short stores. On
//! AMD Zen 5 a register takes 9 cycles that way, and 10.8 with counters by integers.

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::{MaybeUninit, offset_of};

use crate::arch::x86_64::common::aes::COUNTER_LAST;
use crate::arch::x86_64::common::clmul::REVERSED;
use crate::kernels::aes::ctr::pipeline::take;
use crate::kernels::aes::gcm::field::REDUCTION;
use crate::kernels::aes::gcm::hash::STEPS;
use crate::kernels::aes::gcm::hash::{Groups, Text};
use crate::kernels::aes::gcm::key::{self, HashPowers};
use crate::kernels::aes::register::{Aes, Wide};

/// Blocks of a group: eight registers.
const BLOCKS: usize = 4 * STEPS;

/// The number of groups from which on it pays to load all round keys, and to make counters that the
/// last group does not use.
pub(in crate::arch) const MANY: usize = 2;

/// The counter blocks of a group.
#[repr(C, align(64))]
struct CounterBlocks([[u8; 16]; BLOCKS]);

/// The values that the assembly reads from memory.
#[repr(C, align(64))]
struct Constants {
    /// [`REDUCTION`], everywhere.
    reduction: [u64; 8],
    /// The differences between the counters of eight registers and those of the first, and between
    /// those of the next group and the first.
    beyond: [[[u32; 4]; 4]; STEPS + 1],
    /// The order of the bytes of four counter blocks.
    counter_last: [__m128i; 4],
    /// The order of the bytes of a block as an element.
    reversed: __m128i,
}

static CONSTANTS: Constants = Constants {
    reduction: [REDUCTION; 8],
    beyond: {
        let mut beyond = [[[0; 4]; 4]; STEPS + 1];
        let mut i = 0;
        while i <= STEPS {
            beyond[i] = [[0, 0, 0, 4 * i as u32]; 4];
            i += 1;
        }
        beyond
    },
    counter_last: [COUNTER_LAST; 4],
    reversed: REVERSED,
};

/// Register `$i` of counter blocks, with the first round key.
#[rustfmt::skip]
macro_rules! whitened {
    ($i:literal) => { concat!("vpxord zmm", $i, ", zmm", $i, ", zmm31\n") };
}

/// The counter blocks of a group: integers wrote them to memory, or they follow from the first
/// register.
#[rustfmt::skip]
macro_rules! counters {
    (integers) => { concat!(
        counters!(integers "0"), counters!(integers "1"), counters!(integers "2"),
        counters!(integers "3"), counters!(integers "4"), counters!(integers "5"),
        counters!(integers "6"), counters!(integers "7"),
    ) };
    (integers $i:literal) => { concat!("vmovdqa64 zmm", $i, ", [{blocks} + 64*", $i, "]\n") };
    (vectors) => { concat!(
        "vmovdqa64 zmm0, [{first}]\n",
        counters!(vectors "1"), counters!(vectors "2"), counters!(vectors "3"),
        counters!(vectors "4"), counters!(vectors "5"), counters!(vectors "6"),
        counters!(vectors "7"),
        "vpaddd zmm27, zmm0, [{constants} + {beyond} + 64*8]\n",
        "vmovdqa64 [{first}], zmm27\n",
        counters!(swapped "0"), counters!(swapped "1"), counters!(swapped "2"),
        counters!(swapped "3"), counters!(swapped "4"), counters!(swapped "5"),
        counters!(swapped "6"), counters!(swapped "7"),
    ) };
    (vectors $i:literal) => {
        concat!("vpaddd zmm", $i, ", zmm0, [{constants} + {beyond} + 64*", $i, "]\n")
    };
    (swapped $i:literal) => {
        concat!("vpshufb zmm", $i, ", zmm", $i, ", [{constants} + {counter_last}]\n")
    };
}

/// A round of register `$i`.
#[rustfmt::skip]
macro_rules! aes {
    ($key:literal, $i:literal) => { concat!("vaesenc zmm", $i, ", zmm", $i, ", ", $key, "\n") };
}

/// A round of all registers.
macro_rules! round {
    ($key:literal) => {
        concat!(
            aes!($key, "0"),
            aes!($key, "1"),
            aes!($key, "2"),
            aes!($key, "3"),
            aes!($key, "4"),
            aes!($key, "5"),
            aes!($key, "6"),
            aes!($key, "7"),
        )
    };
}

/// The last round of register `$i`, with the text, whose result is stored.
macro_rules! added {
    ($i:literal, $text:literal) => {
        concat!(
            "vpxord ",
            $text,
            ", zmm21, [{src} + 64*",
            $i,
            "]\n",
            "vaesenclast zmm",
            $i,
            ", zmm",
            $i,
            ", ",
            $text,
            "\n",
            "vmovdqu64 [{dst} + 64*",
            $i,
            "], zmm",
            $i,
            "\n",
        )
    };
}

/// The counter of block `$w` of the next group, in the order of its bytes.
#[rustfmt::skip]
macro_rules! counter {
    (integers $w:literal) => { concat!("lea {word:e}, [{next:r} + ", $w, "]\nbswap {word:e}\n") };
    (vectors $w:literal) => { "" };
}

/// Stores that counter in its block.
#[rustfmt::skip]
macro_rules! store {
    (integers $w:literal) => { concat!("mov [{blocks} + 16*", $w, " + 12], {word:e}\n") };
    (vectors $w:literal) => { "" };
}

/// The number of the next group's first counter.
#[rustfmt::skip]
macro_rules! next_group {
    (integers) => { "add {next:e}, 32" };
    (vectors) => { "" };
}

/// Adds two products to a sum, or begins it with them.
#[rustfmt::skip]
macro_rules! sum {
    (begin $sum:literal, $one:literal, $other:literal) => {
        concat!("vpxord ", $sum, ", ", $one, ", ", $other, "\n")
    };
    (add $sum:literal, $one:literal, $other:literal) => {
        concat!("vpternlogd ", $sum, ", ", $one, ", ", $other, ", 0x96\n")
    };
}

/// Two rounds of all registers, and beside them registers `$a` and `$b` of the ciphertext, times
/// their powers, and eight counters by `$kind`. `$so_far` adds what was hashed so far to the first
/// of the two.
macro_rules! pair {
    (
        $kind:ident $one:literal, $other:literal, $a:literal, $b:literal,
        $w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal $w7:literal,
        $so_far:literal, $sum:ident
    ) => {
        concat!(
            aes!($one, "0"),
            "vmovdqu64 zmm27, [{ciphertext} + 64*", $a, "]\n",
            "vpshufb zmm27, zmm27, zmm25\n",
            $so_far,
            counter!($kind $w0),
            aes!($one, "1"),
            "vmovdqu64 zmm28, [{ciphertext} + 64*", $b, "]\n",
            "vpshufb zmm28, zmm28, zmm25\n",
            store!($kind $w0),
            aes!($one, "2"),
            "vpclmulqdq zmm29, zmm27, [{powers} + 64*", $a, "], 0\n",
            counter!($kind $w1),
            aes!($one, "3"),
            "vpclmulqdq zmm30, zmm28, [{powers} + 64*", $b, "], 0\n",
            store!($kind $w1),
            aes!($one, "4"),
            "vpshufd zmm31, zmm27, 0x4e\n",
            counter!($kind $w2),
            aes!($one, "5"),
            sum!($sum "zmm22", "zmm29", "zmm30"),
            store!($kind $w2),
            aes!($one, "6"),
            "vpclmulqdq zmm29, zmm27, [{powers} + 64*", $a, "], 0x11\n",
            counter!($kind $w3),
            aes!($one, "7"),
            "vpxord zmm31, zmm31, zmm27\n",
            store!($kind $w3),
            aes!($other, "0"),
            "vpshufd zmm27, zmm28, 0x4e\n",
            counter!($kind $w4),
            aes!($other, "1"),
            "vpclmulqdq zmm30, zmm28, [{powers} + 64*", $b, "], 0x11\n",
            store!($kind $w4),
            aes!($other, "2"),
            "vpxord zmm28, zmm28, zmm27\n",
            counter!($kind $w5),
            aes!($other, "3"),
            sum!($sum "zmm23", "zmm29", "zmm30"),
            store!($kind $w5),
            aes!($other, "4"),
            "vpclmulqdq zmm31, zmm31, [{powers} + {folds} + 64*", $a, "], 0\n",
            counter!($kind $w6),
            aes!($other, "5"),
            "vpclmulqdq zmm28, zmm28, [{powers} + {folds} + 64*", $b, "], 0\n",
            store!($kind $w6),
            aes!($other, "6"),
            sum!($sum "zmm24", "zmm31", "zmm28"),
            counter!($kind $w7),
            aes!($other, "7"),
            store!($kind $w7),
        )
    };
}

/// The assembly of all groups, with counters by `$kind`.
macro_rules! assembly {
    (
        $kind:ident, $key:ident, $powers:ident, $text:ident, $count:ident, $so_far:ident,
        $($operands:tt)*
    ) => {
        // Changes: zmm0 to zmm31; the registers of `next`, `word`, `src`, `dst`, `ciphertext` and
        // `count`; flags; the text at `dst` and the counters at `blocks` or `first`. No mask
        // register, no stack.
        asm!(
            "vbroadcasti32x4 zmm8, [{key} + 16]",
            "vbroadcasti32x4 zmm9, [{key} + 32]",
            "vbroadcasti32x4 zmm10, [{key} + 48]",
            "vbroadcasti32x4 zmm11, [{key} + 64]",
            "vbroadcasti32x4 zmm12, [{key} + 80]",
            "vbroadcasti32x4 zmm13, [{key} + 96]",
            "vbroadcasti32x4 zmm14, [{key} + 112]",
            "vbroadcasti32x4 zmm15, [{key} + 128]",
            "cmp {last}, 16*12",
            "jb 2f",
            "vbroadcasti32x4 zmm16, [{key} + 144]",
            "vbroadcasti32x4 zmm17, [{key} + 160]",
            "je 2f",
            "vbroadcasti32x4 zmm18, [{key} + 176]",
            "vbroadcasti32x4 zmm19, [{key} + 192]",
            "2:",
            "vbroadcasti32x4 zmm20, [{key} + {last} - 16]",
            "vbroadcasti32x4 zmm21, [{key} + {last}]",
            "vbroadcasti32x4 zmm25, [{constants} + {reversed}]",
            ".p2align 5",
            "3:",
            counters!($kind),
            "vbroadcasti32x4 zmm31, [{key}]",
            whitened!("0"), whitened!("1"), whitened!("2"), whitened!("3"),
            whitened!("4"), whitened!("5"), whitened!("6"), whitened!("7"),
            // The first pair comes last: it waits for the group before.
            pair!($kind "zmm8", "zmm9", "2", "3", 0 1 2 3 4 5 6 7, "", begin),
            pair!($kind "zmm10", "zmm11", "4", "5", 8 9 10 11 12 13 14 15, "", add),
            pair!($kind "zmm12", "zmm13", "6", "7", 16 17 18 19 20 21 22 23, "", add),
            pair!(
                $kind "zmm14", "zmm15", "0", "1", 24 25 26 27 28 29 30 31,
                "vpxord zmm27, zmm27, zmm26\n", add
            ),
            next_group!($kind),
            "cmp {last}, 16*12",
            "jb 4f",
            round!("zmm16"),
            round!("zmm17"),
            "je 4f",
            round!("zmm18"),
            round!("zmm19"),
            "4:",
            round!("zmm20"),
            added!("0", "zmm29"), added!("1", "zmm30"), added!("2", "zmm31"), added!("3", "zmm29"),
            added!("4", "zmm30"), added!("5", "zmm31"), added!("6", "zmm29"), added!("7", "zmm30"),
            // The sum is reduced: `Sum::reduce`.
            "vpternlogd zmm24, zmm22, zmm23, 0x96",
            "vpslldq zmm27, zmm24, 8",
            "vpsrldq zmm28, zmm24, 8",
            "vpxord zmm22, zmm22, zmm27",
            "vpxord zmm23, zmm23, zmm28",
            "vpshufd zmm27, zmm22, 0x4e",
            "vpclmulqdq zmm28, zmm22, [{constants}], 0",
            "vpxord zmm22, zmm27, zmm28",
            "vpshufd zmm27, zmm22, 0x4e",
            "vpclmulqdq zmm28, zmm22, [{constants}], 0",
            "vpternlogd zmm23, zmm27, zmm28, 0x96",
            "vextracti64x4 ymm27, zmm23, 1",
            "vpxord ymm27, ymm27, ymm23",
            "vextracti32x4 xmm28, ymm27, 1",
            "vpxord xmm26, xmm27, xmm28",
            "add {src}, 512",
            "add {dst}, 512",
            "add {ciphertext}, 512",
            "dec {count}",
            "jz 5f",
            "jmp 3b",
            "5:",
            key = in(reg) (*$key).encryption().as_ptr(),
            last = in(reg) 16 * (*$key).rounds(),
            constants = in(reg) &raw const CONSTANTS,
            reversed = const offset_of!(Constants, reversed),
            powers = in(reg) (*$powers).from(key::MANY),
            src = inout(reg) $text.src => _,
            dst = inout(reg) $text.dst => _,
            ciphertext = inout(reg) $text.ciphertext => _,
            count = inout(reg) $count => _,
            folds = const HashPowers::FOLDS,
            $($operands)*
            out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _,
            out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
            out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
            out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _, out("zmm16") _,
            out("zmm17") _, out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _,
            out("zmm22") _, out("zmm23") _, out("zmm24") _, out("zmm25") _,
            inout("zmm26") $so_far,
            out("zmm27") _, out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
            options(nostack),
        );
    };
}

/// Does what [`Groups::hashed`] does, for one group at least. Integers make the counters if
/// `INTEGERS` is set, and otherwise vectors do.
///
/// # Safety
/// The conditions of [`Groups::hashed`]; `count` is at least 1.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes,vpclmulqdq")]
pub(in crate::arch) unsafe fn weave<const INTEGERS: bool>(
    groups: &mut Groups<__m512i>,
    powers: *const HashPowers,
    text: Text,
    count: usize,
    mut so_far: __m512i,
) -> __m512i {
    let Groups { key, counters } = groups;
    let key = *key;
    // SAFETY: by this function's contract the key and the powers are valid, and the text has
    // `count` whole groups, at `src`, `dst` and `ciphertext`. The assembly reads eight registers of
    // text and of ciphertext in each group, and writes eight; of the counter blocks, it writes the
    // last four bytes each, or the first register. A key has a round key for each of its rounds and
    // one before them, and there are powers for the 32 blocks of a group. All registers that are
    // written are named.
    unsafe {
        if INTEGERS {
            let mut blocks = MaybeUninit::<CounterBlocks>::uninit();
            let blocks: *mut u8 = blocks.as_mut_ptr().cast();
            let x = take::<__m512i, STEPS>(counters);
            let next = _mm_extract_epi32::<3>(_mm512_castsi512_si128(*counters));
            // The assembly only changes the counters in these blocks.
            for (i, x) in x.iter().enumerate() {
                x.store(blocks.add(64 * i));
            }
            assembly!(integers, key, powers, text, count, so_far,
                blocks = in(reg) blocks,
                next = inout(reg) next => _,
                word = out(reg) _,
            );
            *counters = counters.count((BLOCKS * (count - 1)) as u32);
        } else {
            let mut first = *counters;
            assembly!(vectors, key, powers, text, count, so_far,
                first = in(reg) &raw mut first,
                beyond = const offset_of!(Constants, beyond),
                counter_last = const offset_of!(Constants, counter_last),
            );
            *counters = first;
        }
    }
    so_far
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;
    use std::{format, println};

    use super::*;
    use crate::cpu::{Cpu, Isa};
    use crate::features::Feature;
    use crate::kernels::aes::gcm::key::GcmKey;

    const GROUP: usize = 16 * BLOCKS;

    /// Returns the text after some groups and one more that is not hashed, and the hash.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes,vpclmulqdq")]
    fn ciphered<const KIND: usize>(
        key: &GcmKey,
        counter: u32,
        groups: usize,
        seals: bool,
    ) -> (Vec<u8>, [u8; 64]) {
        // No register is aligned; and a group before the text is there to be hashed.
        let mut bytes: Vec<u8> =
            (0..3 + GROUP * (groups + 2)).map(|i| (i * 7 + i / 251) as u8).collect();
        let mut block = [9; 16];
        block[12..].copy_from_slice(&counter.to_be_bytes());
        let mut hash = [0; 64];
        // SAFETY: this function enables the instructions, and `bytes` has all groups and one before
        // and behind them.
        unsafe {
            let counters = __m512i::load_one(block.as_ptr()).counters();
            let mut all = Groups { key: key.aes(), counters };
            let text = bytes.as_mut_ptr().add(3 + GROUP);
            let ciphertext = if seals { text.sub(GROUP) } else { text };
            let places = Text { src: text, dst: text, ciphertext };
            let so_far = __m512i::load_one([0xa5; 16].as_ptr());
            let so_far = match KIND {
                0 => all.hashed(key.many(), places, groups, so_far),
                1 => weave::<true>(&mut all, key.many(), places, groups, so_far),
                _ => weave::<false>(&mut all, key.many(), places, groups, so_far),
            };
            so_far.store(hash.as_mut_ptr());
            let last = text.add(GROUP * groups);
            all.alone(last, last);
        }
        (bytes, hash)
    }

    #[test]
    fn groups_in_assembly_are_as_those_of_the_compiler() {
        let cpu = Cpu::detect();
        if cpu.isa() != Isa::Avx512 || !cpu.has(Feature::Vaes) || !cpu.has(Feature::Vpclmulqdq) {
            println!("kernel not run: groups of GCM in assembly need avx512, vaes, vpclmulqdq");
            return;
        }
        for (len, groups) in
            [16, 24, 32].into_iter().flat_map(|len| [2, 3, 9].map(|groups| (len, groups)))
        {
            let key = GcmKey::new(&[len as u8; 32][..len]).expect("a good length");
            // The counter passes zero nowhere, in the first group, behind it, and in the last.
            for counter in
                [2, 0xffff_fff5, 0xffff_ffe0, 0xffff_ffff - (BLOCKS * (groups - 1)) as u32]
            {
                for seals in [true, false] {
                    // SAFETY: the CPU has the instructions.
                    let [compiled, integers, vectors] = unsafe {
                        [ciphered::<0>, ciphered::<1>, ciphered::<2>]
                            .map(|ciphered| ciphered(&key, counter, groups, seals))
                    };
                    let case = format!("{len} bytes of key, {groups} from {counter:x}, {seals}");
                    assert!(compiled == integers, "integers: {case}");
                    assert!(compiled == vectors, "vectors: {case}");
                }
            }
        }
        println!("kernel tested: groups of GCM in assembly");
    }
}
