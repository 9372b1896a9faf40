#![no_main]

libfuzzer_sys::fuzz_target!(|scenario: broadloom_fuzz::formats::Spliced| {
    broadloom_fuzz::formats::splices(scenario)
});
