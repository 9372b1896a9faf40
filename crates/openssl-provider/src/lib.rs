//! Broadloom as a provider of OpenSSL 3: `broadloom.so`. `README.md` is the guide.
//!
//! libcrypto loads the library and calls `OSSL_provider_init`, which hands out tables of functions.
//! The functions translate between libcrypto's interface and Broadloom, and compute nothing.
//!
//! Outside of libcrypto's asynchronous jobs, work is done at once. Inside, public-key operations
//! and long pieces of messages go to the line of the thread, where batches form.
//!
//! What gains nothing from lanes, libcrypto's default provider does, in a library
//! context of its own: lone operations with keys, keys of other sizes and curves, rare
//! paddings. Keys therefore live there, and the lanes get theirs when they are first used. Contexts
//! of digests that are made outside of jobs are its own, too, unless libcrypto has low-level
//! functions for the hash. Only keys of KEMs and of ML-DSA are held here, because an older default
//! provider lacks these.
//!
//! A panic never crosses into C: the functions are `extern "C"`, so that a panic ends the process
//! with its message on standard error.

// Jobs pause on descriptors of Linux.
#![cfg(target_os = "linux")]
#![allow(clippy::missing_safety_doc, reason = "provider(7) tells once what holds for all pointers")]

mod asym_cipher;
mod cipher;
mod digest;
mod exchange;
mod handed_on;
mod held;
mod interface;
mod job;
mod kem;
mod key;
mod libcrypto;
mod line;
mod low_level;
mod mac;
mod operation;
mod origin;
mod pipe;
mod provider;
mod self_test;
mod settings;
mod signature;
mod stack;
mod theirs;

pub use provider::OSSL_provider_init;
