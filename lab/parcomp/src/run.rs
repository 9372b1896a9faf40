//! The benchmark itself: iterations over what is in memory, between two looks at the clock.

use std::error::Error;
use std::sync::Arc;

use broadloom::algorithm::{Checksum, Huffman};
use broadloom::compression::format::Format;
use broadloom::compression::{Compressor, Decompressor, Report, Settings, decompress};
use broadloom::error::AffinityError;
use broadloom::provider::Provider;
use broadloom::workers::{allowed_cores, pin_to};
use broadloom::{Compression, CompressionAlgorithm, Session, Transform, registry_on};
use broadloom_emulated::Emulated;
use broadloom_lanes::Cpu;

use crate::args::Args;
use crate::clock::Clock;
use crate::mask::{DEFAULT, Mask};
use crate::report::Taken;

/// Memory for the output is taken before the clock starts, so much for each byte of input. More is
/// taken where that is not enough.
const COMPRESSED: usize = 1;
const DECOMPRESSED: usize = 5;

/// What is done, and by whom.
pub struct Benchmark<'a> {
    args: &'a Args,
    provider: Arc<dyn Provider>,
    /// The provider as a device, where it is one.
    device: Option<Emulated>,
    transform: Transform,
    /// log2 of the window's bytes.
    pub window: u8,
    /// Cores for threads, in turn; empty for wherever the system puts them.
    pub cores: Vec<usize>,
    /// A note about the cores that were asked for.
    pub missing: Option<String>,
    /// The kernel, in words.
    pub kernel: String,
}

/// What came of one iteration.
pub struct Iteration {
    /// What it took.
    pub taken: Taken,
    /// What was counted.
    pub report: Report,
}

impl<'a> Benchmark<'a> {
    /// One whose options are right, as far as a provider can tell before it works.
    ///
    /// # Errors
    /// What is wrong.
    pub fn new(args: &'a Args, cpu: &Cpu) -> Result<Self, Box<dyn Error>> {
        let spec = &args.provider.spec;
        let registry = registry_on(cpu);
        let device = || Emulated::over(&spec.borrowed_options(), &registry);
        let device = args.provider.is_device().then(device).transpose()?;
        let provider: Arc<dyn Provider> = match &device {
            Some(device) => Arc::new(device.clone()),
            None => registry.open_provider(spec)?,
        };
        let window = window(args);
        let transform = match args.decompress {
            true => Transform::decompress(CompressionAlgorithm::Deflate, Checksum::None),
            false => {
                let huffman = if args.static_codes { Huffman::Static } else { Huffman::Dynamic };
                let how =
                    Compression { level: args.level, window, huffman, ..Compression::default() };
                Transform::compress(
                    CompressionAlgorithm::Deflate,
                    Settings::compression_for(Format::Parcomp, how),
                )
            }
        }?;
        let kernel = Session::open(Arc::clone(&provider), &transform)?.kernel();
        let (cores, missing) = cores(args)?;
        Ok(Benchmark { args, provider, device, transform, window, cores, missing, kernel })
    }

    /// Pins the calling thread where it works alone, and on a core that was asked for.
    ///
    /// # Errors
    /// The system does not let it.
    pub fn pin(&self) -> Result<(), Box<dyn Error>> {
        match self.cores.first() {
            Some(&core) if self.args.threads == 0 => Ok(pin_to(core)?),
            _ => Ok(()),
        }
    }

    /// An output with room for what is likely to come.
    pub fn output(&self, input: &[u8]) -> Vec<u8> {
        let times = if self.args.decompress { DECOMPRESSED } else { COMPRESSED };
        // Written to once, so that the system has found all of its pages.
        let mut output = vec![0xff; input.len() * times + input.len() / 8 + 4096];
        output.clear();
        output
    }

