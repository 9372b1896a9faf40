//! What the programs `broadloom` and `parcomp` share: messages, numbers, sizes, and files that
//! appear whole or not at all. It is no interface for others.

pub mod access;
mod at_start;
pub mod columns;
pub mod command_line;
pub mod identity;
pub mod message;
pub mod number;
pub mod output;
pub mod patient;
pub mod progress;
pub mod provider;
pub mod quote;
pub mod signals;
pub mod size;
pub mod stale;
pub mod streams;
pub mod target;
