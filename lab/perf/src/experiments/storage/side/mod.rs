//! The kinds of storage, and their clients.

mod directory;
mod encrypted;
mod files;
mod repository;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use broadloom_lanes::Cpu;

pub(super) use files::drop_pages;

use super::data::Data;
use super::meter::Meter;
use super::topic::Topic;
use crate::names::named;
use crate::registry::registry_on;

/// What went wrong at a storage.
pub(super) type Trouble = Box<dyn Error + Send + Sync>;

/// A kind of storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Over {
    /// Files of a directory, as they are.
    Directory,
    /// Files of the age format in a directory.
    Encrypted,
    /// A repository of snapshots in a directory.
    Repository,
}

named!(Over, "storage", {
    Directory => "directory",
    Encrypted => "encrypted",
    Repository => "repository",
});

impl Over {
    /// Names what protects the bytes.
    pub(super) const fn algorithm(self) -> &'static str {
        match self {
            Over::Directory => "none",
            Over::Encrypted => "chacha20-poly1305",
            Over::Repository => "aes-256-ctr",
        }
    }
}

/// One client of a storage, with a set of its own.
pub(super) trait Client: Send {
    /// Makes ready what a pass of so many operations needs.
    ///
    /// # Errors
    /// What the storage says.
    fn prepare(&mut self, topic: Topic, operations: usize) -> Result<(), Trouble>;

    /// Does so many operations.
    ///
    /// # Errors
    /// What the storage says, and bytes that are not those that were written.
    fn run(&mut self, topic: Topic, operations: usize, meter: Meter) -> Result<Meter, Trouble>;
}

/// Opens a kind of storage in a new directory, with sets of so many bytes for so many clients.
///
/// # Errors
/// What the storage says.
pub(super) fn open(
    over: Over,
    root: &Path,
    cpu: &Cpu,
    (clients, set): (usize, u64),
) -> Result<Vec<Box<dyn Client>>, Trouble> {
    std::fs::create_dir(root)?;
    let data = Data::new(0);
    let seed = |client: usize| data.other(over as u64 * 1000 + client as u64);
    let registry = Arc::new(registry_on(cpu));
    match over {
        Over::Directory => (0..clients)
            .map(|client| Ok(directory::client(root, client, seed(client), set)? as _))
            .collect(),
        Over::Encrypted => {
            let codec = encrypted::Codec::new(registry)?;
            let make = |client| encrypted::client(root, client, seed(client), set, codec.clone());
            (0..clients).map(|client| Ok(make(client)? as _)).collect()
        }
        Over::Repository => {
            let shared = repository::Shared::new(root, &registry)?;
            let make = |client| repository::client(&shared, client, seed(client), set);
            (0..clients).map(|client| Ok(make(client)? as _)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_and_wrong_ones_name_the_right_ones() {
        for over in Over::ALL {
            assert_eq!(over.name().parse::<Over>().unwrap(), over);
        }
        let error = "tape".parse::<Over>().unwrap_err().to_string();
        assert_eq!(error, "unknown storage \"tape\"; valid: directory, encrypted, repository");
    }
}
