//! The device that all threads share: its programs, its memory that is not in use, its faults.

use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use zeroize::Zeroize;

use crate::cl::{
    Api, ClError, Context, DeviceKind, Flight, Found, Kernel, Launch, Program, Shared, Stream,
    Times,
};
use crate::faults::Fates;
use crate::kernels::{KERNELS, KernelId, PROGRAMS, source};
use crate::options::{Options, Wanted};
use crate::residency::Residents;
use crate::signal::Signal;
use crate::statistics::Counters;

/// Memory for a batch's intermediate results, in multiples of the batch.
const SCRATCH: usize = 16;

pub(crate) struct Device {
    pub options: Options,
    pub found: Found,
    pub counters: Counters,
    pub fates: Fates,
    pub residents: Residents,
    /// It is gone, or hangs: nothing is given to it any more.
    lost: AtomicBool,
    programs: [OnceLock<Result<Program, ClError>>; PROGRAMS],
    /// Streams that no thread uses.
    idle: Mutex<Vec<Slot>>,
    /// Flights that nobody waits for any more.
    orphans: Mutex<Vec<(Slot, Flight)>>,
    context: Arc<Context>,
}

/// A stream, and kernels whose arguments are its own.
pub(crate) struct Slot {
    /// None while it is in a flight.
    pub stream: Option<Box<Stream>>,
    kernels: [Option<Kernel>; KERNELS],
}

impl Slot {
    fn new(stream: Box<Stream>) -> Slot {
        Slot { stream: Some(stream), kernels: [const { None }; KERNELS] }
    }

    /// A kernel; it is made where it is not there yet.
    ///
    /// # Errors
    /// Its program cannot be compiled.
    pub fn prepare(&mut self, device: &Device, kernel: KernelId) -> Result<(), ClError> {
        if self.kernels[kernel as usize].is_none() {
            let program = device.programs[kernel.program()]
                .get_or_init(|| device.context.program(&source(kernel.program())));
            let made = program.as_ref().map_err(Clone::clone)?.kernel(kernel.name())?;
            self.kernels[kernel as usize] = Some(made);
        }
        Ok(())
    }

    /// A kernel that is prepared.
    pub fn kernel(&self, kernel: KernelId) -> Option<&Kernel> {
        self.kernels[kernel as usize].as_ref()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// Finds the device that is wanted, and opens it.
    ///
    /// # Errors
    /// OpenCL is not installed, or has no such device.
    pub fn open(options: Options) -> Result<Device, String> {
        // A driver prepares itself when it is first asked. PoCL crashes where two threads ask.
        static OPENING: Mutex<()> = Mutex::new(());
        let _one_at_a_time = lock(&OPENING);
        let api = Api::load()?;
        let devices = api.devices();
        let found = choose(&devices, &options.wanted())?.clone();
        let context = Context::new(&api, &found)
            .map_err(|error| format!("{} cannot be used: {error}", found.name))?;
        Ok(Device {
            fates: Fates::new(options.rates, options.seed),
            options,
            found,
            counters: Counters::default(),
            residents: Residents::default(),
            lost: AtomicBool::new(false),
            programs: [const { OnceLock::new() }; PROGRAMS],
            idle: Mutex::default(),
            orphans: Mutex::default(),
            context: Arc::new(context),
        })
    }

    /// Returns `true` if it is of no more use.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Acquire)
    }

    /// It is of no more use.
    pub fn lose(&self) {
        self.lost.store(true, Release);
    }

