//! Repositories behind a network: stores of objects, and REST servers.

mod cloud;
mod http;
mod objects;
mod profile;
mod rest;

use std::fmt::Display;
use std::time::Duration;

use super::address::Address;
use super::{Notice, Options, Store, StoreError};

pub use objects::Objects;
pub use rest::Rest;

/// Waits before further tries: eight minutes in all, so that a router may start anew meanwhile.
const WAITS: [Duration; 8] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(15),
    Duration::from_secs(30),
    Duration::from_secs(60),
    Duration::from_secs(120),
    Duration::from_secs(240),
];
/// Calls at once, as in restic.
const CONNECTIONS: usize = 5;

/// Opens the store at an address that is no directory's.
pub(super) fn open(address: &Address, options: &Options) -> Result<Box<dyn Store>, StoreError> {
    match address {
        Address::Rest(url) => Ok(Box::new(Rest::new(url, options)?)),
        cloud => Ok(Box::new(cloud::open(cloud, options)?)),
    }
}

/// Says what is tried again.
fn notify(notice: Option<&Notice>, what: &dyn Display, error: &StoreError, wait: Duration) {
    if let Some(notice) = notice {
        notice(&format!("{what}: {error}; the next try is in {} s", wait.as_secs_f32()));
    }
}
