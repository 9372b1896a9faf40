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
//!
//! # What C vouches for
//!
//! The exported functions are unsafe: nobody can check the pointers of a C program. Each function
//! has the following conditions, as far as it has parameters of that kind, and so have the members
//! of structures. A SAFETY comment names the conditions that its block relies on.
//!
//! - *texts*: a text is null, or it ends with a zero byte and stays as it is during the call.
//! - *bytes*: as many bytes as their length says can be read, and nobody writes to them during the
//!   call. Where they are for output, they can be written, and nobody else uses them. If the length
//!   is 0, their address does not matter.
//! - *structures*: a structure is null, or its first member can be read, which is a size. If it is
//!   the size that this library knows, all of the structure can be read, and nobody writes to it
//!   during the call.
//! - *objects*: a session, a processor, a queue pair or workers are null, or were opened by this
//!   library and not closed. Only as many threads use them at a time as the function's description
//!   permits.
//! - *closing*: an object that is to be closed meets *objects*, and nobody uses it any more.
//! - *places*: a place for a result is null, or a value of its type can be written there.
//! - *arrays*: as many values as the count says can be read, and nobody writes to them during the
//!   call; where they are for output, they can be written.
//! - *jobs*: a job is a structure as above. The job, its session and all that it points to meet
//!   these conditions, and are lent to the library until the job has come back: nobody else writes
//!   to what the library reads, or uses what it writes.

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
mod metrics;
mod packets;
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
pub use metrics::{bl_metrics, bl_metrics_close, bl_metrics_open, bl_metrics_text};
pub use packets::*;
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
