//! The outcome of a job.

/// Whether a signature of a [`Loan`](broadloom_lanes::Loan) is right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlhDsaOutcome {
    pub(super) is_right: bool,
}

impl SlhDsaOutcome {
    /// Returns `true` if the signature is right; `false` before the loan was processed.
    pub fn is_right(self) -> bool {
        self.is_right
    }
}
