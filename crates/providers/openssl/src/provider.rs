//! The provider.

use std::sync::Arc;

use broadloom_engine::provider::{AnyQueue, Factory, Provider, ProviderError, ProviderSession};
use broadloom_engine::{Algorithm, Transform};

use crate::algorithms::Algorithms;
use crate::evp::Libcrypto;
use crate::options::{DESCRIBED, LoadError, Options};
use crate::queue::OpenSslQueue;
use crate::session::Workshop;
use crate::slots::Numbers;

/// libcrypto as a provider, called `openssl`.
pub struct OpenSsl {
    library: &'static Libcrypto,
    algorithms: Algorithms,
    options: Options,
    numbers: Numbers,
}

impl OpenSsl {
    /// Finds libcrypto 3 and fetches its algorithms. The options are those that the [crate](crate)
    /// has, as names and values, each at most once.
    ///
    /// # Errors
    /// [`LoadError::Library`] if there is no suitable libcrypto, [`LoadError::Option`] if an option
    /// is wrong.
    pub fn load(options: &[(&str, &str)]) -> Result<OpenSsl, LoadError> {
        let options = Options::parse(options)?;
        let library = Libcrypto::get()?;
        let algorithms = Algorithms::fetch(library, options.legacy);
        Ok(OpenSsl { library, algorithms, options, numbers: Numbers::new(options.queue_pairs) })
    }
}

/// Returns what a [`Registry`](broadloom_engine::Registry) opens the provider with.
pub fn factory() -> Factory {
    Factory::new("openssl", "libcrypto of OpenSSL 3, found at run time", |options, _| {
        Ok(Arc::new(OpenSsl::load(options)?))
    })
    .with_options(&DESCRIBED)
}

impl Provider for OpenSsl {
    fn name(&self) -> &str {
        "openssl"
    }

    fn description(&self) -> String {
        format!("{}, {}", self.library.version(), self.options)
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        self.algorithms.support(algorithm)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let OpenSsl { library, algorithms, options, numbers } = self;
        let workshop = Workshop { library, algorithms, options: *options, numbers };
        Ok(Box::new(workshop.open(transform)?))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        let Some(number) = self.numbers.take() else {
            let open = match self.options.queue_pairs {
                1 => "the one queue pair".to_owned(),
                count => format!("all {count} queue pairs"),
            };
            return Err(ProviderError::new(format!(
                "{open} that the openssl provider was opened for (its option queue-pairs) are in \
                 use"
            )));
        };
        Ok(AnyQueue::local(OpenSslQueue::new(number)))
    }
}
