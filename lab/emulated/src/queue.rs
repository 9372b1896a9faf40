//! An instance as the engine drives it.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use broadloom_engine::JobError;
use broadloom_engine::provider::{DeviceQueue, Operation};

use crate::instance::{Arrival, Instance};
use crate::transfer;

pub(crate) struct EmulatedQueue {
    instance: Instance,
    /// The response that was polled last.
    polled: Option<Arrival>,
}

impl EmulatedQueue {
    pub(crate) fn new(instance: Instance) -> Self {
        EmulatedQueue { instance, polled: None }
    }
}

impl DeviceQueue for EmulatedQueue {
    fn submit(&mut self, ticket: u64, operation: &mut Operation<'_>) -> bool {
        let memory = self.instance.device().options.memory;
        self.instance.submit_with(ticket, |slot| transfer::load(slot, operation, memory))
    }

    fn doorbell(&mut self) {
        self.instance.doorbell();
    }

    fn poll(&mut self) -> Option<u64> {
        self.polled = self.instance.next();
        self.polled.map(|arrival| arrival.user)
    }

    fn finish(&mut self, ticket: u64, operation: &mut Operation<'_>) {
        let Some(arrival) = self.polled.take().filter(|arrival| arrival.user == ticket) else {
            operation.complete(Err(JobError::NotDone));
            return;
        };
        self.instance.finish(arrival, |slot, status| match slot {
            Some(slot) => transfer::unload(slot, operation, status),
            None => operation.complete(status),
        });
    }

    fn wait(&mut self, timeout: Duration) {
        self.instance.wait(timeout);
    }

    fn abandon(&mut self, ticket: u64, operation: &mut Operation<'_>) {
        self.instance.abandon(ticket, |slot| {
            if let Some(data) = slot.give_back(true) {
                operation.restore(data);
            }
            slot.end();
        });
    }

    fn event(&self) -> Option<BorrowedFd<'_>> {
        self.instance.event()
    }
}
