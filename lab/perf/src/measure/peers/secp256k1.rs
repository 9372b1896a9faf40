//! The crate secp256k1: libsecp256k1, as users of Bitcoin's curve call it.

use broadloom_engine::{Algorithm, Curve, Direction, PublicKeyAlgorithm};
use secp256k1::ecdsa::Signature;
use secp256k1::{Message as Digest, PublicKey};
use sha2::{Digest as _, Sha256};

use super::Absent;
use super::buffers::{Buffers, Message};
use super::one_by_one::{Key, OneByOne};
use crate::measure::keys;
use crate::names::Peer;

/// The versions that the crate is asked for in.
pub const VERSION: &str = "0.33";

/// Bytes of a point that is not compressed, with which a SubjectPublicKeyInfo ends.
const POINT: usize = 65;

/// Why the crate is not measured at an algorithm in a direction; `None` if it is.
pub fn lacks(algorithm: Algorithm, direction: Direction) -> Option<String> {
    let has =
        (Algorithm::PublicKey(PublicKeyAlgorithm::Ecdsa(Curve::Secp256k1)), Direction::Verify);
    let lacking = || format!("it is not measured at {algorithm} {direction}");
    ((algorithm, direction) != has).then(lacking)
}

/// Sets the crate up for work on these buffers.
pub fn new(buffers: Buffers<'_>) -> Result<impl super::Bare + '_, Absent> {
    let algorithm = buffers.algorithm();
    OneByOne::new(Peer::Secp256k1, VERSION, buffers, |_, direction| {
        if let Some(lacking) = lacks(algorithm, direction) {
            return Err(lacking);
        }
        // What the buffers call a key is the private one.
        let pair = keys::pair(PublicKeyAlgorithm::Ecdsa(Curve::Secp256k1));
        let public = pair.and_then(|(_, public)| public).ok_or("there is no public key")?;
        let der = public.to_der();
        let point = der.last_chunk::<POINT>().ok_or("the key has no point")?;
        PublicKey::from_slice(point).map(Ready).map_err(|error| error.to_string())
    })
}

/// A public key that is ready to verify signatures.
struct Ready(PublicKey);

impl Key for Ready {
    #[inline]
    fn process(&self, message: Message<'_>) -> Option<()> {
        let mut signature = Signature::from_der(message.expected).ok()?;
        // The library takes the lower of the two signatures alone.
        signature.normalize_s();
        let digest = Digest::from_digest(Sha256::digest(message.input).into());
        signature.verify(digest, &self.0).ok()
    }
}
