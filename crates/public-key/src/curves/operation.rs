//! What operations on curves have in common, on their way from a job or a loan to a scheduler. The
//! curves over prime fields, and those over binary fields, have operations, keys and schedulers of
//! their own.

use core::mem;

use broadloom_lanes::inside::{Span, Work};
use broadloom_lanes::{Buffers, CipherBuffer, Lanes, Loan};

use super::error::{CurveError, CurveInputError};
use super::outcome::CurveOutcome;
use crate::job::PublicKeyJob;

/// An operation on a curve, and its keys.
///
/// # Safety
/// [`Unbound`](CurveOperation::Unbound) is the same type as `Self`, but for the lifetime of keys.
pub unsafe trait CurveOperation: Copy {
    /// The scheduler of such operations.
    type Lanes: Lanes<Task = CurveTask<Self::Unbound>>;
    /// The operation as a task has it, which says nothing about how long its keys live.
    type Unbound: Copy;

    /// Returns the number of bytes that the operation takes and makes.
    fn length(&self) -> usize;

    /// Returns about how many products in the field the operation takes.
    fn cost(&self) -> usize;

    /// Refuses input of another length than the operation takes.
    fn check(&self, given: usize) -> Result<(), CurveInputError> {
        let wanted = self.length();
        if given == wanted { Ok(()) } else { Err(CurveInputError { given, wanted }) }
    }

    /// Returns a loan of the operation on a buffer.
    fn lend<'a>(
        self,
        buffers: Buffers<'a>,
        outcome: &'a mut CurveOutcome,
    ) -> Result<Loan<'a, Self::Lanes>, CurveInputError> {
        let span = buffers.span();
        self.check(span.len)?;
        *outcome = CurveOutcome::default();
        // SAFETY: what the task points to is borrowed for the loan's lifetime, and the lengths were
        // checked; so the task is good.
        Ok(unsafe { Loan::of(CurveTask::new(self, span, outcome), self.cost()) })
    }
}

/// One operation, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if the keys of its operation are alive,
/// `span.src` is readable and `span.dst` writable for `span.len` bytes, as many as the operation
/// takes at least ([`CurveOperation::length`]), and `outcome` is writable.
#[derive(Clone, Copy)]
pub struct CurveTask<O> {
    operation: O,
    span: Span,
    outcome: *mut CurveOutcome,
}

impl<O: Copy> CurveTask<O> {
    fn new<B>(operation: B, span: Span, outcome: *mut CurveOutcome) -> Self
    where
        B: CurveOperation<Unbound = O>,
    {
        // SAFETY: only the lifetime differs, by the contract of `CurveOperation`, and the keys are
        // used no longer than the task is good.
        let operation = unsafe { mem::transmute_copy::<B, O>(&operation) };
        CurveTask { operation, span, outcome }
    }

    pub(crate) fn operation(&self) -> O {
        self.operation
    }

    /// Returns the bytes of the input from a place on.
    ///
    /// # Safety
    /// - The task is good, as [`Lanes::Task`] defines it.
    /// - Its input has `at + LEN` bytes.
    /// - The reference is not used after [`finish`](CurveTask::finish).
    pub(crate) unsafe fn input<const LEN: usize>(&self, at: usize) -> &[u8; LEN] {
        // SAFETY: `src` is readable for `at + LEN` bytes, by this function's contract, and nothing
        // writes to them as long as the reference is used.
        unsafe { &*self.span.src.add(at).cast() }
    }

    /// Returns `len` bytes of the input from a place on.
    ///
    /// # Safety
    /// - The task is good, as [`Lanes::Task`] defines it.
    /// - Its input has `at + len` bytes.
    /// - The reference is not used after [`finish`](CurveTask::finish).
    pub(crate) unsafe fn bytes(&self, at: usize, len: usize) -> &[u8] {
        // SAFETY: `src` is readable for `at + len` bytes, by this function's contract, and nothing
        // writes to them as long as the reference is used.
        unsafe { core::slice::from_raw_parts(self.span.src.add(at), len) }
    }

    /// Writes the result and zeros behind it; only zeros if there is no result.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`] defines it, and its input is not read any more.
    pub(crate) unsafe fn finish(&self, result: &[u8], is_right: bool) {
        let write = |output: &mut [u8]| output[..result.len()].copy_from_slice(result);
        // SAFETY: this function has the same contract.
        unsafe { self.finish_with(is_right, write) }
    }

    /// Lets `write` put the result into zeros; leaves only zeros if there is no result.
    ///
    /// # Safety
    /// The conditions of [`finish`](CurveTask::finish).
    pub(crate) unsafe fn finish_with(&self, is_right: bool, write: impl FnOnce(&mut [u8])) {
        let Span { dst, len, .. } = self.span;
        // SAFETY: the task is good, by this function's contract, so that `dst` is writable for
        // `len` bytes and `outcome` for a value; nothing else refers to them.
        unsafe {
            let output = core::slice::from_raw_parts_mut(dst, len);
            output.fill(0);
            if is_right {
                write(output);
            }
            *self.outcome = CurveOutcome { is_right };
        }
    }
}

/// A buffer, and what to do with it.
pub struct CurveWork<O, B> {
    buffer: B,
    operation: O,
    outcome: CurveOutcome,
}

impl<O: CurveOperation, B: CipherBuffer, T> PublicKeyJob<CurveWork<O, B>, T> {
    /// Makes a job of an operation on a buffer.
    pub(crate) fn on_curve(operation: O, buffer: B, user: T) -> Result<Self, CurveInputError> {
        operation.check(buffer.length())?;
        let outcome = CurveOutcome::default();
        Ok(PublicKeyJob::new(CurveWork { buffer, operation, outcome }, user))
    }

    /// Returns the result, as long as the input; `None` until the job is complete.
    ///
    /// # Errors
    /// [`CurveError`] if there is no result: the output is zeros.
    pub fn output(&self) -> Option<Result<&[u8], CurveError>> {
        let CurveWork { buffer, outcome, .. } = &self.work;
        self.is_complete().then(|| outcome.check().map(|()| buffer.output()))
    }

    /// Returns the buffer and the caller's value.
    pub fn into_parts(self) -> (B, T) {
        (self.work.buffer, self.user)
    }
}

// SAFETY: `pointers` gives the same buffers as long as the job is not touched (the contract of
// `CipherBuffer`), the keys are borrowed for the job's life, and the outcome is in the job itself;
// so the task is good.
unsafe impl<O: CurveOperation, B: CipherBuffer> Work for CurveWork<O, B> {
    type Lanes = O::Lanes;

    fn task(&mut self) -> CurveTask<O::Unbound> {
        CurveTask::new(self.operation, Span::of(&mut self.buffer), &raw mut self.outcome)
    }

    fn cost(&self) -> usize {
        self.operation.cost()
    }
}
