//! The device's own threads: they take requests from the rings, compute, and respond.

mod compress;
mod compute;

use std::sync::atomic::Ordering::*;
use std::sync::{Arc, PoisonError};

use arrayvec::ArrayVec;

use crate::device::{Device, Shared};
use crate::faults::Lost;
use crate::ring::Descriptor;
use crate::session::Kind;
use crate::slot::Taken;
use crate::timing::TimedRequest;
use compute::Computer;

/// Requests that are taken at a time, at most.
const WINDOW: usize = 64;

/// KiB that are taken at a time, but for the last request: so much work that results are not held
/// up.
const WINDOW_KIB: u32 = 64;

/// Looks at all rings, with a yield between, before a thread sleeps.
const PATIENCE: u32 = 100;

/// How long after the driver has given up a response that is late comes.
const LATE: u64 = 50_000;

/// One of the device's threads.
struct Thread<'d> {
    device: &'d Device,
    number: usize,
    instances: Vec<Arc<Shared>>,
    version: u64,
    computer: Computer,
}

/// The entries to write to the response ring.
type Responses = ArrayVec<Descriptor, WINDOW>;

/// Works until the device stops.
pub(crate) fn run(device: &Device, number: usize) {
    let _end = End { device, number };
    let version = u64::MAX;
    let computer = Computer::default();
    Thread { device, number, instances: Vec::new(), version, computer }.run();
}

/// The end of a thread.
struct End<'d> {
    device: &'d Device,
    number: usize,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Not a backend's panic, which is caught, but the device's own: no thread is left to
            // respond.
            self.device.remove();
        }
        self.device.cpu_times.answer_for_good(self.number);
    }
}

impl Thread<'_> {
    fn run(&mut self) {
        let mut idle = 0;
        while !self.device.stopping.load(Relaxed) {
            self.device.cpu_times.answer(self.number);
            self.refresh();
            if self.serve_all() {
                idle = 0;
            } else if idle < PATIENCE {
                idle += 1;
                std::thread::yield_now();
            } else {
                self.sleep();
                idle = 0;
            }
        }
    }

    /// Notes which instances are open.
    fn refresh(&mut self) {
        let version = self.device.version.load(Acquire);
        if version != self.version {
            self.version = version;
            self.instances = self.device.instances();
        }
    }

    fn sleep(&mut self) {
        let Thread { device, number, instances, version, .. } = self;
        device.doze.sleep(*number, || {
            device.stopping.load(SeqCst)
                || device.cpu_times.is_asked(*number)
                || device.version.load(Acquire) != *version
                || instances.iter().any(|shared| shared.port().requests.has_next())
        });
    }

    /// Takes a window of requests from each instance in turn, and says whether there was any.
    fn serve_all(&mut self) -> bool {
        let instances = std::mem::take(&mut self.instances);
        let busy = instances.iter().fold(false, |busy, shared| self.serve(shared) | busy);
        self.instances = instances;
        busy
    }

    fn serve(&mut self, shared: &Arc<Shared>) -> bool {
        let descriptors = take(shared);
        if descriptors.is_empty() {
            return false;
        }
        let mut window = ArrayVec::<Taken<'_>, WINDOW>::new();
        for descriptor in &descriptors {
            // Only where its driver is just taking the slot back, or has given it to another
            // request, does anyone else have it: neither wants this one any more.
            if let Ok(slot) = shared.slots[usize::from(descriptor.slot)].try_lock()
                && slot.generation == descriptor.generation
            {
                window.push(Taken { slot, descriptor: *descriptor, done: false });
            }
        }
        let counters = &self.device.counters;
        counters.requests.add(window.len() as u64);
        counters.stale.add((descriptors.len() - window.len()) as u64);
        self.computer.compute(self.device, &mut window);
        let responses = self.respond(&mut window);
        // The driver may look at a slot as soon as there is a response.
        drop(window);
        self.post(shared, descriptors.len(), &responses);
        true
    }

    /// The responses to computed requests, with their times.
    fn respond(&self, window: &mut [Taken<'_>]) -> Responses {
        let device = self.device;
        let mut model = match &device.model {
            Some(model) if device.is_timed() => {
                Some(model.lock().unwrap_or_else(PoisonError::into_inner))
            }
            _ => None,
        };
        let now = if model.is_some() { device.clock.now() } else { 0 };
        let (mut late, mut late_total, mut late_most) = (0, 0, 0);
        let mut slow = 0;
        let mut responses = Responses::new();
        for taken in window {
            let fate = taken.slot.fate;
            let Descriptor { time: arrival, .. } = taken.descriptor;
            let mut time = 0;
            if let Some(model) = &mut model {
                let bytes = taken.slot.input_len();
                let session = taken.slot.session();
                let (service, translated) = (session.kind.service(), session.translated);
                let cost = match session.kind {
                    // What was made of a part for want of room is not what engines had to do.
                    Kind::Compress if !taken.slot.result.full => {
                        model.cost_of_data(bytes, taken.slot.made().0.len())
                    }
                    _ => session.cost,
                };
                let slower = fate.slower;
                time = model.schedule(TimedRequest {
                    service,
                    arrival,
                    bytes,
                    cost,
                    slower,
                    translated,
                });
                slow += u64::from(fate.slower > 1);
                if now > time {
                    late += 1;
                    late_total += now - time;
                    late_most = late_most.max(now - time);
                }
            }
            match fate.lost {
                Some(Lost::Forever) => continue,
                Some(Lost::Late) => {
                    time = arrival + device.options.timeout.as_nanos() as u64 + LATE
                }
                None => {}
            }
            responses.push(Descriptor { time, ..taken.descriptor });
        }
        drop(model);
        let counters = &device.counters;
        counters.late.add(late);
        counters.late_total.add(late_total);
        if late > 0 {
            counters.late_most.raise_to(late_most);
        }
        counters.slow_engines.add(slow);
        responses
    }

    fn post(&self, shared: &Shared, taken: usize, responses: &Responses) {
        let mut port = shared.port();
        port.taken -= taken;
        responses.iter().for_each(|response| port.responses.write(*response));
        drop(port);
        if let (Some(interrupts), Some(line)) = (&self.device.interrupts, &shared.line) {
            if responses.iter().any(|response| response.time == 0) {
                line.raise();
            }
            let times = responses.iter().map(|response| response.time).filter(|time| *time > 0);
            if times.clone().next().is_some() {
                interrupts.at(times, line);
            }
        }
    }
}

/// Takes requests for whose responses there is room.
fn take(shared: &Shared) -> ArrayVec<Descriptor, WINDOW> {
    let mut descriptors = ArrayVec::new();
    let mut port = shared.port();
    if !port.requests.has_next() {
        return descriptors;
    }
    let room = port.taken + WINDOW;
    let room = port.responses.room(room).saturating_sub(port.taken).min(WINDOW);
    let mut kib = 0;
    while descriptors.len() < room && kib < WINDOW_KIB {
        let Some(descriptor) = port.requests.read() else { break };
        kib += u32::from(descriptor.size);
        descriptors.push(descriptor);
    }
    port.requests.release();
    port.taken += descriptors.len();
    descriptors
}
