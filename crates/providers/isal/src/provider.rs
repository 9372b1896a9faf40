//! The provider.

use std::ops::RangeInclusive;
use std::sync::Arc;

use broadloom_engine::provider::{
    AnyQueue, Factory, FactoryError, Provider, ProviderError, ProviderSession,
};
use broadloom_engine::{Algorithm, CompressionAlgorithm, Transform};

use crate::ffi::{Libisal, LibraryError};
use crate::queue::IsalQueue;
use crate::session::{IsalSession, LEVELS};

/// ISA-L's igzip as a provider, called `isal`.
pub struct Isal {
    pub(crate) library: &'static Libisal,
}

/// Why the provider was not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no libisal, or not the right one: the provider is absent.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// An option that the provider does not have.
    #[error("the isal provider takes no {name}={value}: it takes no options")]
    Option {
        /// The option.
        name: String,
        /// The value.
        value: String,
    },
}

impl Isal {
    /// Finds libisal, and tries it. There are no options: any is refused.
    ///
    /// # Errors
    /// [`LoadError::Library`] if there is no suitable libisal, [`LoadError::Option`] if there is an
    /// option.
    pub fn load(options: &[(&str, &str)]) -> Result<Isal, LoadError> {
        if let Some(&(name, value)) = options.first() {
            return Err(LoadError::Option { name: name.to_owned(), value: value.to_owned() });
        }
        Ok(Isal { library: Libisal::get()? })
    }
}

impl From<LoadError> for FactoryError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Library(absent) => FactoryError::Absent(absent.to_string()),
            option @ LoadError::Option { .. } => FactoryError::Option(option.to_string()),
        }
    }
}

/// Returns what a [`Registry`](broadloom_engine::Registry) opens the provider with.
pub fn factory() -> Factory {
    Factory::new("isal", "igzip of ISA-L, found at run time: the fastest DEFLATE", |options, _| {
        Ok(Arc::new(Isal::load(options)?))
    })
}

impl Provider for Isal {
    fn name(&self) -> &str {
        "isal"
    }

    fn description(&self) -> String {
        "igzip of libisal 2, found at run time".to_owned()
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
        Ok(Box::new(IsalSession::open(self.library, transform)?))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(IsalQueue::new(self.library)))
    }
}
