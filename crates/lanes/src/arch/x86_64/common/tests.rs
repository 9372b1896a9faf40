//! Every kernel for many buffers beside the kernel of plain integers, on the same messages. The
//! messages lie against pages that nobody may read or write.
//!
//! A kernel is tested wherever the CPU has its instructions, also where the CPU gets another
//! kernel. Each test prints which kernel ran, or which one did not run and why. CI demands these
//! lines of its emulated processors.

use std::vec::Vec;
use std::{format, println, vec};

use super::{md5, sha512};
use crate::arch::portable;
use crate::arch::x86_64::{avx2, avx512, common};
use crate::cpu::{Cpu, Isa};
use crate::features::Feature;
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::kernel::{HashKernel, LoneRun, Messages, Shape, SingleKernel};
use crate::kernels::hash::md5::Md5;
use crate::kernels::hash::select::plain;
use crate::kernels::hash::sha1::Sha1;
use crate::kernels::hash::sha256::{Sha224, Sha256};
use crate::kernels::hash::sha512::{Sha384, Sha512};
use crate::kernels::hash::tail::Tail;
use crate::plain::Plain;
use crate::vector::{MAX_LANES, Vector, Word};
use guarded::{Guarded, Side};

#[path = "../../../../tests/suite/common/guarded.rs"]
mod guarded;

/// Defines the test of a kernel: its hashes, the instruction set and the extension that it needs.
macro_rules! tests {
    ($(
        $name:ident: $module:ident::$file:ident::$kernel:ident, $portable:ident, [$($hash:ty),*],
        $isa:expr, $extension:expr;
    )*) => { $(
        #[test]
        fn $name() {
            let extension: Option<Feature> = $extension;
            let runs = Cpu::with_isa($isa)
                .is_ok_and(|cpu| extension.is_none_or(|extension| cpu.has(extension)));
            $(
                let kernel = $module::$file::$kernel::<$hash>();
                let what = format!("{} for {}", stringify!($name), <$hash>::NAME);
                if runs {
                    compare::<$hash>(&kernel, &portable::$portable::<$hash>());
                    println!("hash kernel tested: {what}");
                } else {
                    let needs = extension.map(|name| format!(" and {name}")).unwrap_or_default();
                    println!("hash kernel not run: {what} needs {}{needs}", $isa);
                }
            )*
        }
    )* };
}

tests! {
    avx512_of_32_bits:
        avx512::vectors::kernel32, kernel32, [Md5, Sha1, Sha224, Sha256], Isa::Avx512, None;
    avx512_of_64_bits: avx512::vectors::kernel64, kernel64, [Sha384, Sha512], Isa::Avx512, None;
    avx2_of_32_bits:
        avx2::vectors::kernel32, kernel32, [Md5, Sha1, Sha224, Sha256], Isa::Avx2, None;
    avx2_of_64_bits: avx2::vectors::kernel64, kernel64, [Sha384, Sha512], Isa::Avx2, None;
    avx512_paired_of_32_bits:
        avx512::paired::kernel, kernel32, [Sha1, Sha224, Sha256], Isa::Avx512, None;
    avx512_paired_of_64_bits: avx512::paired::kernel, kernel64, [Sha384, Sha512], Isa::Avx512, None;
    x86_sha1x16: avx512::sha1x16::kernel, kernel32, [Sha1], Isa::Avx512, None;
    x86_sha256x8:
        avx512::sha256x8::kernel, kernel32, [Sha224, Sha256], Isa::Avx512, Some(Feature::Sha);
    wide_sha256_avx512:
        common::sha::wide_sha256_avx512, kernel32, [Sha224, Sha256],
        Isa::Avx512, Some(Feature::Sha);
    wide_sha256:
        common::sha::wide_sha256, kernel32, [Sha224, Sha256], Isa::Avx2, Some(Feature::Sha);
    wide_sha1: common::sha::wide_sha1, kernel32, [Sha1], Isa::Avx2, Some(Feature::Sha);
}

