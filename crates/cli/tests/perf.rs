//! `broadloom perf workloads` hands its options on, and names what is wrong with them.

mod common;

use std::process::Command;

use common::{Said, run};
use serde_json::Value;
use tempfile::TempDir;

fn workloads(args: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadloom"));
    run(command.args(["perf", "workloads"]).args(args).env_remove("BROADLOOM_ISA"), b"")
}

#[test]
fn rows_are_what_was_asked_for() {
    let dir = TempDir::new().unwrap();
    let json = dir.path().join("rows.json");
    let said = workloads(&[
        "--quick",
        "--alone",
        "--algorithm=hmac-sha256,md5",
        "--workload=0,3",
        "--burst=16,32",
        "--isa=portable",
        "--json",
        json.to_str().unwrap(),
    ]);
    assert!(said.good().contains("hmac-sha256"));
    let report: Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert_eq!(report["schema"], "broadloom-perf/1");
    let rows = report["rows"].as_array().unwrap();
    for algorithm in ["hmac-sha256", "md5"] {
        for workload in ["0", "3"] {
            for burst in [16, 32] {
                let wanted = |row: &&Value| {
                    row["algorithm"] == algorithm && row["workload"] == workload && row["burst"] == burst
                };
                assert!(rows.iter().any(|row| wanted(&row)), "{algorithm} {workload} {burst}");
            }
        }
    }
    for row in rows {
        assert_eq!((&row["provider"], &row["isa"]), (&"native".into(), &"portable".into()));
    }
}

#[test]
fn wrong_options_are_named() {
    for (args, code, text) in [
        (&["--algorithm=sha3"][..], 2, "sha3"),
        (&["--against=nss"], 2, "nss"),
        (&["--workload=4"], 2, "4"),
        (&["--isa=mmx"], 2, "mmx"),
        (&["--order=random"], 2, "random"),
        (&["--cache=tepid"], 2, "tepid"),
        (&["--burst=many"], 2, "many"),
        (&["--alone", "--against=openssl"], 2, "--alone"),
        (&["--without=mmx"], 1, "mmx"),
        (&["--burst=0"], 1, "burst 0"),
        (&["--size=0"], 2, "0 is out of range"),
        (&["--size=64:0:128"], 2, "step"),
        (&["--algorithm=md5", "--direction=encrypt"], 1, "encrypt"),
        (&["--quick", "--json=/nowhere/at/all"], 1, "/nowhere/at/all"),
    ] {
        let said = workloads(args);
        assert_eq!((said.code, said.text()), (Some(code), ""), "{args:?}");
        assert!(said.stderr.contains(text), "{args:?}: {}", said.stderr);
    }
}
