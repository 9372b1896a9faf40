//! What `broadloom-perf` has beside measurements: peers, manual pages, completions.

use std::process::Command;

use serde_json::Value;

use crate::support::{
    Place, Said, assert_help_is_written, assert_manual_page, assert_output_is_needed, run,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_broadloom-perf");

fn perf(args: &[&str]) -> Said {
    run(Command::new(PROGRAM).args(args), b"")
}

#[test]
fn peers_are_named_with_their_versions_or_with_the_reason() {
    let said = perf(&["peers", "--json"]);
    let said: Value = serde_json::from_str(said.good()).unwrap();
    assert_eq!(said["schema"], "broadloom-peers/1");
    let list = |key: &str| said[key].as_array().unwrap().clone();
    let names = |key: &str| list(key).iter().map(|one| one["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names("peers"), ["openssl", "ipsec-mb", "ring", "aws-lc-rs", "secp256k1"]);
    assert_eq!(names("providers"), ["ipsec-mb", "emulated"]);
    for peer in list("peers") {
        assert!(peer["version"].is_string() ^ peer["absent"].is_string(), "{peer}");
    }
    for provider in list("providers") {
        assert!(provider["description"].is_string() ^ provider["absent"].is_string(), "{provider}");
    }
    assert!(list("providers")[1]["description"].is_string(), "the emulated device is built in");
    let text = perf(&["peers"]);
    for line in ["peer openssl", "peer ipsec-mb", "provider emulated: "] {
        assert!(text.good().contains(line), "{line}: {}", text.text());
    }
}

#[test]
fn every_command_has_a_page_and_a_completion() {
    let place = Place::new();
    run(Command::new(PROGRAM).args(["man", "."]).current_dir(place.path()), b"").good();
    let commands = [
        "compress",
        "completions",
        "device",
        "grid",
        "man",
        "matrix",
        "packets",
        "peers",
        "pk",
        "stalls",
        "storage",
        "transmit",
        "workloads",
    ];
    let mut pages: Vec<String> =
        commands.iter().map(|command| format!("broadloom-perf-{command}.1")).collect();
    pages.push("broadloom-perf.1".to_owned());
    pages.sort();
    assert_eq!(place.names("."), pages);
    for page in &pages {
        let text = String::from_utf8(place.read(page)).unwrap();
        assert_manual_page(page.trim_end_matches(".1"), &text);
    }
    for shell in ["bash", "zsh", "fish"] {
        let said = perf(&["completions", shell]);
        for word in commands.iter().chain(&["baseline", "algorithm"]) {
            assert!(said.good().contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let matrix = "matrix --quick --algorithm=md5 --size=64 --provider=native";
    let json = format!("{matrix} --json=-");
    let place = Place::new();
    assert_output_is_needed(&place, PROGRAM, &[matrix, &json, "peers", "peers --json", "--help"]);
    assert_help_is_written(PROGRAM, &[&["--help"], &["--version"], &["matrix", "--help"]]);
}
