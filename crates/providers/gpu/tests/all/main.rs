//! The provider over OpenCL. One program, so that what it uses is linked once.

mod common;
mod conformance;
mod ed25519;
mod faults;
mod queues;
mod residency;
mod slh_dsa;
