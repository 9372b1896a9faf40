//! What was measured, as rows, JSON, CSV, tables, charts and parts of pages.
//!
//! Nothing here knows an experiment: each experiment makes its page of these parts.

pub mod analysis;
pub mod baseline;
pub mod book;
pub mod csv;
pub mod dimension;
pub mod format;
pub mod grid;
pub mod page;
pub mod papers;
pub mod pass;
pub mod row;
#[cfg(test)]
pub mod samples;
pub mod states;
pub mod tables;
