//! Work on buffers that are borrowed for one call.

use core::marker::PhantomData;

use super::Lanes;

/// One buffer's work whose buffers are borrowed: what [`Planner::process_each`](super::Planner)
/// takes.
///
/// A job carries buffers and comes back. A loan only points to its maker's buffers, so making one
/// costs almost nothing. It is made for the lanes that will do the work: [`digest`](Loan::digest)
/// and [`hmac`](Loan::hmac); [`encrypt`](Loan::encrypt) and [`decrypt`](Loan::decrypt) for CBC,
/// [`ctr`](Loan::ctr) and [`ctr32`](Loan::ctr32), [`cfb_encrypt`](Loan::cfb_encrypt),
/// [`ecb_encrypt`](Loan::ecb_encrypt), [`xts_encrypt`](Loan::xts_encrypt),
/// [`des_cbc_encrypt`](Loan::des_cbc_encrypt) and their like; [`chacha20`](Loan::chacha20);
/// [`f8`](Loan::f8) and [`f9`](Loan::f9) for KASUMI; [`gmac`](Loan::gmac), [`cmac`](Loan::cmac),
/// [`xcbc`](Loan::xcbc);
/// and `seal` and `open` for the lanes of each mode that has them, as `Loan::<GcmLanes>::seal`.
/// Constructors that write take [`Buffers`](crate::Buffers): one buffer in place, or two apart. The
/// lanes of public keys, in `broadloom-public-key`, make their loans themselves.
///
/// ```
/// use broadloom_lanes::{Cpu, HashLanes, Loan, Planner, Sha256};
///
/// let messages = [&b"one"[..], b"two", b"a longer one"];
/// let mut digests = [[0; 32]; 3];
/// let mut planner = Planner::<HashLanes<Sha256>>::new(&Cpu::detect());
/// let loans = messages.iter().zip(&mut digests).map(|(data, digest)| Loan::digest(data, digest));
/// planner.process_each(loans);
/// assert_ne!(digests[0], digests[1]);
/// ```
pub struct Loan<'a, L: Lanes> {
    pub(crate) task: L::Task,
    /// Steps of the kernel that it will keep a lane for.
    pub(crate) cost: usize,
    borrowed: PhantomData<&'a mut [u8]>,
}

impl<L: Lanes> Loan<'_, L> {
    /// Makes a loan of a task. Everything that the task points to must be borrowed for its
    /// lifetime.
    #[inline(always)]
    pub(crate) fn new(task: L::Task, cost: usize) -> Self {
        Loan { task, cost, borrowed: PhantomData }
    }

    /// Makes a loan of a task of another crate of kernels.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it, for the loan's lifetime.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn of(task: L::Task, cost: usize) -> Self {
        Loan::new(task, cost)
    }
}
