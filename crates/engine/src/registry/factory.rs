//! How providers are opened: what the crate of each provider exports, and what a command line says
//! of one.

use std::error::Error;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::Registry;
use crate::provider::contract::Provider;

/// A function that opens a provider with its options. The registry is the one that the provider
/// belongs to: a provider that computes with others takes [theirs](Registry::default_providers).
type Open =
    dyn Fn(&[(&str, &str)], &Registry) -> Result<Arc<dyn Provider>, FactoryError> + Send + Sync;

/// Describes a provider that is not open yet, and opens it: what the crate of each provider
/// exports.
///
/// Making a factory costs nothing: a library is loaded when the provider is opened.
///
/// ```
/// use std::sync::Arc;
/// use broadloom_engine::Registry;
/// use broadloom_engine::provider::{Factory, FactoryError};
///
/// let factory = Factory::new("board", "the accelerator on our own board", |options, _registry| {
///     Err(FactoryError::Absent("no board is plugged in".to_owned()))
/// });
/// let mut registry = Registry::new();
/// registry.add_factory(factory);
/// let error = registry.provider("board").err().expect("there is no board");
/// assert_eq!(error.to_string(), "board is absent: no board is plugged in");
/// ```
#[derive(Clone)]
#[must_use]
pub struct Factory {
    name: &'static str,
    summary: &'static str,
    options: &'static [(&'static str, &'static str)],
    by_name_only: bool,
    open: Arc<Open>,
}

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

impl Factory {
    /// A factory for the provider of this name: lower-case letters, digits and hyphens. The summary
    /// is one line that says what the provider is.
    pub fn new(
        name: &'static str,
        summary: &'static str,
        open: impl Fn(&[(&str, &str)], &Registry) -> Result<Arc<dyn Provider>, FactoryError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Factory { name, summary, options: &[], by_name_only: false, open: Arc::new(open) }
    }

    /// Names the options that the provider takes, each with its values in words.
    pub fn with_options(self, options: &'static [(&'static str, &'static str)]) -> Self {
        Factory { options, ..self }
    }

    /// Says that the provider is used only where it is asked for by name.
    pub fn by_name_only(self) -> Self {
        Factory { by_name_only: true, ..self }
    }

    /// The name of the provider.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What the provider is, in one line.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// The options of the provider: names, and their values in words.
    pub fn options(&self) -> &'static [(&'static str, &'static str)] {
        self.options
    }

    /// Whether the provider is used only where it is asked for by name.
    pub fn is_by_name_only(&self) -> bool {
        self.by_name_only
    }

    /// Opens the provider.
    ///
    /// # Errors
    /// An option is wrong, or the provider is absent.
    pub fn open(
        &self,
        options: &[(&str, &str)],
        registry: &Registry,
    ) -> Result<Arc<dyn Provider>, FactoryError> {
        (self.open)(options, registry)
    }
}

impl fmt::Debug for Factory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Factory").field("name", &self.name).field("summary", &self.summary).finish()
    }
}

/// A provider and its options, as a command line has them: `native`, `openssl:contexts=per-job`,
/// `native:isa=avx2:without=sha`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProviderSpec {
    /// The provider's name.
    pub name: String,
    /// Its options, by name and value.
    pub options: Vec<(String, String)>,
}

/// Why a provider could not be opened as a [`ProviderSpec`] asks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecError {
    /// There is no such provider.
    Unknown {
        /// The name.
        name: String,
        /// The names of all providers.
        valid: String,
    },
    /// An option is not of the form `name=value`.
    Form {
        /// The option.
        option: String,
    },
    /// The provider does not have the option, or not the value.
    Option(String),
    /// The provider is not there.
    Absent {
        /// The provider.
        name: String,
        /// Why.
        reason: String,
    },
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::Unknown { name, valid } => {
                write!(f, "no provider is called {name:?}; valid: {valid}")
            }
            SpecError::Form { option } => {
                write!(f, "{option:?} is no option of a provider: valid is NAME=VALUE")
            }
            SpecError::Option(reason) => f.write_str(reason),
            SpecError::Absent { name, reason } => write!(f, "{name} is absent: {reason}"),
        }
    }
}

impl Error for SpecError {}

impl ProviderSpec {
    /// A provider as it is without options.
    pub fn without_options(name: &str) -> Self {
        ProviderSpec { name: name.to_owned(), options: Vec::new() }
    }

    /// The options as a [`Factory`] takes them.
    pub fn borrowed_options(&self) -> Vec<(&str, &str)> {
        self.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }
}

impl FromStr for ProviderSpec {
    type Err = SpecError;

    /// Parses the form alone. Whether there is such a provider, and whether it has such options, is
    /// known to the [registry](Registry::open_provider).
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().to_owned();
        let option = |option: &str| match option.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(SpecError::Form { option: option.to_owned() }),
        };
        let options = parts.map(option).collect::<Result<_, _>>()?;
        Ok(ProviderSpec { name, options })
    }
}

impl fmt::Display for ProviderSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.options.iter().try_for_each(|(name, value)| write!(f, ":{name}={value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_prints_as_it_was_written() {
        for text in
            ["native", "openssl:contexts=per-job:queue-pairs=4", "emulated:faults=reset=0.1"]
        {
            assert_eq!(text.parse::<ProviderSpec>().expect("it is right").to_string(), text);
        }
    }

    #[test]
    fn an_option_without_a_value_is_refused() {
        let error = "native:fast".parse::<ProviderSpec>().unwrap_err();
        assert_eq!(error.to_string(), "\"fast\" is no option of a provider: valid is NAME=VALUE");
    }
}
