//! Work whose buffers are borrowed for the length of one call.

use core::marker::PhantomData;

use super::Lanes;

/// One buffer's work whose buffers are borrowed: what [`Planner::process_each`](super::Planner) takes.
///
/// Where a job carries buffers and comes back, a loan only points to what its maker has, so making one
/// costs next to nothing. It is made for the lanes that will do the work:
/// [`digest`](Loan::digest) and [`hmac`](Loan::hmac), [`encrypt`](Loan::encrypt),
/// [`decrypt`](Loan::decrypt) for CBC, [`ctr`](Loan::ctr) and [`ctr32`](Loan::ctr32),
/// [`seal`](Loan::seal) and [`open`](Loan::open) for GCM, [`gmac`](Loan::gmac), [`cmac`](Loan::cmac),
/// [`des_cbc_encrypt`](Loan::des_cbc_encrypt), [`des_ctr`](Loan::des_ctr) and their like,
/// [`chacha20`](Loan::chacha20), [`chacha_seal`](Loan::chacha_seal), [`chacha_open`](Loan::chacha_open),
/// [`f8`](Loan::f8) and [`f9`](Loan::f9) for KASUMI; those that write to
/// their buffer also with `_to`, for results that go elsewhere.
pub struct Loan<'a, L: Lanes> {
    pub(crate) task: L::Task,
    /// Steps of the kernel that it will keep a lane for.
    pub(crate) cost: usize,
    borrowed: PhantomData<&'a mut [u8]>,
}

impl<L: Lanes> Loan<'_, L> {
    /// What the task points to must be borrowed for the loan's lifetime.
    #[inline(always)]
    pub(crate) fn new(task: L::Task, cost: usize) -> Self {
        Loan { task, cost, borrowed: PhantomData }
    }
}
