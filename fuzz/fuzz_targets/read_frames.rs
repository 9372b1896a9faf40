#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| broadloom_fuzz::frames::compare(bytes));
