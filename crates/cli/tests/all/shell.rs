//! Completions and manual pages: complete, and well formed.

use std::fs;
use std::process::Command;

use crate::common::{Place, assert_manual_page, run};

/// All commands, as manual pages name them.
const COMMANDS: &[&str] = &[
    "broadloom",
    "broadloom-chunks",
    "broadloom-completions",
    "broadloom-compress",
    "broadloom-decompress",
    "broadloom-decrypt",
    "broadloom-encrypt",
    "broadloom-hash",
    "broadloom-info",
    "broadloom-keygen",
    "broadloom-man",
    "broadloom-perf",
    "broadloom-snapshot",
    "broadloom-snapshot-backup",
    "broadloom-snapshot-cat",
    "broadloom-snapshot-check",
    "broadloom-snapshot-diff",
    "broadloom-snapshot-find",
    "broadloom-snapshot-forget",
    "broadloom-snapshot-init",
    "broadloom-snapshot-list",
    "broadloom-snapshot-ls",
    "broadloom-snapshot-restore",
    "broadloom-snapshot-stats",
    "broadloom-snapshot-unlock",
    "broadloom-top",
    "broadloom-verify-signatures",
];

#[test]
fn completions_name_all_commands_and_their_options() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let said = run(place.command("completions").arg(shell), b"");
        let script = said.good();
        for name in COMMANDS.iter().filter_map(|name| name.rsplit('-').next()) {
            assert!(script.contains(name), "{shell}: {name}");
        }
        for option in ["hmac-key-file", "rsyncable", "recipient", "algorithm"] {
            assert!(script.contains(option), "{shell}: {option}");
        }
    }
}

#[test]
fn bash_completes_with_the_script() {
    let place = Place::new();
    let script = run(place.command("completions").arg("bash"), b"");
    place.write("script", script.good());
    let bash = |command: &str| {
        let mut bash = Command::new("bash");
        run(bash.args(["--norc", "-c", command]).current_dir(place.path()), b"")
    };
    bash("bash -n script").good();
    let complete = |words: &str, at: usize| {
        let command = format!(
            "source ./script; COMP_WORDS=({words}); COMP_CWORD={at}; \
             _broadloom broadloom \"${{COMP_WORDS[{at}]}}\" \"${{COMP_WORDS[{at}-1]}}\"; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        bash(&command).good().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(complete("broadloom comp", 1), ["compress", "completions"]);
    assert_eq!(complete("broadloom snapshot li", 2), ["list"]);
    assert_eq!(complete("broadloom hash --hmac", 2), ["--hmac-key-file"]);
    assert_eq!(complete("broadloom completions z", 2), ["zsh"]);
}

#[test]
fn every_command_has_a_page() {
    let place = Place::new();
    place.write("pages/man1/broadloom.1", "old");
    let write = || run(place.command("man").arg("pages/man1"), b"");
    assert_eq!(write().good(), "");
    let mut expected = COMMANDS.iter().map(|name| format!("{name}.1")).collect::<Vec<_>>();
    expected.sort();
    assert_eq!(place.names("pages/man1"), expected);
    for name in &expected {
        let page = String::from_utf8(place.read(format!("pages/man1/{name}"))).unwrap();
        let command = name.trim_end_matches(".1");
        assert_manual_page(command, &page);
    }
    let hash = String::from_utf8(place.read("pages/man1/broadloom-hash.1")).unwrap();
    assert!(hash.contains("hmac\\-key\\-file"), "{hash}");
    let before = place.read("pages/man1/broadloom-hash.1");
    write().good();
    assert_eq!(place.read("pages/man1/broadloom-hash.1"), before, "pages are the same every time");
}

#[test]
fn wrong_values_are_named() {
    let place = Place::new();
    place.write("file", "");
    fs::create_dir_all(place.path().join("pages/broadloom-hash.1")).unwrap();
    for (args, code, text) in [
        (&["completions"][..], 2, "<SHELL>"),
        (&["completions", "tcsh"], 2, "[possible values: bash, zsh, fish]"),
        (&["completions", "bash", "zsh"], 2, "'zsh'"),
        (&["man"], 2, "<DIR>"),
        (&["man", "file"], 1, "broadloom man: cannot write file: File exists\n"),
        (&["man", "file/below"], 1, "cannot write file/below: Not a directory\n"),
        (&["man", "pages"], 1, "cannot write pages/broadloom-hash.1: Is a directory\n"),
    ] {
        let said = run(place.command(args[0]).args(&args[1..]), b"");
        assert_eq!((said.code, said.text()), (Some(code), ""), "{args:?}");
        assert!(said.stderr.contains(text), "{args:?}: {}", said.stderr);
    }
}
