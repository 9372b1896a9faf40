//! What every provider must pass, with the kernels of every instruction set that this CPU has.

use std::sync::Arc;

use broadloom_conformance::{reference_provider, suite};
use broadloom_engine::Provider;
use broadloom_lanes::{Cpu, Isa};
use broadloom_native::Native;

fn native() -> Arc<dyn Provider> {
    Arc::new(Native::new(Cpu::detect()))
}

fn portable() -> Arc<dyn Provider> {
    let cpu = Cpu::with_isa(Isa::Portable).expect("every CPU has it");
    Arc::new(Native::new(cpu))
}

suite!(native());
suite!(on_portable: portable());
broadloom_conformance::cross!(native(), reference_provider());
