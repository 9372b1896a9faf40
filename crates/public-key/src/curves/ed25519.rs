//! Keys of Ed25519 (RFC 8032, 5.1).

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::arch::portable;
use crate::kernels::curves::columns::Columns;
use crate::kernels::curves::edwards;
use crate::kernels::curves::scalar::{self, Modulus, Number, Odd};

/// The order of the base point (RFC 8032, 5.1).
#[derive(Clone, Copy)]
struct Order25519;

impl Odd<4> for Order25519 {
    const WORDS: Number = [0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6, 0, 0x1000_0000_0000_0000];
}

/// Arithmetic modulo the order.
const ORDER: Modulus<Order25519, 4> = Modulus::new();

/// Returns a number modulo the order.
pub(super) fn modulo_order(number: Number) -> Number {
    ORDER.reduce(number, [0; 4])
}

/// Returns the number of a digest, modulo the order.
pub(super) fn reduced(digest: &[u8; 64]) -> Number {
    let (halves, _) = digest.as_chunks::<32>();
    ORDER.reduce(scalar::from_bytes(&halves[0]), scalar::from_bytes(&halves[1]))
}

/// The multiples from 1 to 8 of a point: of each the numbers y + x, y - x and 2·d·x·y below the
/// prime, in four limbs of 64 bits, the lowest first.
pub type Ed25519Multiples = [[u64; 12]; 8];

/// Returns the multiples of 256^i times the base point, in row i, for kernels elsewhere: on a
/// device, for instance.
pub fn ed25519_base() -> &'static [Ed25519Multiples; 32] {
    &edwards::TABLE
}

/// A private key of Ed25519 (RFC 8032, 5.1.5). Wiped when dropped.
///
/// A signature takes two hashes by SHA-512, and a job between them:
///
/// 1. the digest of the [prefix](Ed25519PrivateKey::prefix) and the message, which no message but
///    this may have: [`CurveJob::ed25519_commit`](crate::CurveJob::ed25519_commit) makes of it the
///    first half of the signature, and a secret number;
/// 2. the digest of that half, the [public key](Ed25519PrivateKey::public) and the message:
///    [`respond`](Ed25519PrivateKey::respond) makes of it and the number the second half.
///
/// ```
/// use broadloom_lanes::{Cpu, HashJob, Planner};
/// use broadloom_public_key::{CurveJob, Ed25519PrivateKey, Ed25519PublicKey};
/// use broadloom_lanes::Sha512;
///
/// fn sha512(message: Vec<u8>) -> [u8; 64] {
///     let mut jobs = [HashJob::<Sha512, _>::digest(message, ())];
///     Planner::new(&Cpu::detect()).process_many(&mut jobs);
///     *jobs[0].output().expect("complete")
/// }
///
/// let key = Ed25519PrivateKey::new(&sha512(vec![7; 32]));
/// let digest = sha512([key.prefix(), &b"message"[..]].concat());
/// let mut planner = Planner::new(&Cpu::detect());
/// let mut jobs = [CurveJob::ed25519_commit(digest.to_vec(), ())?];
/// planner.process_many(&mut jobs);
/// let (first, number) = jobs[0].output().expect("complete")?.split_at(32);
/// let digest = sha512([first, key.public(), b"message"].concat());
/// let second = key.respond(number.try_into()?, &digest);
///
/// let public = Ed25519PublicKey::new(key.public())?;
/// let mut jobs = [CurveJob::ed25519_verify(&public, [first, &second, &digest].concat(), ())?];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().expect("complete").is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Ed25519PrivateKey {
    number: Number,
    prefix: [u8; 32],
    public: [u8; 32],
}

