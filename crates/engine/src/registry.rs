//! The providers that a program has, and how a session finds its own.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::algorithm::Algorithm;
use crate::provider::Provider;
use crate::session::{Fallback, Session};
use crate::transform::Transform;

/// The providers of a program, in the order in which they are asked.
#[derive(Default)]
pub struct Registry {
    providers: Vec<Arc<dyn Provider>>,
    absent: Vec<Absent>,
    fallbacks: AtomicU64,
}

/// A provider that is not there, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// Its name.
    pub name: String,
    /// Why, in words.
    pub reason: String,
}

/// No session could be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// No provider is called so.
    #[error("no provider is called {name:?}; there are: {valid}{absent}")]
    Unknown {
        /// The name.
        name: String,
        /// The names that there are.
        valid: String,
        /// Those that there could be, and why they are not: empty, or in parentheses.
        absent: String,
    },
    /// The provider cannot, and no other was to be asked.
    #[error("{provider} cannot open a session for {algorithm}: {reason}")]
    Refused {
        /// The provider.
        provider: String,
        /// The algorithm.
        algorithm: Algorithm,
        /// Its reason.
        reason: String,
    },
    /// None of the providers can.
    #[error("no provider opens a session for {algorithm}: {reasons}")]
    Nobody {
        /// The algorithm.
        algorithm: Algorithm,
        /// What each of them says.
        reasons: String,
    },
}

impl Registry {
    /// A registry without providers.
    pub fn new() -> Self {
        Registry::default()
    }

    /// Adds a provider, to be asked after those before it. One of the same name is replaced, and its place taken.
    pub fn add(&mut self, provider: Arc<dyn Provider>) {
        self.absent.retain(|absent| absent.name != provider.name());
        match self.providers.iter_mut().find(|other| other.name() == provider.name()) {
            Some(other) => *other = provider,
            None => self.providers.push(provider),
        }
    }

    /// Notes that a provider is not there, and why.
    pub fn add_absent(&mut self, name: impl Into<String>, reason: impl Into<String>) {
        let (name, reason) = (name.into(), reason.into());
        self.absent.retain(|absent| absent.name != name);
        self.absent.push(Absent { name, reason });
    }

    /// The providers.
    pub fn providers(&self) -> &[Arc<dyn Provider>] {
        &self.providers
    }

    /// Those that are not there.
    pub fn absent(&self) -> &[Absent] {
        &self.absent
    }

    /// Sessions that were opened at another provider than the one asked for.
    pub fn fallbacks(&self) -> u64 {
        self.fallbacks.load(Ordering::Relaxed)
    }

    /// A provider by its name.
    ///
    /// # Errors
    /// [`OpenError::Unknown`], with the names that there are.
    pub fn provider(&self, name: &str) -> Result<&Arc<dyn Provider>, OpenError> {
        let found = self.providers.iter().find(|provider| provider.name() == name);
        found.ok_or_else(|| {
            let valid: Vec<_> = self.providers.iter().map(|provider| provider.name()).collect();
            let absent: Vec<_> = self.absent.iter().map(ToString::to_string).collect();
            OpenError::Unknown {
                name: name.to_owned(),
                valid: valid.join(", "),
                absent: if absent.is_empty() {
                    String::new()
                } else {
                    format!(" (absent: {})", absent.join("; "))
                },
            }
        })
    }

    /// Opens a session at the first provider that can, those left out that are only used by name.
    ///
    /// # Errors
    /// [`OpenError::Nobody`] with every provider's reason.
    pub fn open(&self, transform: &Transform) -> Result<Session, OpenError> {
        self.first_able(transform, None)
    }

    /// Opens a session at this provider and no other.
    ///
    /// # Errors
    /// [`OpenError::Unknown`] or [`OpenError::Refused`].
    pub fn open_at(&self, provider: &str, transform: &Transform) -> Result<Session, OpenError> {
        let provider = self.provider(provider)?;
        Session::open(Arc::clone(provider), transform).map_err(|error| OpenError::Refused {
            provider: provider.name().to_owned(),
            algorithm: transform.algorithm(),
            reason: error.reason,
        })
    }

    /// Opens a session at this provider or, where it cannot, or is not there, at another. The session
    /// then says why ([`Session::fallback`]), and [`fallbacks`](Registry::fallbacks) counts it.
    ///
    /// # Errors
    /// [`OpenError::Nobody`] if no provider can.
    pub fn open_or_fall_back(
        &self,
        provider: &str,
        transform: &Transform,
    ) -> Result<Session, OpenError> {
        let reason = match self.open_at(provider, transform) {
            Ok(session) => return Ok(session),
            Err(OpenError::Refused { reason, .. }) => reason,
            Err(error) => error.to_string(),
        };
        let fallback = Fallback { wanted: provider.to_owned(), reason };
        let session = self.first_able(transform, Some(fallback))?;
        self.fallbacks.fetch_add(1, Ordering::Relaxed);
        Ok(session)
    }

    fn first_able(
        &self,
        transform: &Transform,
        fallback: Option<Fallback>,
    ) -> Result<Session, OpenError> {
        let mut reasons = Vec::new();
        for provider in self.providers.iter().filter(|provider| !provider.by_name_only()) {
            match Session::open_with(Arc::clone(provider), transform, fallback.clone()) {
                Ok(session) => return Ok(session),
                Err(error) => reasons.push(format!("{}: {}", provider.name(), error.reason)),
            }
        }
        reasons.extend(self.absent.iter().map(ToString::to_string));
        let algorithm = transform.algorithm();
        Err(OpenError::Nobody { algorithm, reasons: reasons.join("; ") })
    }
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is absent: {}", self.name, self.reason)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.providers.iter().map(|provider| provider.name()).collect();
        f.debug_struct("Registry").field("providers", &names).field("absent", &self.absent).finish()
    }
}
