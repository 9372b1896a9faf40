//! What the tests of many crates share: data, and what may be absent where they run.

#![forbid(unsafe_code)]

use std::fmt::Display;
use std::io::Write;
use std::process::{Command, Stdio};

/// Returns what a test needs: a library, a tool or a device. Where it is absent, prints a line that
/// names the test and the reason, and returns `None`.
///
/// ```
/// let found = std::fs::metadata("/dev/null");
/// let Some(null) = broadloom_testing::present("the example", found) else { return };
/// assert!(!null.is_dir());
/// ```
///
/// # Panics
/// If it is absent where nothing may be: where the environment has `CI=true`, as continuous
/// integration and `.ci/run` set it.
pub fn present<T, E: Display>(test: &str, found: Result<T, E>) -> Option<T> {
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    present_or(is_ci, test, found)
}

/// Returns `true` if a test has what it needs, as [`present`] says it.
///
/// # Panics
/// As [`present`], with the reason.
pub fn is_present(test: &str, is_there: bool, reason: &str) -> bool {
    present(test, is_there.then_some(()).ok_or(reason)).is_some()
}

/// Returns `true` if a tool that prints its version is there, as [`present`] says it.
///
/// # Panics
/// As [`present`].
pub fn has(tool: &str) -> bool {
    has_version(tool, "--version")
}

/// Returns `true` if a tool is there, which prints its version when it has this argument.
///
/// # Panics
/// As [`present`].
pub fn has_version(tool: &str, argument: &str) -> bool {
    let mut version = Command::new(tool);
    version.arg(argument).stdout(Stdio::null()).stderr(Stdio::null());
    let reason = format!("there is no program {tool}");
    is_present(&format!("a comparison with {tool}"), version.status().is_ok(), &reason)
}

/// Does what [`present`] does, with `is_needed` in place of `CI=true`.
///
/// # Panics
/// If it is absent and needed.
pub fn present_or<T, E: Display>(is_needed: bool, test: &str, found: Result<T, E>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(reason) => {
            assert!(!is_needed, "{test} could not be run: {reason}");
            // Past the test harness, which keeps what a test prints to itself. Nothing depends on
            // the line: a closed standard error is no reason to fail.
            let _ = writeln!(std::io::stderr(), "{test} was not run: {reason}");
            None
        }
    }
}

/// Returns bytes that look random: the same for the same seed, whatever the length.
pub fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Returns text of a few words that repeat: the same for the same seed.
pub fn text(len: usize, seed: u64) -> Vec<u8> {
    let words = ["the ", "loom ", "weaves ", "a broad ", "cloth ", "of many ", "threads, "];
    let chosen = noise(len, seed).into_iter().map(|byte| words[usize::from(byte) % words.len()]);
    chosen.flat_map(str::bytes).take(len).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABSENT: Result<u8, &str> = Err("libexample.so.7 was not found");

    #[test]
    fn what_is_absent_is_not_tested_where_it_is_not_needed() {
        assert_eq!(present_or(false, "this example", ABSENT), None);
        assert_eq!(present_or(true, "this example", Ok::<_, &str>(7)), Some(7));
        assert!(is_present("this example", true, "it is there"));
    }

    #[test]
    #[should_panic(expected = "lengths could not be run: libexample.so.7 was not found")]
    fn where_it_is_needed_what_is_absent_fails() {
        present_or(true, "lengths", ABSENT);
    }

    #[test]
    fn a_tool_is_found_by_its_name() {
        assert!(has_version("sh", "-c"));
        assert!(Command::new("no-tool-has-this-name").status().is_err());
    }

    #[test]
    fn text_has_its_length_and_few_words() {
        let text = String::from_utf8(text(10_000, 3)).expect("words are ASCII");
        assert_eq!(text.len(), 10_000);
        assert!(text.matches("loom ").count() > 100);
    }

    #[test]
    fn noise_depends_on_its_seed_and_does_not_repeat() {
        let bytes = noise(10_000, 1);
        assert_eq!(noise(100, 1), bytes[..100]);
        assert_ne!(noise(100, 2), bytes[..100]);
        let mut windows: Vec<&[u8]> = bytes.windows(8).collect();
        windows.sort_unstable();
        assert!(windows.is_sorted_by(|a, b| a < b), "eight bytes come twice");
    }
}
