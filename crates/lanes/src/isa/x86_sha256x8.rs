//! SHA-256 of eight buffers on x86-64: the rounds by the SHA instructions, and beside them the message schedule by
//! vectors of 256 bits, a lane for each buffer.
//!
//! On AMD Zen 4 a `sha256rnds2` can start every cycle, and 32 of them are a block. The instructions of the schedule would
//! take as long again, since they share ports with the rounds; shifts, additions and logic on eight buffers fit into what
//! the rounds leave idle. Eight buffers give the rounds twice the work that their latency needs.
//!
//! A block is one piece of assembly, because registers are short: the SHA instructions know the first sixteen only, and
//! eight buffers have as many in states, beside the one that these instructions always read. So one of the states rests
//! in a high register, and all of the schedule is in those. What goes from the schedule to the rounds, goes through
//! memory.
//!
//! Words and rounds go in groups of four. Group `G + 4` of the words is made between the rounds of group `G`; between those
//! of the last four groups, the next block is taken.

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::x86_sha::Sha256State;
use crate::hash::sha256::K;
use crate::hash::{Hash, HashKernel, Messages, Shape};
use crate::vector::each;

/// SHA-224 and SHA-256 for many buffers.
pub(crate) fn kernel<A: Hash<Word = u32>>() -> HashKernel<u32> {
    HashKernel { name: "sha-ni, avx512", lanes: 8, run, finish: finish::<A>, pads: false }
}

#[target_feature(enable = "sha,avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn run(states: *const *mut u32, data: *const *const u8, blocks: usize) {
    if blocks == 0 {
        return;
    }
    let mut words = MaybeUninit::uninit();
    let words = words.as_mut_ptr();
    // SAFETY: the same contract; `next` is a block that there is.
    unsafe {
        let mut buffers = Eight::load(states.cast());
        begin(words, data, 0);
        for block in 0..blocks {
            let next = (block + 1).min(blocks - 1);
            buffers.compress(words, data, BLOCK * next);
        }
        buffers.store(states);
    }
}

#[target_feature(enable = "sha,avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn finish<A: Hash<Word = u32>>(messages: &Messages<u32>, first: usize, shape: Shape) {
    let mut words = MaybeUninit::uninit();
    let words = words.as_mut_ptr();
    let steps = shape.blocks + shape.tail;
    let at = |step: usize| {
        if step < shape.blocks {
            (messages.data[first..].as_ptr(), BLOCK * step)
        } else {
            (messages.tail[first..].as_ptr(), BLOCK * (step - shape.blocks))
        }
    };
    // SAFETY: the same contract; a padded end has a block at least, and `next` is a block that there is.
    unsafe {
        let mut buffers = Eight::load(messages.start[first..].as_ptr());
        let (data, offset) = at(0);
        begin(words, data, offset);
        for step in 0..steps {
            let (data, offset) = at((step + 1).min(steps - 1));
            buffers.compress(words, data, offset);
        }
        if shape.hmac {
            let swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
            let outer = each!(b in 8 => {
                let block = buffers.0[b].outer_block::<A>();
                each!(i in 4 => _mm_shuffle_epi8(block[i], swap))
            });
            let blocks = each!(b in 8 => (&raw const outer[b]).cast::<u8>());
            buffers = Eight::load(messages.outer[first..].as_ptr());
            begin(words, blocks.as_ptr(), 0);
            buffers.compress(words, blocks.as_ptr(), 0);
        }
        buffers.store(messages.state[first..].as_ptr());
    }
}

/// Bytes of a block.
const BLOCK: usize = 64;

/// The words of a block in eight buffers.
#[repr(C, align(64))]
struct Words {
    /// All of the schedule, a lane for each buffer, in the order that [`begin`] gives them.
    schedule: [[u32; 8]; 64],
    /// The same with the round constants added, in pairs as two rounds take them, in the order of the buffers.
    summed: [[[u32; 2]; 8]; 32],
}

