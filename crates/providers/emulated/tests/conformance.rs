//! What every provider must pass: with data copied and polled for, and with data handed over, interrupts
//! and a thread that polls.

use std::sync::Arc;

use broadloom_conformance::{cross, suite};
use broadloom_emulated::Emulated;
use broadloom_engine::Provider;
use broadloom_lanes::Cpu;
use broadloom_native::Native;

fn native() -> Arc<dyn Provider> {
    Arc::new(Native::new(Cpu::detect()))
}

fn emulated(options: &[(&str, &str)]) -> Arc<dyn Provider> {
    let options: Vec<_> = [("preset", "instant")].iter().chain(options).copied().collect();
    Arc::new(Emulated::new(&options, vec![native()]).expect("the options are valid"))
}

suite!(emulated(&[]));
suite!(interrupting: emulated(&[("memory", "gather"), ("responses", "interrupt")]));
suite!(with_a_poller: emulated(&[("memory", "gather"), ("poller", "thread"), ("poll-interval", "1us")]));
cross!(emulated(&[]), native());
