//! A batch: jobs of any algorithms in the memory of a stream, and where their results will be.
//!
//! Input is laid out in pieces that begin at multiples of 64 bytes: keys, once for each session;
//! nonces, associated data and texts, padded as their algorithms have it; and then the tasks of
//! each kernel. Output is ciphered texts, tags and signatures. Intermediate results of SLH-DSA are
//! in the device's memory alone. Memory of the host that is not in use is zero.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use broadloom_engine::provider::{Occupancy, Operation};
use broadloom_engine::{DeviceFault, JobError};
use broadloom_lanes::Cpu;
use broadloom_schemes::rsa::RsaHost;
use zeroize::Zeroize;

use crate::cl::{ClError, Flight, GROUP, Launch, Stream};
use crate::device::{Device, Slot};
use crate::faults::Fate;
use crate::kernels::{KERNELS, KernelId};
use crate::lower::{ALIGNMENT, Entry, Needs, Room, TASK, Task, aligned, needs};
use crate::residency::{Region, Residents};
use crate::session::{GpuSession, GpuWork};
use crate::signal::Signal;
use crate::slh_dsa::MessageHasher;

/// What the host does of jobs with public keys: numbers of RSA, and hashes of messages for SLH-DSA.
pub(crate) struct Host {
    rsa: RsaHost,
    messages: MessageHasher,
}

impl Host {
    pub fn new(cpu: &Cpu) -> Host {
        Host { rsa: RsaHost::new(cpu), messages: MessageHasher::new(cpu) }
    }
}

pub(crate) struct Batch {
    slot: Slot,
    input_used: usize,
    output_used: usize,
    scratch_used: usize,
    /// The most bytes of intermediate results, except for a job that needs more by itself.
    most_scratch: usize,
    tasks: [Vec<Task>; KERNELS],
    keys: HashMap<u64, u32>,
    jobs: Vec<Entry>,
    /// When the first job came.
    pub began: Instant,
    occupancy: Occupancy,
    uploaded: usize,
    /// What its jobs read that stays on the device.
    regions: Vec<Arc<Region>>,
}

/// What became of an attempt to add a job.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Added {
    Yes,
    /// So many bytes are needed.
    NoRoom(usize),
    /// The session is another provider's.
    NotOurs,
    /// The job fails, and does not go to the device.
    Fails(JobError),
}

