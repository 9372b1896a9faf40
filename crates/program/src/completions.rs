//! The command `completions` of a program: what a shell needs to complete the command line.

use std::io::{self, Write};

use clap::{Args, Command, ValueEnum};
use clap_complete::{generate, shells};

use crate::streams::StandardOutput;

/// Print the completions of a shell
///
/// The script completes the names of commands and options of PROGRAM, the program that prints it.
/// The bash script belongs in a file PROGRAM in the directory bash-completion/completions, the zsh
/// script in a file _PROGRAM on zsh's fpath, the fish script in a file PROGRAM.fish in the directory
/// fish/completions.
#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell that the script is for
    shell: Shell,
}

/// A shell that there is a script for.
#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Prints the script for all commands of `program`.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &CompletionsArgs, mut program: Command) -> io::Result<()> {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    match args.shell {
        Shell::Bash => generate(shells::Bash, &mut program, name, &mut script),
        Shell::Zsh => generate(shells::Zsh, &mut program, name, &mut script),
        Shell::Fish => generate(shells::Fish, &mut program, name, &mut script),
    }
    StandardOutput.write_all(&script)
}
