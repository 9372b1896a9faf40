//! Providers as a command line names them, with their options.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

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

    /// The options as a [`Factory`](super::Factory) takes them.
    pub fn borrowed_options(&self) -> Vec<(&str, &str)> {
        self.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }
}

impl FromStr for ProviderSpec {
    type Err = SpecError;

    /// Parses the form alone. Whether there is such a provider, and whether it has such options, is
    /// known to the [registry](super::Registry::open_provider).
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
