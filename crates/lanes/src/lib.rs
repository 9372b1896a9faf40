//! Hashes, MACs and ciphers on many independent buffers side by side.
//!
//! A core that hashes one buffer at a time mostly waits: each round needs the round before. This
//! crate gives every buffer a *lane* of a vector and advances all lanes together. It refills lanes
//! as they run empty, so that buffers of different lengths, keys and alignments keep the whole core
//! busy.
//!
//! There are three managers over the same kernels:
//!
//! - [`Planner`], for jobs that are known at once: `process_many`;
//! - [`OutOfOrder`], for jobs that come one by one and may complete in any order: `submit` and
//!   `flush`;
//! - [`InOrder`], for jobs that must come back in the order of submission.
//!
//! Managers take jobs: [`HashJob`], [`CbcJob`], and [`PacketJob`] for all other modes.
//!
//! [`Cpu::detect`] chooses the instruction set at run time.
//!
//! The crate is `no_std`, starts no thread, reads no clock, does no I/O, and allocates only when a
//! manager or the first [`Cpu`] is built, and when a key of GCM first meets a long message
//! ([`GcmKey`]).

#![no_std]
#![cfg_attr(
    any(constant_time, loom),
    allow(unused, reason = "arch leaves out kernels that use what is common")
)]

extern crate alloc;
#[cfg(test)]
extern crate std;

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod aes;
mod arch;
mod bits;
mod blake3;
mod buffer;
mod chacha;
mod chain;
mod cpu;
mod des;
mod error;
mod features;
mod fetch;
mod hash;
mod info;
#[doc(hidden)]
pub mod inside;
mod job;
mod kasumi;
mod kernels;
mod loops;
mod manager;
mod occupancy;
mod once;
mod outcome;
mod plain;
pub mod probe;
mod rabin;
mod rc4;
mod report;
mod slab;
mod sponge;
mod vector;
mod wiped;

pub use aes::{
    BlockCipher, CbcJob, CbcLanes, CcmError, CcmJob, CcmLanes, CfbJob, CfbLanes, CmacJob, CmacKey,
    CmacLanes, CounterError, CtrJob, CtrLanes, EcbJob, EcbLanes, GcmError, GcmJob, GcmKey,
    GcmLanes, GmacJob, Keystream, KeystreamError, OfbJob, OfbLanes, XcbcKey, XtsJob, XtsKey,
    XtsKeyError, XtsLanes, XtsLengthError,
};
pub use blake3::{Blake3Job, Blake3Key, Blake3Lanes, Blake3Stream};
pub use buffer::{Buffers, CipherBuffer, Input, OutOfPlace, PairError};
pub use chacha::{
    ChaChaJob, ChaChaLanes, ChaChaPolyJob, ChaChaPolyLanes, XChaChaPolyJob, XChaChaPolyLanes,
};
pub use chain::{Chain, ChainCipher, ChainError, ChainJob, ChainLanes, Ranges, Steps};
pub use cpu::{Cpu, Isa, IsaError};
pub use des::{DesJob, DesKey, DesKeyError, DesLanes};
pub use error::LengthError;
pub use features::{Feature, FeatureState, UnknownFeature};
pub use fetch::prefetch;
pub use hash::{HashJob, HashLanes, HmacKey, Stream};
pub use info::KernelInfo;
#[doc(hidden)]
pub use job::{Aead, Cipher, Mac};
pub use job::{AeadJob, CipherJob, MacJob, PacketJob, TagError};
pub use kasumi::{F8Job, F9Job, KasumiError, KasumiKey, KasumiLanes, LinkDirection};
pub use kernels::aes::key::{AesKey, KeyLengthError};
pub use kernels::chacha::key::ChaChaKey;
pub use kernels::hash::algorithm::Hash;
pub use kernels::hash::algorithms::*;
pub use kernels::hash::compression::Compression;
pub use kernels::rc4::key::{Rc4Key, Rc4KeyLengthError};
#[doc(hidden)]
pub use manager::Lanes;
pub use manager::{Gathering, InOrder, Job, Loan, Manager, OutOfOrder, Planner, STREAM_DEPTH};
pub use occupancy::Occupancy;
#[doc(hidden)]
pub use outcome::public;
pub use rabin::{RabinError, RabinSearch};
pub use rc4::{Rc4Job, Rc4Lanes};
pub use report::kernels;
pub use sponge::{
    HmacSha3Key, KmacKey, Sha3, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha3Job, Shake128,
    Shake256, Sponge, SpongeLanes, SpongeStream, Xof, XofJob,
};
pub use vector::{Pair, Vector, Word};
