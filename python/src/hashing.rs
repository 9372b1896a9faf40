//! Digests of many messages, by the lanes of `broadloom-hashing`.
//!
//! Digests of short messages take less time than the engine's jobs for them. A hash has one
//! provider that matters here, so that nothing is lost without the engine.

use std::any::Any;
use std::cell::RefCell;

use broadloom::lanes::{Cpu, Planner};
use broadloom_hashing::function::Function;
use broadloom_hashing::{Algorithm, Visitor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use crate::windows::{self, Place, Window};
use crate::{arguments, hasher};

/// A hash, or an HMAC where there is a key.
pub struct Hashing {
    algorithm: Algorithm,
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
        if !algorithm.visit(HasHmac) {
            return Err(PyValueError::new_err(format!("{} has no HMAC", algorithm.tag())));
        }
        Ok(Hashing { algorithm, key: Some(key) })
    }

    /// Bytes of a digest.
    pub fn digest_len(&self) -> usize {
        self.algorithm.digest_len()
    }

    /// The digests of many messages, one behind another.
    pub fn digests<'a>(
        &self,
        (count, threads): (usize, usize),
        message: &(dyn Fn(usize) -> &'a [u8] + Sync),
    ) -> Vec<u8> {
        let key = self.key.as_ref().map(|key| key.as_slice());
        self.algorithm.visit(Digests { key, count, threads, message })
    }
}

/// Whether a function has an HMAC.
struct HasHmac;

impl Visitor for HasHmac {
    type Output = bool;

    fn visit<A: Function>(self) -> bool {
        A::key(&[]).is_some()
    }
}

/// Hashes by the function that is asked for.
struct Digests<'c, 'a> {
    key: Option<&'c [u8]>,
    count: usize,
    threads: usize,
    message: &'c (dyn Fn(usize) -> &'a [u8] + Sync),
}

impl Visitor for Digests<'_, '_> {
    type Output = Vec<u8>;

    fn visit<A: Function>(self) -> Vec<u8> {
        let Digests { count, threads, message, .. } = self;
        let key = self.key.map(|key| A::key(key).expect("its HMAC was asked for before"));
        let mut digests = vec![0; count * A::DIGEST_LEN];
        windows::deal(
            (count, threads),
            &mut digests,
            &|index| message(index).len(),
            &|index| (index + 1) * A::DIGEST_LEN,
            &|place, next| {
                let mut work = |planner: &mut Planner<A::Lanes>| {
                    let mut jobs = Vec::with_capacity(count.min(windows::MOST));
                    while let Some(Window { start, end, out }) = next() {
                        jobs.extend((start..end).map(|at| A::whole(key.as_ref(), message(at))));
                        planner.process_many(&mut jobs);
                        let digests = out.chunks_exact_mut(A::DIGEST_LEN);
                        for (job, digest) in jobs.drain(..).zip(digests) {
                            digest.copy_from_slice(A::output(&job).expect("it came whole"));
                        }
                    }
                };
                match place {
                    Place::Caller => with_planner(work),
                    Place::Other => work(&mut Planner::new(&Cpu::detect())),
                }
            },
        );
        digests
    }
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
