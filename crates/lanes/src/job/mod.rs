//! Jobs of all modes.
//!
//! A *mode* is a task without its buffers: a key, a nonce, a direction. Each mode is described
//! beside its scheduler. A job and a [`Loan`](crate::Loan) make their tasks from the same
//! description.

mod aead;
mod cipher;
mod mac;

pub use aead::{Aead, AeadJob, Parts, TagError};
pub use cipher::{Cipher, CipherJob};
pub use mac::{Mac, MacJob};

use crate::manager::{Job, Lanes, Ticket};

/// One buffer to be processed, by any manager.
///
/// Its forms are [`CipherJob`], [`AeadJob`], [`MacJob`], [`HashJob`](crate::HashJob) and
/// [`ChainJob`](crate::ChainJob), and each mode has a name for its own:
///
/// - hashes and HMAC: [`HashJob`](crate::HashJob);
/// - ciphers: [`CbcJob`](crate::CbcJob), [`CtrJob`](crate::CtrJob), [`EcbJob`](crate::EcbJob),
///   [`CfbJob`](crate::CfbJob), [`OfbJob`](crate::OfbJob), [`XtsJob`](crate::XtsJob),
///   [`ChaChaJob`](crate::ChaChaJob), [`DesJob`](crate::DesJob), [`F8Job`](crate::F8Job), and
///   [`Rc4Job`](crate::Rc4Job);
/// - sealing and opening: [`GcmJob`](crate::GcmJob), [`CcmJob`](crate::CcmJob),
///   [`ChaChaPolyJob`](crate::ChaChaPolyJob), [`XChaChaPolyJob`](crate::XChaChaPolyJob);
/// - a cipher and a MAC: [`ChainJob`](crate::ChainJob);
/// - authentication alone: [`GmacJob`](crate::GmacJob), [`CmacJob`](crate::CmacJob),
///   [`F9Job`](crate::F9Job).
///
/// `W` is what is done with which buffers; `T` is whatever the caller wants to come back with them.
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, CtrJob, OutOfOrder};
///
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let mut manager = OutOfOrder::new(&Cpu::detect(), 64);
/// // The job is moved into the manager: nobody can touch its buffer meanwhile.
/// let back = manager.submit(CtrJob::ctr(&key, [1; 16], vec![0; 40], "packet 7").by(1000));
/// let job = back.or_else(|| manager.flush()).expect("one was submitted");
/// assert!(job.is_complete());
/// let (ciphertext, name) = job.into_parts();
/// assert_eq!((ciphertext.len(), name), (40, "packet 7"));
/// ```
pub struct PacketJob<W, T = ()> {
    pub(crate) work: W,
    pub(crate) user: T,
    ticket: Ticket,
}

/// The work of a job.
///
/// # Safety
/// [`task`](Work::task) returns a task that is good, as [`Lanes::Task`] defines it, as long as the
/// value is neither moved, nor borrowed, nor dropped.
pub unsafe trait Work {
    /// The scheduler of such work.
    type Lanes: Lanes;

    /// Returns the work as the scheduler sees it.
    fn task(&mut self) -> <Self::Lanes as Lanes>::Task;

    /// Returns the steps of the kernel that it will keep a lane for.
    fn cost(&self) -> usize;

    /// Ends it, now that its task is over.
    fn finish(&mut self) {}
}

impl<W: Work, T> PacketJob<W, T> {
    pub(crate) fn new(work: W, user: T) -> Self {
        PacketJob { work, user, ticket: Ticket::default() }
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
unsafe impl<W: Work, T> Job for PacketJob<W, T> {
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
