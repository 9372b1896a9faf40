//! Hashes whose digests FIPS 204 and FIPS 205 sign.

use broadloom_engine::provider::ProviderError;
use broadloom_engine::{HashAlgorithm, Scheme};
use broadloom_public_key::PreHash;

/// Returns the hash whose digests a scheme signs, as HashML-DSA and HashSLH-DSA have it; `None` if
/// the scheme signs messages. `name` is that of the algorithm, for the error.
///
/// # Errors
/// The algorithm signs no digests of the scheme's hash.
pub fn prehash(scheme: &Scheme, name: &str) -> Result<Option<PreHash>, ProviderError> {
    if !scheme.is_prehashed() {
        return Ok(None);
    }
    let hash = scheme.hash();
    let lacking = || ProviderError::new(format!("{name} has no digests of {hash}"));
    of_hash(hash).map(Some).ok_or_else(lacking)
}

/// Returns a hash as HashML-DSA and HashSLH-DSA have it; `None` if they have none of its digests.
const fn of_hash(hash: HashAlgorithm) -> Option<PreHash> {
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
            HashAlgorithm::all().filter_map(|hash| Some((hash, of_hash(hash)?))).collect();
        assert_eq!(all.len(), 10);
        assert!(all.iter().all(|(hash, own)| hash.name() == own.name()));
    }
}
