//! Digests of many messages, by the lanes of `broadloom-hashing`.
//!
//! Digests of short messages take less time than the engine's jobs for them. A hash has one
//! provider that matters here, so that nothing is lost without the engine.

use std::any::Any;
use std::cell::RefCell;
use std::ops::Range;

use broadloom::HashAlgorithm;
use broadloom::lanes::{Cpu, Planner};
use broadloom_hashing::function::Function;
use broadloom_hashing::{Visitor, visit};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use crate::buffers::Buffers;
use crate::windows::{self, Failures, Place, Window};
use crate::{arguments, engine, hasher};

/// A hash, or an HMAC where there is a key.
pub struct Hashing {
    algorithm: HashAlgorithm,
    key: Option<Zeroizing<Vec<u8>>>,
}

impl Hashing {
    /// A hash by its name.
    ///
    /// # Errors
    /// `ValueError` where there is no such hash.
    pub fn hash(name: &str) -> PyResult<Hashing> {
        Ok(Hashing { algorithm: hasher::function(name)?, key: None })
    }

    /// The HMAC over a hash, under a key.
    ///
    /// # Errors
    /// `ValueError` where there is no such hash, or no HMAC over it; `TypeError` for the key.
    pub fn hmac(name: &str, key: &Bound<'_, PyAny>) -> PyResult<Hashing> {
        let algorithm = hasher::function(name)?;
        let key = arguments::key(key)?;
        if algorithm.is_extendable() {
            return Err(PyValueError::new_err(format!("{algorithm} has no HMAC")));
        }
        Ok(Hashing { algorithm, key: Some(key) })
    }

    /// Bytes of a digest.
    pub fn digest_len(&self) -> usize {
        self.algorithm.digest_len()
    }

    /// Writes the digests of some messages, on so many threads.
    ///
    /// # Errors
    /// That of a signal's handler.
    pub fn digests(
        &self,
        messages: &dyn Messages,
        range: Range<usize>,
        threads: usize,
        room: Room<'_, '_>,
    ) -> PyResult<()> {
        let key = self.key.as_ref().map(|key| key.as_slice());
        let work = || visit(self.algorithm, Digests { key, messages, range, threads, room });
        if key.is_some() { engine::with_secrets(work) } else { work() }
    }
}

/// Where results go that all have one length.
pub enum Room<'r, 'p> {
    /// One behind another.
    Packed(&'r mut [u8]),
    /// Each to a place of its own.
    Apart(&'r mut [&'p mut [u8]]),
}

/// Many messages, which any thread reads.
pub trait Messages: Sync {
    /// Bytes of some of them together, nulls of columns included.
    fn size(&self, range: Range<usize>) -> usize;
    /// Adds some of them to a list: one call for many, since a call for each takes as long as a
    /// good part of its digest.
    fn list<'s>(&'s self, range: Range<usize>, to: &mut Vec<&'s [u8]>);
}

impl Messages for Buffers {
    fn size(&self, range: Range<usize>) -> usize {
        range.map(|index| self.get(index).len()).sum()
    }

    fn list<'s>(&'s self, range: Range<usize>, to: &mut Vec<&'s [u8]>) {
        to.extend(range.map(|index| self.get(index)));
    }
}

/// Hashes by the function that is asked for.
struct Digests<'c, 'r, 'p> {
    key: Option<&'c [u8]>,
    messages: &'c dyn Messages,
    range: Range<usize>,
    threads: usize,
    room: Room<'r, 'p>,
}

impl Visitor for Digests<'_, '_, '_> {
    type Output = PyResult<()>;

    fn visit<A: Function>(self) -> PyResult<()> {
        let Digests { key, messages, range, threads, room } = self;
        let key = key.map(|key| A::key(key).expect("its HMAC was asked for before"));
        let (key, len) = (key.as_ref(), A::DIGEST_LEN);
        match room {
            Room::Packed(out) => {
                digests::<A, _, _>(key, (messages, range), threads, out, len, |out| {
                    out.chunks_exact_mut(len)
                })
            }
            Room::Apart(out) => {
                digests::<A, _, _>(key, (messages, range), threads, out, 1, |out| {
                    out.iter_mut().map(|place| &mut **place)
                })
            }
        }
    }
}

/// Writes the digests of some messages to `out`, of which each takes `step`, and `places` makes
/// places.
fn digests<'a, A: Function, O: Send, I: Iterator<Item = &'a mut [u8]>>(
    key: Option<&A::Key>,
    (messages, range): (&dyn Messages, Range<usize>),
    threads: usize,
    out: &'a mut [O],
    step: usize,
    places: impl Fn(&'a mut [O]) -> I + Sync,
) -> PyResult<()> {
    let (first, count) = (range.start, range.len());
    windows::deal(
        (count, threads),
        out,
        &|some| messages.size(first + some.start..first + some.end),
        &|index| (index + 1) * step,
        &|place, next| {
            let mut work = |planner: &mut Planner<A::Lanes>| {
                let mut some = Vec::with_capacity(count.min(windows::MOST));
                while let Some(Window { start, end, out }) = next(Failures::new()) {
                    some.clear();
                    messages.list(first + start..first + end, &mut some);
                    let each = some.iter().zip(places(out));
                    planner.process_each(each.map(|(data, digest)| A::loan(key, data, digest)));
                }
            };
            match place {
                Place::Caller => with_planner(work),
                Place::Other => work(&mut Planner::new(&Cpu::detect())),
            }
        },
    )
    .map(drop)
}

thread_local! {
    /// A planner for each kind of lanes that this thread has used: making one takes longer than
    /// hashing one short message.
    static PLANNERS: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with this thread's planner of some lanes. It runs no Python code.
fn with_planner<L: broadloom::lanes::Lanes + 'static>(work: impl FnOnce(&mut Planner<L>)) {
    PLANNERS.with_borrow_mut(|planners| {
        let place = planners.iter().position(|planner| planner.is::<Planner<L>>());
        let place = place.unwrap_or_else(|| {
            planners.push(Box::new(Planner::<L>::new(&Cpu::detect())));
            planners.len() - 1
        });
        work(planners[place].downcast_mut().expect("it was found by its type"));
    });
}
