#![no_main]

libfuzzer_sys::fuzz_target!(|calls: broadloom_fuzz::Calls| broadloom_fuzz::packet_jobs(calls));
