//! Jobs that authenticate data.

use super::{PacketJob, Work};
use crate::buffer::Input;
use crate::manager::{Lanes, Loan};
use crate::wiped::Wiped;

/// A mode of authentication: all of a task but where its data are, and where its tag goes.
///
/// # Safety
/// If the data and the tag are valid until a task is reported done, the task made of them is good,
/// as [`Lanes::Task`] defines it, as long as the mode stays where it is.
pub unsafe trait Mac {
    /// The scheduler of such tasks.
    type Lanes: Lanes;

    /// An array of bytes.
    type Tag: AsRef<[u8]> + AsMut<[u8]> + Copy + Default;

    /// Returns the task for data, of a length that the mode was made for, and a tag.
    fn task(&self, data: (*const u8, usize), tag: *mut Self::Tag) -> <Self::Lanes as Lanes>::Task;

    /// Returns the steps of the kernel that so many bytes of data will keep a lane for.
    fn cost(&self, len: usize) -> usize;

    /// Returns a loan of data and of room for a tag, whose lifetime must be one for which all are
    /// borrowed, the mode's key among them.
    #[inline(always)]
    fn lend<'a>(&self, data: &'a [u8], tag: &'a mut Self::Tag) -> Loan<'a, Self::Lanes> {
        Loan::new(self.task((data.as_ptr(), data.len()), tag), self.cost(data.len()))
    }
}

/// Data to be authenticated.
///
/// `M` is the mode, `D` the data, owned or borrowed ([`Input`]). The job only computes the tag. A
/// receiver must compare it with the tag of the message in constant time.
///
/// ```
/// use broadloom_lanes::{CmacJob, CmacKey, Cpu, Planner};
///
/// let key = CmacKey::new(&[7; 16]).expect("16 bytes");
/// let mut jobs = [CmacJob::cmac(&key, b"one", 1), CmacJob::cmac(&key, b"two", 2)];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), jobs[1].output());
/// ```
pub type MacJob<M, D, T = ()> = PacketJob<MacWork<M, D>, T>;

/// Data, and the mode that they are authenticated in.
pub struct MacWork<M: Mac, D> {
    mode: M,
    data: D,
    tag: Wiped<M::Tag>,
}

// SAFETY: `bytes` gives one slice as long as the job is not touched (the contract of `Input`), and
// mode and tag are in the job itself; so the task is good.
unsafe impl<M: Mac, D: Input> Work for MacWork<M, D> {
    type Lanes = M::Lanes;

    #[inline(always)]
    fn task(&mut self) -> <M::Lanes as Lanes>::Task {
        let data = self.data.bytes();
        self.mode.task((data.as_ptr(), data.len()), &raw mut *self.tag)
    }

    #[inline(always)]
    fn cost(&self) -> usize {
        self.mode.cost(self.data.bytes().len())
    }
}

impl<M: Mac, D: Input, T> MacJob<M, D, T> {
    /// Returns a job for data of a length that the mode was made for.
    pub(crate) fn mac(mode: M, data: D, user: T) -> Self {
        PacketJob::new(MacWork { mode, data, tag: Wiped::new(M::Tag::default()) }, user)
    }

    /// Returns the tag, the whole of it; `None` until the job is complete.
    pub fn output(&self) -> Option<&M::Tag> {
        self.is_complete().then_some(&*self.work.tag)
    }

    /// Returns the data and the caller's value. The tag is wiped.
    pub fn into_parts(self) -> (D, T) {
        (self.work.data, self.user)
    }
}
