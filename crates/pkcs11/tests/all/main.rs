//! The module, called as its users call it. One program, so that what it uses is linked once, and
//! because a process has one module.

mod client;
mod operations;
mod wrapping;
mod wrong_use;
