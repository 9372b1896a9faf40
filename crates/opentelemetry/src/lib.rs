//! The counters of Broadloom's queues, as instruments of OpenTelemetry.
//!
//! [`observe`] makes the instruments. They read the counters when a reader of the program's meter
//! provider collects, and cost nothing in between.
//!
//! Histograms are not among them, since OpenTelemetry has no instrument that observes one: of times
//! and of numbers of jobs there are the sum and the count, whose quotient is the average.

#![forbid(unsafe_code)]

mod attributes;
mod instruments;
mod shared;

pub use instruments::observe;
