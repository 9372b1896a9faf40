//! Frames of LZ4 and zstd, out of a fuzzer's bytes. The driver is that of the property test in
//! `crates/compression/tests/all/framed/scenarios.rs`: it decodes in every way there is, and
//! compares with the formats' own libraries.

#[path = "../../crates/compression/tests/all/framed/compare.rs"]
mod compare;

pub use compare::compare;
