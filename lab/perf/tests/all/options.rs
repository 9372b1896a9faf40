//! `broadloom-perf` hands its options on, and names what is wrong with them.

use broadloom_testing::is_present;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Said, run};

fn perf(what: &str, args: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadloom-perf"));
    command.current_dir(env!("CARGO_TARGET_TMPDIR"));
    run(command.arg(what).args(args).env_remove("BROADLOOM_ISA"), b"")
}

/// The option for an instruction set that this machine does not have.
fn missing_isa() -> &'static str {
    if cfg!(target_arch = "x86_64") { "--isa=neon" } else { "--isa=avx512" }
}

fn workloads(args: &[&str]) -> Said {
    perf("workloads", args)
}

#[test]
fn rows_are_what_was_asked_for() {
    let dir = TempDir::new().unwrap();
    let json = dir.path().join("rows.json");
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (csv, page) = (path("rows.csv"), path("page.html"));
    let said = workloads(&[
        "--quick",
        "--csv",
        &csv,
        "--report",
        &page,
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
    assert!(report["command"].as_str().unwrap().starts_with("broadloom-perf workloads --quick"));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), 1 + rows.len());
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    for part in
        ["hmac-sha256 generate", "md5 digest", "workload 3", "Where the cycles of a stream go"]
    {
        assert!(page.contains(part), "{part}");
    }
    for algorithm in ["hmac-sha256", "md5"] {
        for workload in ["0", "3"] {
            for burst in [16, 32] {
                let wanted = |row: &&Value| {
                    row["algorithm"] == algorithm
                        && row["workload"] == workload
                        && row["burst"] == burst
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
        (&["--burst=many"], 2, "expected a list of numbers from 1 to 1024"),
        (&["--alone", "--against=openssl"], 2, "--alone"),
        (&["--csv=-", "--report=-"], 2, "- is to be written twice"),
        (&["--report=/nowhere/at/all", "--quick"], 1, "/nowhere/at/all"),
        (&["--without=mmx"], 2, "mmx"),
        (&["--burst=0"], 2, "burst 0"),
        (&["--algorithm=aes-128-gcm"], 2, "perf matrix"),
        (
            &["--json=/nowhere/at/all", "--quick"],
            1,
            "cannot write /nowhere/at/all: No such file or directory\n",
        ),
        (&[missing_isa()], 2, missing_isa().trim_start_matches("--isa=")),
        (&["--size=0"], 2, "0 is out of range"),
        (&["--size=64:0:128"], 2, "step"),
        (&["--algorithm=md5", "--direction=encrypt"], 2, "encrypt"),
    ] {
        let said = workloads(args);
        assert_eq!((said.code, said.text()), (Some(code), ""), "{args:?}");
        assert!(said.stderr.contains(text), "{args:?}: {}", said.stderr);
    }
}

#[test]
fn a_matrix_is_what_was_asked_for() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (json, csv, page) = (path("rows.json"), path("rows.csv"), path("page.html"));
    let said = perf(
        "matrix",
        &[
            "--quick",
            "--algorithm=hmac-sha256,aes-128-cbc+hmac-sha1",
            "--provider=native,native:isa=portable",
            "--size=64,100:100:200,imix",
            "--burst=4,16",
            "--call=process-many",
            "--cores=1",
            "--session=per-core",
            "--json",
            &json,
            "--csv",
            &csv,
            "--report",
            &page,
        ],
    );
    assert!(said.good().contains("hmac-sha256 generate"));
    let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!(report["schema"], "broadloom-perf/1");
    assert!(report["command"].as_str().unwrap().starts_with("broadloom-perf matrix --quick"));
    let rows = report["rows"].as_array().unwrap();
    for algorithm in ["hmac-sha256", "aes-128-cbc+hmac-sha1"] {
        for burst in [4, 16] {
            let wanted = |row: &&Value| row["algorithm"] == algorithm && row["burst"] == burst;
            let portable = |row: &&Value| row["isa"] == "portable";
            assert_eq!(
                rows.iter().filter(wanted).filter(portable).count(),
                4,
                "{algorithm} {burst}"
            );
        }
    }
    for row in rows {
        assert_eq!((&row["call"], &row["session"]), (&"process-many".into(), &"per-core".into()));
    }
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), 1 + rows.len());
    assert!(std::fs::read_to_string(page).unwrap().starts_with("<!DOCTYPE html>"));
}

