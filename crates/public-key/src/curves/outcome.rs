//! The outcome of a job.

use crate::curves::error::CurveError;

/// Whether a [`Loan`](broadloom_lanes::Loan) on a curve has a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurveOutcome {
    pub(crate) is_right: bool,
}

impl CurveOutcome {
    /// Says whether there is a result.
    ///
    /// # Errors
    /// [`CurveError`] if there is none; and before the loan was processed.
    pub fn check(self) -> Result<(), CurveError> {
        if self.is_right { Ok(()) } else { Err(CurveError) }
    }
}