impl Ed25519PrivateKey {
    /// Takes the digest by SHA-512 of the 32 bytes that a private key is.
    pub fn new(digest: &[u8; 64]) -> Self {
        let (mut clamped, mut prefix) = ([0; 32], [0; 32]);
        clamped.copy_from_slice(&digest[..32]);
        prefix.copy_from_slice(&digest[32..]);
        clamped[0] &= 0xf8;
        clamped[31] = clamped[31] & 0x7f | 0x40;
        let number = modulo_order(scalar::from_bytes(&clamped));
        let mut points = Columns::ZERO;
        points.put(0, &scalar::signed_digits(number));
        // SAFETY: every CPU has the kernel's instructions.
        unsafe { (portable::CURVES.ed25519_base)(&mut points) };
        let public = scalar::to_bytes(points.lane(0));
        clamped.zeroize();
        let key = Ed25519PrivateKey { number, prefix, public };
        prefix.zeroize();
        key
    }

    /// Returns what is hashed before a message for its commitment. It is secret.
    pub fn prefix(&self) -> &[u8; 32] {
        &self.prefix
    }

    /// Returns the public key.
    pub fn public(&self) -> &[u8; 32] {
        &self.public
    }

    /// Returns the number that the base point is multiplied with, below its order, in limbs of 64
    /// bits, the lowest first, for kernels elsewhere. It is secret.
    pub fn number(&self) -> &[u64; 4] {
        &self.number
    }

    /// Returns the second half of a signature: of the number that came with the first half, and the
    /// digest of the first half, the public key and the message.
    pub fn respond(&self, number: &[u8; 32], digest: &[u8; 64]) -> [u8; 32] {
        let product = ORDER.multiply(ORDER.enter(reduced(digest)), self.number);
        scalar::to_bytes(ORDER.add(product, scalar::from_bytes(number)))
    }
}

impl Drop for Ed25519PrivateKey {
    fn drop(&mut self) {
        self.number.zeroize();
        self.prefix.zeroize();
    }
}

impl ZeroizeOnDrop for Ed25519PrivateKey {}

impl fmt::Debug for Ed25519PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ed25519PrivateKey(of {:02x?})", self.public)
    }
}

/// The bytes are no public key of Ed25519: no point, or not the one way of writing it (RFC 8032,
/// section 5.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ed25519KeyError;

impl fmt::Display for Ed25519KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the public key is no point of the curve of Ed25519")
    }
}

impl core::error::Error for Ed25519KeyError {}

/// A public key of Ed25519 (RFC 8032, 5.1.5), and multiples of its point.
///
/// [`CurveJob::ed25519_verify`](crate::CurveJob::ed25519_verify) takes a signature, and the digest
/// of its first half, the public key and the message.
///
/// ```
/// use broadloom_public_key::{Ed25519KeyError, Ed25519PrivateKey, Ed25519PublicKey};
///
/// let public = *Ed25519PrivateKey::new(&[7; 64]).public();
/// assert_eq!(Ed25519PublicKey::new(&public)?.bytes(), &public);
/// assert_eq!(Ed25519PublicKey::new(&[0xff; 32]).unwrap_err(), Ed25519KeyError);
/// # Ok::<(), Ed25519KeyError>(())
/// ```
#[derive(Clone)]
pub struct Ed25519PublicKey {
    bytes: [u8; 32],
    negative: Ed25519Multiples,
}

impl Ed25519PublicKey {
    /// Takes the 32 bytes that a public key is.
    ///
    /// # Errors
    /// [`Ed25519KeyError`] if they are none.
    pub fn new(bytes: &[u8; 32]) -> Result<Self, Ed25519KeyError> {
        let negative = edwards::negative_multiples(bytes).ok_or(Ed25519KeyError)?;
        Ok(Ed25519PublicKey { bytes: *bytes, negative })
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// Returns the multiples from 1 to 8 of the negative of the key's point. Kernels elsewhere
    /// verify with them as the lanes do.
    pub fn negative_multiples(&self) -> &Ed25519Multiples {
        &self.negative
    }
}

impl fmt::Debug for Ed25519PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ed25519PublicKey({:02x?})", self.bytes)
    }
}

/// Returns the numbers that the base point and the key's negative point are multiplied with, for a
/// signature and a digest; none if the signature's second half is not below the order.
pub(super) fn factors(second: &[u8; 32], digest: &[u8; 64]) -> Option<[Number; 2]> {
    let second = scalar::from_bytes(second);
    ORDER.is_below(second).then(|| [second, reduced(digest)])
}
