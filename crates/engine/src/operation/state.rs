//! Where a job stands.

/// Where a job stands: in one word, which is written at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(4))]
pub(crate) struct State {
    pub phase: Phase,
    /// Worked on is the second half of a chain.
    pub second: bool,
    /// Nothing is left to be done when the provider is done with it, and that was well if it is.
    pub plain: bool,
    /// The class of what is worked on.
    pub class: u8,
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The caller's: it is not processed.
    Ready,
    /// The provider's.
    Running,
    /// The engine's: the provider is done with it.
    Ran,
    /// The caller's: it is processed.
    Complete,
}

impl State {
    pub(crate) const READY: State =
        State { phase: Phase::Ready, second: false, plain: false, class: 0 };

    /// It is the provider's turn, at a session of this class, with a plain job.
    pub(crate) const fn started(class: u8) -> Self {
        State { phase: Phase::Running, second: false, plain: true, class }
    }
}
