//! Providers that may be absent, and how their tests run.

use std::fmt::{Arguments, Display};
use std::io::Write;
use std::sync::Arc;

use broadloom_engine::provider::Provider;

/// The value of a suite's expression: a provider, or the reason for its absence.
pub trait Candidate {
    /// The provider, or why there is none.
    ///
    /// # Errors
    /// The reason, in words.
    fn candidate(self) -> Result<Arc<dyn Provider>, String>;
}

impl Candidate for Arc<dyn Provider> {
    fn candidate(self) -> Result<Arc<dyn Provider>, String> {
        Ok(self)
    }
}

impl Candidate for Option<Arc<dyn Provider>> {
    fn candidate(self) -> Result<Arc<dyn Provider>, String> {
        self.ok_or_else(|| "the provider is absent".to_owned())
    }
}

impl<E: Display> Candidate for Result<Arc<dyn Provider>, E> {
    fn candidate(self) -> Result<Arc<dyn Provider>, String> {
        self.map_err(|error| error.to_string())
    }
}

/// Runs a topic on a provider.
///
/// # Panics
/// If the provider does not pass; or is absent, where the environment has `CI=true`.
pub fn run(topic: &str, candidate: impl Candidate, test: fn(&Arc<dyn Provider>)) {
    if let Some(provider) = present(topic, candidate) {
        test(&provider);
    }
}

/// Compares two providers.
///
/// # Panics
/// As [`run`].
pub fn run_both(name: &str, a: impl Candidate, b: impl Candidate) {
    if let (Some(a), Some(b)) = (present(name, a), present(name, b)) {
        crate::compare(&a, &b);
    }
}

/// The provider; where there is none, as [`broadloom_testing::present`] says it.
fn present(topic: &str, candidate: impl Candidate) -> Option<Arc<dyn Provider>> {
    broadloom_testing::present(topic, candidate.candidate())
}

/// Writes a line to standard error, past the test harness, which keeps what a test prints to
/// itself.
pub(crate) fn say(line: Arguments<'_>) {
    // Nothing depends on the line: a closed standard error is no reason to fail.
    let _ = writeln!(std::io::stderr(), "conformance: {line}");
}

#[cfg(test)]
mod tests {
    use broadloom_testing::present_or;

    use super::*;

    fn absent() -> Result<Arc<dyn Provider>, String> {
        Err("libexample.so.7 was not found".to_owned())
    }

    #[test]
    fn an_absent_provider_is_not_tested() {
        assert!(present_or(false, "this example", absent().candidate()).is_none());
        assert!(present_or(false, "this example", None::<Arc<dyn Provider>>.candidate()).is_none());
        assert!(
            present_or(true, "this example", Some(crate::reference_provider()).candidate())
                .is_some()
        );
    }

    #[test]
    #[should_panic(expected = "lengths could not be run: libexample.so.7 was not found")]
    fn where_it_is_needed_an_absent_provider_fails() {
        present_or(true, "lengths", absent().candidate());
    }
}