/// Takes a block of each buffer, as the first words of the schedule.
///
/// Two buffers share a register, and four registers are transposed within their halves, so that the lanes are the
/// buffers 0, 1, 4, 5, 2, 3, 6 and 7; pairs of words that are interleaved with each other are then in order.
///
/// # Safety
/// AVX2; eight pointers, each readable for 64 bytes at `offset`.
#[inline(always)]
unsafe fn begin(words: *mut Words, data: *const *const u8, offset: usize) {
    // SAFETY: the caller's; there are four groups of four words, and four registers of pairs in each.
    unsafe {
        let swap = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
        for group in 0..4 {
            let at = offset + 16 * group;
            let part = |buffer: usize| _mm_loadu_si128((*data.add(buffer)).add(at).cast());
            let [r0, r1, r2, r3] = each!(i in 4 => {
                let buffer = i / 2 * 4 + i % 2;
                _mm256_shuffle_epi8(_mm256_set_m128i(part(buffer + 2), part(buffer)), swap)
            });
            let (a, b) = (_mm256_unpacklo_epi32(r0, r1), _mm256_unpackhi_epi32(r0, r1));
            let (c, d) = (_mm256_unpacklo_epi32(r2, r3), _mm256_unpackhi_epi32(r2, r3));
            let w = [
                _mm256_unpacklo_epi64(a, c),
                _mm256_unpackhi_epi64(a, c),
                _mm256_unpacklo_epi64(b, d),
                _mm256_unpackhi_epi64(b, d),
            ];
            let schedule = (&raw mut (*words).schedule).cast::<__m256i>().add(4 * group);
            let summed = (&raw mut (*words).summed).cast::<__m256i>().add(4 * group);
            let sums = each!(i in 4 => {
                _mm256_store_si256(schedule.add(i), w[i]);
                _mm256_add_epi32(w[i], _mm256_set1_epi32(K[4 * group + i].cast_signed()))
            });
            each!(i in 2 => {
                let (x, y) = (sums[2 * i], sums[2 * i + 1]);
                _mm256_store_si256(summed.add(2 * i), _mm256_unpacklo_epi32(x, y));
                _mm256_store_si256(summed.add(2 * i + 1), _mm256_unpackhi_epi32(x, y));
            });
        }
        // SHA instructions would wait for the upper halves of registers.
        _mm256_zeroupper();
    }
}

/// Two rounds of a buffer: half `$half` of group `$g`.
#[rustfmt::skip]
macro_rules! rounds {
    ($g:literal $half:literal, $buffer:literal, $into:literal, $with:literal) => {
        concat!(
            "vmovq xmm0, qword ptr [{p} + {summed} + 128*", $g, " + 64*", $half, " + 8*", $buffer, "]\n",
            "sha256rnds2 ", $into, ", ", $with, "\n",
        )
    };
}

/// All rounds of group `$g` (an even one, or an odd one), in sixteen steps for `$weave` to put something between.
///
/// Buffers 6 and 7 take turns in register 15: the group begins with that which the last one ended with.
macro_rules! group {
    ($weave:ident, even $g:literal) => {
        group!(@ $weave, $g, 6 "xmm7", 7 "xmm8", "xmm30", "xmm31")
    };
    ($weave:ident, odd $g:literal) => {
        group!(@ $weave, $g, 7 "xmm8", 6 "xmm7", "xmm31", "xmm30")
    };
    (
        @ $weave:ident, $g:literal, $one:literal $one_cdgh:literal, $other:literal $other_cdgh:literal,
        $rest:literal, $wake:literal
    ) => {
        $weave!(
            $g,
            (rounds!($g 0, $one, $one_cdgh, "xmm15"))
            (rounds!($g 0, 0, "xmm1", "xmm9"))
            (rounds!($g 0, 1, "xmm2", "xmm10"))
            (rounds!($g 0, 2, "xmm3", "xmm11"))
            (concat!(
                rounds!($g 1, $one, "xmm15", $one_cdgh),
                "vmovdqa64 ", $rest, ", xmm15\n",
                "vmovdqa64 xmm15, ", $wake, "\n",
            ))
            (rounds!($g 0, 3, "xmm4", "xmm12"))
            (rounds!($g 0, $other, $other_cdgh, "xmm15"))
            (rounds!($g 0, 4, "xmm5", "xmm13"))
            (rounds!($g 0, 5, "xmm6", "xmm14"))
            (rounds!($g 1, 0, "xmm9", "xmm1"))
            (rounds!($g 1, 1, "xmm10", "xmm2"))
            (rounds!($g 1, $other, "xmm15", $other_cdgh))
            (rounds!($g 1, 2, "xmm11", "xmm3"))
            (rounds!($g 1, 3, "xmm12", "xmm4"))
            (rounds!($g 1, 4, "xmm13", "xmm5"))
            (rounds!($g 1, 5, "xmm14", "xmm6"))
        )
    };
}

