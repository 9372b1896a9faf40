//! The engine, tested as its users use it. One program, so that what it uses is linked once.

mod affinity;
mod closing;
mod common;
mod compression;
mod device;
mod driver;
mod event;
mod faults;
mod futures;
mod jobs;
mod keys;
mod metrics;
mod model;
mod panics;
mod plain;
mod streams;
mod toy;
mod workers;
