//! Columns of Arrow, by its C data interface: hashed, authenticated, encrypted.

pub mod array;
mod check;
pub mod columns;
mod import;
mod interface;
mod values;
