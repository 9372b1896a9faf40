//! The value of `--provider`.

use std::str::FromStr;

use crate::provider::provider;
use broadloom::error::SpecError;
use broadloom::provider::ProviderSpec;

/// The provider that a command line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// The provider that is measured to be the fastest.
    Fastest,
    /// The provider that is named.
    Named(ProviderSpec),
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "fastest" => Ok(Wanted::Fastest),
            _ => provider(text).map(Wanted::Named).map_err(|error: SpecError| match error {
                SpecError::Unknown { .. } => format!("{error}, fastest"),
                _ => error.to_string(),
            }),
        }
    }
}
