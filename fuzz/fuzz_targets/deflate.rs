#![no_main]

libfuzzer_sys::fuzz_target!(|trip: broadloom_fuzz::providers::RoundTrip| {
    broadloom_fuzz::providers::deflate(trip)
});
