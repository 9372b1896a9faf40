//! What every provider must pass, on every instruction set that this machine has.

use std::sync::Arc;

use broadloom_conformance::{cross, reference_provider, suite};
use broadloom_engine::provider::Provider;
use broadloom_lanes::{Cpu, Isa};
use broadloom_native::Native;

/// The provider on the best that the machine has.
fn native() -> Arc<dyn Provider> {
    Arc::new(Native::new(Cpu::detect()).with_legacy())
}

/// The provider on plain integers.
fn portable() -> Arc<dyn Provider> {
    Arc::new(Native::new(Cpu::with_isa(Isa::Portable).expect("every machine has it")).with_legacy())
}

suite!(native());
suite!(on_integers: portable());
cross!(native(), reference_provider());
