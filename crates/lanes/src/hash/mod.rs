//! Hashes and HMAC: the jobs and their schedulers. The algorithms, and their kernels, are in
//! `kernels/hash`.

mod ends;
mod group;
mod hmac;
mod info;
mod job;
mod lanes;
mod scheduler;
mod whole;

pub use hmac::HmacKey;
pub use hmac::write_digest;
pub(crate) use job::room;
pub use job::{HashJob, Stream};
pub use scheduler::HashLanes;
