//! What rings and sleeping threads are built of is the standard library's, or loom's, which tries all the
//! ways in which threads may meet.

#[cfg(not(loom))]
pub(crate) use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, fence},
    },
    thread::{Thread, current, park},
};

#[cfg(loom)]
pub(crate) use loom::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, fence},
    },
    thread::{Thread, current, park},
};
