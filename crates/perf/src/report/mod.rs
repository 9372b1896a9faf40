//! What a measurement leaves behind: rows, as JSON and as tables.

pub mod file;
pub mod row;
pub mod tables;
