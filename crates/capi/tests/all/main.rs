//! The functions of the C library. One program, so that what they use is linked once.

mod common;
mod functions;
mod keys;
mod lengths;
mod metrics;
mod ml_dsa;
mod ml_kem;
mod packets;
mod slh_dsa;