/// Word `$w` of group `$g + 4` of the schedule, between four steps of the rounds. `$recent` is the word two before it,
/// and becomes it; `$w15` becomes the word fifteen before it, and `$w16` is that sixteen before it.
macro_rules! word {
    (
        $g:literal $w:literal, $recent:literal, $w15:literal, $w16:literal, $sum:literal,
        ($($a:tt)*) ($($b:tt)*) ($($c:tt)*) ($($d:tt)*)
    ) => {
        concat!(
            "vmovdqa64 ", $w15, ", [{p} + 128*", $g, " + 32*(", $w, " + 1)]\n",
            "vprord ymm22, ", $w15, ", 7\n",
            "vprord ymm23, ", $w15, ", 18\n",
            $($a)*,
            "vpsrld ymm24, ", $w15, ", 3\n",
            "vpaddd ymm27, ", $w16, ", [{p} + 128*", $g, " + 32*(", $w, " + 9)]\n",
            "vprord ymm25, ", $recent, ", 17\n",
            "vpternlogd ymm24, ymm22, ymm23, 0x96\n",
            $($b)*,
            "vprord ymm26, ", $recent, ", 19\n",
            "vpsrld ymm22, ", $recent, ", 10\n",
            "vpaddd ymm27, ymm27, ymm24\n",
            $($c)*,
            "vpternlogd ymm22, ymm25, ymm26, 0x96\n",
            "vpaddd ", $recent, ", ymm27, ymm22\n",
            "vmovdqa64 [{p} + 128*", $g, " + 32*(", $w, " + 16)], ", $recent, "\n",
            $($d)*,
            "vpaddd ", $sum, ", ", $recent, ", dword ptr [{k} + 16*", $g, " + 4*(", $w, " + 16)]{{1to8}}\n",
        )
    };
}

/// The words in registers 18 and 19 as pair `$half` of group `$g + $ahead`.
#[rustfmt::skip]
macro_rules! pair {
    ($g:literal $half:literal, $ahead:literal) => {
        concat!(
            "vpunpckldq ymm20, ymm18, ymm19\n",
            "vpunpckhdq ymm21, ymm18, ymm19\n",
            "vmovdqa64 [{p} + {summed} + 128*(", $g, " + ", $ahead, ") + 64*", $half, "], ymm20\n",
            "vmovdqa64 [{p} + {summed} + 128*(", $g, " + ", $ahead, ") + 64*", $half, " + 32], ymm21\n",
        )
    };
}

/// Group `$g + 4` of the schedule between the rounds of group `$g`.
macro_rules! scheduled {
    (
        $g:literal,
        $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $h:tt $i:tt $j:tt $k:tt $l:tt $m:tt $n:tt $o:tt $p:tt $q:tt
    ) => {
        concat!(
            word!($g 0, "ymm16", "ymm28", "ymm29", "ymm18", $a $b $c $d),
            word!($g 1, "ymm17", "ymm29", "ymm28", "ymm19", $e $f $h $i),
            pair!($g 0, "4"),
            word!($g 2, "ymm16", "ymm28", "ymm29", "ymm18", $j $k $l $m),
            word!($g 3, "ymm17", "ymm29", "ymm28", "ymm19", $n $o $p $q),
            pair!($g 1, "4"),
        )
    };
}