impl Batch {
    pub fn new(slot: Slot, device: &Device) -> Self {
        Batch {
            slot,
            input_used: 0,
            output_used: 0,
            scratch_used: 0,
            most_scratch: device.most_scratch(),
            tasks: [const { Vec::new() }; KERNELS],
            keys: HashMap::new(),
            jobs: Vec::new(),
            began: Instant::now(),
            occupancy: Occupancy::default(),
            uploaded: 0,
            regions: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    pub fn jobs(&self) -> &[Entry] {
        &self.jobs
    }

    /// Nobody waits for a job any more. Whether it is one of this batch.
    pub fn abandon(&mut self, ticket: u64) -> bool {
        let own = self.jobs.iter_mut().find(|entry| entry.ticket == ticket && !entry.abandoned);
        own.map(|entry| entry.abandoned = true).is_some()
    }

    /// Adds a job, if there is room.
    pub fn add(
        &mut self,
        ticket: u64,
        operation: &mut Operation<'_>,
        host: &mut Host,
        residents: &Residents,
    ) -> Added {
        if let Some(parts) = operation.public_key::<GpuSession>() {
            let session = parts.session;
            return match &session.work {
                GpuWork::Rsa(rsa) => {
                    let needed = rsa.needs(&session.key);
                    self.add_with(ticket, session, needed.into(), |room, key, entry| {
                        rsa.lower(room, &mut host.rsa, &parts, key, entry)
                    })
                }
                GpuWork::Ed25519(own) => {
                    let needed = own.needs(&session.key, parts.input);
                    self.add_with(ticket, session, needed.into(), |room, key, entry| {
                        own.lower(room, &parts, key, entry)
                    })
                }
                GpuWork::SlhDsa(own) => {
                    let needed = own.needs(&session.key);
                    self.add_with(ticket, session, needed, |room, key, entry| {
                        own.lower(room, &mut host.messages, &parts, key, entry)
                    })
                }
                _ => Added::NotOurs,
            };
        }
        let Some(parts) = operation.parts::<GpuSession>() else { return Added::NotOurs };
        // Kernels read words of 64 bits at most.
        let found = match parts.session.work {
            GpuWork::Hash(_) => residents.find(parts.text.input()).filter(|(_, at)| at % 8 == 0),
            _ => None,
        };
        let place = found.as_ref().map(|(_, at)| *at);
        let needed = needs(parts.session, &parts, place).into();
        let added = self.add_with(ticket, parts.session, needed, |room, key, entry| {
            room.lower(parts.session, &parts, place, key, entry);
            Ok(())
        });
        if let Some((region, _)) = found
            && added == Added::Yes
            && !self.regions.iter().any(|known| Arc::ptr_eq(known, &region))
        {
            self.regions.push(region);
        }
        added
    }

    /// Adds a job with such needs, if there is room.
    fn add_with(
        &mut self,
        ticket: u64,
        session: &GpuSession,
        Needs { bytes: needed, scratch }: Needs,
        lower: impl FnOnce(&mut Room<'_>, u32, &mut Entry) -> Result<(), JobError>,
    ) -> Added {
        let tasks: usize = self.tasks.iter().map(|tasks| tasks.len() * 4 * TASK).sum();
        let Some(stream) = &mut self.slot.stream else { return Added::NoRoom(needed) };
        let (input, output) = stream.capacity();
        if self.input_used + tasks + needed > input || self.output_used + needed > output {
            return Added::NoRoom(needed);
        }
        if self.scratch_used + scratch > self.most_scratch && !self.jobs.is_empty() {
            return Added::NoRoom(needed);
        }
        if self.jobs.is_empty() {
            self.began = Instant::now();
        }
        let mut room = Room {
            input: stream.input(),
            input_used: &mut self.input_used,
            output_used: &mut self.output_used,
            scratch_used: &mut self.scratch_used,
            tasks: &mut self.tasks,
        };
        let before = (*room.input_used, *room.output_used, *room.scratch_used);
        let known = self.keys.get(&session.id).copied();
        let key = known.unwrap_or_else(|| room.put_words(&session.key));
        let mut entry =
            Entry { ticket, text: 0, text_len: 0, tag: 0, has_tag: false, abandoned: false };
        match lower(&mut room, key, &mut entry) {
            Ok(()) => {
                self.keys.insert(session.id, key);
                self.jobs.push(entry);
                Added::Yes
            }
            Err(error) => {
                room.input[before.0..*room.input_used].zeroize();
                (*room.input_used, *room.output_used, *room.scratch_used) = before;
                Added::Fails(error)
            }
        }
    }

    /// Gives the batch a larger stream.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn grow(&mut self, device: &Device, bytes: usize) -> Result<(), ClError> {
        self.slot.stream = Some(device.stream(bytes)?);
        Ok(())
    }

    /// Hands it to the device.
    ///
    /// # Errors
    /// The device cannot: what its jobs are told.
    pub fn launch(&mut self, device: &Device, signal: &Arc<Signal>) -> Result<Flight, DeviceFault> {
        let refused = |error: ClError| match error.code {
            -4 | -6 => {
                device.counters.change(|counts| counts.out_of_memory += 1);
                DeviceFault::OutOfMemory
            }
            _ => {
                device.counters.change(|counts| counts.losses += 1);
                device.lose();
                DeviceFault::Removed
            }
        };
        let injected = |code| ClError { call: "a fault on request", code, detail: String::new() };
        if device.is_lost() {
            return Err(DeviceFault::Removed);
        }
        let gate = match device.fates.next() {
            Fate::Good => None,
            Fate::Hangs => Some(device.gate().map_err(refused)?),
            Fate::Lost => return Err(refused(injected(-2))),
            Fate::OutOfMemory => return Err(refused(injected(-4))),
        };
        // Sessions without a key and texts of no bytes may need no input.
        self.input_used = self.input_used.max(ALIGNMENT);
        let mut places = [(0, 0, 0); KERNELS];
        for kernel in KernelId::ALL {
            let tasks = &mut self.tasks[kernel as usize];
            if tasks.is_empty() {
                continue;
            }
            self.slot.prepare(device, kernel).map_err(refused)?;
            // Work items of a group wait for the longest of them.
            tasks.sort_unstable_by_key(|task| std::cmp::Reverse(cost(kernel, task)));
            let items = match kernel.is_wide() {
                true => spread(tasks, &mut self.occupancy),
                false => one_each(kernel, tasks, &mut self.occupancy),
            };
            places[kernel as usize] = ((self.input_used / 4) as u32, tasks.len() as u32, items);
            let Some(stream) = &mut self.slot.stream else { return Err(DeviceFault::Removed) };
            let input = &mut stream.input()[self.input_used..];
            for (place, word) in input.chunks_exact_mut(4).zip(tasks.as_flattened()) {
                place.copy_from_slice(&word.to_ne_bytes());
            }
            self.input_used += aligned(tasks.len() * 4 * TASK);
        }
        // Texts of no bytes may need no output, and copies of no bytes are refused.
        self.output_used = self.output_used.max(ALIGNMENT);
        self.uploaded = self.input_used;
        let Some(mut stream) = self.slot.stream.take() else { return Err(DeviceFault::Removed) };
        if let Err(error) = stream.reserve(self.scratch_used) {
            self.slot.stream = Some(stream);
            return Err(refused(error));
        }
        let shared = device.residents.shared();
        let launches: Vec<_> = KernelId::ALL
            .into_iter()
            .filter_map(|kernel| {
                let (tasks, count, items) = places[kernel as usize];
                let kernel = self.slot.kernel(kernel).filter(|_| count > 0)?;
                Some(Launch { kernel, tasks, count, items, shared: shared.as_deref() })
            })
            .collect();
        let output = self.output_used;
        let launched = stream.launch(self.input_used, &launches, output, gate, signal);
        launched.map_err(|(stream, error)| {
            self.slot.stream = Some(stream);
            refused(error)
        })
    }

    /// The stream is back.
    pub fn land(&mut self, stream: Box<Stream>) {
        self.slot.stream = Some(stream);
    }

    /// Bytes that went to the device and came back, and how busy work items were.
    pub fn figures(&self) -> (usize, usize, Occupancy) {
        (self.uploaded, self.output_used, self.occupancy)
    }

    /// Brings the results of a job to its operation.
    pub fn finish(&mut self, entry: &Entry, operation: &mut Operation<'_>, host: &mut Host) {
        let Some(stream) = &mut self.slot.stream else {
            return operation.complete(Err(JobError::NotDone));
        };
        let output = stream.output();
        let made = &output[entry.text..entry.text + entry.text_len];
        if let Some(parts) = operation.public_key::<GpuSession>() {
            let done = match &parts.session.work {
                GpuWork::Rsa(rsa) => rsa.result(&mut host.rsa, parts, made),
                GpuWork::Ed25519(own) => own.result(parts, made),
                GpuWork::SlhDsa(own) => own.result(parts, made),
                _ => Err(JobError::NotDone),
            };
            return operation.complete_with_output(done);
        }
        let Some(parts) = operation.parts::<GpuSession>() else {
            return operation.complete(Err(JobError::NotDone));
        };
        if !made.is_empty()
            && let Some(text) = parts.text.into_output()
        {
            text.copy_from_slice(made);
        }
        let tag = &output[entry.tag..];
        if parts.checks_tag {
            return operation.complete_with_mac(tag);
        }
        if entry.has_tag {
            parts.tag[..parts.tag_len].copy_from_slice(&tag[..parts.tag_len]);
        }
        operation.complete(Ok(()));
    }

    /// Makes it ready for other jobs: all that was in the host's memory is wiped.
    pub fn reset(&mut self, device: &Device) {
        if let Some(stream) = &mut self.slot.stream {
            stream.input()[..self.input_used].zeroize();
            stream.output()[..self.output_used].zeroize();
            stream.release(self.most_scratch);
            if stream.capacity().0 > device.options.batch {
                self.slot.stream = None;
            }
        }
        (self.input_used, self.output_used, self.uploaded) = (0, 0, 0);
        self.scratch_used = 0;
        self.tasks.iter_mut().for_each(Vec::clear);
        self.keys.clear();
        self.jobs.clear();
        self.regions.clear();
        self.occupancy = Occupancy::default();
    }

    /// The slot of a batch that is not needed any more.
    pub fn into_slot(self) -> Slot {
        self.slot
    }
}

/// Counts how busy work items are that have a task each: a group waits for its longest task.
/// Returns the number of items.
fn one_each(kernel: KernelId, tasks: &[Task], occupancy: &mut Occupancy) -> usize {
    for group in tasks.chunks(GROUP) {
        let steps = |task| 1 + u64::from(cost(kernel, task));
        occupancy.used += group.iter().map(steps).sum::<u64>();
        occupancy.offered += steps(&group[0]) * GROUP as u64;
    }
    tasks.len()
}

/// Gives each wide task groups of its own, and writes the first group's number into the task.
/// Returns the number of items.
fn spread(tasks: &mut [Task], occupancy: &mut Occupancy) -> usize {
    let mut groups = 0;
    for [first, items, ..] in &mut *tasks {
        *first = groups;
        groups += items.div_ceil(GROUP as u32);
        occupancy.used += u64::from(*items);
    }
    let items = groups as usize * GROUP;
    occupancy.offered += items as u64;
    items
}

/// Estimates how long a task takes, compared with other tasks of its kernel.
fn cost(kernel: KernelId, task: &Task) -> u32 {
    use KernelId::*;
    match kernel {
        AesCtr => task[1].div_ceil(32) * (task[8] & 255),
        GcmTag => task[1].div_ceil(16) + task[11].div_ceil(16),
        Poly1305 => task[1].div_ceil(16) + task[9].div_ceil(16),
        ChaCha20 => task[1].div_ceil(64),
        Sha1 | Sha256 | Sha512 | Keccak => task[1],
        // A block of the message is little beside multiplying a point.
        Ed25519Sign => 256 + task[2],
        // All numbers of a kernel have the same length.
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_tasks_get_groups_of_their_own() {
        let mut tasks = [1, 32, 33, 64, 7].map(|items| {
            let mut task = Task::default();
            task[1] = items;
            task
        });
        let mut occupancy = Occupancy::default();
        let items = spread(&mut tasks, &mut occupancy);
        assert_eq!(tasks.map(|task| task[0]), [0, 1, 2, 4, 6]);
        assert_eq!(items, 7 * GROUP);
        assert_eq!((occupancy.used, occupancy.offered), (137, 224));
    }
}
