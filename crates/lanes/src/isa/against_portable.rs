//! A kernel for many buffers beside that of plain integers, on the same messages.

use super::portable;
use crate::hash::tail::Tail;
use crate::hash::{Hash, HashKernel, Messages, Shape};

/// Bytes of a block.
const BLOCK: usize = 64;

/// The most buffers at once.
const LANES: usize = 16;

/// Panics where the two differ: after whole blocks, and at the end of messages of all shapes.
pub(crate) fn compare<A: Hash<Word = u32>>(kernel: HashKernel<u32>) {
    let portable = portable::kernel32::<A>();
    for blocks in 0..4 {
        assert_eq!(
            absorbed(&kernel, blocks),
            absorbed(&portable, blocks),
            "{} of {blocks} blocks",
            A::NAME
        );
        for (tail, hmac) in [(1, false), (2, false), (1, true), (2, true)] {
            let shape = Shape { blocks, tail, hmac };
            let results = [&kernel, &portable].map(|kernel| finished::<A>(kernel, shape));
            assert_eq!(results[0], results[1], "{} of {blocks} and {tail} blocks, {hmac}", A::NAME);
        }
    }
}

/// The bytes of a buffer, which begin at another offset in each.
fn bytes(buffer: usize) -> ([u8; 6 * BLOCK], usize) {
    (core::array::from_fn(|i| (i * (2 * buffer + 7) + i / 5) as u8), buffer)
}

/// The state that a buffer starts from.
fn start(buffer: usize) -> [u32; 8] {
    core::array::from_fn(|i| 0x9e37_79b9u32.rotate_left((8 * buffer + i) as u32))
}

/// The states after so many whole blocks.
fn absorbed(kernel: &HashKernel<u32>, blocks: usize) -> [[u32; 8]; LANES] {
    let bytes: [_; LANES] = core::array::from_fn(bytes);
    let mut states: [_; LANES] = core::array::from_fn(start);
    let data = bytes.each_ref().map(|(bytes, at)| bytes[*at..].as_ptr());
    let pointers = states.each_mut().map(|state| state.as_mut_ptr());
    for first in (0..LANES).step_by(kernel.lanes) {
        // SAFETY: the CPU has the instructions; there are so many states, and more than so many blocks.
        unsafe { (kernel.run)(pointers[first..].as_ptr(), data[first..].as_ptr(), blocks) }
    }
    states
}

/// The states at the end of messages of this shape. How many bytes are behind the whole blocks differs from buffer to
/// buffer; in one nothing is.
fn finished<A: Hash<Word = u32>>(kernel: &HashKernel<u32>, shape: Shape) -> [[u32; 8]; LANES] {
    let bytes: [_; LANES] = core::array::from_fn(bytes);
    let starts: [_; LANES] = core::array::from_fn(start);
    let mut tails = [const { Tail::EMPTY }; LANES];
    let mut states = [[0; 8]; LANES];
    let mut messages = Messages::new(states[0].as_mut_ptr());
    for (b, (state, tail)) in states.iter_mut().zip(&mut tails).enumerate() {
        let (bytes, at) = &bytes[b];
        let rest = if shape.tail == 1 { b * 11 % 56 } else { 56 + b % 8 };
        let data = &bytes[*at..][..BLOCK * shape.blocks + rest];
        let total = (BLOCK * (b + 1) + data.len()) as u64;
        messages.start[b] = starts[b].as_ptr();
        messages.outer[b] = starts[LANES - 1 - b].as_ptr();
        messages.data[b] = data.as_ptr();
        messages.state[b] = state.as_mut_ptr();
        if kernel.pads {
            let rest = &data[BLOCK * shape.blocks..];
            messages.pad::<A>(b, rest.as_ptr(), rest.len() as u8, total);
        } else {
            // SAFETY: the bytes are there.
            unsafe { tail.build::<A>(data.as_ptr(), data.len(), total) };
            messages.tail[b] = tail.blocks();
        }
    }
    for first in (0..LANES).step_by(kernel.lanes) {
        // SAFETY: the CPU has the instructions; every buffer has so many blocks and an end of so many.
        unsafe { (kernel.finish)(&messages, first, shape) }
    }
    states
}
