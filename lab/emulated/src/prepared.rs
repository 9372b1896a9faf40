//! Results that were computed before the clock started, found by a hash of session and input.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{PoisonError, RwLock};

use broadloom_engine::Transform;
use highway::{HighwayHash, HighwayHasher, Key};
use zeroize::Zeroizing;

/// 128 bits of a hash under a secret key: collisions cannot be found.
pub(crate) type Fingerprint = [u64; 2];

/// The store of a device.
#[derive(Debug)]
pub(crate) struct Store {
    key: Key,
    /// Bytes that it may hold.
    capacity: usize,
    results: RwLock<Results>,
}

#[derive(Debug, Default)]
struct Results {
    bytes: usize,
    by_input: HashMap<Fingerprint, Prepared>,
}

/// A result.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prepared {
    pub output: Zeroizing<Vec<u8>>,
    pub tag: Zeroizing<Vec<u8>>,
    pub consumed: usize,
    pub checksum: Option<u32>,
}

/// The approximate size of an entry without output and tag.
const ENTRY: usize = 128;

impl Store {
    pub(crate) fn new(capacity: usize) -> Self {
        let random = RandomState::new();
        let key = Key([0u64, 1, 2, 3].map(|part| random.hash_one(part)));
        Store { key, capacity, results: RwLock::default() }
    }

    /// The identity of a transform.
    pub(crate) fn transform(&self, transform: &Transform) -> Fingerprint {
        let mut hasher = HighwayHasher::new(self.key);
        let scheme = transform.asymmetric().map(|asymmetric| asymmetric.scheme);
        let named = format!("{transform:?} {scheme:?}");
        for part in [named.as_bytes(), transform.key(), transform.mac_key()] {
            hasher.append(&(part.len() as u64).to_le_bytes());
            hasher.append(part);
        }
        hasher.finalize128()
    }

    /// The identity of a session's input.
    pub(crate) fn input<'p>(
        &self,
        session: Fingerprint,
        pieces: impl Iterator<Item = &'p [u8]>,
    ) -> Fingerprint {
        let mut hasher = HighwayHasher::new(self.key);
        session.iter().for_each(|part| hasher.append(&part.to_le_bytes()));
        pieces.for_each(|piece| hasher.append(piece));
        hasher.finalize128()
    }

    /// A result, to be looked at.
    pub(crate) fn find<R>(
        &self,
        input: Fingerprint,
        look: impl FnOnce(&Prepared) -> R,
    ) -> Option<R> {
        let results = self.results.read().unwrap_or_else(PoisonError::into_inner);
        results.by_input.get(&input).map(look)
    }

    /// Keeps a result, where there is room for it.
    pub(crate) fn keep(&self, input: Fingerprint, prepared: impl FnOnce() -> Prepared, len: usize) {
        let size = len + ENTRY;
        let mut results = self.results.write().unwrap_or_else(PoisonError::into_inner);
        if results.bytes + size <= self.capacity && !results.by_input.contains_key(&input) {
            results.bytes += size;
            results.by_input.insert(input, prepared());
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use broadloom_engine::{HashAlgorithm, MacAlgorithm};

    #[test]
    fn transforms_and_inputs_are_told_apart_and_pieces_do_not_count() {
        let store = Store::new(1 << 20);
        let mac = |key: &[u8]| {
            let mac = Transform::mac(MacAlgorithm::Hmac(HashAlgorithm::Sha1), key).generate();
            store.transform(&mac.expect("it fits"))
        };
        assert_eq!(mac(b"a"), mac(b"a"));
        assert_ne!(mac(b"a"), mac(b"b"));
        assert_ne!(mac(b"a"), store.transform(&Transform::hash(HashAlgorithm::Sha1)));
        let whole = store.input(mac(b"a"), [b"abcdef".as_slice()].into_iter());
        assert_eq!(whole, store.input(mac(b"a"), [b"ab".as_slice(), b"", b"cdef"].into_iter()));
        assert_ne!(whole, store.input(mac(b"b"), [b"abcdef".as_slice()].into_iter()));
        assert_ne!(whole, store.input(mac(b"a"), [b"abcdeg".as_slice()].into_iter()));
    }

    #[test]
    fn it_holds_no_more_than_it_may() {
        let store = Store::new(2 * (ENTRY + 100));
        for number in 0..4 {
            let prepared = || Prepared { consumed: number as usize, ..Prepared::default() };
            store.keep([number, 0], prepared, 100);
        }
        let found = |number| store.find([number, 0], |prepared| prepared.consumed);
        assert_eq!([0, 1, 2, 3].map(found), [Some(0), Some(1), None, None]);
    }
}
