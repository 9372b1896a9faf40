//! Measuring: buffers, clocks, sides that take turns, and the limits that arithmetic sets.
//!
//! Nothing here knows an experiment or a report.

pub mod calibrate;
pub mod contender;
pub mod course;
pub mod keys;
pub mod limit;
pub mod ops;
pub mod pairing;
pub mod peers;
pub mod sizes;
pub mod stages;
pub mod sys;
pub mod workload;
pub mod workset;
