//! The suite on the reference itself: what is wrong here is wrong in the suite, or in the engine.

use broadloom_conformance::{cross, reference_provider, suite};

suite!(reference_provider());
cross!(reference_provider(), reference_provider());
