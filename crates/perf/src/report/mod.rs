//! What a measurement leaves behind: rows, as JSON, CSV, tables and a page.

pub mod analysis;
pub mod baseline;
pub mod compress;
pub mod csv;
pub mod dimension;
mod format;
pub mod grid;
pub mod matrix;
pub mod page;
pub mod paper;
pub mod pass;
pub mod row;
#[cfg(test)]
mod samples;
pub mod tables;
