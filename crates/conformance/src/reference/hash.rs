//! Hashes and HMAC.

use broadloom_engine::HashAlgorithm;
use hmac::digest::Digest;
use hmac::{KeyInit, Mac, SimpleHmac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};

/// Calls a function for the type of a hash.
macro_rules! of_hash {
    ($algorithm:expr, $Hash:ident => $call:expr) => {{
        macro_rules! with {
            ($type:ty) => {{
                type $Hash = $type;
                $call
            }};
        }
        match $algorithm {
            HashAlgorithm::Md5 => with!(Md5),
            HashAlgorithm::Sha1 => with!(Sha1),
            HashAlgorithm::Sha224 => with!(Sha224),
            HashAlgorithm::Sha256 => with!(Sha256),
            HashAlgorithm::Sha384 => with!(Sha384),
            HashAlgorithm::Sha512 => with!(Sha512),
            other => super::no_reference(other),
        }
    }};
}

/// The digest of the data.
pub(super) fn digest(algorithm: HashAlgorithm, data: &[u8]) -> Vec<u8> {
    of_hash!(algorithm, Hash => Hash::digest(data).to_vec())
}

/// The HMAC of the data.
pub(super) fn hmac(algorithm: HashAlgorithm, key: &[u8], data: &[u8]) -> Vec<u8> {
    of_hash!(algorithm, Hash => {
        let mac = SimpleHmac::<Hash>::new_from_slice(key).expect("HMAC takes keys of any length");
        mac.chain_update(data).finalize().into_bytes().to_vec()
    })
}