#[test]
fn one_buffer() {
    single::<Md5>("x86_md5", md5::MD5, Isa::Avx2);
    single::<Sha512>("x86_sha512 of AVX2", sha512::AVX2, Isa::Avx2);
    single::<Sha512>("x86_sha512 of AVX-512", sha512::AVX512, Isa::Avx512);
}

/// Compares a kernel for one buffer where the CPU has the instruction set, and prints whether it
/// did.
fn single<A: Hash>(name: &str, kernel: SingleKernel<A::Word>, isa: Isa)
where
    Plain<A::Word>: Vector<Word = A::Word>,
{
    if Cpu::with_isa(isa).is_ok() {
        compare_single::<A>(kernel);
        println!("hash kernel tested: {name} for {}", A::NAME);
    } else {
        println!("hash kernel not run: {name} for {} needs {isa}", A::NAME);
    }
}

#[test]
fn sha1_alone() {
    lone::<Sha1>("sha_alone", avx512::sha_alone::sha1::<Sha1>);
}

#[test]
fn sha256_alone() {
    lone::<Sha224>("sha_alone", avx512::sha_alone::sha256::<Sha224>);
    lone::<Sha256>("sha_alone", avx512::sha_alone::sha256::<Sha256>);
}

/// Compares a kernel for one whole message where the CPU has its instructions, and prints whether
/// it did.
fn lone<A: Hash<Word = u32>>(name: &str, kernel: LoneRun<u32>) {
    if Cpu::with_isa(Isa::Avx512).is_ok_and(|cpu| cpu.has(Feature::Sha)) {
        compare_lone::<A>(kernel);
        println!("hash kernel tested: {name} for {}", A::NAME);
    } else {
        let (isa, sha) = (Isa::Avx512, Feature::Sha);
        println!("hash kernel not run: {name} for {} needs {isa} and {sha}", A::NAME);
    }
}

/// Where a message lies.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Against a guard page.
    Against(Side),
    /// At an offset that differs from buffer to buffer.
    Within,
}

const PLACES: [Place; 3] = [Place::Against(Side::Start), Place::Against(Side::End), Place::Within];

/// Room for a message in each lane.
struct Buffers(Vec<Guarded>);

impl Buffers {
    /// Returns the message of a buffer, `len` bytes.
    fn message(&mut self, buffer: usize, place: Place, len: usize) -> *const u8 {
        let data: Vec<u8> = (0..len).map(|i| (i * (2 * buffer + 7) + i / 5) as u8).collect();
        let room = &mut self.0[buffer];
        let message = match place {
            Place::Against(side) => room.place(side, &data),
            Place::Within => {
                let moved = [vec![0; buffer], data].concat();
                &mut room.place(Side::Start, &moved)[buffer..]
            }
        };
        message.as_ptr()
    }
}

/// Panics where two kernels differ: after whole blocks, and at the end of messages of all shapes
/// and lengths.
fn compare<A: Hash>(kernel: &HashKernel<A::Word>, portable: &HashKernel<A::Word>) {
    let mut buffers = Buffers((0..MAX_LANES).map(|_| Guarded::new()).collect());
    for place in PLACES {
        for blocks in 0..4 {
            let [one, other] =
                [kernel, portable].map(|kernel| absorbed::<A>(kernel, &mut buffers, place, blocks));
            assert!(one == other, "{} of {blocks} blocks, {place:?}", A::NAME);
        }
        for (blocks, hmac) in [(0, false), (1, true), (2, false), (3, true)] {
            let longest = A::BLOCK_LEN - A::BLOCK_LEN / 8;
            for (tail, rests) in [(1, 0..longest), (2, longest..A::BLOCK_LEN)] {
                let shape = Shape { blocks, tail, hmac };
                for turn in (0..rests.len()).step_by(MAX_LANES) {
                    let rest = |buffer| rests.start + (turn + buffer) % rests.len();
                    let [one, other] = [kernel, portable]
                        .map(|kernel| finished::<A>(kernel, &mut buffers, place, shape, rest));
                    assert!(one == other, "{} of {shape:?}, turn {turn}, {place:?}", A::NAME);
                }
            }
        }
    }
}

