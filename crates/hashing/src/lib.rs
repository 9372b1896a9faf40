//! Many files, hashed side by side: on one thread or on several, in a bounded amount of memory.
//!
//! A [`Source`](source::Source) says what is to be hashed, one thing after another. A
//! [`Task`](task::Task) is told the results, in the order of the source. [`Run`](threads::Run)
//! starts the workers, each with lanes of its own and a window of open files, of which it
//! hashes a piece each at a time.

#![forbid(unsafe_code)]

mod ahead;
pub mod algorithm;
pub mod digest;
mod exchange;
pub mod function;
mod hasher;
pub mod order;
mod parts;
pub mod reader;
mod round;
mod serial;
pub mod source;
pub mod task;
pub mod threads;
mod window;

pub use algorithm::{Visitor, list_tag, visit};
