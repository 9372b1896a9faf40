//! Jobs of all operations.
//!
//! A job and a [`Loan`](broadloom_lanes::Loan) make their tasks from the same description.

use broadloom_lanes::inside::{Ticket, Work};
use broadloom_lanes::{Job, Lanes};

/// One operation to be processed, by any manager.
///
/// Each operation has a name for its own:
///
/// - numbers: [`RsaJob`](crate::RsaJob); points of curves: [`CurveJob`](crate::CurveJob) and
///   [`BinaryCurveJob`](crate::BinaryCurveJob);
/// - signatures: [`SlhDsaSignJob`](crate::SlhDsaSignJob),
///   [`SlhDsaVerifyJob`](crate::SlhDsaVerifyJob), and keys for them,
///   [`SlhDsaKeyJob`](crate::SlhDsaKeyJob), and [`MlDsaSignJob`](crate::MlDsaSignJob),
///   [`MlDsaVerifyJob`](crate::MlDsaVerifyJob), [`MlDsaKeyJob`](crate::MlDsaKeyJob);
/// - secrets that two sides agree on: [`MlKemJob`](crate::MlKemJob).
///
/// `W` is what is done with which buffers; `T` is whatever the caller wants to come back with them.
///
/// ```
/// use broadloom_lanes::{Cpu, OutOfOrder};
/// use broadloom_public_key::{CurveJob, X25519Key};
///
/// let key = X25519Key::new(&[7; 32]);
/// let mut manager = OutOfOrder::new(&Cpu::detect(), 64);
/// // The job is moved into the manager: nobody can touch its buffer meanwhile.
/// let job = CurveJob::x25519(&key, vec![9; 32], "handshake 7")?.by(1000);
/// let job = manager.submit(job).or_else(|| manager.flush()).expect("one was submitted");
/// assert!(job.is_complete());
/// let (secret, name) = job.into_parts();
/// assert_eq!((secret.len(), name), (32, "handshake 7"));
/// # Ok::<(), broadloom_public_key::CurveInputError>(())
/// ```
pub struct PublicKeyJob<W, T = ()> {
    pub(crate) work: W,
    pub(crate) user: T,
    ticket: Ticket,
}

impl<W: Work, T> PublicKeyJob<W, T> {
    pub(crate) fn new(work: W, user: T) -> Self {
        PublicKeyJob { work, user, ticket: Ticket::default() }
    }

    /// Sets the time by which the job should be complete, in ticks of the caller's choosing: a
    /// manager's `flush_expired` completes jobs whose time has come. Without it, or with
    /// [`u64::MAX`], a job has all the time there is.
    pub fn by(mut self, ticks: u64) -> Self {
        self.ticket.deadline = ticks;
        self
    }

    /// Returns `true` if the job went through a manager to its end.
    pub fn is_complete(&self) -> bool {
        self.ticket.complete
    }

    /// Returns the caller's value.
    pub fn user(&self) -> &T {
        &self.user
    }
}

// SAFETY: the task is that of the work, whose contract is the same.
unsafe impl<W: Work, T> Job for PublicKeyJob<W, T> {
    type Lanes = W::Lanes;

    #[inline(always)]
    fn task(&mut self) -> <W::Lanes as Lanes>::Task {
        self.work.task()
    }

    #[inline(always)]
    fn cost(&self) -> usize {
        self.work.cost()
    }

    #[inline(always)]
    fn ticket(&mut self) -> &mut Ticket {
        &mut self.ticket
    }

    #[inline(always)]
    fn complete(&mut self) {
        self.ticket.complete = true;
        self.work.finish();
    }
}