#[test]
fn public_keys_are_measured_as_asked() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (json, page) = (path("rows.json"), path("page.html"));
    let figures = "--figure=outstanding,montgomery";
    let said = perf("pk", &["--quick", figures, "--json", &json, "--report", &page]);
    let text = said.good();
    assert!(text.contains("rsa-1024: Montgomery over division"), "{text}");
    assert!(text.contains("decryptions a second, with"), "{text}");
    let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let of = |provider: &str| {
        rows.iter().filter(|row| row["provider"] == provider).cloned().collect::<Vec<_>>()
    };
    // Two keys, two reductions, two widths; and as many numbers outstanding at each provider.
    assert_eq!(of("textbook").len(), 8);
    assert_eq!(of("emulated").len(), of("native").len());
    for row in of("emulated") {
        assert!(row["outstanding"].is_u64() && row["operations_per_second"].is_f64(), "{row}");
    }
    assert!(std::fs::read_to_string(page).unwrap().contains("<svg"));

    let said = perf("pk", &["--figure=rsa"]);
    assert_eq!((said.code, said.text()), (Some(2), ""));
    assert!(said.stderr.contains("valid: montgomery, outstanding, curves"), "{}", said.stderr);
}

#[test]
fn ciphers_that_wait_are_measured_on_one_thread_and_on_all() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (json, page) = (path("rows.json"), path("page.html"));
    let said = perf("stalls", &["--quick", "--json", &json, "--report", &page]);
    let text = said.good();
    assert!(text.contains("version 3") && text.contains("large tables do"), "{text}");
    let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let cores = report["machine"]["cores"].as_u64().unwrap();
    let counts = if cores > 1 { vec![1, cores] } else { vec![1] };
    // Three ways and the lanes; two ways and the lanes.
    for (algorithm, ways) in [("rc4", 4), ("kasumi-f8", 3)] {
        for &threads in &counts {
            let is_it = |row: &&Value| row["algorithm"] == algorithm && row["cores"] == threads;
            assert_eq!(rows.iter().filter(is_it).count(), ways, "{algorithm}, {threads} threads");
        }
    }
    for row in rows {
        assert!(row["cycles_per_buffer"].as_f64() <= row["cycles_per_buffer_median"].as_f64());
        assert!(row["gbps"].as_f64().is_some_and(|gbps| gbps > 0.0), "{row}");
    }
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("S7 and S9") && page.contains("two tables of 65,536 entries"));

    let said = perf("stalls", &["--figure=aes"]);
    assert_eq!((said.code, said.text()), (Some(2), ""));
    assert!(said.stderr.contains("valid: rc4, kasumi"), "{}", said.stderr);
}

#[test]
fn a_device_is_measured_as_asked() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (json, csv, page) = (path("rows.json"), path("rows.csv"), path("page.html"));
    let asked = ["--quick", "--figure=10", "--algorithm=sha256,aes-128-gcm", "--size=1K"];
    let device = "--provider=gpu:device=any:batch=256K:timeout=600s";
    let files = ["--json", &json, "--csv", &csv, "--report", &page];
    let said = perf("device", &[&asked[..], &[device], &files].concat());
    if said.code != Some(0) && said.stderr.contains("libOpenCL") {
        assert!(!is_present("perf device", false, &said.stderr));
        return;
    }
    assert!(said.good().contains("sha256: the device beats one core"), "{}", said.text());
    let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let rows = report["rows"].as_array().unwrap();
    for algorithm in ["sha256", "aes-128-gcm"] {
        let own = rows.iter().filter(|row| row["algorithm"] == algorithm);
        let device: Vec<_> = own.filter(|row| row["provider"] == "gpu").collect();
        let counts: Vec<_> = device.iter().map(|row| row["outstanding"].as_u64()).collect();
        assert_eq!(counts, [1, 4, 16, 64, 256, 1024, 4096, 16384].map(Some));
        for row in device {
            assert!(row["kernel_s"].as_f64() > Some(0.0) && row["batches"].is_u64(), "{row}");
            assert!(row["limit_cycles_per_buffer"].is_f64() && row["figure"] == "10", "{row}");
        }
    }
    assert!(rows.iter().any(|row| row["provider"] == "native" && row["kernel_s"].is_null()));
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), 1 + rows.len());
    assert!(std::fs::read_to_string(page).unwrap().contains("<svg"));
}