    /// A stream that no thread uses, or a new one.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn slot(&self) -> Result<Slot, ClError> {
        self.take_back();
        if let Some(slot) = lock(&self.idle).pop() {
            return Ok(slot);
        }
        Ok(Slot::new(self.stream(self.options.batch)?))
    }

    /// A stream with so many bytes of input, and as many of output.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn stream(&self, bytes: usize) -> Result<Box<Stream>, ClError> {
        Ok(Box::new(Stream::new(&self.context, bytes, bytes)?))
    }

    /// Memory that all streams share.
    ///
    /// # Errors
    /// There is not so much of it.
    pub fn shared(&self, bytes: usize) -> Result<Shared, ClError> {
        self.context.shared(bytes)
    }

    /// Launches kernels, and waits until they have ended.
    ///
    /// # Errors
    /// They failed, or did not end in time: then the device is lost.
    pub fn complete(
        &self,
        stream: Box<Stream>,
        upload: usize,
        launches: &[Launch<'_>],
        download: usize,
        signal: &Arc<Signal>,
    ) -> Result<(Box<Stream>, Times), String> {
        let mut seen = signal.acknowledge(0);
        let launched = stream.launch(upload, launches, download, None, signal);
        let failed = |mut stream: Box<Stream>, error: ClError| {
            stream.input()[..upload].zeroize();
            error.to_string()
        };
        let mut flight = launched.map_err(|(stream, error)| failed(stream, error))?;
        let mut left = self.options.timeout;
        loop {
            match flight.land() {
                Ok((stream, Ok(times))) => return Ok((stream, times)),
                Ok((stream, Err(error))) => return Err(failed(stream, error)),
                Err(_) if left.is_zero() => {
                    self.lose();
                    return Err("it did not respond in time".to_owned());
                }
                Err(still) => flight = still,
            }
            let step = left.min(Duration::from_millis(100));
            signal.wait(seen, step);
            let now = signal.acknowledge(seen);
            left = left.saturating_sub(if now == seen { step } else { Duration::ZERO });
            seen = now;
        }
    }

    /// Takes a stream that a thread needs no more, and whose memory is wiped.
    pub fn keep(&self, slot: Slot) {
        if slot.stream.is_some() {
            lock(&self.idle).push(slot);
        }
    }

    /// Takes a flight that nobody waits for any more.
    pub fn adopt(&self, slot: Slot, mut flight: Flight) {
        flight.open_gate();
        lock(&self.orphans).push((slot, flight));
    }

    /// Wipes and keeps the streams of those flights that have landed since.
    fn take_back(&self) {
        let orphans = std::mem::take(&mut *lock(&self.orphans));
        for (mut slot, flight) in orphans {
            match flight.land() {
                Ok((mut stream, _)) => {
                    stream.input().zeroize();
                    stream.output().zeroize();
                    stream.release(self.most_scratch());
                    let fits = stream.capacity().0 == self.options.batch;
                    slot.stream = fits.then_some(stream);
                    self.keep(slot);
                }
                Err(flight) => lock(&self.orphans).push((slot, flight)),
            }
        }
    }

    /// Makes a gate that keeps commands from beginning.
    ///
    /// # Errors
    /// The driver cannot.
    pub fn gate(&self) -> Result<crate::cl::Gate, ClError> {
        self.context.gate()
    }

    /// The most bytes of a batch's intermediate results, except for a job that needs more by
    /// itself.
    pub fn most_scratch(&self) -> usize {
        self.options.batch.saturating_mul(SCRATCH).min(self.largest())
    }

    /// The most bytes of a buffer; words are counted in 32 bits.
    pub fn largest(&self) -> usize {
        self.found.largest.min(1 << 32) as usize
    }
}

impl Options {
    fn wanted(&self) -> Wanted {
        self.device.clone()
    }
}

/// The device that is wanted.
fn choose<'d>(devices: &'d [Found], wanted: &Wanted) -> Result<&'d Found, String> {
    let of_kind = |kind| devices.iter().find(|device| device.kind == kind);
    let (found, what) = match wanted {
        Wanted::Any => (devices.first(), "no device".to_owned()),
        Wanted::Gpu => (of_kind(DeviceKind::Gpu), "no GPU".to_owned()),
        Wanted::Cpu => (of_kind(DeviceKind::Cpu), "no CPU".to_owned()),
        Wanted::Index(index) => (devices.get(*index), format!("no device {index}")),
        Wanted::Named(part) => {
            let part = part.to_lowercase();
            let named = |device: &&Found| device.name.to_lowercase().contains(&part);
            (devices.iter().find(named), format!("no device called {part:?}"))
        }
    };
    found.ok_or_else(|| match devices.is_empty() {
        true => "OpenCL has no devices here".to_owned(),
        false => {
            let names = devices.iter().enumerate();
            let names: Vec<_> =
                names.map(|(index, device)| format!("{index}: {}", device.name)).collect();
            format!("OpenCL has {what}; devices are {}", names.join(", "))
        }
    })
}