/// Part `$g` of two buffers of the next block, as `begin` has them, between two steps of the rounds.
macro_rules! part {
    ($g:literal $n:literal: $one:literal, $other:literal, ($($a:tt)*) ($($b:tt)*)) => {
        concat!(
            "mov {data}, [{next} + 8*", $one, "]\n",
            "vmovdqu64 xmm", $n, ", [{data} + {offset} + 16*", $g, "]\n",
            "mov {data}, [{next} + 8*", $other, "]\n",
            $($a)*,
            "vinserti32x4 ymm", $n, ", ymm", $n, ", [{data} + {offset} + 16*", $g, "], 1\n",
            "vpshufb ymm", $n, ", ymm", $n, ", ymm29\n",
            $($b)*,
        )
    };
}

/// Word `$w` of group `$g - 12`, which is in `$word`.
#[rustfmt::skip]
macro_rules! first_word {
    ($g:literal $w:literal, $word:literal, $sum:literal) => {
        concat!(
            "vmovdqa64 [{p} + 128*(", $g, " - 12) + 32*", $w, "], ", $word, "\n",
            "vpaddd ", $sum, ", ", $word, ", dword ptr [{k} + 16*", $g, " + 4*", $w, "]{{1to8}}\n",
        )
    };
}

/// Group `$g - 12` of the next block between the rounds of group `$g`.
macro_rules! begun {
    (
        $g:literal,
        $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $h:tt $i:tt ($($j:tt)*) ($($k:tt)*) ($($l:tt)*) ($($m:tt)*)
        ($($n:tt)*) ($($o:tt)*) ($($p:tt)*) ($($q:tt)*)
    ) => {
        concat!(
            part!($g "18": 0, 2, $a $b),
            part!($g "19": 1, 3, $c $d),
            part!($g "20": 4, 6, $e $f),
            part!($g "21": 5, 7, $h $i),
            "vpunpckldq ymm22, ymm18, ymm19\n",
            "vpunpckhdq ymm23, ymm18, ymm19\n",
            $($j)*,
            "vpunpckldq ymm24, ymm20, ymm21\n",
            "vpunpckhdq ymm25, ymm20, ymm21\n",
            $($k)*,
            "vpunpcklqdq ymm26, ymm22, ymm24\n",
            "vpunpckhqdq ymm27, ymm22, ymm24\n",
            $($l)*,
            first_word!($g 0, "ymm26", "ymm18"),
            first_word!($g 1, "ymm27", "ymm19"),
            $($m)*,
            "vpunpcklqdq ymm26, ymm23, ymm25\n",
            "vpunpckhqdq ymm27, ymm23, ymm25\n",
            $($n)*,
            pair!($g 0, "-12"),
            $($o)*,
            first_word!($g 2, "ymm26", "ymm18"),
            first_word!($g 3, "ymm27", "ymm19"),
            $($p)*,
            pair!($g 1, "-12"),
            $($q)*,
        )
    };
}

/// The states of eight buffers.
struct Eight([Sha256State; 8]);

impl Eight {
    /// Takes the states from memory.
    ///
    /// # Safety
    /// SSE4.1; eight pointers, each readable for eight words.
    #[inline(always)]
    unsafe fn load(states: *const *const u32) -> Self {
        // SAFETY: the caller's.
        unsafe { Eight(each!(b in 8 => Sha256State::load(*states.add(b)))) }
    }

    /// Puts the states back.
    ///
    /// # Safety
    /// SSE4.1; eight pointers, each writable for eight words.
    #[inline(always)]
    unsafe fn store(self, states: *const *mut u32) {
        // SAFETY: the caller's.
        unsafe {
            each!(b in 8 => self.0[b].store(*states.add(b)));
        }
    }

