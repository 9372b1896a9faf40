//! Operations with private and public keys, which meet in a queue pair.

use std::sync::Arc;

use broadloom::error::JobError;
use broadloom::queue::QueueConfig;
use broadloom::{Job, QueuePair, Session};
use zeroize::Zeroizing;

use super::{Ticket, line, lock};
use crate::job;
use crate::settings;
use crate::stack::with_room;

/// What came of a request.
#[derive(Debug)]
pub enum Answer {
    /// Too few requests came for the lanes to pay: whoever asked computes alone.
    Alone,
    /// The lanes did it.
    Done(Result<Zeroizing<Vec<u8>>, JobError>),
}

/// Requests that share lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// With keys of RSA.
    Rsa,
    /// With keys of X25519 and Ed25519.
    Curve25519,
    /// With keys on P-256.
    P256,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Rsa, Kind::Curve25519, Kind::P256];
}

type Request = Job<'static, Arc<Ticket<Answer>>>;

/// Requests with keys that wait.
pub(super) struct Keys {
    pair: QueuePair<'static, Request>,
    /// Those of each kind.
    waiting: [Vec<Request>; Kind::ALL.len()],
    complete: Vec<Request>,
}

/// So many requests fill the lanes of every instruction set more than once.
const BATCH: usize = 16;

impl Default for Keys {
    fn default() -> Self {
        let config = QueueConfig { batch: Some(BATCH), ..QueueConfig::default() };
        Keys {
            pair: QueuePair::new(config),
            waiting: Kind::ALL.map(|_| Vec::new()),
            complete: Vec::new(),
        }
    }
}

impl Keys {
    /// Takes the requests of a kind through the lanes, or sends them back where they are too few.
    fn run(&mut self, kind: Kind) {
        let waiting = &mut self.waiting[kind as usize];
        if waiting.len() < settings::least_batch() {
            return waiting.drain(..).for_each(|job| job.user_value().complete(Answer::Alone));
        }
        while !waiting.is_empty() {
            self.pair.enqueue(waiting);
            self.pair.flush();
            self.pair.dequeue(&mut self.complete, usize::MAX);
        }
        for mut job in self.complete.drain(..) {
            let status = job.status().unwrap_or(Err(JobError::NotDone));
            let output = status.map(|()| Zeroizing::new(job.take_output()));
            job.user_value().complete(Answer::Done(output));
        }
    }
}

/// Does an operation in lanes, with those of other jobs: for data, and for the signature that is to
/// be checked, if any. Outside of jobs the answer is [`Answer::Alone`], at once.
pub fn ask(kind: Kind, session: &Session, data: &[u8], signature: Option<&[u8]>) -> Answer {
    if !job::can_wait() {
        return Answer::Alone;
    }
    let ticket = Ticket::new();
    let line = with_room(|| {
        let line = line();
        let mut request = Job::new(session.clone(), Arc::<[u8]>::from(data)).user(ticket.clone());
        if let Some(signature) = signature {
            request.set_signature(signature.to_vec());
        }
        let mut locked = lock(&line);
        let keys = &mut locked.keys;
        let waiting = &mut keys.waiting[kind as usize];
        waiting.push(request);
        if waiting.len() >= BATCH {
            keys.run(kind);
        }
        drop(locked);
        line
    });
    ticket.wait(&line, |line| line.keys.run(kind))
}
