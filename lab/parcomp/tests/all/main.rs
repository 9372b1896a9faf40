//! `parcomp`: the command line, outputs and file format of Intel's paper on programming QuickAssist,
//! and what its users expect of every program.

#[path = "../../../../crates/program/tests/support/mod.rs"]
mod support;

mod benchmark;
mod program;

use std::process::Command;

use support::{Place, Said, run};

impl Place {
    /// Runs `parcomp` in this directory.
    pub fn parcomp(&self, args: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parcomp"));
        run(command.args(args).current_dir(self.path()), b"")
    }
}
