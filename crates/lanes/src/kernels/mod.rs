//! The generic kernels: each is written once, over the vectors or registers of an instruction set.
//! `arch` compiles them.
//!
//! A family has a folder, or a file. It holds the contract of its kernels (a structure of
//! functions, which a table of `arch` has an entry for), their generic bodies, the bodies on plain
//! integers, and what they read: expanded keys, messages, tables of constants. Nothing here knows
//! jobs, a scheduler, or which CPU it runs on.

pub(crate) mod aes;
pub(crate) mod blake3;
pub(crate) mod chacha;
pub(crate) mod des;
pub(crate) mod hash;
pub(crate) mod kasumi;
pub(crate) mod rabin;
pub(crate) mod rc4;
pub(crate) mod sponge;

/// The largest group for which kernels calculate on the stack.
pub const MAX_TASKS: usize = 16;
