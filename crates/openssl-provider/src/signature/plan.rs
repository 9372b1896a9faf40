//! What the lanes are asked for, of what libcrypto has set. `None` is for libcrypto to compute.

use std::borrow::Cow;

use broadloom::HashAlgorithm;
use broadloom::public_key::{Padding, Scheme};

use crate::digest::hash_named;
use crate::key::{KeyType, Purpose};
use crate::operation::Operation;

/// libcrypto's numbers of RSA's paddings.
const PKCS1: i32 = 1;
const PSS: i32 = 6;

/// libcrypto's names of lengths of PSS's salt that are not told in bytes.
const SALT_AS_DIGEST: i32 = -1;
const SALT_AUTO: i32 = -2;
const SALT_LONGEST: i32 = -3;

/// An operation with its data.
pub struct Plan<'d> {
    pub purpose: Purpose,
    pub data: Cow<'d, [u8]>,
}

/// A signature of a digest.
pub fn sign<'d>(operation: &Operation, digest: &'d [u8]) -> Option<Plan<'d>> {
    let key = operation.key.as_ref()?;
    let hash = match operation.hash() {
        None => None,
        Some(Ok(hash)) if hash.digest_len() == digest.len() => Some(hash),
        // MD5 and SHA-1 together are padded as they are, as a digest without a hash is.
        Some(Err(())) if digest.len() == 36 && operation.text(c"digest") == "MD5-SHA1" => None,
        Some(_) => return None,
    };
    let plan = |scheme: Scheme| {
        Some(Plan { purpose: Purpose::Sign(scheme.prehashed()), data: Cow::Borrowed(digest) })
    };
    match (key.key_type, hash) {
        (KeyType::Ec, hash) => plan(Scheme::new(hash.or_else(|| hash_of_len(digest.len()))?)),
        (KeyType::Rsa, Some(hash)) => plan(of_rsa(operation, hash, true)?),
        (KeyType::Rsa, None) => {
            let padded = padded(digest, key.max_size())?;
            let is_pkcs1 = operation.number(c"pad-mode") == Some(PKCS1);
            is_pkcs1.then_some(Plan {
                purpose: Purpose::Decrypt(Scheme::bare()),
                data: Cow::Owned(padded),
            })
        }
        (KeyType::X25519 | KeyType::Ed25519 | KeyType::SlhDsa(_), _) => None,
    }
}

/// The check of a signature of a digest.
pub fn verify(operation: &Operation, digest: &[u8]) -> Option<Purpose> {
    let key = operation.key.as_ref()?;
    let hash = match operation.hash() {
        None if key.key_type == KeyType::Ec => hash_of_len(digest.len()),
        Some(Ok(hash)) if hash.digest_len() == digest.len() => Some(hash),
        _ => None,
    }?;
    let scheme = match key.key_type {
        KeyType::Ec => Scheme::new(hash),
        KeyType::Rsa => of_rsa(operation, hash, false)?,
        KeyType::X25519 | KeyType::Ed25519 | KeyType::SlhDsa(_) => return None,
    };
    Some(Purpose::Verify(scheme.prehashed()))
}

/// RSA's scheme.
fn of_rsa(operation: &Operation, hash: HashAlgorithm, signs: bool) -> Option<Scheme> {
    let scheme = Scheme::new(hash);
    match operation.number(c"pad-mode")? {
        PKCS1 => Some(scheme),
        PSS if hash_named(&operation.text(c"mgf1-digest")) == Some(hash) => {
            let longest = operation.key.as_ref()?.max_size().checked_sub(hash.digest_len() + 2)?;
            let salt_len = match operation.number(c"saltlen")? {
                SALT_AS_DIGEST => hash.digest_len(),
                SALT_LONGEST => longest,
                SALT_AUTO if signs => longest,
                bytes => usize::try_from(bytes).ok()?,
            };
            Some(scheme.padding(Padding::Pss { salt_len }))
        }
        _ => None,
    }
}

/// A hash whose digests have so many bytes. A curve takes digests as numbers, whatever made them.
fn hash_of_len(len: usize) -> Option<HashAlgorithm> {
    use HashAlgorithm::{Sha1, Sha224, Sha256, Sha384, Sha512};
    [Sha1, Sha224, Sha256, Sha384, Sha512].into_iter().find(|hash| hash.digest_len() == len)
}

/// The number that PKCS #1 v1.5 makes of bytes that are signed as they are (RFC 8017, 9.2, without
/// the description of the hash).
fn padded(bytes: &[u8], len: usize) -> Option<Vec<u8>> {
    let ones = len.checked_sub(bytes.len() + 3).filter(|&ones| ones >= 8)?;
    Some([&[0, 1][..], &vec![0xff; ones], &[0], bytes].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bare_bytes_have_eight_ones_at_least() {
        let number = padded(&[7; 5], 16).expect("there is room");
        assert_eq!(number, [&[0, 1][..], &[0xff; 8], &[0], &[7; 5]].concat());
        assert!(padded(&[7; 6], 16).is_none() && padded(&[7; 20], 16).is_none());
    }
}