#[test]
fn wrong_device_options_are_named() {
    for (args, code, text) in [
        (&["--figure=12"][..], 2, "valid: 9, 10, 11, sizes"),
        (&["--provider=native"], 2, "unknown device \"native\"; valid: gpu"),
        (&["--size=1G"], 2, "size 1073741824"),
        (&["--provider=gpu:streams=99"], 2, "streams are 1 to 16"),
    ] {
        let said = perf("device", args);
        assert_eq!((said.code, said.text()), (Some(code), ""), "{args:?}");
        assert!(said.stderr.contains(text), "{args:?}: {}", said.stderr);
    }
}

#[test]
fn wrong_matrix_options_are_named() {
    for (args, code, text) in [
        (&["--algorithm=sha3"][..], 2, "sha3"),
        (&["--direction=sign"], 2, "sign"),
        (&["--provider=gzip"], 2, "zlib"),
        (&["--peer=nss"], 2, "openssl, ipsec-mb, ring, aws-lc-rs, secp256k1"),
        (&["--peer=openssl:contexts=per-job"], 2, "openssl:contexts=per-job"),
        (&["--size=1:2"], 2, "1:2"),
        (&["--suite=dpdk"], 2, "dpdk-openssl"),
        (&["--kind=speed"], 2, "speed"),
        (&["--call=ioctl"], 2, "ioctl"),
        (&["--session=none"], 2, "none"),
        (&["--cores=some"], 2, "expected a list of numbers from 1 to "),
        (&["--cores=0"], 2, "cores 0"),
        (&["--cores=99999"], 2, "cores 99999"),
        (&["--placement=apart"], 2, "valid: packed, spread, anywhere"),
        (&["--burst=x"], 2, "expected a list of numbers from 1 to 1024"),
        (&["--burst=2000"], 2, "burst 2000"),
        (&["--outstanding=-1"], 2, "expected a list of numbers from 1 to 1024"),
        (&["--outstanding=0"], 2, "outstanding 0"),
        (&["--provider=native:fast=yes"], 2, "fast"),
        (&["--provider=openssl:contexts=foo"], 2, "contexts=foo"),
        (&["--suite=dpdk-openssl", "--size=100"], 2, "100 B"),
        (&["--csv=a", "--json=./a"], 2, "./a is to be written twice"),
        (&["--csv=-", "--report=-"], 2, "- is to be written twice"),
        (&["--quick", "--report=/nowhere/at/all"], 1, "/nowhere/at/all"),
        (&["--quick", "--baseline=/nowhere/at/all"], 1, "/nowhere/at/all"),
        (&["--quick", "--report=."], 1, "cannot write .: Is a directory\n"),
    ] {
        let said = perf("matrix", args);
        assert_eq!((said.code, said.text()), (Some(code), ""), "{args:?}");
        assert!(said.stderr.contains(text), "{args:?}: {}", said.stderr);
    }
}

