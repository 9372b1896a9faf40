//! Providers that hand their work to a device: what their queues are.

#[cfg(unix)]
use std::os::fd::BorrowedFd;
use std::time::Duration;

use crate::operation::Operation;

/// One thread's way to a device that works by itself: a ring of requests and a ring of responses.
///
/// The engine numbers what it submits by *tickets*, and keeps the operation where it is until its
/// response has come, or it gives up waiting. A device has nothing of the operation meanwhile: what
/// it needs is copied, or [lent](Operation::lend).
pub trait DeviceQueue: Send {
    /// Writes a request for an operation. `false` where the ring is full, and nothing was done:
    /// there is room again once a response was taken, or after a while. An operation that cannot be
    /// done for any other reason is taken, and has its response at once.
    fn submit(&mut self, ticket: u64, operation: &mut Operation<'_>) -> bool;

    /// Tells the device of all requests written so far.
    fn doorbell(&mut self);

    /// Takes a response from the ring, and says whose: [`finish`](DeviceQueue::finish) is called
    /// next, with that operation. Responses come in any order, one for each request: a device that
    /// may lose some answers for it after a time of its own.
    fn poll(&mut self) -> Option<u64>;

    /// Brings what a response says, and gives back what was lent, and completes the operation. Data
    /// that were not lent are written to only where it succeeds.
    fn finish(&mut self, ticket: u64, operation: &mut Operation<'_>);

    /// Waits until a response may be there, or for so long.
    fn wait(&mut self, timeout: Duration);

    /// Gives back what was lent, as it was: nobody waits for the response any more.
    fn abandon(&mut self, ticket: u64, operation: &mut Operation<'_>);

    /// A file descriptor that is readable when a response may be there, where the device
    /// interrupts.
    #[cfg(unix)]
    fn event(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}
