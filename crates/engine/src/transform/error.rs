//! Why there is no transform.

use std::error::Error;
use std::fmt;

use super::label::MAX_LABEL;
use crate::algorithm::{
    Algorithm, CipherAlgorithm, CompressionAlgorithm, Direction, Lengths, MacAlgorithm,
    PublicKeyAlgorithm,
};

/// A transform that cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransformError {
    /// A key of a length that the algorithm does not have.
    KeyLength {
        /// The algorithm.
        algorithm: Algorithm,
        /// Which key.
        part: &'static str,
        /// Its length, in bytes.
        len: usize,
        /// The lengths that would fit.
        valid: Lengths,
    },
    /// A tag of a length that the algorithm does not have.
    TagLength {
        /// The algorithm.
        algorithm: Algorithm,
        /// The length asked for, in bytes.
        len: usize,
    },
    /// A key for XTS of which both halves are the same (FIPS 140-3 IG C.I forbids it).
    EqualHalves {
        /// The algorithm.
        cipher: CipherAlgorithm,
    },
    /// A key for triple DES of which two neighbours are the same, so that they undo each other.
    WeakKey {
        /// The algorithm.
        cipher: CipherAlgorithm,
        /// Which of the three keys.
        equal: (u8, u8),
    },
    /// A direction that the algorithm does not have.
    Direction {
        /// The algorithm.
        algorithm: Algorithm,
        /// The direction asked for.
        direction: Direction,
    },
    /// A chain with a MAC that takes a nonce, of which a job has only one.
    MacInChain {
        /// The MAC.
        mac: MacAlgorithm,
    },
    /// A window that the algorithm does not have.
    Window {
        /// The algorithm.
        algorithm: CompressionAlgorithm,
        /// The logarithm of the window asked for.
        window: u8,
    },
    /// A public-key algorithm without a key pair, which [`sign`](crate::Transform::sign) and others
    /// take.
    NoKeyPair {
        /// The algorithm.
        algorithm: PublicKeyAlgorithm,
    },
    /// A key of a kind that does not do this.
    KeyKind {
        /// What the key is of.
        key: String,
        /// The direction asked for.
        direction: Direction,
    },
    /// A context string that is too long, or for an algorithm that takes none.
    Context {
        /// The algorithm.
        algorithm: Algorithm,
        /// The length of the context string, in bytes.
        len: usize,
        /// `true` if the algorithm takes one.
        has_context: bool,
    },
    /// A label that is too long, or that has control characters.
    Label {
        /// The label.
        label: String,
    },
    /// A scheme that the algorithm cannot have.
    Scheme {
        /// The algorithm.
        algorithm: PublicKeyAlgorithm,
        /// The direction asked for.
        direction: Direction,
        /// Why, and what would be right.
        reason: &'static str,
    },
}

impl fmt::Display for TransformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransformError::KeyLength { algorithm, part, len, valid } => {
                write!(f, "a {part} of {len} bytes does not fit {algorithm}, which takes {valid}")
            }
            TransformError::TagLength { algorithm, len } => {
                write!(f, "{algorithm} has no tags of {len} bytes; valid: {}", algorithm.tag_lens())
            }
            TransformError::EqualHalves { cipher } => {
                write!(f, "the halves of a key for {cipher} must differ, and these are equal")
            }
            TransformError::WeakKey { cipher, equal } => write!(
                f,
                "K{} and K{} of a key for {cipher} are equal, which leaves DES; three that differ \
                 are right, and allow_weak_keys takes these",
                equal.0, equal.1
            ),
            TransformError::Direction { algorithm, direction } => write!(
                f,
                "{algorithm} has no direction {direction}; valid: {}",
                valid_directions(*algorithm)
            ),
            TransformError::MacInChain { mac } => write!(
                f,
                "{mac} takes a nonce of its own and cannot be half of a chain; HMAC and CMAC can"
            ),
            TransformError::Window { algorithm, window } => {
                write!(f, "{algorithm} has no window of 2^{window} bytes; valid: 2^8 to 2^15")
            }
            TransformError::NoKeyPair { algorithm } => write!(
                f,
                "{algorithm} takes a private or a public key, not bytes: Transform::sign, verify, \
                 rsa_encrypt, rsa_decrypt, agree, generate_key, encapsulate and decapsulate do"
            ),
            TransformError::KeyKind { key, direction } => {
                write!(f, "a key of {key} does not {direction}")
            }
            TransformError::Context { algorithm, has_context: false, .. } => {
                write!(f, "{algorithm} takes no context string; SLH-DSA and ML-DSA do")
            }
            TransformError::Context { algorithm, len, .. } => write!(
                f,
                "a context string of {len} bytes does not fit {algorithm}, which takes up to 255"
            ),
            TransformError::Label { label } if label.contains(char::is_control) => {
                write!(f, "the label {label:?} has a control character; a label has none")
            }
            TransformError::Label { label } => {
                let (len, max) = (label.len(), MAX_LABEL);
                write!(f, "the label {label:?} has {len} bytes; a label has at most {max}")
            }
            TransformError::Scheme { algorithm, direction, reason } => {
                write!(f, "{algorithm} {direction}: {reason}")
            }
        }
    }
}

impl Error for TransformError {}

fn valid_directions(algorithm: Algorithm) -> String {
    algorithm.directions().iter().map(|direction| direction.name()).collect::<Vec<_>>().join(", ")
}
