#![no_main]

use broadloom_compression::format::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| broadloom_fuzz::formats::read(bytes, Format::Bgzf));
