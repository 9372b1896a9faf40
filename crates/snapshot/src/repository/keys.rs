//! The search for the key that a password opens.
//!
//! Whoever can write to `keys` can leave files there that are no keys, or keys that cost much time
//! and memory. So keys are tried in the order of their cost, and all together may cost only so
//! much. A file that is not what it should be is left out.

use broadloom_engine::Registry;

use super::crypto::{self, Keys};
use super::keyfile::{KeyFile, MOST_WORK};
use crate::error::SnapshotError;
use crate::store::{File, Kind, Retrying, Store};

/// Most bytes of a file of `keys`: restic's have fewer than 1,000.
const MOST_BYTES: u64 = 64 << 10;
/// Most files of `keys` that are read.
const MOST_FILES: usize = 256;
/// Most work that all keys together may ask of scrypt: a hundred times that of a new key.
const MOST_WORK_OF_ALL: u64 = 2 * MOST_WORK;

/// Keys that a password may open.
#[derive(Default)]
pub struct Search {
    /// The cheapest key is the last.
    keys: Vec<(File, KeyFile)>,
    tried: usize,
    wrong: Option<SnapshotError>,
}

impl Search {
    /// Reads the files of `keys`.
    ///
    /// # Errors
    /// What the store says when it cannot be asked.
    pub fn new(store: &Retrying, registry: &Registry) -> Result<Search, SnapshotError> {
        let names = store.list(Kind::Key);
        let mut names = names.map_err(|error| SnapshotError::List { what: "keys", error })?;
        names.sort_unstable();
        names.dedup();
        let mut search = Search::default();
        if let Some((name, _)) = names.get(MOST_FILES) {
            let text = format!("\"keys\" has {} files; valid: {MOST_FILES}", names.len());
            search.blame(SnapshotError::damaged(File::Named(Kind::Key, *name), text));
            names.truncate(MOST_FILES);
        }
        for (name, length) in names {
            let file = File::Named(Kind::Key, name);
            match read(store, registry, file, length) {
                Ok(key) => search.keys.push((file, key)),
                Err(error) if error.is_of_one_file() => search.blame(error),
                Err(error) => return Err(error),
            }
        }
        search.choose();
        Ok(search)
    }

    /// Sorts the keys by their cost, and drops those for which there is not enough work left.
    fn choose(&mut self) {
        self.keys.sort_by_cached_key(|(_, key)| key.work());
        let mut work = 0;
        let fits = |(_, key): &&(File, KeyFile)| {
            work += key.work();
            work <= MOST_WORK_OF_ALL
        };
        let affordable = self.keys.iter().take_while(fits).count();
        if let Some((file, _)) = self.keys.get(affordable) {
            let text = "it and the cheaper keys cost more work than is done for all";
            self.blame(SnapshotError::damaged(*file, text));
        }
        self.keys.truncate(affordable);
        self.keys.reverse();
    }

    /// Opens the next key of the password.
    ///
    /// # Errors
    /// What the engine says.
    pub fn next(
        &mut self,
        registry: &Registry,
        password: &[u8],
    ) -> Result<Option<Keys>, SnapshotError> {
        while let Some((file, key)) = self.keys.pop() {
            self.tried += 1;
            match key.open(registry, password) {
                Ok(Some(keys)) => return Ok(Some(keys)),
                Ok(None) => {}
                Err(SnapshotError::Other(text)) => self.blame(SnapshotError::damaged(file, text)),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Notes what is wrong with a file; the first counts.
    pub fn blame(&mut self, error: SnapshotError) {
        self.wrong.get_or_insert(error);
    }

    /// Why no key was found.
    pub fn failure(self) -> SnapshotError {
        self.wrong.unwrap_or(match self.tried {
            0 => SnapshotError::NoKeys,
            tried => SnapshotError::Password(tried),
        })
    }
}

/// Reads a key whose name is the SHA-256 of its content.
fn read(
    store: &Retrying,
    registry: &Registry,
    file: File,
    length: u64,
) -> Result<KeyFile, SnapshotError> {
    if length > MOST_BYTES {
        let text = format!("it has {length} bytes; valid: at most {MOST_BYTES}");
        return Err(SnapshotError::damaged(file, text));
    }
    // A transfer can go wrong on the way: the file is read twice before it is blamed.
    for _ in 0..2 {
        let content = store.get(file, None);
        let content = content.map_err(|error| SnapshotError::Store { file, error })?;
        if File::Named(Kind::Key, crypto::sha256(registry, &content)?) != file {
            continue;
        }
        let key: KeyFile = serde_json::from_slice(&content)
            .map_err(|error| SnapshotError::damaged(file, error.to_string()))?;
        key.check().map_err(|text| SnapshotError::damaged(file, text))?;
        return Ok(key);
    }
    Err(SnapshotError::damaged(file, "its SHA-256 is not its name"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;

    /// A search among keys of costs.
    fn among(costs: &[(u64, u32, u32)]) -> Search {
        let key = |(number, (n, r, p)): (usize, &(u64, u32, u32))| {
            let text = format!(
                "{{\"created\":\"2022-01-01T00:00:00Z\",\"kdf\":\"scrypt\",\"N\":{n},\"r\":{r},\
                 \"p\":{p},\"salt\":\"\",\"data\":\"\"}}"
            );
            let key = serde_json::from_str(&text).expect("it is a key");
            (File::Named(Kind::Key, Id([number as u8; 32])), key)
        };
        let keys = costs.iter().enumerate().map(key).collect();
        Search { keys, ..Search::default() }
    }

    #[test]
    fn cheap_keys_come_first_and_all_have_a_bound() {
        let dear = (1 << 20, 8, 8);
        let mut costs = vec![dear; 100];
        costs.extend([(1 << 15, 8, 5), (2, 1, 1)]);
        let mut search = among(&costs);
        search.choose();
        let works: Vec<u64> = search.keys.iter().rev().map(|(_, key)| key.work()).collect();
        assert_eq!(works, [2, 5 << 18, 1 << 26]);
        assert!(search.failure().to_string().contains("cost more work"));
        let mut few = among(&[(1 << 15, 8, 5); 20]);
        few.choose();
        assert_eq!((few.keys.len(), few.wrong.is_none()), (20, true));
    }
}
