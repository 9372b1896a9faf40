//! What stands on the lanes and needs threads or a clock.
//!
//! The managers of [`broadloom_lanes`] move only when they are called. [`serve`] calls them: it feeds a
//! manager from a queue, and sees to it that no job waits for ever when the queue runs dry.

mod serve;

pub use serve::{Clock, serve};
