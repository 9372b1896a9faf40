//! The device behind the provider traits.

use std::sync::Arc;

use broadloom_engine::provider::{
    AnyQueue, Factory, FactoryError, Provider, ProviderError, ProviderSession,
};
use broadloom_engine::{Algorithm, Transform};

use crate::cl::DeviceKind;
use crate::device::Device;
use crate::options::{OPTIONS, OptionError, Options};
use crate::queue::GpuQueue;
use crate::session::{GpuSession, has};
use crate::statistics::Statistics;

/// The provider `gpu`: a device of OpenCL. A clone is the same device.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) device: Arc<Device>,
}

/// Why there is no provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// An option that does not exist, or not with its value.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// OpenCL is not installed, or has no such device.
    #[error("{0}")]
    Absent(String),
}

impl From<LoadError> for FactoryError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Option(error) => FactoryError::Option(error.to_string()),
            LoadError::Absent(reason) => FactoryError::Absent(reason),
        }
    }
}

/// Returns what a [`Registry`](broadloom_engine::Registry) opens the provider with.
pub fn factory() -> Factory {
    let summary = "a GPU or another OpenCL device, found at run time";
    Factory::new(Gpu::NAME, summary, |options, _| Ok(Arc::new(Gpu::load(options)?)))
        .with_options(&OPTIONS)
        .by_name_only()
}

impl Gpu {
    /// The provider's name.
    pub const NAME: &str = "gpu";

    /// Opens the device that the [options](crate#options) ask for. Nothing is compiled yet.
    ///
    /// # Errors
    /// An option is wrong, OpenCL is not installed, or it has no such device.
    pub fn load(options: &[(&str, &str)]) -> Result<Gpu, LoadError> {
        let options = Options::parse(options)?;
        let device = Device::open(options).map_err(LoadError::Absent)?;
        Ok(Gpu { device: Arc::new(device) })
    }

    /// Returns `true` if it is a GPU, and not a CPU behind the same interface.
    pub fn is_gpu(&self) -> bool {
        self.device.found.kind == DeviceKind::Gpu
    }

    /// What the device has done so far.
    pub fn statistics(&self) -> Statistics {
        self.device.counters.get()
    }
}

impl Provider for Gpu {
    fn name(&self) -> &str {
        Gpu::NAME
    }

    fn description(&self) -> String {
        let Device { found, options, .. } = &*self.device;
        format!(
            "{}, {} compute units, {} by {}; {options}",
            found.name, found.units, found.version, found.platform
        )
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        match algorithm {
            Algorithm::Chain(cipher, mac, _) => {
                has(Algorithm::Cipher(cipher)) && has(Algorithm::Mac(mac))
            }
            _ => has(algorithm),
        }
    }

    /// Short jobs would wait longer for it than a core needs for them.
    fn by_name_only(&self) -> bool {
        true
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        Ok(Box::new(GpuSession::open(transform)?))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::device(GpuQueue::new(&self.device)))
    }
}
