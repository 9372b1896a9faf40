//! Which process something belongs to.

use std::process;

/// The process that made something. A child that a fork made has copies of its parent's locks and
/// jobs, and none of its threads: whoever waits for one there waits for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin(u32);

impl Origin {
    /// This process.
    pub(crate) fn here() -> Origin {
        Origin(process::id())
    }

    /// Returns `true` if it is this process.
    #[inline]
    pub(crate) fn is_here(self) -> bool {
        self == Origin::here()
    }

    /// Whose threads are asked for, which are not here.
    ///
    /// # Panics
    /// If it is another process.
    #[track_caller]
    pub(crate) fn assert_here(self) {
        let Origin(here) = Origin::here();
        assert!(
            self.0 == here,
            "these workers are threads of process {}, and process {here}, which a fork made, has \
             none of them; it needs workers of its own",
            self.0
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_process_is_not_here() {
        assert!(Origin::here().is_here());
        Origin::here().assert_here();
        let parent = Origin(process::id() ^ 1);
        assert!(!parent.is_here());
        assert!(std::panic::catch_unwind(|| parent.assert_here()).is_err());
    }
}
