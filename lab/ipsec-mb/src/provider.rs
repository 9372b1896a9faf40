//! The provider.

use std::sync::Arc;

use broadloom_engine::provider::{
    AnyQueue, Factory, FactoryError, Provider, ProviderError, ProviderSession,
};
use broadloom_engine::{Algorithm, Transform};

use crate::library::{Absent, Api, CallError, Table};
use crate::queue::ImbQueue;
use crate::rules::lacks;
use crate::session::ImbSession;

/// Intel's multi-buffer library, as a provider called `ipsec-mb`.
pub struct IpsecMb {
    api: Api,
    /// The manager that expands keys.
    table: Table,
}

/// Why there is no provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The library is not installed, or is not one that is known how to call.
    #[error("libIPSec_MB is absent: {0}")]
    Absent(#[from] Absent),
    /// The library is installed and cannot work on this machine.
    #[error("libIPSec_MB cannot be used: {0}")]
    Unusable(#[from] CallError),
    /// An option that the provider does not have.
    #[error("ipsec-mb has no option {name:?}; it takes none")]
    Option {
        /// The option.
        name: String,
    },
}

impl IpsecMb {
    /// Finds the library. There are no options yet: any is refused.
    ///
    /// # Errors
    /// [`LoadError`]: an option, a library that is absent, or one that cannot work here.
    pub fn load(options: &[(&str, &str)]) -> Result<IpsecMb, LoadError> {
        if let Some((name, _)) = options.first() {
            return Err(LoadError::Option { name: (*name).to_owned() });
        }
        let api = Api::load()?;
        let table = api.manager()?.table().clone();
        Ok(IpsecMb { api, table })
    }

    fn kernel(&self) -> String {
        format!("intel-ipsec-mb {} {}", self.api.version(), self.table.arch())
    }
}

impl From<LoadError> for FactoryError {
    fn from(error: LoadError) -> Self {
        match error {
            option @ LoadError::Option { .. } => FactoryError::Option(option.to_string()),
            absent => FactoryError::Absent(absent.to_string()),
        }
    }
}

/// Returns what a [`Registry`](broadloom_engine::Registry) opens the provider with.
pub fn factory() -> Factory {
    Factory::new(
        "ipsec-mb",
        "intel-ipsec-mb, found at run time, to measure against",
        |options, _| Ok(Arc::new(IpsecMb::load(options)?)),
    )
    .by_name_only()
}

impl Provider for IpsecMb {
    fn name(&self) -> &str {
        "ipsec-mb"
    }

    fn description(&self) -> String {
        format!("{}, found at run time", self.kernel())
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        lacks(algorithm).is_none()
    }

    fn by_name_only(&self) -> bool {
        true
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let kernel = self.kernel();
        Ok(Box::new(ImbSession::open(transform, &self.table, kernel)?))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        let manager = self.api.manager().map_err(|error| ProviderError::new(error.to_string()))?;
        Ok(AnyQueue::local(ImbQueue::new(manager)))
    }
}
