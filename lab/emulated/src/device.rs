//! The device: the state that its threads and its drivers share. Its threads start with the first
//! instance, so that a registry costs nothing until the device is used.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::clock::Clock;
use crate::cpu_time::CpuTimes;
use crate::doze::Doze;
use crate::interrupt::{Interrupts, Line};
use crate::options::{Delivery, Options};
use crate::prepared::Store;
use crate::ring::{request, response};
use crate::silicon;
use crate::slot::Slot;
use crate::statistics::{DeviceCounters, DriverCounters, Statistics};
use crate::timing::Model;

/// A device, which runs from its first instance on. When its last owner drops it, its threads end.
pub(crate) struct Running {
    pub device: Arc<Device>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

pub(crate) struct Device {
    pub options: Options,
    pub clock: Clock,
    /// `None`: responses are visible as soon as they are computed.
    pub model: Option<Mutex<Model>>,
    pub doze: Doze,
    pub counters: DeviceCounters,
    pub store: Option<Store>,
    /// Present where the device interrupts.
    pub interrupts: Option<Interrupts>,
    pub cpu_times: CpuTimes,
    /// Results are only prepared, and nothing is timed.
    pub preparing: AtomicBool,
    pub stopping: AtomicBool,
    /// How often it was reset.
    pub resets: AtomicU64,
    pub removed: AtomicBool,
    /// The counts of drivers that are gone, and of those that exist.
    drivers: Mutex<Drivers>,
    /// Changes with the instances that are open.
    pub version: AtomicU64,
}

#[derive(Default)]
struct Drivers {
    earlier: Statistics,
    open: Vec<Arc<Shared>>,
    opened: u64,
}

/// An instance, as far as the device and its driver share it.
pub(crate) struct Shared {
    /// How many instances were opened before it.
    pub number: u64,
    pub slots: Box<[Mutex<Slot>]>,
    pub port: Mutex<Port>,
    pub counters: DriverCounters,
    /// Where the device interrupts.
    pub line: Option<Arc<Line>>,
}

/// The device's ends of an instance's rings.
pub(crate) struct Port {
    pub requests: request::Reader,
    pub responses: response::Writer,
    /// Requests that were taken and not responded to yet: the response ring has room for them.
    pub taken: usize,
}

impl Running {
    pub(crate) fn new(options: Options) -> Running {
        let interrupts = (options.delivery == Delivery::Interrupt).then(Interrupts::default);
        let silicon = options.silicon;
        let threads = silicon + usize::from(interrupts.is_some());
        let device = Arc::new(Device {
            clock: Clock::start(),
            model: options.device.timing.as_ref().map(|timing| Mutex::new(Model::new(timing))),
            doze: Doze::new(silicon),
            counters: DeviceCounters::default(),
            store: (options.prepare > 0).then(|| Store::new(options.prepare)),
            interrupts,
            cpu_times: CpuTimes::new(threads),
            preparing: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            resets: AtomicU64::new(0),
            removed: AtomicBool::new(false),
            drivers: Mutex::default(),
            version: AtomicU64::new(0),
            options,
        });
        Running { device, threads: Mutex::default() }
    }

    /// Starts the threads, unless they run. What could not be started is tried again the next time.
    pub(crate) fn start(&self) -> std::io::Result<()> {
        let mut threads = self.threads();
        let silicon = self.device.options.silicon;
        for number in threads.len()..self.device.cpu_times.threads() {
            let device = Arc::clone(&self.device);
            let work = move || match number < silicon {
                true => silicon::run(&device, number),
                false => crate::interrupt::run(&device, number),
            };
            let thread = std::thread::Builder::new().name(format!("emulated-{number}"));
            threads.push(thread.spawn(work)?);
        }
        Ok(())
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time that the device's own threads have spent on the processor.
    pub(crate) fn silicon_cpu_time(&self) -> Duration {
        let running = self.threads().len();
        self.device.cpu_times.ask(running, || self.device.wake_all())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.device.stopping.store(true, SeqCst);
        self.device.wake_all();
        for thread in self.threads().drain(..) {
            // It catches the panics of others, and has none of its own to tell of.
            let _ = thread.join();
        }
    }
}

impl Device {
    fn drivers(&self) -> MutexGuard<'_, Drivers> {
        self.drivers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes all of its threads.
    fn wake_all(&self) {
        self.doze.wake_all();
        if let Some(interrupts) = &self.interrupts {
            interrupts.wake();
        }
    }

    /// Opens an instance: the driver's ends of its rings, and what both share. `None` where there
    /// are as many as there may be.
    pub(crate) fn connect(
        &self,
    ) -> std::io::Result<Option<(Arc<Shared>, request::Writer, response::Reader)>> {
        let ring = self.options.device.ring;
        let line = self.interrupts.as_ref().map(|_| Line::new()).transpose()?;
        let mut drivers = self.drivers();
        if drivers.open.len() == self.options.instances {
            return Ok(None);
        }
        let (writer, requests) = request::ring(ring);
        let (responses, reader) = response::ring(ring);
        let shared = Arc::new(Shared {
            number: drivers.opened,
            slots: (0..ring).map(|_| Mutex::new(Slot::new())).collect(),
            port: Mutex::new(Port { requests, responses, taken: 0 }),
            counters: DriverCounters::default(),
            line: line.map(Arc::new),
        });
        drivers.opened += 1;
        drivers.open.push(Arc::clone(&shared));
        self.version.fetch_add(1, Release);
        Ok(Some((shared, writer, reader)))
    }

    /// Closes an instance. Results that the device still computes for it are discarded.
    pub(crate) fn disconnect(&self, shared: &Arc<Shared>) {
        let mut drivers = self.drivers();
        drivers.open.retain(|open| !Arc::ptr_eq(open, shared));
        drivers.earlier.add(&shared.counters);
        self.version.fetch_add(1, Release);
        drop(drivers);
        // A thread that sleeps holds the instance's memory.
        self.doze.wake_all();
    }

    /// The instances that are open.
    pub(crate) fn instances(&self) -> Vec<Arc<Shared>> {
        self.drivers().open.clone()
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let drivers = self.drivers();
        let mut statistics = Statistics::of(&self.counters);
        statistics.add_earlier(&drivers.earlier);
        drivers.open.iter().for_each(|shared| statistics.add(&shared.counters));
        statistics
    }

    /// Forgets all that was at work: every driver fails what it has outstanding.
    pub(crate) fn reset(&self) {
        self.counters.resets.add(1);
        if let Some(model) = &self.model {
            model.lock().unwrap_or_else(PoisonError::into_inner).reset();
        }
        self.resets.fetch_add(1, Release);
        self.tell_all();
    }

    /// Goes away for good: every driver fails what it has outstanding, and whatever comes.
    pub(crate) fn remove(&self) {
        if !self.removed.swap(true, Release) {
            self.counters.removals.add(1);
            self.tell_all();
        }
    }

    fn tell_all(&self) {
        if self.interrupts.is_some() {
            self.instances()
                .iter()
                .filter_map(|shared| shared.line.as_ref())
                .for_each(|line| line.raise());
        }
    }

    /// Returns `true` if responses have times of their own, now.
    #[inline]
    pub(crate) fn is_timed(&self) -> bool {
        self.model.is_some() && !self.preparing.load(Relaxed)
    }
}

impl Shared {
    #[inline]
    pub(crate) fn port(&self) -> MutexGuard<'_, Port> {
        self.port.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
