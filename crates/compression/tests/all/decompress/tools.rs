//! Tools of others that the tests can do without. The command line's tests use this, too.

use std::process::{Command, Stdio};

/// Whether a tool is there. In continuous integration it has to be.
pub fn has(tool: &str) -> bool {
    has_version(tool, "--version")
}

/// The same of a tool that tells its version otherwise.
#[allow(dead_code, reason = "each test binary uses some of these")]
pub fn has_version(tool: &str, argument: &str) -> bool {
    let mut version = Command::new(tool);
    version.arg(argument).stdout(Stdio::null()).stderr(Stdio::null());
    let is_there = version.status().is_ok();
    assert!(is_there || std::env::var_os("CI").is_none(), "{tool} is needed where CI is set");
    if !is_there {
        eprintln!("{tool} is not here: nothing was compared with it");
    }
    is_there
}
