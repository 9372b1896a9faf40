//! Options of the provider.

use broadloom_engine::provider::FactoryError;

use crate::ffi::LibraryError;

/// Which library is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// libz if it is installed, else the crate.
    Either,
    System,
    Rust,
}

/// Why the provider was not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// libz was asked for, and there is none: the provider is absent.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// An option that it does not have, or given twice.
    #[error("the zlib provider takes no {name}={value}: {valid}")]
    Option {
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// The valid values, in words.
        valid: &'static str,
    },
}

impl From<LoadError> for FactoryError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Library(absent) => FactoryError::Absent(absent.to_string()),
            option @ LoadError::Option { .. } => FactoryError::Option(option.to_string()),
        }
    }
}

impl Wanted {
    pub(crate) fn parse(given: &[(&str, &str)]) -> Result<Wanted, LoadError> {
        let mut wanted = Wanted::Either;
        for (index, &(name, value)) in given.iter().enumerate() {
            let wrong = |valid| {
                Err(LoadError::Option { name: name.to_owned(), value: value.to_owned(), valid })
            };
            if index > 0 && name == "library" {
                return wrong("an option is given once");
            }
            wanted = match (name, value) {
                ("library", "system") => Wanted::System,
                ("library", "zlib-rs") => Wanted::Rust,
                ("library", _) => return wrong("library is system or zlib-rs"),
                _ => return wrong("its option is library"),
            };
        }
        Ok(wanted)
    }
}
