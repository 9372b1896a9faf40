//! x
mod corpus;
mod topic;
pub use topic::Topic;