#[test]
fn peers_are_measured_beside_providers() {
    let said = perf(
        "matrix",
        &[
            "--quick",
            "--algorithm=sha1",
            "--size=64",
            "--provider=native",
            "--peer=openssl",
            "--json=-",
        ],
    );
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let report: Value = serde_json::from_slice(&said.stdout).unwrap();
    let rows: Vec<[&Value; 2]> = report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| [&row["provider"], &row["interface"]])
        .collect();
    if said.stderr.contains("openssl takes no part: ") {
        assert!(!is_present("the bare side of openssl", false, &said.stderr));
        assert_eq!(rows, [["native", "engine"]]);
    } else {
        assert_eq!(rows, [["native", "engine"], ["openssl", "bare"]]);
    }
}

#[test]
fn a_crate_is_measured_or_its_feature_named() {
    for (peer, built) in
        [("ring", cfg!(feature = "ring")), ("aws-lc-rs", cfg!(feature = "aws-lc-rs"))]
    {
        let small = ["--quick", "--algorithm=sha1", "--size=64"];
        let matrix = perf("matrix", &[&small[..], &["--provider=native", "--peer", peer]].concat());
        let workloads = workloads(&[&small[..], &["--against", peer]].concat());
        for said in [matrix, workloads] {
            if built {
                assert_eq!(said.code, Some(0), "{}", said.stderr);
                assert!(said.text().contains(&format!("{peer} ")), "{}", said.text());
                continue;
            }
            let text = format!(
                "the peer {peer} is not part of this program; it takes a build with the cargo \
                 feature {peer}\n"
            );
            assert_eq!((said.code, said.text()), (Some(2), ""));
            assert!(said.stderr.ends_with(&text), "{}", said.stderr);
        }
    }
}

#[test]
fn compression_is_measured_as_asked_for() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (json, csv, page, input) =
        (path("rows.json"), path("rows.csv"), path("page.html"), path("input"));
    std::fs::write(&input, b"shed, pick, beat. ".repeat(1000)).unwrap();
    let said = perf(
        "compress",
        &[
            "--quick",
            "--figure=10,3",
            "--input",
            &input,
            "--size=128K",
            "--chunk=8K",
            "--level=2",
            "--provider=libdeflate,emulated:silicon=1",
            "--json",
            &json,
            "--csv",
            &csv,
            "--report",
            &page,
        ],
    );
    assert!(said.good().contains("Figure 3") && said.text().contains("Figure 10"));
    let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert!(report["command"].as_str().unwrap().starts_with("broadloom-perf compress --quick"));
    let rows = report["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["level"] == 2 && row["input_bytes"] == 131_072));
    assert!(rows.iter().any(|row| row["figure"] == "3" && row["provider"] == "libdeflate"));
    let device = |row: &&Value| row["figure"] == "10" && row["provider"] == "emulated";
    for row in rows.iter().filter(device) {
        assert_eq!((&row["chunk"], &row["preset"]), (&8192.into(), &"8955".into()));
    }
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), 1 + rows.len());
    assert!(std::fs::read_to_string(page).unwrap().starts_with("<!DOCTYPE html>"));
}

#[test]
fn wrong_options_of_compression_are_named() {
    for (args, code, text) in [
        (&["--figure=4"][..], 2, "3, 5, 7, 9, 10, 11, copy"),
        (&["--size=some"], 2, "64K"),
        (&["--chunk=0"], 2, "above 0"),
        (&["--level=-1"], 2, "expected a number from 0 to 12"),
        (&["--provider=gzip"], 2, "gzip"),
        (&["--size=1K"], 2, "size 1024"),
        (&["--chunk=100"], 2, "chunk 100"),
        (&["--level=13"], 2, "0 to 12"),
        (&["--provider=native"], 2, "does not compress"),
        (&["--provider=lz4"], 2, "does not compress"),
        (&["--provider=zlib", "--level=11"], 2, "0 to 9 with zlib"),
        (&["--figure=3", "--provider=emulated:preset=foo"], 2, "provider emulated:preset=foo: "),
        (&["--input=/nowhere/at/all"], 1, "/nowhere/at/all"),
        (&["--quick", "--report=/nowhere/at/all"], 1, "/nowhere/at/all"),
    ] {
        let said = perf("compress", args);
        assert_eq!((said.code, said.text()), (Some(code), ""), "{args:?}: {}", said.stderr);
        assert!(said.stderr.contains(text), "{args:?}: {}", said.stderr);
    }
}

