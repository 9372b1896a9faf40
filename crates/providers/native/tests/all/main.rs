//! The provider of lanes. One program, so that the kernels are linked once.

mod allocations;
mod batches;
mod conformance;
mod kernels;
mod nonces;
