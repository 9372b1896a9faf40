//! What the programs `broadloom` and `parcomp` share: messages, numbers, sizes, and files that appear whole or not
//! at all. It is no interface for others.

pub mod message;
pub mod number;
pub mod output;
pub mod progress;
pub mod quote;
pub mod signals;
pub mod size;
pub mod target;
