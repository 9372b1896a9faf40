//! Columns of Arrow, by its C data interface: hashed, authenticated, encrypted.

pub mod array;
pub mod columns;
mod interface;
mod values;
