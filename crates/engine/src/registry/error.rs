//! Why a provider or a session is not opened.

use std::error::Error;
use std::fmt;

use crate::algorithm::Algorithm;

/// Why a factory opens no provider.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FactoryError {
    /// The provider has no such option, or not with this value.
    Option(String),
    /// What the provider needs is not there: its library, its device.
    Absent(String),
}

impl fmt::Display for FactoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactoryError::Option(reason) | FactoryError::Absent(reason) => f.write_str(reason),
        }
    }
}

impl Error for FactoryError {}

/// A provider that is not there, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// Its name.
    pub name: String,
    /// Why, in words.
    pub reason: String,
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Absent { name, reason } = self;
        write!(f, "{name} is absent: {reason}")
    }
}

impl Error for Absent {}

/// No session could be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// No provider is called so.
    Unknown {
        /// The name.
        name: String,
        /// The names of all providers.
        valid: String,
    },
    /// The provider is not there.
    Absent(Absent),
    /// The provider cannot, and no other was to be asked.
    Refused {
        /// The provider.
        provider: String,
        /// The algorithm.
        algorithm: Algorithm,
        /// Its reason.
        reason: String,
    },
    /// None of the providers can.
    Nobody {
        /// The algorithm.
        algorithm: Algorithm,
        /// What each of them says.
        reasons: String,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Unknown { name, valid } => {
                write!(f, "no provider is called {name:?}; there are: {valid}")
            }
            OpenError::Absent(error) => fmt::Display::fmt(error, f),
            OpenError::Refused { provider, algorithm, reason } => {
                write!(f, "{provider} cannot open a session for {algorithm}: {reason}")
            }
            OpenError::Nobody { algorithm, reasons } => {
                write!(f, "no provider opens a session for {algorithm}: {reasons}")
            }
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            OpenError::Absent(error) => error.source(),
            _ => None,
        }
    }
}

impl From<Absent> for OpenError {
    fn from(error: Absent) -> Self {
        OpenError::Absent(error)
    }
}
