//! The provider.

use std::ops::RangeInclusive;
use std::sync::Arc;

use broadloom_engine::provider::{
    AnyQueue, Factory, FactoryError, Provider, ProviderError, ProviderSession,
};
use broadloom_engine::{Algorithm, CompressionAlgorithm, Transform};

use crate::queue::Lz4Queue;
use crate::session::{LEVELS, Lz4Session};

/// LZ4 blocks as a provider, called `lz4`.
pub struct Lz4(());

/// Why the provider was not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// An option that the provider does not have.
    #[error("the lz4 provider takes no {name}={value}: it takes no options")]
    Option {
        /// The option.
        name: String,
        /// The value.
        value: String,
    },
}

impl Lz4 {
    /// The provider. There are no options: any is refused.
    ///
    /// # Errors
    /// [`LoadError`]: an option.
    pub fn load(options: &[(&str, &str)]) -> Result<Lz4, LoadError> {
        match options.first() {
            Some(&(name, value)) => {
                Err(LoadError::Option { name: name.to_owned(), value: value.to_owned() })
            }
            None => Ok(Lz4(())),
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
    Factory::new("lz4", "LZ4 blocks by lz4_flex, built in", |options, _| {
        Ok(Arc::new(Lz4::load(options)?))
    })
}

impl Provider for Lz4 {
    fn name(&self) -> &str {
        "lz4"
    }

    fn description(&self) -> String {
        "LZ4 blocks by lz4_flex, built in".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        algorithm == Algorithm::Compression(CompressionAlgorithm::Lz4)
    }

    fn levels(&self, algorithm: CompressionAlgorithm) -> Option<RangeInclusive<u8>> {
        (algorithm == CompressionAlgorithm::Lz4).then_some(LEVELS)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        Ok(Box::new(Lz4Session::open(transform)?))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(Lz4Queue::new()))
    }
}
