//! The provider.

use std::ops::RangeInclusive;
use std::sync::Arc;

use broadloom_engine::provider::{AnyQueue, Factory, Provider, ProviderError, ProviderSession};
use broadloom_engine::{Algorithm, CompressionAlgorithm, Transform};

use crate::codec::Library;
use crate::ffi::Libz;
use crate::options::{LoadError, Wanted};
use crate::queue::ZlibQueue;
use crate::session::{LEVELS, ZlibSession};

/// zlib as a provider, called `zlib`.
pub struct Zlib {
    pub(crate) library: Library,
}

impl Zlib {
    /// Finds libz, or takes the crate in its place. The options are those that the [crate](crate)
    /// has, as names and values, each at most once.
    ///
    /// # Errors
    /// [`LoadError::Library`] if libz was asked for and is not there, [`LoadError::Option`] if an
    /// option is wrong.
    pub fn load(options: &[(&str, &str)]) -> Result<Zlib, LoadError> {
        let library = match Wanted::parse(options)? {
            Wanted::System => Library::System(Libz::get()?),
            Wanted::Rust => Library::Rust { instead_of: None },
            Wanted::Either => match Libz::get() {
                Ok(libz) => Library::System(libz),
                Err(error) => Library::Rust { instead_of: Some(error) },
            },
        };
        Ok(Zlib { library })
    }
}

/// Returns what a [`Registry`](broadloom_engine::Registry) opens the provider with.
pub fn factory() -> Factory {
    Factory::new("zlib", "libz, found at run time, or zlib-rs in its place", |options, _| {
        Ok(Arc::new(Zlib::load(options)?))
    })
    .with_options(&[("library", "system or zlib-rs")])
}

impl Provider for Zlib {
    fn name(&self) -> &str {
        "zlib"
    }

    fn description(&self) -> String {
        match &self.library {
            Library::System(_) => format!("{}, found at run time", self.library.name()),
            Library::Rust { instead_of: None } => {
                "zlib-rs, built in, as library=zlib-rs says".to_owned()
            }
            Library::Rust { instead_of: Some(error) } => format!("zlib-rs, built in: {error}"),
        }
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
        Ok(Box::new(ZlibSession::open(&self.library, transform)?))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(ZlibQueue::new(self.library.clone())))
    }
}
