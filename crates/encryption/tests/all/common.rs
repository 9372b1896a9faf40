//! What the tests share.

use std::num::NonZeroUsize;
use std::sync::Arc;

use broadloom_encryption::age::Passphrase;
use broadloom_engine::Registry;
use broadloom_lanes::Cpu;

/// A registry with Broadloom's own lanes.
pub fn registry() -> Arc<Registry> {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));
    Arc::new(registry)
}

pub fn threads(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).expect("it is not 0")
}

/// What asks for a passphrase, and is told this one.
pub fn told(passphrase: &str) -> broadloom_encryption::age::Ask {
    let passphrase = Passphrase::new(passphrase);
    Arc::new(move || Ok(passphrase.clone()))
}

/// Bytes that repeat only after a long while.
pub fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}
