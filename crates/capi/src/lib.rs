//! Broadloom as a C library: `libbroadloom.so.0`, `broadloom.h`, `broadloom.pc`.
//!
//! The functions translate between C and the engine, and compute nothing. `README.md` is the guide,
//! and `include/broadloom.h` the reference. `include/broadloom_cf.h` has the functions of source
//! 003's compression framework, over the same library.
//!
//! A panic never crosses into C: the functions are `extern "C"`, so that a panic ends the process
//! with its message on standard error. A panic is a defect of this library, after which nobody can
//! tell what the caller's buffers hold. Workers alone catch the panic of a provider, and fail the
//! jobs that it was working on.

// C has its own customs for names, and the head of broadloom.h tells once what holds for all
// pointers.
#![allow(non_camel_case_types, clippy::missing_safety_doc)]

mod compress;
mod fault;
mod framework;
mod job;
mod key;
mod lend;
mod library;
mod many;
mod process;
mod queue_pair;
mod session;
mod shell;
mod status;
mod transform;
mod workers;

pub use compress::{bl_compress, bl_decompress, bl_stream_options};
pub use fault::bl_last_error;
pub use framework::{CfParams, CfProvider, cfCompressBuffer, cfDecompressBuffer, cfGetProvider};
pub use job::*;
pub use key::{bl_key_from_parts, bl_key_parts, bl_number};
pub use library::{
    BL_VERSION_MAJOR, BL_VERSION_MINOR, BL_VERSION_PATCH, bl_algorithm_name, bl_provider_name,
    bl_version,
};
pub use many::{
    bl_cipher_many, bl_hash_many, bl_hmac_many, bl_open_many, bl_seal_many, bl_sign_many,
    bl_verify_many,
};
pub use process::{bl_process, bl_processor, bl_processor_close, bl_processor_open};
pub use queue_pair::{
    BL_WAIT_FOR_EVER, bl_queue_config, bl_queue_pair, bl_queue_pair_capacity, bl_queue_pair_close,
    bl_queue_pair_dequeue, bl_queue_pair_enqueue, bl_queue_pair_event, bl_queue_pair_flush,
    bl_queue_pair_in_flight, bl_queue_pair_open,
};
pub use session::{
    bl_session, bl_session_bound, bl_session_close, bl_session_kernel, bl_session_open,
    bl_session_provider, bl_session_tag_len,
};
pub use status::*;
pub use transform::{BL_ALLOW_WEAK_KEYS, BL_LEVEL_ZERO, bl_compression, bl_scheme, bl_transform};
pub use workers::{
    bl_workers, bl_workers_close, bl_workers_config, bl_workers_event, bl_workers_in_flight,
    bl_workers_open, bl_workers_poll, bl_workers_submit, bl_workers_wait,
};
