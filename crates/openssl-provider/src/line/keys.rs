//! Operations with private and public keys, which meet in a queue pair.

use std::slice;
use std::sync::Arc;

use broadloom::error::JobError;
use broadloom::queue::QueueConfig;
use broadloom::{Job, Processor, QueuePair, Session};
use zeroize::Zeroizing;

use super::choice::{Choices, thread_time};
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
    /// With keys on P-256, P-384, P-521 and secp256k1.
    Ec,
    /// With keys of KEMs, and to make them.
    Kem,
    /// With keys of SLH-DSA.
    SlhDsa,
    /// With keys of ML-DSA, and to make them.
    MlDsa,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] =
        [Kind::Rsa, Kind::Curve25519, Kind::Ec, Kind::Kem, Kind::SlhDsa, Kind::MlDsa];
}

type Request = Job<'static, Arc<Ticket<Answer>>>;

/// Requests with keys that wait.
pub(super) struct Keys {
    pair: QueuePair<'static, Request>,
    /// Those of each kind.
    waiting: [Vec<Request>; Kind::ALL.len()],
    /// Whether those of each kind met others lately.
    company: [Company; Kind::ALL.len()],
    choices: Choices,
    complete: Vec<Request>,
    /// For operations that do not wait.
    processor: Processor,
}

/// Says whether a request is worth a turn of the program, by what became of the requests before: a
/// request that finds too few others has waited for nothing.
#[derive(Debug, Clone, Copy, Default)]
struct Company {
    /// Waits in a row that found too few.
    in_vain: u32,
    /// Requests that do not wait before the next one does.
    left_out: u32,
}

/// After so many waits in vain in a row, the next requests that do not wait are twice as many no
/// more.
const MOST_IN_VAIN: u32 = 6;

impl Company {
    /// Returns `true` if a request that would be the first to wait is to wait.
    fn is_expected(&mut self) -> bool {
        let is_expected = self.left_out == 0;
        self.left_out = self.left_out.saturating_sub(1);
        is_expected
    }

    /// Takes note of a wait.
    fn saw(&mut self, is_enough: bool) {
        self.in_vain = if is_enough { 0 } else { (self.in_vain + 1).min(MOST_IN_VAIN) };
        self.left_out = (1 << self.in_vain) - 1;
    }
}

/// So many requests fill the lanes of every instruction set more than once.
const BATCH: usize = 16;

impl Default for Keys {
    fn default() -> Self {
        let config = QueueConfig { batch: Some(BATCH), ..QueueConfig::default() };
        Keys {
            pair: QueuePair::new(config),
            waiting: Kind::ALL.map(|_| Vec::new()),
            company: Kind::ALL.map(|_| Company::default()),
            choices: Choices::default(),
            complete: Vec::new(),
            processor: Processor::new(),
        }
    }
}

impl Keys {
    /// Takes the requests of a kind through the lanes, or sends them back where they are too few.
    fn run(&mut self, kind: Kind) {
        let waiting = &mut self.waiting[kind as usize];
        if waiting.is_empty() {
            return;
        }
        let is_enough = waiting.len() >= settings::least_batch();
        self.company[kind as usize].saw(is_enough);
        if !is_enough {
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

/// Returns `true` if a request of a kind may wait for others, and gains by it: inside of a job, if
/// that costs the thread less, while requests wait, or met others lately. Now and then it is tried
/// again.
pub fn is_worth_asking(kind: Kind) -> bool {
    job::can_wait() && {
        let line = line();
        let keys = &mut lock(&line).keys;
        (!settings::measures() || keys.choices.waits(kind, thread_time))
            && (!keys.waiting[kind as usize].is_empty()
                || keys.company[kind as usize].is_expected())
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

/// Does an operation in lanes at once, without others: for data, and for the signature that is to
/// be checked, if any.
///
/// # Errors
/// Those of the engine: above all a key or a signature that is wrong.
pub fn alone(
    session: &Session,
    data: &[u8],
    signature: Option<&[u8]>,
) -> Result<Zeroizing<Vec<u8>>, JobError> {
    with_room(|| {
        let mut request = Job::new(session.clone(), data);
        if let Some(signature) = signature {
            request.set_signature(signature);
        }
        lock(&line()).keys.processor.process_many(slice::from_mut(&mut request));
        let status = request.status().unwrap_or(Err(JobError::NotDone));
        status.map(|()| Zeroizing::new(request.take_output()))
    })
}

#[cfg(test)]
mod tests {
    use super::Company;

    /// How many requests in a row do not wait.
    fn left_out(company: &mut Company) -> usize {
        (0..).take_while(|_| !company.is_expected()).count()
    }

    #[test]
    fn requests_that_find_no_company_wait_more_and_more_rarely() {
        let mut company = Company::default();
        let waits = [0, 1, 3, 7, 15, 31, 63, 63, 63];
        for expected in waits {
            assert_eq!(left_out(&mut company), expected);
            company.saw(false);
        }
        assert_eq!(left_out(&mut company), 63);
        company.saw(true);
        assert!(company.is_expected() && company.is_expected(), "company came, and is expected");
        company.saw(false);
        assert_eq!(left_out(&mut company), 1);
    }
}
