//! Compression of inputs of any size, in parallel, into formats that other tools read, and back.

pub mod decompress;
pub mod diagnose;
pub mod format;
pub mod inflate;
