//! A sponge that takes bytes as they come: for keys, which are absorbed once.

use zeroize::Zeroize;

use crate::cpu::Isa;
use crate::kernels::sponge::keccak::{KeccakState, WORDS};
use crate::kernels::sponge::kernel::{KeccakKernel, MAX_RATE, Rate};

/// One state, and the block that is being filled.
pub(super) struct Absorber {
    kernel: KeccakKernel,
    rate: Rate,
    state: KeccakState,
    block: [u8; MAX_RATE],
    filled: usize,
}

impl Absorber {
    /// Returns one that has absorbed nothing, with the kernel that every machine has.
    pub fn new(rate: Rate) -> Self {
        let portable = Isa::Portable.kernels().expect("every machine has it");
        let kernel = portable.sponge.pick(portable.needs).single;
        Absorber { kernel, rate, state: [0; WORDS], block: [0; MAX_RATE], filled: 0 }
    }

    /// Absorbs bytes.
    pub fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.rate.bytes() - self.filled;
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.block[self.filled..][..now.len()].copy_from_slice(now);
            self.filled += now.len();
            bytes = later;
            if self.filled == self.rate.bytes() {
                self.end_block();
            }
        }
    }

    /// Absorbs zeros up to the end of a block.
    pub fn fill(&mut self) {
        if self.filled > 0 {
            self.block[self.filled..].fill(0);
            self.end_block();
        }
    }

    /// Absorbs the padding, after which the start of the state is the output.
    pub fn pad(&mut self, suffix: u8) {
        let rate = self.rate.bytes();
        self.block[self.filled..].fill(0);
        self.block[self.filled] = suffix;
        self.block[rate - 1] |= 0x80;
        self.end_block();
    }

    /// Returns the state between two blocks.
    pub fn state(&self) -> &KeccakState {
        assert_eq!(self.filled, 0, "a block is complete");
        &self.state
    }

    fn end_block(&mut self) {
        self.kernel.absorb_one(&mut self.state, self.rate, &self.block[..self.rate.bytes()]);
        self.filled = 0;
    }
}

impl Drop for Absorber {
    fn drop(&mut self) {
        self.state.zeroize();
        self.block.zeroize();
    }
}
