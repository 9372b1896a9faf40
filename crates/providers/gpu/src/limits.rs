//! What bounds a device: how fast data are copied there and back, and how fast it computes.

use std::sync::Arc;
use std::time::Duration;

use broadloom_engine::provider::ProviderError;

use crate::cl::{Launch, Times};
use crate::device::{Device, Slot};
use crate::kernels::KernelId;
use crate::provider::Gpu;
use crate::signal::Signal;

/// Measured limits of a device.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes a second from pinned memory of the host to the device.
    pub upload: f64,
    /// Bytes a second from the device to pinned memory of the host.
    pub download: f64,
    /// Operations a second on words of 32 bits: rotations, additions, and functions of three
    /// inputs, as many of each.
    pub operations: f64,
    /// Products of two words of 32 bits a second, each with an addition.
    pub products: f64,
}

/// Runs of each measurement, of which the fastest counts.
const RUNS: usize = 3;

/// Work items of the arithmetic.
const ITEMS: u32 = 1 << 16;

/// Operations of a work item in a turn: three in each of eight chains.
const OPERATIONS: f64 = 24.0;

/// Products of a work item in a turn: one in each chain.
const PRODUCTS: f64 = 8.0;

/// Turns of a work item at first, and at most; they grow until a run takes so long.
const TURNS: [u32; 2] = [16, 1 << 16];
const LONG: Duration = Duration::from_millis(2);

impl Gpu {
    /// Measures the [limits](Limits) of the device, by its own clock. A copy is as long as a batch.
    ///
    /// # Errors
    /// The device fails.
    pub fn limits(&self) -> Result<Limits, ProviderError> {
        let device = &*self.device;
        let mut slot = device.slot().map_err(|error| ProviderError::new(error.to_string()))?;
        let bytes = device.options.batch;
        let copies = best(|| run(device, &mut slot, bytes, bytes, None))?;
        let operations = OPERATIONS * turns_a_second(device, &mut slot, KernelId::Probe)?;
        let products = PRODUCTS * turns_a_second(device, &mut slot, KernelId::ProbeProducts)?;
        device.keep(slot);
        let rate = |amount: f64, time: Duration| amount / time.as_secs_f64().max(1e-9);
        Ok(Limits {
            upload: rate(bytes as f64, copies.upload),
            download: rate(bytes as f64, copies.download),
            operations,
            products,
        })
    }
}

/// Turns of all work items of a probe in a second.
fn turns_a_second(device: &Device, slot: &mut Slot, probe: KernelId) -> Result<f64, ProviderError> {
    let [mut turns, most] = TURNS;
    while turns < most && run(device, slot, 64, 64, Some((probe, turns)))?.kernels < LONG {
        turns *= 4;
    }
    let times = best(|| run(device, slot, 64, 64, Some((probe, turns))))?;
    let seconds = times.kernels.as_secs_f64().max(1e-9);
    Ok(f64::from(ITEMS) * f64::from(turns) / seconds)
}

/// The shortest times of several runs.
fn best(mut run: impl FnMut() -> Result<Times, ProviderError>) -> Result<Times, ProviderError> {
    let mut best = run()?;
    for _ in 1..RUNS {
        let Times { upload, kernels, download } = run()?;
        best.upload = best.upload.min(upload);
        best.kernels = best.kernels.min(kernels);
        best.download = best.download.min(download);
    }
    Ok(best)
}

/// Copies so much there and back, and in between computes so many turns of a probe, if any.
fn run(
    device: &Device,
    slot: &mut Slot,
    upload: usize,
    download: usize,
    computed: Option<(KernelId, u32)>,
) -> Result<Times, ProviderError> {
    let failed = |reason: String| ProviderError::new(format!("measuring the device: {reason}"));
    let (probe, turns) = computed.unwrap_or((KernelId::Probe, 0));
    slot.prepare(device, probe).map_err(|error| failed(error.to_string()))?;
    // Each item writes a word, which may be more than a small batch has.
    let mut stream = match slot.stream.take() {
        Some(stream) if stream.capacity().1 >= 4 * ITEMS as usize => stream,
        _ => {
            let bytes = device.options.batch.max(4 * ITEMS as usize);
            device.stream(bytes).map_err(|error| failed(error.to_string()))?
        }
    };
    stream.input()[..4].copy_from_slice(&turns.to_ne_bytes());
    let kernel = slot.kernel(probe);
    let launches: Vec<_> = kernel
        .filter(|_| turns > 0)
        .map(|kernel| Launch {
            kernel,
            tasks: 0,
            count: ITEMS,
            items: ITEMS as usize,
            shared: None,
        })
        .into_iter()
        .collect();
    let signal = Arc::new(Signal::new());
    let completed = device.complete(stream, upload, &launches, download, &signal);
    let (mut stream, times) = completed.map_err(failed)?;
    stream.input()[..4].fill(0);
    stream.output()[..download].fill(0);
    slot.stream = Some(stream);
    Ok(times)
}
