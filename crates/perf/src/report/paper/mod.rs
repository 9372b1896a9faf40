//! What the sources say, for the tables and charts that set our figures beside theirs.

pub mod offload;
mod uplift;

pub use uplift::{ASYNC_OVER_SYNC, UPLIFTS, UpliftPoint, UpliftTable, uplift};
