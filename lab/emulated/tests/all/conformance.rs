//! What every provider must pass: with data copied and polled for, and with data handed over,
//! interrupts and a thread that polls. Packets are native's; chunks are zlib's, libdeflate's and
//! LZ4's.

use std::sync::Arc;

use broadloom_conformance::{cross, reference_provider, suite};
use broadloom_emulated::Emulated;
use broadloom_engine::provider::Provider;
use broadloom_lanes::Cpu;
use broadloom_libdeflate::Libdeflate;
use broadloom_lz4::Lz4;
use broadloom_native::Native;
use broadloom_zlib::Zlib;

fn native() -> Arc<dyn Provider> {
    Arc::new(Native::new(Cpu::detect()).with_legacy())
}

fn zlib() -> Arc<dyn Provider> {
    Arc::new(Zlib::load(&[("library", "zlib-rs")]).expect("it is built in"))
}

fn libdeflate() -> Arc<dyn Provider> {
    Arc::new(Libdeflate::load(&[]).expect("it is built in"))
}

fn lz4() -> Arc<dyn Provider> {
    Arc::new(Lz4::load(&[]).expect("it is built in"))
}

fn computed_by(backends: Vec<Arc<dyn Provider>>, options: &[(&str, &str)]) -> Arc<dyn Provider> {
    let options: Vec<_> = [("preset", "instant")].iter().chain(options).copied().collect();
    Arc::new(Emulated::new(&options, backends).expect("the options are valid"))
}

fn emulated(options: &[(&str, &str)]) -> Arc<dyn Provider> {
    computed_by(vec![native(), zlib(), lz4()], options)
}

suite!(emulated(&[]));
suite!(interrupting: emulated(&[("memory", "gather"), ("responses", "interrupt")]));
suite!(with_a_poller: emulated(&[
    ("memory", "gather"),
    ("poller", "thread"),
    ("poll-interval", "20us"),
]));
suite!(that_verifies: computed_by(vec![libdeflate(), zlib()], &[("verify", "on"), ("ring", "16")]));
cross!(emulated(&[]), native());
cross!(in_chunks: emulated(&[]), reference_provider());
