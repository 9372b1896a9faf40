//! Why a packet or a flow is refused.

use broadloom_engine::{JobError, OpenError, TransformError};
use thiserror::Error;

/// Why a packet was not protected or not unprotected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PacketError {
    /// The packet's number was received before, or is below the replay window.
    #[error("packet {number} was received before, or is older than the replay window")]
    Replay {
        /// The packet's whole number.
        number: u64,
    },
    /// The packet is too short for what the protocol puts into it.
    #[error("a packet of {len} bytes is too short: at least {min} are needed")]
    Runt {
        /// Bytes of the packet.
        len: usize,
        /// The fewest bytes that it could have.
        min: usize,
    },
    /// The packet is longer than the protocol or its flow allows.
    #[error("a packet of {len} bytes is too long: at most {max} are allowed")]
    TooLong {
        /// Bytes of the packet.
        len: usize,
        /// The most bytes that it may have.
        max: usize,
    },
    /// The padding of an authentic packet is not as the protocol prescribes.
    #[error("the padding is wrong")]
    BadPadding,
    /// The buffer has too little room before the packet.
    #[error("{need} bytes of room are needed before the packet, and there are {have}")]
    NoHeadRoom {
        /// Bytes that are needed.
        need: usize,
        /// Bytes that there are.
        have: usize,
    },
    /// The buffer has too little room behind the packet.
    #[error("{need} bytes of room are needed behind the packet, and there are {have}")]
    NoTailRoom {
        /// Bytes that are needed.
        need: usize,
        /// Bytes that there are.
        have: usize,
    },
    /// The flow has used all its sequence numbers, and needs another key.
    #[error("the flow's sequence numbers are used up: it needs a new key")]
    SequenceCycled,
    /// The packet is a fragment, which the protocol does not protect or unprotect.
    #[error("the packet is a fragment")]
    Fragment,
    /// The tag is wrong: the packet was damaged or forged, or the key is another.
    #[error("the packet is not authentic")]
    Integrity,
    /// The packet belongs to another flow, as its SPI, SSRC, connection or key identifier says.
    #[error("the packet belongs to another flow: its identifier is {found:#x}")]
    WrongFlow {
        /// The identifier that the packet has, or the first 8 bytes of it.
        found: u64,
    },
    /// A field of the packet has a value that the protocol does not allow.
    #[error("the field {field} has the value {value}, which is not valid")]
    Malformed {
        /// The field, as the protocol's standard calls it.
        field: &'static str,
        /// Its value.
        value: u64,
    },
    /// The engine could not do the work.
    #[error(transparent)]
    Job(JobError),
    /// An earlier packet of the flow was wrong, or ended the connection, so that this direction of
    /// the flow accepts no more.
    #[error("an earlier packet ended this direction of the flow")]
    Ended,
    /// An earlier packet of the flow may change or has changed the keys. This packet is as it was:
    /// give it again when the earlier packet was read and the keys were changed.
    #[error("an earlier packet may change the flow's keys: give this one again after it")]
    Deferred,
    /// The packet is authentic and carries nothing: its sender hides when there is traffic.
    #[error("the packet is a dummy, which carries nothing")]
    Dummy,
    /// The key has been used for as many packets as its algorithm or its flow allows.
    #[error("the key was used for {packets} packets, which is its limit")]
    KeyUsedUp {
        /// The limit.
        packets: u64,
    },
    /// The flow has no key for this direction.
    #[error("the flow has no key for this direction")]
    NoKey,
}

/// Gives each kind of error its name, and from the order of the names its number.
macro_rules! kinds {
    ($($kind:pat => $name:literal,)+) => {
        impl PacketError {
            /// The names of the kinds of errors, in the order of their numbers.
            pub const NAMES: [&str; [$($name),+].len()] = [$($name),+];

            /// How many kinds of errors there are: [`kind`](PacketError::kind) is less.
            pub const KINDS: usize = PacketError::NAMES.len();

            /// Returns the name of the kind of error, such as `replay`.
            pub fn name(&self) -> &'static str {
                match self {
                    $($kind => $name,)+
                }
            }
        }
    };
}

kinds! {
    PacketError::Replay { .. } => "replay",
    PacketError::Runt { .. } => "runt",
    PacketError::TooLong { .. } => "too-long",
    PacketError::BadPadding => "bad-padding",
    PacketError::NoHeadRoom { .. } => "no-head-room",
    PacketError::NoTailRoom { .. } => "no-tail-room",
    PacketError::SequenceCycled => "sequence-cycled",
    PacketError::Fragment => "fragment",
    PacketError::Integrity => "integrity",
    PacketError::WrongFlow { .. } => "wrong-flow",
    PacketError::Malformed { .. } => "malformed",
    PacketError::Job(_) => "job",
    PacketError::Ended => "ended",
    PacketError::Deferred => "deferred",
    PacketError::Dummy => "dummy",
    PacketError::KeyUsedUp { .. } => "key-used-up",
    PacketError::NoKey => "no-key",
}

impl PacketError {
    /// Returns the number of the kind of error, from 0 on: its place in
    /// [`NAMES`](PacketError::NAMES).
    pub fn kind(&self) -> usize {
        let names = PacketError::NAMES.iter();
        names.into_iter().position(|name| *name == self.name()).expect("each kind has a name")
    }
}

impl From<JobError> for PacketError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::TagMismatch => PacketError::Integrity,
            error => PacketError::Job(error),
        }
    }
}

/// Why there is no such flow.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FlowError {
    /// A key or a salt of another length than the algorithm's.
    #[error("{what} of {len} bytes does not fit {algorithm}, which takes {valid}")]
    KeyLength {
        /// Which: "a key", "a salt", and so on.
        what: &'static str,
        /// Its length in bytes.
        len: usize,
        /// The algorithm, by its name.
        algorithm: String,
        /// The lengths that fit, in words.
        valid: String,
    },
    /// A parameter with a value that the protocol does not allow.
    #[error("{what} cannot be {value}; valid: {valid}")]
    Parameter {
        /// Which parameter.
        what: &'static str,
        /// Its value.
        value: String,
        /// The values that are valid, in words.
        valid: String,
    },
    /// A replay window of a size that there is not.
    #[error(transparent)]
    Window(#[from] crate::replay::WindowError),
    /// The engine refuses the keys.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// No provider opens the session.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The engine could not derive keys from those that were given.
    #[error("no keys can be derived: {0}")]
    Derivation(JobError),
}
