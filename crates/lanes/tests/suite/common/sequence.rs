//! Sequences of calls of a manager, each compared with what its contract says: for property tests
//! and for fuzzing.

use std::collections::BTreeMap;
use std::sync::mpsc;

use broadloom_lanes::{Cpu, InOrder, OutOfOrder};

use super::{Kind, Manager, Numbered};

/// One call.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Submits a job with a buffer of a length and perhaps a deadline.
    Submit { len: u16, deadline: Option<u8> },
    /// Flushes one job.
    Flush,
    /// Flushes all jobs whose time has come.
    Expire { now: u8 },
    /// Closes the manager, and begins with another one.
    Close,
    /// Drops the manager, and begins with another one.
    Drop,
}

/// Runs a sequence with both managers with room for `depth` jobs.
pub fn run<K: Kind>(cpu: &Cpu, depth: usize, ops: &[Op]) {
    Run::<K, OutOfOrder<K::Job>>::new(cpu, depth).all(ops);
    Run::<K, InOrder<K::Job>>::new(cpu, depth).all(ops);
}

/// A manager, and what its caller knows of it.
struct Run<'a, K: Kind, M> {
    cpu: &'a Cpu,
    depth: usize,
    manager: M,
    dropped: mpsc::Receiver<K::Job>,
    /// The lengths and deadlines of the jobs that are in flight, by number.
    held: BTreeMap<usize, (usize, Option<u8>)>,
}

impl<'a, K: Kind, M: Manager<K::Job>> Run<'a, K, M> {
    fn new(cpu: &'a Cpu, depth: usize) -> Self {
        let (sender, dropped) = mpsc::channel();
        let manager =
            M::build(cpu, depth, move |job| sender.send(job).expect("the other end lives"));
        Run { cpu, depth, manager, dropped, held: BTreeMap::new() }
    }

    fn all(mut self, ops: &[Op]) {
        for (number, op) in ops.iter().enumerate() {
            self.one(number, *op);
            assert_eq!(self.manager.in_flight(), self.held.len());
            assert!(self.held.len() < self.depth);
        }
        while !self.held.is_empty() {
            self.one(0, Op::Flush);
        }
        assert!(self.manager.flush().is_none());
    }

    fn one(&mut self, number: usize, op: Op) {
        match op {
            Op::Submit { len, deadline } => {
                let len = usize::from(len);
                let job = K::job(number, len);
                let job = match deadline {
                    Some(ticks) => job.due(ticks.into()),
                    None => job,
                };
                self.held.insert(number, (len, deadline));
                if let Some(job) = self.manager.submit(job) {
                    self.back(job);
                }
            }
            Op::Flush => {
                let job = self.manager.flush();
                assert_eq!(job.is_some(), !self.held.is_empty());
                job.into_iter().for_each(|job| self.back(job));
            }
            Op::Expire { now } => {
                while let Some(job) = self.manager.flush_expired(now.into()) {
                    self.back(job);
                }
                let late =
                    self.held.values().find(|(_, deadline)| deadline.is_some_and(|d| d <= now));
                assert!(late.is_none(), "{now}: {late:?}");
            }
            Op::Close => {
                let old = std::mem::replace(self, Self::new(self.cpu, self.depth));
                let jobs = old.manager.close().collect();
                Self::ended(old.held, jobs);
            }
            Op::Drop => {
                let old = std::mem::replace(self, Self::new(self.cpu, self.depth));
                drop(old.manager);
                Self::ended(old.held, old.dropped.iter().collect());
            }
        }
    }

    /// A job that a call gave back.
    fn back(&mut self, job: K::Job) {
        let number = job.number();
        if M::KEEPS_ORDER {
            assert_eq!(self.held.keys().next(), Some(&number));
        }
        let (len, _) = self.held.remove(&number).expect("it was in flight");
        assert!(job.is_complete());
        assert_eq!(job.result(), Some(K::expected(number, len)), "{} {number}", K::NAME);
    }

    /// The jobs that came back when a manager ended: all that it held, the complete ones correct.
    fn ended(held: BTreeMap<usize, (usize, Option<u8>)>, jobs: Vec<K::Job>) {
        let mut numbers: Vec<_> = jobs.iter().map(Numbered::number).collect();
        if !M::KEEPS_ORDER {
            numbers.sort_unstable();
        }
        assert!(numbers.iter().eq(held.keys()), "{numbers:?} came back of {held:?}");
        for job in jobs {
            let number = job.number();
            let result = job.is_complete().then(|| K::expected(number, held[&number].0));
            assert_eq!(job.result(), result);
        }
    }
}
