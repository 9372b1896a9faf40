#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| broadloom_fuzz::baselines::read(text));
