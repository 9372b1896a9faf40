//! Options of the provider.

use std::fmt;

use broadloom_engine::provider::FactoryError;

use crate::evp::{CipherContext, EvpError, LibraryError};

/// The most queues that can be open at a time.
const MAX_QUEUE_PAIRS: usize = 1 << 16;

const CONTEXTS: &str = "contexts are per-queue-pair, ciphers-per-queue-pair, per-job or locked";
const OPTIONS: &str = "its options are contexts, queue-pairs, keys, padding, ivs and legacy";

/// Which context an operation gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContextMode {
    /// Every queue pair has a copy of each session's.
    PerQueuePair,
    /// The same for ciphers, AEADs and public keys; hashes and MACs as `PerJob`.
    CiphersPerQueuePair,
    /// Every job has a copy.
    PerJob,
    /// All queue pairs share each session's, behind a lock.
    Locked,
}

impl ContextMode {
    const ALL: [ContextMode; 4] = [
        ContextMode::PerQueuePair,
        ContextMode::CiphersPerQueuePair,
        ContextMode::PerJob,
        ContextMode::Locked,
    ];

    const fn name(self) -> &'static str {
        match self {
            ContextMode::PerQueuePair => "per-queue-pair",
            ContextMode::CiphersPerQueuePair => "ciphers-per-queue-pair",
            ContextMode::PerJob => "per-job",
            ContextMode::Locked => "locked",
        }
    }
}

/// What every job sets again, although its context has it already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Again {
    /// The cipher and the key, of triple DES in CTR mode.
    pub keys: bool,
    /// That there is no padding, of ciphers that are no AEADs.
    pub padding: bool,
    /// The IV, of CBC.
    pub ivs: bool,
}

impl Again {
    /// Says that there is no padding, where every job says it: twice, as DPDK's driver did.
    #[inline]
    pub(crate) fn padding(self, context: &mut CipherContext) -> Result<(), EvpError> {
        if self.padding {
            context.set_no_padding()?;
            context.set_no_padding()?;
        }
        Ok(())
    }
}

/// The options in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    pub contexts: ContextMode,
    pub queue_pairs: usize,
    pub again: Again,
    /// `true` if RC4 and DES alone are offered, which are broken.
    pub legacy: bool,
}

/// The names of the options with their values, as a registry lists them.
pub(crate) const DESCRIBED: [(&str, &str); 6] = [
    ("contexts", "per-queue-pair, ciphers-per-queue-pair, per-job or locked"),
    ("queue-pairs", "1 to 65536"),
    ("keys", "once or per-job: the key of 3des-ctr"),
    ("padding", "once or per-job"),
    ("ivs", "chained or per-job: the IV of CBC"),
    ("legacy", "yes or no: RC4 and DES alone, which are broken"),
];

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
        let mut options = Options {
            contexts: ContextMode::PerQueuePair,
            queue_pairs: 64,
            again: Again::default(),
            legacy: false,
        };
        for (index, &(name, value)) in given.iter().enumerate() {
            let wrong = |valid| {
                Err(LoadError::Option { name: name.to_owned(), value: value.to_owned(), valid })
            };
            if given[..index].iter().any(|(before, _)| *before == name) {
                return wrong("an option is given once");
            }
            match (name, value) {
                ("contexts", _) => {
                    match ContextMode::ALL.into_iter().find(|mode| mode.name() == value) {
                        Some(mode) => options.contexts = mode,
                        None => return wrong(CONTEXTS),
                    }
                }
                ("keys", "once" | "per-job") => options.again.keys = value == "per-job",
                ("keys", _) => return wrong("keys are set once or per-job"),
                ("padding", "once" | "per-job") => options.again.padding = value == "per-job",
                ("padding", _) => return wrong("padding is set once or per-job"),
                ("ivs", "chained" | "per-job") => options.again.ivs = value == "per-job",
                ("ivs", _) => return wrong("ivs are chained or per-job"),
                ("legacy", "yes" | "no") => options.legacy = value == "yes",
                ("legacy", _) => return wrong("legacy is yes or no"),
                ("queue-pairs", _) => match value.parse() {
                    Ok(count @ 1..=MAX_QUEUE_PAIRS) => options.queue_pairs = count,
                    _ => return wrong("queue-pairs is a number from 1 to 65536"),
                },
                _ => return wrong(OPTIONS),
            }
        }
        Ok(options)
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "contexts={}, queue-pairs={}", self.contexts.name(), self.queue_pairs)?;
        let Again { keys, padding, ivs } = self.again;
        for (name, again) in [("keys", keys), ("padding", padding), ("ivs", ivs)] {
            if again {
                write!(f, ", {name}=per-job")?;
            }
        }
        if self.legacy {
            write!(f, ", legacy=yes")?;
        }
        Ok(())
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
        for mode in ContextMode::ALL {
            let given = [("contexts", mode.name())];
            assert_eq!(Options::parse(&given).map(|options| options.contexts), Ok(mode));
        }
        assert_eq!(
            shown(&[("keys", "once"), ("padding", "per-job"), ("ivs", "per-job")]),
            "contexts=per-queue-pair, queue-pairs=64, padding=per-job, ivs=per-job"
        );
        assert_eq!(shown(&[("keys", "per-job"), ("ivs", "chained")]).split(", ").count(), 3);
    }

    #[test]
    fn wrong_options_are_told_what_is_valid() {
        let error = |given: &[_]| Options::parse(given).unwrap_err().to_string();
        assert_eq!(
            error(&[("contexts", "per-thread")]),
            format!("the openssl provider takes no contexts=per-thread: {CONTEXTS}")
        );
        for name in ["keys", "padding", "ivs"] {
            let error = error(&[(name, "never")]);
            assert!(error.contains(&format!("no {name}=never: {name} ")), "{error}");
        }
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
            format!("the openssl provider takes no isa=avx2: {OPTIONS}")
        );
        assert_eq!(
            error(&[("contexts", "per-job"), ("contexts", "per-job")]),
            "the openssl provider takes no contexts=per-job: an option is given once"
        );
    }
}
