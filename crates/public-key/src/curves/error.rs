//! Why an input is refused, and why there may be no result.

use core::fmt;

/// An input of a length that the operation does not take.
///
/// ```
/// use broadloom_public_key::{CurveInputError, CurveJob, X25519Key};
///
/// let error = CurveJob::x25519(&X25519Key::new(&[1; 32]), vec![9; 31], ()).err();
/// assert_eq!(error, Some(CurveInputError { given: 31, wanted: 32 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurveInputError {
    /// Bytes of input.
    pub given: usize,
    /// Bytes that the operation takes.
    pub wanted: usize,
}

impl fmt::Display for CurveInputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of input, where {} are needed", self.given, self.wanted)
    }
}

impl core::error::Error for CurveInputError {}

/// There is no result, for the reason that the operation states: a point of small order, a point
/// off the curve, a wrong signature. The output is zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurveError;

impl fmt::Display for CurveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the operation has no result for this input")
    }
}

impl core::error::Error for CurveError {}
