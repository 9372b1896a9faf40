//! The device behind the provider traits.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::Ordering::*;
use std::time::Duration;

use broadloom_engine::provider::{AnyQueue, Provider, ProviderError, ProviderSession};
use broadloom_engine::{Algorithm, CompressionAlgorithm, Direction, Registry, Transform};

use crate::device::Running;
use crate::instance::Instance;
use crate::options::{OptionError, Options};
use crate::queue::EmulatedQueue;
use crate::session::DeviceSession;
use crate::statistics::Statistics;
use crate::timing::cost;

/// The provider `emulated`: a modelled accelerator. A clone is the same device.
///
/// ```
/// use std::sync::Arc;
/// use broadloom_emulated::Emulated;
/// use broadloom_lanes::Cpu;
/// use broadloom_native::Native;
///
/// let options = [("preset", "8955"), ("seed", "7")];
/// let device = Emulated::new(&options, vec![Arc::new(Native::new(Cpu::detect()))])?;
/// assert_eq!(device.statistics().late, 0);
/// # Ok::<(), broadloom_emulated::OptionError>(())
/// ```
#[derive(Clone)]
pub struct Emulated {
    running: Arc<Running>,
    backends: Arc<[Arc<dyn Provider>]>,
}

impl Emulated {
    /// The provider's name.
    pub const NAME: &str = "emulated";

    /// A device with these [options](crate#options), computing with the first of these providers
    /// that can. Its threads start when it is first given work to do.
    ///
    /// # Errors
    /// An option that does not exist, or not with its value: the error says what would be right.
    pub fn new(
        options: &[(&str, &str)],
        backends: Vec<Arc<dyn Provider>>,
    ) -> Result<Self, OptionError> {
        let running = Running::new(Options::parse(options)?);
        Ok(Emulated { running: Arc::new(running), backends: backends.into() })
    }

    /// A device with these [options](crate#options), computing with the providers that a registry
    /// asks by default.
    ///
    /// # Errors
    /// As [`new`](Emulated::new).
    pub fn over(options: &[(&str, &str)], registry: &Registry) -> Result<Self, OptionError> {
        Emulated::new(options, registry.default_providers().cloned().collect())
    }

    /// The counts of the device and its drivers so far.
    pub fn statistics(&self) -> Statistics {
        self.running.device.statistics()
    }

    /// The time that the device's own threads have spent on the processor so far: the emulation's,
    /// which is no part of what a host with such a device would spend.
    ///
    /// Each thread is asked, and answers between two windows of requests; so it takes as long as
    /// those.
    pub fn silicon_cpu_time(&self) -> Duration {
        self.running.silicon_cpu_time()
    }

    /// Switches preparation on or off. While it is on, nothing is timed: responses are visible when
    /// they are computed, and doorbells cost nothing. With the option `prepare`, results are kept
    /// meanwhile, and found again for equal requests later; the [statistics](Statistics) count what
    /// was found, once it is off.
    pub fn set_preparing(&self, preparing: bool) {
        self.running.device.preparing.store(preparing, SeqCst);
    }

    /// Opens a session for [requests](crate::Request).
    ///
    /// # Errors
    /// No backend can; or the transform is a chain, which the engine composes, or verifies a MAC,
    /// which a driver does for itself.
    pub fn session(&self, transform: &Transform) -> Result<DeviceSession, ProviderError> {
        match (transform.algorithm(), transform.direction()) {
            (Algorithm::Chain(..), _) => Err(ProviderError::new("the device has no chains")),
            (Algorithm::Mac(_), Direction::Verify) => {
                Err(ProviderError::new("the device makes MACs, and the driver compares them"))
            }
            _ => self.open(transform),
        }
    }

    /// Opens an instance for [requests](crate::Request).
    ///
    /// # Errors
    /// All are in use, or the system has no descriptor or no thread for it.
    pub fn instance(&self) -> Result<Instance, ProviderError> {
        Instance::open(&self.running)
    }

    fn open(&self, transform: &Transform) -> Result<DeviceSession, ProviderError> {
        let device = &self.running.device;
        let store = device.store.as_ref();
        DeviceSession::open(&self.backends, transform, device.options.verify, |transform| {
            store.map(|store| store.transform(transform))
        })
    }
}

impl Provider for Emulated {
    fn name(&self) -> &str {
        Emulated::NAME
    }

    fn description(&self) -> String {
        let options = &self.running.device.options;
        let backends: Vec<_> = self.backends.iter().map(|backend| backend.name()).collect();
        let backends = if backends.is_empty() { "nothing".to_owned() } else { backends.join(", ") };
        format!("an emulation of an accelerator, {options}; computed by {backends}")
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        match algorithm {
            Algorithm::Chain(cipher, mac, _) => {
                self.supports(Algorithm::Cipher(cipher)) && self.supports(Algorithm::Mac(mac))
            }
            Algorithm::PublicKey(own) if cost(own, Direction::Sign).is_none() => false,
            _ => self.backends.iter().any(|backend| backend.supports(algorithm)),
        }
    }

    fn levels(&self, algorithm: CompressionAlgorithm) -> Option<RangeInclusive<u8>> {
        self.backends.iter().find_map(|backend| backend.levels(algorithm))
    }

    /// An emulation is used only on request.
    fn by_name_only(&self) -> bool {
        true
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        Ok(Box::new(self.open(transform)?))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::device(EmulatedQueue::new(self.instance()?)))
    }
}
