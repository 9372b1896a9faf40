//! The part of a queue pair that works with devices: jobs are started, and their ends come later.

#[cfg(unix)]
use std::os::fd::BorrowedFd;
use std::time::Duration;

use super::QueuePair;
use super::group::Group;
use crate::job::{Handle, Operated};
use crate::operation::Operation;
use crate::processor::Processor;

/// A job's number within its group is the lower part of its ticket.
const NUMBER: u32 = 48;

fn ticket(group: usize, number: u64) -> u64 {
    (group as u64) << NUMBER | number & ((1 << NUMBER) - 1)
}

/// What became of an attempt to start an operation at its device or provider.
enum Start {
    /// A device has it.
    Submitted,
    /// Its device has no room.
    NoRoom,
    /// No device was needed.
    Ended { failed: bool },
}

fn start(processor: &mut Processor, ticket: u64, operation: &mut Operation<'_>) -> Start {
    match processor.device(operation.acting()) {
        Some(device) => match device.submit(ticket, operation) {
            true => Start::Submitted,
            false => Start::NoRoom,
        },
        None => Start::Ended { failed: processor.run_open(operation) },
    }
}

impl<'a, H: Handle<'a>> QueuePair<'a, H> {
    /// Waits until a device may have a response, or for so long; not at all where no device has any
    /// job. [`dequeue`](QueuePair::dequeue) takes responses.
    pub fn wait(&mut self, timeout: Duration) {
        let has_jobs = |group: &Group<H>| {
            let remote = group.remote.as_ref();
            remote.is_some_and(|remote| remote.begun > group.complete + remote.ready.len())
        };
        if self.remote && self.groups.iter().any(has_jobs) {
            // With more than one device, each gets its turn.
            let devices = self.processor.devices().count().max(1) as u32;
            self.processor.devices().for_each(|device| device.wait(timeout / devices));
        }
    }

    /// Returns `true` if a device has jobs of which the end is not known yet.
    pub fn awaits_device(&self) -> bool {
        let awaits = |group: &Group<H>| group.remote.is_some() && group.complete < group.seen;
        self.remote && self.groups.iter().any(awaits)
    }

    /// The file descriptors that are readable when a device may have a response, of those devices
    /// that interrupt. [`dequeue`](QueuePair::dequeue) takes responses.
    #[cfg(unix)]
    pub fn device_events(&mut self) -> Vec<BorrowedFd<'_>> {
        self.processor.devices().filter_map(|device| device.event()).collect()
    }

    /// Gives jobs of a group to devices, as long as those have room, and rings their doorbells
    /// once.
    pub(crate) fn start(&mut self, index: usize) {
        self.processor.heed();
        let QueuePair { groups, processor, statistics, .. } = self;
        let group = &mut groups[index];
        let Some(remote) = &mut group.remote else { return };
        let mut submitted = false;
        loop {
            let number = match remote.ready.front() {
                Some(&number) => number,
                None if remote.begun < group.seen => {
                    let number = remote.base + remote.begun as u64;
                    let operation = group.jobs[remote.begun].operation();
                    let begun = operation.begin();
                    remote.begun += 1;
                    if !begun {
                        statistics.0.complete(1, 1);
                        processor.meter.count_one(operation);
                        continue;
                    }
                    remote.ready.push_back(number);
                    number
                }
                None => break,
            };
            let operation = group.jobs[remote.place(number)].operation();
            match start(processor, ticket(index, number), operation) {
                Start::Submitted => submitted = true,
                Start::NoRoom => break,
                Start::Ended { failed } => statistics.0.complete(1, usize::from(failed)),
            }
            remote.ready.pop_front();
        }
        if submitted {
            processor.devices().for_each(|device| device.doorbell());
        }
        statistics.0.fall_back(processor.take_fallbacks());
        self.advance(index);
    }

    /// Takes the responses that devices have, and gives them what they now have room for.
    pub(crate) fn collect(&mut self) {
        self.processor.heed();
        let QueuePair { groups, processor, statistics, .. } = self;
        let (devices, meter) = processor.devices_and_meter();
        for device in devices {
            while let Some(ticket) = device.poll() {
                let group = &mut groups[(ticket >> NUMBER) as usize];
                let Some(remote) = &mut group.remote else { continue };
                let number = ticket & ((1 << NUMBER) - 1);
                let operation = group.jobs[remote.place(number)].operation();
                device.finish(ticket, operation);
                if operation.go_on() {
                    remote.ready.push_back(number);
                } else {
                    let failed = operation.finish();
                    statistics.0.complete(1, usize::from(failed));
                    statistics.0.fall_back(usize::from(operation.fell_back.is_some()));
                    meter.count_one(operation);
                    meter.count_fallback(operation);
                }
            }
        }
        for index in 0..self.groups.len() {
            if self.groups[index].remote.is_some() {
                self.start(index);
            }
        }
    }

    /// Counts the jobs at the front that are complete.
    fn advance(&mut self, index: usize) {
        let group = &mut self.groups[index];
        let Some(remote) = &group.remote else { return };
        let before = group.complete;
        while group.complete < remote.begun
            && group.jobs[group.complete].operation().status().is_some()
        {
            group.complete += 1;
        }
        if group.complete > before {
            self.level.set(|| true);
        }
    }

    /// Has devices give back what they were lent, since nobody waits for them any more.
    pub(crate) fn abandon(&mut self) {
        let QueuePair { groups, processor, .. } = self;
        for (index, group) in groups.iter_mut().enumerate() {
            let Some(remote) = &group.remote else { continue };
            for place in group.complete..remote.begun {
                let number = remote.base + place as u64;
                let operation = group.jobs[place].operation();
                if operation.is_open()
                    && !remote.ready.contains(&number)
                    && let Some(device) = processor.device(operation.acting())
                {
                    device.abandon(ticket(index, number), operation);
                }
            }
        }
    }
}
