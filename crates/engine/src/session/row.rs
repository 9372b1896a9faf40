//! The rows of the table of algorithms, which sessions share.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use crate::algorithm::{Algorithm, Row};

/// The rows of all algorithms but chains, of which there are too many to keep all.
static ROWS: LazyLock<BTreeMap<Algorithm, Arc<Row>>> = LazyLock::new(|| {
    Algorithm::known().map(|algorithm| (algorithm, Arc::new(algorithm.row()))).collect()
});

/// Returns the row of an algorithm. All sessions of an algorithm that is no chain have the same
/// one: with many sessions it stays in the nearest cache.
pub(super) fn row(algorithm: Algorithm) -> Arc<Row> {
    match ROWS.get(&algorithm) {
        Some(row) => Arc::clone(row),
        None => Arc::new(algorithm.row()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_an_algorithm_share_its_row() {
        let chain: Algorithm = "aes-128-cbc+hmac-sha1".parse().expect("a name");
        for algorithm in Algorithm::known().chain([chain]) {
            let (one, other) = (row(algorithm), row(algorithm));
            assert_eq!(format!("{one:?}"), format!("{:?}", algorithm.row()), "{algorithm}");
            assert_eq!(Arc::ptr_eq(&one, &other), algorithm != chain, "{algorithm}");
        }
    }
}
