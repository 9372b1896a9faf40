//! What is measured without the engine: the lanes' own managers, and the peers' own interfaces.

use broadloom_engine::{
    AesSize, Algorithm, CipherAlgorithm, Direction, Family, HashAlgorithm, MacAlgorithm,
};

use crate::error::PerfError;
use crate::measure::course::Course;
use crate::names::Order;

/// An algorithm that the lanes and the peers are asked for directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direct {
    /// A digest.
    Digest(HashAlgorithm),
    /// HMAC (RFC 2104) with a key whose inner and outer states are expanded once.
    Hmac(HashAlgorithm),
    /// AES in CBC mode (SP 800-38A), without padding.
    AesCbc(AesSize),
}

impl Direct {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        Algorithm::simple().filter(|&algorithm| Direct::of(algorithm).is_some())
    }

    fn of(algorithm: Algorithm) -> Option<Direct> {
        match algorithm {
            Algorithm::Hash(hash) if is_direct(hash) => Some(Direct::Digest(hash)),
            Algorithm::Mac(MacAlgorithm::Hmac(hash)) if is_direct(hash) => Some(Direct::Hmac(hash)),
            Algorithm::Cipher(CipherAlgorithm::AesCbc(size)) => Some(Direct::AesCbc(size)),
            _ => None,
        }
    }

    /// The directions that are measured, the usual one first.
    pub const fn courses(self) -> &'static [Course] {
        match self {
            Direct::Digest(_) => &[Course::All(Direction::Digest)],
            Direct::Hmac(_) => &[Course::All(Direction::Generate)],
            Direct::AesCbc(_) => {
                &[Course::All(Direction::Encrypt), Course::All(Direction::Decrypt), Course::Mixed]
            }
        }
    }

    /// The order in which source 000 ran its kind: hashes out of order, AES in order.
    pub const fn usual_order(self) -> Order {
        match self {
            Direct::AesCbc(_) => Order::InOrder,
            _ => Order::OutOfOrder,
        }
    }
}

impl TryFrom<Algorithm> for Direct {
    type Error = PerfError;

    fn try_from(algorithm: Algorithm) -> Result<Direct, PerfError> {
        Direct::of(algorithm).ok_or_else(|| {
            let all: Vec<_> = Direct::all().map(|algorithm| algorithm.to_string()).collect();
            PerfError::NotDirect { algorithm, valid: all.join(", ") }
        })
    }
}

/// Returns `true` if the lanes of hashes have it.
fn is_direct(hash: HashAlgorithm) -> bool {
    hash.family() == Family::MerkleDamgard
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_the_engine_is_refused_with_what_does_not() {
        assert_eq!(Direct::all().count(), 7 + 7 + 3);
        let gcm: Algorithm = "aes-128-gcm".parse().unwrap();
        let error = Direct::try_from(gcm).unwrap_err().to_string();
        assert!(error.contains("aes-128-gcm") && error.contains("hmac-sha512"), "{error}");
        assert!(error.contains("perf matrix") && !error.contains("ccm"), "{error}");
    }
}
