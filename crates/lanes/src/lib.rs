//! Lanes.
#![no_std]
extern crate alloc;

mod aes;

pub use aes::{AesKey, KeyLengthError};
