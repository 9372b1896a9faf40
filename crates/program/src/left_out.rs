//! Commands that a program was built without.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use crate::message::complain;

/// The arguments of a command that this program was built without. They are not looked at.
#[derive(Args)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub struct LeftOutArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

impl LeftOutArgs {
    /// Refuses `command`, which has the name of the feature that it needs, and says how to get it.
    pub fn refuse(self, program: &str, package: &str, command: &str) -> ExitCode {
        let text = format!(
            "this program was built without it: `cargo install {package} --features {command}` \
             installs one that has it"
        );
        complain(&format!("{program} {command}"), &text);
        ExitCode::FAILURE
    }
}
