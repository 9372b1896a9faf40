//! The module, called as its users call it. One program, so that what it uses is linked once, and
//! because a process has one module.

mod client;
mod digests;
mod ml_dsa;
mod ml_kem;
mod operations;
mod slh_dsa;
mod wrapping;
mod wrong_use;
