//! ChaCha20 and ChaCha20-Poly1305 (RFC 8439): the kernels, and the key that they read.
//!
//! Blocks of key stream are independent, so every lane takes a block: the blocks of one text, or
//! those of several short texts. `block` is the block function, `stream` deals blocks to lanes,
//! `poly` is Poly1305, and `aead` combines both. All are written once over
//! [`Vector`](crate::vector::Vector), and `arch` compiles them for each instruction set.

pub(crate) mod aead;
pub(crate) mod block;
pub(crate) mod kernel;
pub(crate) mod key;
pub(crate) mod poly;
pub(crate) mod stream;
pub(crate) mod text;