    /// All rounds of the block that was taken, and takes the next one. Not inlined: there is one copy of this code.
    ///
    /// # Safety
    /// The SHA instructions, AVX-512 F and VL; `begin` or this has filled the words; eight pointers, each readable for
    /// 64 bytes at `offset`.
    #[inline(never)]
    #[target_feature(enable = "sha,avx512f,avx512bw,avx512dq,avx512vl")]
    unsafe fn compress(&mut self, words: *mut Words, next: *const *const u8, offset: usize) {
        static SWAP: [u32; 4] = [0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f];
        let start = self.0;
        let [b0, b1, b2, b3, b4, b5, b6, b7] = &mut self.0;
        // SAFETY: twelve groups of words are written behind the four that are there, and sixteen read; then as many are
        // written as `begin` does, where the pointer is sixteen groups on in the end. The constants are as many as the
        // words. The caller vouches for the next block and for the instructions; all registers that are written are
        // named.
        unsafe {
            asm!(
                "vmovdqa64 ymm29, [{p}]",
                "vmovdqa64 ymm16, [{p} + 32*14]",
                "vmovdqa64 ymm17, [{p} + 32*15]",
                "mov {count:e}, 6",
                ".p2align 5",
                "2:",
                group!(scheduled, even 0),
                group!(scheduled, odd 1),
                "add {p}, 256",
                "add {k}, 32",
                "dec {count:e}",
                "jnz 2b",
                "vbroadcasti32x4 ymm29, [{swap}]",
                "sub {k}, 192",
                "mov {count:e}, 2",
                "3:",
                group!(begun, even 0),
                group!(begun, odd 1),
                "add {p}, 256",
                "add {k}, 32",
                "add {offset}, 32",
                "dec {count:e}",
                "jnz 3b",
                p = inout(reg) words => _,
                k = inout(reg) K.as_ptr() => _,
                next = in(reg) next,
                offset = inout(reg) offset => _,
                swap = in(reg) SWAP.as_ptr(),
                data = out(reg) _,
                count = out(reg) _,
                summed = const core::mem::offset_of!(Words, summed),
                out("xmm0") _,
                inout("xmm1") b0.cdgh,
                inout("xmm2") b1.cdgh,
                inout("xmm3") b2.cdgh,
                inout("xmm4") b3.cdgh,
                inout("xmm5") b4.cdgh,
                inout("xmm6") b5.cdgh,
                inout("xmm7") b6.cdgh,
                inout("xmm8") b7.cdgh,
                inout("xmm9") b0.abef,
                inout("xmm10") b1.abef,
                inout("xmm11") b2.abef,
                inout("xmm12") b3.abef,
                inout("xmm13") b4.abef,
                inout("xmm14") b5.abef,
                inout("xmm15") b6.abef,
                inout("xmm31") b7.abef,
                out("ymm16") _, out("ymm17") _, out("ymm18") _, out("ymm19") _, out("ymm20") _,
                out("ymm21") _, out("ymm22") _, out("ymm23") _, out("ymm24") _, out("ymm25") _,
                out("ymm26") _, out("ymm27") _, out("ymm28") _, out("ymm29") _, out("ymm30") _,
                options(nostack),
            );
            each!(b in 8 => self.0[b].add(&start[b]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::kernel;
    use crate::cpu::{Cpu, Isa};
    use crate::hash::{Sha224, Sha256};
    use crate::isa::against_portable;

    /// Wherever there are the instructions, also on CPUs that get other kernels.
    #[test]
    fn eight_buffers_are_hashed_as_they_are_one_by_one() {
        let cpu = Cpu::detect();
        if cpu.isa() == Isa::Avx512 && cpu.has("sha") {
            against_portable::compare::<Sha224>(kernel::<Sha224>());
            against_portable::compare::<Sha256>(kernel::<Sha256>());
        }
    }
}
