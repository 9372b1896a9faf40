//! The labels that sessions may have.

/// The most bytes of a label.
pub(super) const MAX_LABEL: usize = 64;

/// Returns `true` if a session may have this label: it is short, and has no control characters.
pub(super) fn is_taken(label: &str) -> bool {
    label.len() <= MAX_LABEL && !label.contains(char::is_control)
}
