//! DES and triple DES (FIPS 46-3, SP 800-67), bitsliced. One step works on a block of each lane,
//! each with its own key, without tables or branches that depend on secrets.
//!
//! The kernels are in `kernels/des`. `lanes` schedules buffers onto lanes, and `mode` applies a
//! mode of operation to the block of one lane.

mod buffers;
mod info;
mod job;
mod key;
mod keys;
mod lanes;
mod line;
mod loan;
mod mode;

pub use job::DesJob;
pub use key::{DesKey, DesKeyError};
pub use lanes::DesLanes;
