//! The provider.

use std::ops::RangeInclusive;
use std::sync::Arc;

use broadloom_engine::provider::{
    AnyQueue, Factory, FactoryError, Provider, ProviderError, ProviderSession,
};
use broadloom_engine::{Algorithm, CompressionAlgorithm, Transform};

use crate::queue::LibdeflateQueue;
use crate::session::{LEVELS, LibdeflateSession};

/// libdeflate as a provider, called `libdeflate`.
pub struct Libdeflate(());

/// Why the provider was not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// An option that the provider does not have.
    #[error("the libdeflate provider takes no {name}={value}: it takes no options")]
    Option {
        /// The option.
        name: String,
        /// The value.
        value: String,
    },
}

impl Libdeflate {
    /// The provider. There are no options: any is refused.
    ///
    /// # Errors
    /// [`LoadError`]: an option.
    pub fn load(options: &[(&str, &str)]) -> Result<Libdeflate, LoadError> {
        match options.first() {
            Some(&(name, value)) => {
                Err(LoadError::Option { name: name.to_owned(), value: value.to_owned() })
            }
            None => Ok(Libdeflate(())),
        }
    }
}

impl From<LoadError> for FactoryError {
    fn from(error: LoadError) -> Self {
        FactoryError::Option(error.to_string())
    }
}

/// Returns what a [`Registry`](broadloom_engine::Registry) opens the provider with.
pub fn factory() -> Factory {
    Factory::new(
        "libdeflate",
        "libdeflate, built in: the best ratio, and the fastest decoder",
        |options, _| Ok(Arc::new(Libdeflate::load(options)?)),
    )
}

impl Provider for Libdeflate {
    fn name(&self) -> &str {
        "libdeflate"
    }

    fn description(&self) -> String {
        "libdeflate, built in".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        algorithm == Algorithm::Compression(CompressionAlgorithm::Deflate)
    }

    fn levels(&self, algorithm: CompressionAlgorithm) -> Option<RangeInclusive<u8>> {
        (algorithm == CompressionAlgorithm::Deflate).then_some(LEVELS)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        Ok(Box::new(LibdeflateSession::open(transform)?))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(LibdeflateQueue::new()))
    }
}
