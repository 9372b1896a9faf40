//! Options of the provider.

use std::fmt;

use broadloom_engine::provider::FactoryError;

use crate::evp::LibraryError;

/// The most queues that can be open at a time.
const MAX_QUEUE_PAIRS: usize = 1 << 16;

/// Which context an operation gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContextMode {
    PerQueuePair,
    PerJob,
}

/// The options in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    pub contexts: ContextMode,
    pub queue_pairs: usize,
}

/// Why the provider was not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no libcrypto, or not the right one: the provider is absent.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// An option that it does not have, or given twice.
    #[error("the openssl provider takes no {name}={value}: {valid}")]
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

impl Options {
    pub(crate) fn parse(given: &[(&str, &str)]) -> Result<Options, LoadError> {
        let mut options = Options { contexts: ContextMode::PerQueuePair, queue_pairs: 64 };
        for (index, &(name, value)) in given.iter().enumerate() {
            let wrong = |valid| {
                Err(LoadError::Option { name: name.to_owned(), value: value.to_owned(), valid })
            };
            if given[..index].iter().any(|(before, _)| *before == name) {
                return wrong("an option is given once");
            }
            match (name, value) {
                ("contexts", "per-queue-pair") => options.contexts = ContextMode::PerQueuePair,
                ("contexts", "per-job") => options.contexts = ContextMode::PerJob,
                ("contexts", _) => return wrong("contexts are per-queue-pair or per-job"),
                ("queue-pairs", _) => match value.parse() {
                    Ok(count @ 1..=MAX_QUEUE_PAIRS) => options.queue_pairs = count,
                    _ => return wrong("queue-pairs is a number from 1 to 65536"),
                },
                _ => return wrong("its options are contexts and queue-pairs"),
            }
        }
        Ok(options)
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contexts = match self.contexts {
            ContextMode::PerQueuePair => "per-queue-pair",
            ContextMode::PerJob => "per-job",
        };
        write!(f, "contexts={contexts}, queue-pairs={}", self.queue_pairs)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn options_have_defaults_and_are_shown() {
        let shown = |given: &[_]| Options::parse(given).expect("they are valid").to_string();
        assert_eq!(shown(&[]), "contexts=per-queue-pair, queue-pairs=64");
        assert_eq!(
            shown(&[("queue-pairs", "1"), ("contexts", "per-job")]),
            "contexts=per-job, queue-pairs=1"
        );
    }

    #[test]
    fn wrong_options_are_told_what_is_valid() {
        let error = |given: &[_]| Options::parse(given).unwrap_err().to_string();
        assert_eq!(
            error(&[("contexts", "per-thread")]),
            "the openssl provider takes no contexts=per-thread: contexts are per-queue-pair or per-job"
        );
        for value in ["0", "-1", "many", "65537", ""] {
            assert_eq!(
                error(&[("queue-pairs", value)]),
                format!(
                    "the openssl provider takes no queue-pairs={value}: \
                     queue-pairs is a number from 1 to 65536"
                )
            );
        }
        assert_eq!(
            error(&[("isa", "avx2")]),
            "the openssl provider takes no isa=avx2: its options are contexts and queue-pairs"
        );
        assert_eq!(
            error(&[("contexts", "per-job"), ("contexts", "per-job")]),
            "the openssl provider takes no contexts=per-job: an option is given once"
        );
    }
}