    /// Does it once, into an output that is cleared before.
    ///
    /// # Errors
    /// It cannot be done.
    pub fn iterate(
        &self,
        clock: &Clock,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Iteration, Box<dyn Error>> {
        output.clear();
        let device = || self.device.as_ref().map(|device| device.silicon_cpu_time().as_secs_f64());
        let before = device();
        let (taken, report) = clock.time(|| self.work(input, output));
        // What a machine with a device would not spend.
        let device = device().zip(before).map(|(after, before)| after - before);
        let cpu = taken.cpu - device.unwrap_or(0.0);
        Ok(Iteration { taken: Taken { cpu, device, ..taken }, report: report? })
    }

    /// Describes the provider in words.
    pub fn description(&self) -> String {
        self.provider.description()
    }

    /// Computes what the device will be asked for, where its results are kept, and nothing is
    /// timed. Gives the number of requests that it took.
    ///
    /// # Errors
    /// It cannot be done.
    pub fn prepare(&self, input: &[u8], output: &mut Vec<u8>) -> Result<u64, Box<dyn Error>> {
        let mut options = self.args.provider.spec.options.iter();
        let keeps = options.any(|(name, value)| name == "prepare" && value != "off");
        if let Some(device) = self.device.as_ref().filter(|_| keeps) {
            device.set_preparing(true);
            output.clear();
            let prepared = self.work(input, output);
            device.set_preparing(false);
            prepared?;
            return Ok(device.statistics().requests);
        }
        Ok(0)
    }

    /// Whether this machine has computed as fast as the device would have, in words, but for the
    /// first `prepared` requests, which were not timed; `None` where there is no device.
    pub fn emulation(&self, prepared: u64) -> Option<String> {
        self.device.as_ref().map(|device| {
            let mut statistics = device.statistics();
            statistics.requests -= prepared;
            statistics.to_string()
        })
    }

    /// Does what is timed: everything from opening the session to the last byte of output.
    fn work(&self, input: &[u8], output: &mut Vec<u8>) -> Result<Report, Box<dyn Error>> {
        let session = Session::open(Arc::clone(&self.provider), &self.transform)?;
        let (threads, outstanding) = (self.threads(), usize::try_from(self.args.jobs)?);
        let cores = (self.args.threads > 0 && !self.cores.is_empty()).then(|| self.cores.clone());
        if self.args.decompress {
            let format = Some(Format::Parcomp);
            let settings =
                decompress::Settings { format, threads, outstanding, cores, ..Default::default() };
            return Ok(Decompressor::new(session, settings)?.decompress(input, output)?.report);
        }
        let chunk = usize::try_from(self.args.chunk << 10)?;
        let settings =
            Settings { chunk, threads, outstanding, cores, ..Settings::new(Format::Parcomp) };
        Ok(Compressor::new(session, settings)?.compress(input, output)?)
    }

    /// Threads for the framework, to which the calling one alone is one as well.
    fn threads(&self) -> usize {
        (self.args.threads as usize).max(1)
    }
}

/// log2 of the window's bytes.
fn window(args: &Args) -> u8 {
    let default = if args.provider.is_device() { 5 } else { 7 };
    args.window.unwrap_or(default) as u8 + 8
}

/// The cores asked for, or the source's default, as far as this machine has them; and a note about
/// the cores that are missing.
fn cores(args: &Args) -> Result<(Vec<usize>, Option<String>), Box<dyn Error>> {
    let given = args.hexadecimal.or(args.decimal);
    if given.is_none() && args.threads == 0 {
        return Ok((Vec::new(), None));
    }
    let allowed = allowed_cores()?;
    let cores = given.unwrap_or(DEFAULT).among(&allowed);
    match given.map(Mask::cores) {
        None if cores.is_empty() => Ok((allowed, None)),
        Some(all) if cores.is_empty() => {
            Err(AffinityError::NotAllowed { core: all[0], allowed }.into())
        }
        Some(all) if cores.len() < all.len() => {
            let used: Vec<String> = cores.iter().map(ToString::to_string).collect();
            let text = format!(
                "of the {} cores in the mask this process may run on {}: used are {}",
                all.len(),
                cores.len(),
                used.join(", ")
            );
            Ok((cores, Some(text)))
        }
        _ => Ok((cores, None)),
    }
}
