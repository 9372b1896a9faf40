//! The outcome of a job.

use crate::rsa::error::RsaError;

/// Whether the result of a [`Loan`](broadloom_lanes::Loan) of RSA may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RsaOutcome {
    pub(super) is_right: bool,
}

impl RsaOutcome {
    /// Says whether the result is right.
    ///
    /// # Errors
    /// [`RsaError`] if it was wrong, and has been wiped; and before the loan was processed.
    pub fn check(self) -> Result<(), RsaError> {
        if self.is_right { Ok(()) } else { Err(RsaError) }
    }
}