#[test]
fn storage_is_measured_in_a_directory_that_is_clean_afterwards() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (work, json, page) = (path("work"), path("rows.json"), path("page.html"));
    std::fs::create_dir(&work).unwrap();
    let args = [
        "--quick",
        "--size=1M",
        "--clients=1,2",
        "--figure=random-read,stat",
        "--over=directory,encrypted",
    ];
    let files = ["--directory", &work, "--json", &json, "--report", &page];
    let said = perf("storage", &[&args[..], &files].concat());
    assert!(said.good().contains("Random reads of 8 KiB"), "{}", said.stderr);
    assert!(said.text().contains("Sun Storage 7410"));
    let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let rows = report["rows"].as_array().unwrap();
    for figure in ["random-read", "stat"] {
        for over in ["directory", "encrypted"] {
            let wanted = |row: &&Value| row["figure"] == figure && row["provider"] == over;
            assert_eq!(rows.iter().filter(wanted).count(), 2, "{figure} {over}");
        }
    }
    assert!(std::fs::read_to_string(&page).unwrap().contains("Random reads of 8 KiB"));
    assert_eq!(std::fs::read_dir(&work).unwrap().count(), 0);
    for (args, code, text) in [
        (&["--figure=read"][..], 2, "streaming-read-cold, streaming-read"),
        (&["--over=tape"], 2, "valid: directory, encrypted, repository"),
        (&["--clients=0"], 2, "clients 0 is out of range; valid: 1 to 64"),
        (&["--clients=many"], 2, "expected a list of numbers from 1 to 64"),
        (&["--size=1000"], 2, "size 1000 is out of range; valid: 1M to 1T"),
        (&["--directory=/nowhere/at/all"], 1, "cannot write /nowhere/at/all: No such file"),
        (&["--directory=/dev/null"], 1, "cannot write /dev/null: Not a directory"),
        (&["--directory=/proc"], 1, "cannot write /proc: "),
    ] {
        let said = perf("storage", args);
        assert_eq!((said.code, said.text()), (Some(code), ""), "{args:?}");
        assert!(said.stderr.contains(text), "{args:?}: {}", said.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn transmission_is_measured_and_shown_beside_the_articles_lines() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (json, page) = (path("rows.json"), path("page.html"));
    let cases = ["--quick", "--connections=1,4", "--write=1K,64K", "--by=plain,records"];
    let said = perf("transmit", &[&cases[..], &["--json", &json, "--report", &page]].concat());
    assert!(said.good().contains("Writes of 64 KiB"), "{}", said.stderr);
    // Ten lines for each of the two writes.
    assert_eq!(said.text().matches("Sun Fire X4440").count(), 20, "{}", said.text());
    let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows {
        assert!(row["cycles_per_kib"].as_f64().unwrap() > 0.0, "{row}");
        assert_eq!(row["direction"], "transmit");
    }
    assert!(std::fs::read_to_string(&page).unwrap().contains("Writes of 1 KiB"));
    for (args, text) in [
        (&["--by=nobody"][..], "valid: plain, records, openssl, rustls, ktls"),
        (&["--connections=0"], "connections 0 is out of range; valid: 1 to 20000"),
        (&["--connections=many"], "expected a list of numbers from 1 to 20000"),
        (&["--write=2M"], "write 2097152 is out of range; valid: 1 to 1048576 bytes"),
        (&["--write=some"], "expected a number of bytes above 0"),
    ] {
        let said = perf("transmit", args);
        assert_eq!((said.code, said.text()), (Some(2), ""), "{args:?}");
        assert!(said.stderr.contains(text), "{args:?}: {}", said.stderr);
    }
}