/// Panics where a kernel for one buffer differs from plain integers: from any alignment, and for
/// any number of blocks, whether a call takes all or the calls before it took some.
fn compare_single<A: Hash>(kernel: SingleKernel<A::Word>)
where
    Plain<A::Word>: Vector<Word = A::Word>,
{
    const MOST: usize = 9;
    let bytes: [u8; (MOST + 1) * 128] = core::array::from_fn(|i| (i * i / 7 + i / 251) as u8);
    let start = core::array::from_fn(|i| A::Word::truncate(0x9e37_79b9_7f4a_7c15 >> (3 * i)));
    for blocks in 0..=MOST {
        for offset in [0, 1, 8, 31, 64] {
            let data = &bytes[offset..][..blocks * A::BLOCK_LEN];
            let mut expected = start;
            plain::<A::Core>().absorb(&mut expected, data);
            for first in 0..=blocks {
                let mut state = start;
                let (before, rest) = data.split_at(first * A::BLOCK_LEN);
                kernel.absorb(&mut state, before);
                kernel.absorb(&mut state, rest);
                let states = (&state[..A::STATE_WORDS], &expected[..A::STATE_WORDS]);
                assert_eq!(states.0, states.1, "{} of {first} and {blocks} blocks", A::NAME);
            }
        }
    }
}

/// Panics where a kernel for one whole message differs from plain integers, for messages of all
/// lengths up to some blocks that begin a hash or continue one, with and without an outer hash; or
/// if it writes beside the digest.
fn compare_lone<A: Hash<Word = u32>>(kernel: LoneRun<u32>) {
    const BESIDE: u8 = 0x5a;
    let mut buffers = Buffers(vec![Guarded::new()]);
    let [first, outer] = [start(0), start(1)];
    for place in PLACES {
        for len in 0..=4 * A::BLOCK_LEN {
            let data = buffers.message(0, place, len);
            for (before, hmac) in [(0, false), (1, true), (1 << 54, false)] {
                let total = before * A::BLOCK_LEN as u64 + len as u64;
                let outer = if hmac { outer.as_ptr() } else { core::ptr::null() };
                let mut made = vec![BESIDE; A::DIGEST_LEN + 1];
                // SAFETY: the CPU has the instructions; `data` is readable for `len` bytes, the
                // states have eight words, and there is room for a digest.
                unsafe { kernel(first.as_ptr(), data, len, total, outer, made.as_mut_ptr()) };
                // SAFETY: the message is the same.
                let mut expected = unsafe { lone_in_integers::<A>(first, data, len, total) };
                if hmac {
                    let total = (A::BLOCK_LEN + A::DIGEST_LEN) as u64;
                    let inner = expected.as_ptr();
                    // SAFETY: `inner` is readable for a digest, and `outer` for eight words.
                    expected = unsafe {
                        lone_in_integers::<A>(*outer.cast(), inner, A::DIGEST_LEN, total)
                    };
                }
                expected.push(BESIDE);
                let what = format!("{} of {len} bytes behind {before} blocks", A::NAME);
                assert_eq!(made, expected, "{what}, {place:?}, hmac: {hmac}");
            }
        }
    }
}

