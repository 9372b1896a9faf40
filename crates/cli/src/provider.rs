//! Providers, as options name them.

use broadloom::error::SpecError;
use broadloom::provider::ProviderSpec;

/// Parses a provider with its options, and looks whether there is one of that name. For
/// `value_parser`.
///
/// # Errors
/// The text has not the form of a provider with options, or there is no such provider.
pub fn provider(text: &str) -> Result<ProviderSpec, SpecError> {
    broadloom::registry().parse(text)
}
