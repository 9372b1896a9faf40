//! Running `broadloom` and the tools of others side by side.

#![allow(dead_code, reason = "each test binary uses some of these")]

use std::ffi::{OsStr, OsString};
use std::process::Command;

use sha2::{Digest, Sha256};

#[path = "../../../program/tests/support/mod.rs"]
mod support;

pub use support::*;

/// The algorithms, and the tool of the coreutils for each.
pub const TOOLS: [(&str, &str); 6] = [
    ("md5", "md5sum"),
    ("sha1", "sha1sum"),
    ("sha224", "sha224sum"),
    ("sha256", "sha256sum"),
    ("sha384", "sha384sum"),
    ("sha512", "sha512sum"),
];

impl Place {
    /// A place with files of these lengths, and the names of the files.
    pub fn of_lengths(lengths: &[usize]) -> (Place, Vec<String>) {
        let place = Place::new();
        let named = |&len| {
            let name = format!("{len} bytes");
            place.write(&name, noise(len, len as u64));
            name
        };
        let names = lengths.iter().map(named).collect();
        (place, names)
    }

    /// A command of `broadloom`, in this directory.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_broadloom"));
        command.arg(name).current_dir(self.path());
        command
    }

    /// Runs `broadloom compress`.
    pub fn compress(&self, args: &[&str], stdin: &[u8]) -> Said {
        run(self.command("compress").args(args), stdin)
    }

    /// Runs `broadloom decompress`.
    pub fn decompress(&self, args: &[&str], stdin: &[u8]) -> Said {
        run(self.command("decompress").args(args), stdin)
    }

    /// The command `broadloom hash`, in this directory.
    pub fn hash_command(&self) -> Command {
        self.command("hash")
    }

    /// Runs `broadloom hash`.
    pub fn hash<S: AsRef<OsStr>>(&self, args: &[S]) -> Said {
        self.hash_with(args, b"")
    }

    /// Runs `broadloom hash` with something on standard input.
    pub fn hash_with<S: AsRef<OsStr>>(&self, args: &[S], stdin: &[u8]) -> Said {
        run(self.hash_command().args(args), stdin)
    }

    /// Asserts that `broadloom hash` says, with the same arguments, just what `sha256sum` says;
    /// gives it.
    pub fn same<S: AsRef<OsStr>>(&self, args: &[S], stdin: &[u8]) -> Said {
        self.same_as(("sha256", "sha256sum"), args, stdin)
    }

    /// The same of another algorithm.
    pub fn same_as<S: AsRef<OsStr>>(
        &self,
        (algorithm, tool): (&str, &str),
        args: &[S],
        stdin: &[u8],
    ) -> Said {
        let mut theirs = self.tool(tool, args, stdin);
        theirs.stderr = theirs.stderr.replace(&format!("{tool}: "), "broadloom hash: ");
        let mut all: Vec<OsString> = vec!["-a".into(), algorithm.into()];
        all.extend(args.iter().map(|arg| arg.as_ref().to_owned()));
        let ours = self.hash_with(&all, stdin);
        for (line, (ours, theirs)) in ours.stderr.lines().zip(theirs.stderr.lines()).enumerate() {
            assert_eq!(ours, theirs, "line {line} of standard error");
        }
        assert_eq!(String::from_utf8_lossy(&ours.stdout), String::from_utf8_lossy(&theirs.stdout));
        assert_eq!(ours, theirs);
        ours
    }
}

/// A SHA-256 in hex.
pub fn sha256(data: &[u8]) -> String {
    Sha256::digest(data).iter().map(|byte| format!("{byte:02x}")).collect()
}