/// Returns the digest of the `len` bytes at `data`, by plain integers.
///
/// # Safety
/// - `data` is readable for `len` bytes.
/// - `total - len` is a whole number of blocks, and `total` is not below `len`.
unsafe fn lone_in_integers<A: Hash<Word = u32>>(
    mut state: [u32; 8],
    data: *const u8,
    len: usize,
    total: u64,
) -> Vec<u8> {
    let (single, mut tail) = (A::plain(), Tail::EMPTY);
    // SAFETY: `data` is readable for `len` bytes, and the tail is that of the message, by this
    // function's contract; the state has eight words.
    unsafe {
        (single.one)(state.as_mut_ptr(), data, len / A::BLOCK_LEN);
        tail.build::<A>(data, len, total);
        let blocks = Tail::count::<A>(len % A::BLOCK_LEN);
        (single.one)(state.as_mut_ptr(), tail.blocks(), blocks);
    }
    let digest = state.iter().flat_map(|word| word.to_be_bytes());
    digest.take(A::DIGEST_LEN).collect()
}

/// The states of all buffers, as far as the hash has words.
type States<W> = Vec<Vec<W>>;

/// Returns the state that a buffer starts from.
fn start<W: Word>(buffer: usize) -> [W; 8] {
    let word = |i| 0x9e37_79b9_7f4a_7c15_u64.rotate_left((8 * buffer + i) as u32);
    core::array::from_fn(|i| W::truncate(word(i)))
}

fn of_hash<A: Hash>(states: &[[A::Word; 8]]) -> States<A::Word> {
    states.iter().map(|state| state[..A::STATE_WORDS].to_vec()).collect()
}

/// Returns the states after so many whole blocks.
fn absorbed<A: Hash>(
    kernel: &HashKernel<A::Word>,
    buffers: &mut Buffers,
    place: Place,
    blocks: usize,
) -> States<A::Word> {
    let mut states: [_; MAX_LANES] = core::array::from_fn(start);
    let data: [_; MAX_LANES] =
        core::array::from_fn(|buffer| buffers.message(buffer, place, A::BLOCK_LEN * blocks));
    let pointers = states.each_mut().map(|state| state.as_mut_ptr());
    for first in (0..MAX_LANES).step_by(kernel.lanes) {
        // SAFETY: the CPU has the instructions, and each lane has a state of its own and `blocks`
        // blocks.
        unsafe { (kernel.run)(pointers[first..].as_ptr(), data[first..].as_ptr(), blocks) }
    }
    of_hash::<A>(&states)
}

/// Returns the states at the end of messages of this shape. `rest` says how many bytes of a buffer
/// are behind the whole blocks.
fn finished<A: Hash>(
    kernel: &HashKernel<A::Word>,
    buffers: &mut Buffers,
    place: Place,
    shape: Shape,
    rest: impl Fn(usize) -> usize,
) -> States<A::Word> {
    let starts: [_; MAX_LANES] = core::array::from_fn(start);
    let mut tails = [const { Tail::EMPTY }; MAX_LANES];
    let mut states = [[A::Word::default(); 8]; MAX_LANES];
    let mut messages = Messages::new(states[0].as_mut_ptr());
    for (b, (state, tail)) in states.iter_mut().zip(&mut tails).enumerate() {
        let (whole, rest) = (A::BLOCK_LEN * shape.blocks, rest(b));
        let data = buffers.message(b, place, whole + rest);
        let total = (A::BLOCK_LEN * b + whole + rest) as u64;
        messages.start[b] = starts[b].as_ptr();
        messages.outer[b] = starts[MAX_LANES - 1 - b].as_ptr();
        messages.data[b] = data;
        messages.state[b] = state.as_mut_ptr();
        if kernel.pads {
            messages.pad::<A>(b, data.wrapping_add(whole), rest as u8, total);
        } else {
            // SAFETY: the message has `whole + rest` bytes, and `total` is more than these by whole
            // blocks.
            unsafe { tail.build::<A>(data, whole + rest, total) };
            messages.tail[b] = tail.blocks();
        }
    }
    for first in (0..MAX_LANES).step_by(kernel.lanes) {
        // SAFETY: the CPU has the instructions, and every buffer has the whole blocks and the end
        // of the shape.
        unsafe { (kernel.finish)(&messages, first, shape) }
    }
    of_hash::<A>(&states)
}
