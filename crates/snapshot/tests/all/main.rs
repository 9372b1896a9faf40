//! The crate, tested as its users use it. One program, so that what it uses is linked once.

mod common;
mod faults;
mod keys;
mod merge;
mod object_stores;
