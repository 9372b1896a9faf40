//! Perf.
