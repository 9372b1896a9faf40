//! What is done to a buffer, and in which order a chain does its two halves.

/// In which order a chain does its two halves, seen from the side that encrypts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChainOrder {
    /// Encrypt, then authenticate the ciphertext, as IPsec ESP (RFC 4303) does.
    CipherThenMac,
    /// Authenticate the plaintext, then encrypt, as TLS 1.2 (RFC 5246) does.
    MacThenCipher,
}

/// What is done to a buffer: encrypt, verify, compress, and so on.
///
/// ```
/// use broadloom_engine::{Algorithm, Direction};
///
/// let direction: Direction = "verify".parse()?;
/// let mac: Algorithm = "hmac-sha256".parse()?;
/// assert_eq!(direction, Direction::Verify);
/// assert!(mac.directions().contains(&direction));
/// # Ok::<(), broadloom_engine::NameError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Direction {
    /// A hash of the buffer.
    Digest,
    /// A tag over the buffer; of a key encapsulation mechanism and of ML-DSA, a key.
    Generate,
    /// Whether a tag or a signature is that of the buffer.
    Verify,
    /// Plaintext to ciphertext; in a chain, with a tag; by RSA, with a public key.
    Encrypt,
    /// Ciphertext to plaintext; in a chain, if the tag is right; by RSA, with a private key.
    Decrypt,
    /// Plaintext to ciphertext and tag.
    Seal,
    /// Ciphertext and tag to plaintext, if the tag is right.
    Open,
    /// To fewer bytes.
    Compress,
    /// Back to all of them.
    Decompress,
    /// A signature over the buffer. [`Verify`](Direction::Verify) checks it.
    Sign,
    /// A secret that is shared with the owner of the public key in the buffer.
    Agree,
    /// A secret, and a ciphertext that tells it to the owner of the public key in the buffer.
    Encapsulate,
    /// The secret of the ciphertext in the buffer.
    Decapsulate,
}

impl Direction {
    /// All of them.
    pub const ALL: [Direction; 13] = [
        Direction::Digest,
        Direction::Generate,
        Direction::Verify,
        Direction::Encrypt,
        Direction::Decrypt,
        Direction::Seal,
        Direction::Open,
        Direction::Compress,
        Direction::Decompress,
        Direction::Sign,
        Direction::Agree,
        Direction::Encapsulate,
        Direction::Decapsulate,
    ];

    /// The name: `encrypt`.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Digest => "digest",
            Direction::Generate => "generate",
            Direction::Verify => "verify",
            Direction::Encrypt => "encrypt",
            Direction::Decrypt => "decrypt",
            Direction::Seal => "seal",
            Direction::Open => "open",
            Direction::Compress => "compress",
            Direction::Decompress => "decompress",
            Direction::Sign => "sign",
            Direction::Agree => "agree",
            Direction::Encapsulate => "encapsulate",
            Direction::Decapsulate => "decapsulate",
        }
    }

    /// Returns `true` if the direction checks what another direction made.
    pub const fn checks(self) -> bool {
        matches!(self, Direction::Verify | Direction::Decrypt | Direction::Open)
    }
}
