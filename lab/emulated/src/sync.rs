//! Primitives that threads share: the standard library's, or loom's, which tries all orders of
//! threads.

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
