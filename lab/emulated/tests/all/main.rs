//! The emulated device: what every provider must pass, how it is driven, compression, faults.

mod common;

mod compression;
mod conformance;
mod driving;
mod faults;
