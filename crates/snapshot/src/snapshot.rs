//! Snapshots: who saved what, when, and the tree.

use serde::{Deserialize, Serialize};

use crate::error::SnapshotError;
use crate::id::Id;
use crate::node::null_is_default;
use crate::repository::Repository;
use crate::store::Kind;
use crate::time::Time;

/// A file of `snapshots`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// When it was begun.
    pub time: Time,
    /// The snapshot whose files were not read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Id>,
    /// What was saved.
    pub tree: Id,
    /// The paths that were asked for.
    #[serde(default, deserialize_with = "null_is_default")]
    pub paths: Vec<String>,
    /// The machine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hostname: String,
    /// The user.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub username: String,
    /// The user's number.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub uid: u32,
    /// The number of the user's group.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gid: u32,
    /// Patterns of what was left out.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub excludes: Vec<String>,
    /// Tags.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The snapshot from which this one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Id>,
    /// The program that saved it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program_version: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A snapshot with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub id: Id,
    /// What it says.
    pub file: Snapshot,
}

/// Which snapshots are meant: all that fit each list that is not empty.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Hosts, of which one fits.
    pub hosts: Vec<String>,
    /// Lists of tags, of which all of one list are there.
    pub tags: Vec<Vec<String>>,
    /// Paths, all of which are there.
    pub paths: Vec<String>,
}

impl Selection {
    /// Returns `true` if a snapshot is meant.
    #[must_use]
    pub fn takes(&self, snapshot: &Snapshot) -> bool {
        let has_all = |tags: &Vec<String>| {
            tags.iter().all(|tag| match tag.is_empty() {
                true => snapshot.tags.is_empty(),
                false => snapshot.tags.contains(tag),
            })
        };
        (self.hosts.is_empty() || self.hosts.contains(&snapshot.hostname))
            && (self.tags.is_empty() || self.tags.iter().any(has_all))
            && self.paths.iter().all(|path| snapshot.paths.contains(path))
    }
}

/// The snapshots of a repository, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Snapshots(pub Vec<Named>);

impl Snapshots {
    /// Reads all snapshots. A file that is damaged, or no snapshot, is left out, and `skip` is told
    /// why.
    ///
    /// # Errors
    /// What the store says when it cannot be asked.
    pub fn all(
        repository: &Repository,
        skip: &mut dyn FnMut(&SnapshotError),
    ) -> Result<Snapshots, SnapshotError> {
        let mut all = Vec::new();
        for id in repository.list(Kind::Snapshot)? {
            match Snapshots::load(repository, id) {
                Ok(snapshot) => all.push(snapshot),
                Err(error) if error.is_of_one_file() => skip(&error),
                Err(error) => return Err(error),
            }
        }
        all.sort_by_key(|snapshot| (snapshot.file.time, snapshot.id));
        Ok(Snapshots(all))
    }

    /// Reads one.
    ///
    /// # Errors
    /// What the store says, and damage.
    pub fn load(repository: &Repository, id: Id) -> Result<Named, SnapshotError> {
        Ok(Named { id, file: repository.load_json(Kind::Snapshot, id)? })
    }

    /// Keeps those that are meant.
    pub fn retain(&mut self, selection: &Selection) {
        self.0.retain(|snapshot| selection.takes(&snapshot.file));
    }

    /// The latest with the host and the paths of another, and not younger than it.
    #[must_use]
    pub fn latest_like(&self, like: &Snapshot) -> Option<&Named> {
        self.0.iter().rev().find(|snapshot| {
            let (is, mut paths) = (&snapshot.file, like.paths.iter());
            is.hostname == like.hostname
                && is.time <= like.time
                && paths.all(|path| is.paths.contains(path))
        })
    }

    /// Finds the ID of the snapshot that a text names: the beginning of the ID, or `latest` for the
    /// last of those that are meant. Only `latest` reads files, and tells `skip` which it cannot.
    ///
    /// # Errors
    /// A text that names none, or several; what the store says.
    pub fn identify(
        repository: &Repository,
        text: &str,
        selection: &Selection,
        skip: &mut dyn FnMut(&SnapshotError),
    ) -> Result<Id, SnapshotError> {
        if text == "latest" {
            return Snapshots::all(repository, skip)?.latest(selection);
        }
        with_beginning(&repository.list(Kind::Snapshot)?, text)
    }

    /// The ID of the last one that is meant.
    fn latest(&self, selection: &Selection) -> Result<Id, SnapshotError> {
        let latest = self.0.iter().rev().find(|snapshot| selection.takes(&snapshot.file));
        latest
            .map(|snapshot| snapshot.id)
            .ok_or_else(|| SnapshotError::Selection("there is no snapshot that fits".to_owned()))
    }
}

/// Finds the only ID that begins with a text.
fn with_beginning(ids: &[Id], text: &str) -> Result<Id, SnapshotError> {
    let failed = |text: String| Err(SnapshotError::Selection(text));
    let beginning = text.to_lowercase();
    let mut fitting =
        ids.iter().filter(|id| !beginning.is_empty() && id.to_string().starts_with(&beginning));
    match (fitting.next(), fitting.next()) {
        (Some(&only), None) => Ok(only),
        (None, _) => {
            failed(format!("no snapshot is {text:?}; valid: \"latest\", or the beginning of an ID"))
        }
        (Some(_), Some(_)) => {
            failed(format!("several snapshots begin with {text:?}; valid: more digits of the ID"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(seconds: i64, host: &str, tags: &[&str]) -> Named {
        let text = format!(
            "{{\"time\":\"2022-01-01T00:00:{seconds:02}Z\",\"tree\":\"{}\",\"paths\":[\"/a\"],\
             \"hostname\":{host:?},\"tags\":null}}",
            "00".repeat(32)
        );
        let mut file: Snapshot = serde_json::from_str(&text).expect("it is one");
        file.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        Named { id: Id([seconds as u8; 32]), file }
    }

    #[test]
    fn snapshots_are_named_by_their_beginning_or_latest() {
        let all = Snapshots(vec![snapshot(0x1, "a", &["x"]), snapshot(0x12, "b", &[])]);
        assert_eq!(all.latest(&Selection::default()).unwrap(), Id([0x12; 32]));
        let of_a = Selection { hosts: vec!["a".to_owned()], ..Selection::default() };
        assert_eq!(all.latest(&of_a).unwrap(), Id([1; 32]));
        let tagged = Selection { tags: vec![vec!["x".to_owned()]], ..Selection::default() };
        assert!(tagged.takes(&all.0[0].file) && !tagged.takes(&all.0[1].file));
        let ids = [Id([1; 32]), Id([0x12; 32]), Id([0xab; 32])];
        assert_eq!(with_beginning(&ids, "01").unwrap(), ids[0]);
        assert_eq!(with_beginning(&ids, "AB").unwrap(), ids[2]);
        for text in ["", "ff", "latest", "é"] {
            assert!(with_beginning(&ids, text).is_err(), "{text:?}");
        }
        assert!(with_beginning(&[ids[0]; 2], "01").is_err());
    }

    #[test]
    fn the_parent_has_the_same_host_and_paths() {
        let all = Snapshots(vec![snapshot(1, "a", &[]), snapshot(2, "a", &[])]);
        let parent = |of: &Named| all.latest_like(&of.file).map(|parent| parent.id);
        assert_eq!(parent(&snapshot(9, "a", &[])), Some(Id([2; 32])));
        assert_eq!(parent(&snapshot(1, "a", &[])), Some(Id([1; 32])));
        assert_eq!(parent(&snapshot(9, "b", &[])), None);
    }
}
