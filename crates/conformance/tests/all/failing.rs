//! Checks that are expected to fail.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns `true` if a check panics, as one does that notices a defect.
pub fn fails(check: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(check)).is_err()
}
