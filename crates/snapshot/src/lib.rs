//! Snapshots of file trees in repositories of restic's format, version 2.
//!
//! A [`Repository`] lies in a [`Store`](store::Store): a directory, a store of objects, or
//! whatever implements it.
//! [`backup()`] saves files, [`restore()`] brings them back, and [`check()`] looks for damage.
//! [`merge()`] makes one snapshot of several, and [`forget()`] drops snapshots. restic reads and
//! adds to the same repositories.

#![forbid(unsafe_code)]

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod backup;
mod beneath;
pub mod check;
#[cfg(test)]
mod deep;
pub mod diff;
mod error;
pub mod forget;
mod id;
mod json;
pub mod merge;
pub mod node;
pub mod pattern;
mod repository;
pub mod restore;
pub mod snapshot;
pub mod stats;
pub mod store;
mod time;
pub mod tree;
pub mod walk;

#[doc(inline)]
pub use backup::backup;
#[doc(inline)]
pub use check::check;
pub use error::SnapshotError;
#[doc(inline)]
pub use forget::forget;
pub use id::{Id, IdError};
pub use json::to_json;
#[doc(inline)]
pub use merge::merge;
pub use repository::{
    BlobKind, Compression, Entry, Index, Listed, Location, Lock, Piece, Remover, Repository, Tools,
    hostname, unlock, username,
};
#[doc(inline)]
pub use restore::restore;
pub use time::Time;
