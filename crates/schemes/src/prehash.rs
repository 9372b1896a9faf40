//! Hashes whose digests FIPS 204 and FIPS 205 sign.

use broadloom_engine::HashAlgorithm;
use broadloom_lanes::PreHash;

/// Returns the hash as HashML-DSA and HashSLH-DSA have it; `None` if they have none of its digests.
pub const fn prehash(hash: HashAlgorithm) -> Option<PreHash> {
    Some(match hash {
        HashAlgorithm::Sha224 => PreHash::Sha224,
        HashAlgorithm::Sha256 => PreHash::Sha256,
        HashAlgorithm::Sha384 => PreHash::Sha384,
        HashAlgorithm::Sha512 => PreHash::Sha512,
        HashAlgorithm::Sha3_224 => PreHash::Sha3_224,
        HashAlgorithm::Sha3_256 => PreHash::Sha3_256,
        HashAlgorithm::Sha3_384 => PreHash::Sha3_384,
        HashAlgorithm::Sha3_512 => PreHash::Sha3_512,
        HashAlgorithm::Shake128 => PreHash::Shake128,
        HashAlgorithm::Shake256 => PreHash::Shake256,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_keep_their_names() {
        let all: Vec<_> =
            HashAlgorithm::all().filter_map(|hash| Some((hash, prehash(hash)?))).collect();
        assert_eq!(all.len(), 10);
        assert!(all.iter().all(|(hash, own)| hash.name() == own.name()));
    }
}
