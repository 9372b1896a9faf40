//! `broadloom info` tells what the lanes and the providers say of themselves.

use std::fs::File;
use std::process::Command;

use broadloom_lanes::{Cpu, Isa};
use broadloom_testing::has;
use serde_json::Value;

use crate::common::{Said, run, terminal};

fn info(args: &[&str], isa: Option<&str>) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadloom"));
    // So wide that no text is broken.
    command.arg("info").args(args).env_remove("BROADLOOM_ISA").env("COLUMNS", "10000");
    if let Some(isa) = isa {
        command.env("BROADLOOM_ISA", isa);
    }
    run(&mut command, b"")
}

/// The texts under a key of each object in a list.
fn texts<'v>(list: &'v Value, key: &str) -> Vec<&'v str> {
    list.as_array().unwrap().iter().map(|entry| entry[key].as_str().unwrap()).collect()
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadloom"));
    let output = command.arg("info").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stderr, b"broadloom info: write error: No space left on device\n");
}

fn provider<'v>(said: &'v Value, name: &str) -> &'v Value {
    let all = said["providers"].as_array().unwrap();
    all.iter().find(|provider| provider["name"] == name).expect(name)
}

#[test]
fn json_names_features_kernels_and_providers() {
    let said: Value = serde_json::from_str(info(&["--json"], None).good()).unwrap();
    let cpu = Cpu::detect();
    assert_eq!(said["schema"], "broadloom-info/1");
    assert_eq!(said["isa"], cpu.isa().to_string());
    let names: Vec<&str> = cpu.features().iter().map(|feature| feature.feature.name()).collect();
    assert_eq!(texts(&said["features"], "name"), names);
    for (told, feature) in said["features"].as_array().unwrap().iter().zip(cpu.features()) {
        assert_eq!(
            (&told["seen"], &told["usable"]),
            (&feature.seen.into(), &feature.usable.into())
        );
    }
    let kernels = broadloom::lanes::kernels(&cpu);
    let algorithms: Vec<&str> = kernels.iter().map(|kernel| kernel.algorithm).collect();
    assert!(algorithms.starts_with(&["md5", "sha1"]) && algorithms.contains(&"chacha20-poly1305"));
    assert_eq!(texts(&said["kernels"], "algorithm"), algorithms);
    assert!(said["kernels"].as_array().unwrap().iter().all(|kernel| kernel["lanes"].is_u64()));
    let all = said["algorithms"].as_array().unwrap();
    let sha1 = all.iter().find(|algorithm| algorithm["name"] == "sha1").expect("it is listed");
    assert_eq!(sha1["standard"], "FIPS 180-4");
    // Those that are absent come last.
    let (mut names, absent): (Vec<&str>, Vec<&str>) =
        ["native", "openssl", "isal", "libdeflate", "zlib", "lz4", "gpu"]
            .into_iter()
            .partition(|name| provider(&said, name)["absent"].is_null());
    names.extend(absent);
    assert_eq!(texts(&said["providers"], "name"), names);
    for provider in said["providers"].as_array().unwrap() {
        assert!(provider["algorithms"].is_array() ^ provider["absent"].is_string(), "{provider}");
    }
    let native = &said["providers"][0];
    let able = native["algorithms"].as_array().unwrap();
    assert!(able.contains(&"hmac-sha1".into()) && able.contains(&"aes-256-cbc".into()), "{native}");
    assert!(provider(&said, "gpu")["by_name_only"].as_bool().unwrap_or(true));
}

#[test]
fn text_tells_the_same() {
    let json: Value = serde_json::from_str(info(&["--json"], None).good()).unwrap();
    let said = info(&[], None);
    for (list, keys) in [
        ("features", &["name"][..]),
        ("kernels", &["algorithm", "kernel", "single", "reason"]),
        ("algorithms", &["name", "standard"]),
        ("providers", &["name"]),
        ("compression", &["algorithm", "provider"]),
    ] {
        for key in keys {
            for text in texts(&json[list], key) {
                assert!(said.good().contains(text), "{text}");
            }
        }
    }
}

#[test]
fn every_level_has_who_compresses_and_why() {
    let said: Value = serde_json::from_str(info(&["--json"], None).good()).unwrap();
    let all = said["compression"].as_array().unwrap();
    let deflate = all.iter().filter(|chosen| chosen["algorithm"] == "deflate");
    let levels: Vec<Option<u64>> = deflate.clone().map(|chosen| chosen["level"].as_u64()).collect();
    // libdeflate, which is built in, has these.
    assert_eq!(levels, (0..=12).map(Some).chain([None]).collect::<Vec<_>>());
    for chosen in all {
        let reason = chosen["reason"].as_str().unwrap();
        assert!(!reason.contains("MB/s"), "nothing is measured: {reason}");
        let first =
            if matches!(chosen["level"].as_u64(), Some(1 | 2)) { "isal" } else { "libdeflate" };
        let first = if chosen["algorithm"] == "lz4" { "lz4" } else { first };
        let is_first = chosen["provider"] == first;
        assert_eq!(is_first, !reason.starts_with("the first that can of "), "{chosen}");
        assert!(is_first || first == "isal", "{chosen}");
        assert_eq!(chosen["direction"] == "decompress", chosen["level"].is_null());
    }
}

#[test]
fn a_lower_instruction_set_can_be_asked_for() {
    for isa in Cpu::available() {
        let said = info(&["--json"], Some(&isa.to_string()));
        let said: Value = serde_json::from_str(said.good()).unwrap();
        assert_eq!(said["isa"], isa.to_string());
    }
    for command in ["info", "hash", "verify-signatures"] {
        let help = run(Command::new(env!("CARGO_BIN_EXE_broadloom")).args([command, "-h"]), b"");
        let unnamed = Isa::ALL.iter().find(|isa| !help.good().contains(isa.name()));
        assert_eq!(unnamed, None, "{command}");
    }
    let said = info(&[], Some("mmx"));
    assert_eq!((said.code, said.text()), (Some(2), ""));
    assert!(said.stderr.contains("\"mmx\"") && said.stderr.contains("portable"), "{}", said.stderr);
}

/// The widest line of a text, in characters.
fn width(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().expect("it has lines")
}

#[test]
fn text_is_as_wide_as_what_it_is_for() {
    let program = env!("CARGO_BIN_EXE_broadloom");
    let mut command = Command::new(program);
    let said = run(command.arg("info").env_remove("COLUMNS"), b"");
    assert!(width(said.good()) <= 80, "{}", said.text());
    for columns in [60, 100, 200] {
        let mut command = Command::new(program);
        let said = run(command.arg("info").env("COLUMNS", columns.to_string()), b"");
        assert!(width(said.good()) <= columns, "{columns}: {}", said.text());
    }
    if !has("python3") {
        return;
    }
    for columns in [60, 120] {
        let mut command = terminal(columns, &[program, "info"]);
        let said = run(command.env_remove("COLUMNS"), b"");
        assert_eq!(said.code, Some(0), "{}", said.text());
        assert!(width(said.text()) <= columns, "{columns}: {}", said.text());
        assert!(width(said.text()) > columns / 2, "{columns}: {}", said.text());
    }
}
