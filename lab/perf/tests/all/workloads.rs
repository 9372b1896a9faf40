//! The whole of `run_workloads`, at sizes that take a moment. What the figures are is nobody's
//! business here; that they are there, and belong to what was asked for, is.

use broadloom_engine::Direction;
use broadloom_lanes::{Cpu, Feature, Isa};
use broadloom_perf::measure::course::Course;
use broadloom_perf::measure::workload::Workload;
use broadloom_perf::names::{Cache, Order, Peer};
use broadloom_perf::report::row::Report;
use broadloom_perf::{WorkloadOptions, run_workloads};

fn quick(algorithms: &[&str]) -> WorkloadOptions {
    WorkloadOptions {
        algorithms: algorithms.iter().map(|name| name.parse().unwrap()).collect(),
        quick: true,
        ..WorkloadOptions::default()
    }
}

fn run(options: &WorkloadOptions) -> (Report, String) {
    let mut out = Vec::new();
    let report = run_workloads(options, &mut out).unwrap();
    (report, String::from_utf8(out).unwrap())
}

#[test]
fn every_provider_gets_a_row_for_every_case() {
    let options = WorkloadOptions {
        workloads: vec![Workload::Small],
        sizes: vec![Workload::Size(100)],
        bursts: vec![1, 16],
        caches: vec![Cache::Warm, Cache::Cold],
        ..quick(&["hmac-sha1", "sha512"])
    };
    let (report, text) = run(&options);

    let present: Vec<&str> = ["native", "openssl", "ipsec-mb"]
        .into_iter()
        .filter(|name| report.rows.iter().any(|row| row.provider == *name))
        .collect();
    assert!(present.contains(&"native"));
    for peer in Peer::LIBRARIES {
        let absent = text.contains(&format!("{peer} takes no part"));
        assert_eq!(absent, !present.contains(&peer.name()), "{text}");
    }
    for provider in present {
        for (algorithm, direction) in [("hmac-sha1", "generate"), ("sha512", "digest")] {
            for cache in ["warm", "cold"] {
                for (workload, size) in [(Some("0"), None), (None, Some(100))] {
                    let count = |mode, burst| {
                        let rows = report.rows.iter().filter(|row| {
                            row.provider == provider
                                && row.algorithm == algorithm
                                && row.direction == direction
                                && row.cache == cache
                                && (row.workload.as_deref(), row.size) == (workload, size)
                                && (row.mode.as_str(), row.burst) == (mode, burst)
                        });
                        rows.count()
                    };
                    assert_eq!(count("burst", 1), 1);
                    assert_eq!(count("burst", 16), 1);
                    // Both managers of ours, and one way through a peer.
                    let streams = if provider == "native" { 2 } else { 1 };
                    assert_eq!(count("stream", 1), streams);
                }
            }
        }
    }
    for row in &report.rows {
        assert!(row.cycles_per_buffer.is_some_and(|cycles| cycles > 0.0), "{row:?}");
        assert!(row.cycles_per_buffer <= row.cycles_per_buffer_median, "{row:?}");
        assert!(row.limit_cycles_per_buffer.is_some_and(|limit| limit > 0.0), "{row:?}");
        assert_eq!(row.buffer_bytes, if row.size.is_some() { 100.0 } else { 64.0 });
    }

    let mut json = Vec::new();
    report.write_json(&mut json).unwrap();
    assert_eq!(serde_json::from_slice::<Report>(&json).unwrap(), report);
    assert!(text.contains("where the cycles of a stream go"), "{text}");
}

#[test]
fn aes_runs_both_ways_and_in_order() {
    let options = WorkloadOptions {
        workloads: vec![Workload::Uniform],
        directions: vec![Direction::Encrypt.into(), Direction::Decrypt.into(), Course::Mixed],
        against: Vec::new(),
        ..quick(&["aes-256-cbc"])
    };
    let (report, _) = run(&options);
    for direction in ["encrypt", "decrypt", "mixed"] {
        let rows = || report.rows.iter().filter(|row| row.direction == direction);
        assert!(rows().any(|row| row.mode == "burst" && row.order == "in-order"));
        assert!(rows().any(|row| row.mode == "stream" && row.order == "in-order"));
    }
    assert!(report.rows.iter().all(|row| row.provider == "native"));
}

#[test]
fn the_lanes_are_held_to_the_instruction_set_asked_for() {
    let options = WorkloadOptions {
        sizes: vec![Workload::Size(64)],
        isas: vec![Isa::Portable],
        orders: vec![Order::InOrder, Order::OutOfOrder],
        against: Vec::new(),
        ..quick(&["md5"])
    };
    let (report, text) = run(&options);
    assert!(report.rows.iter().all(|row| row.isa == "portable"));
    assert!(text.contains("portable lanes"), "{text}");
    for order in ["in-order", "out-of-order"] {
        assert!(report.rows.iter().any(|row| row.mode == "burst" && row.order == order));
    }
}

#[test]
fn the_lanes_do_without_the_features_named() {
    let kernel = |without: &[&str]| {
        let options = WorkloadOptions {
            sizes: vec![Workload::Size(64)],
            without: without.iter().map(|name| name.to_string()).collect(),
            against: Vec::new(),
            ..quick(&["aes-128-cbc"])
        };
        run(&options).0.rows[0].kernel.clone()
    };
    let options = WorkloadOptions {
        sizes: vec![Workload::Size(64)],
        without: vec!["sha".to_owned(), "aes".to_owned()],
        ..quick(&["sha1"])
    };
    let (report, text) = run(&options);
    for row in &report.rows {
        let without = (row.provider == "native").then_some("aes,sha");
        assert_eq!(row.without.as_deref(), without, "{row:?}");
    }
    assert!(
        text.contains("lanes without aes,sha") && text.contains("native (without aes,sha)"),
        "{text}"
    );
    assert!(kernel(&["aes"]).starts_with("bitsliced"), "{}", kernel(&["aes"]));
    if Cpu::detect().has(Feature::Aes) {
        assert!(!kernel(&[]).starts_with("bitsliced"));
    }
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_measured() {
    let missing = Isa::ALL.into_iter().find(|isa| Cpu::with_isa(*isa).is_err()).unwrap();
    let wrong = [
        WorkloadOptions { isas: vec![missing], ..WorkloadOptions::default() },
        WorkloadOptions { without: vec!["mmx".into()], ..WorkloadOptions::default() },
        WorkloadOptions { bursts: vec![0], ..WorkloadOptions::default() },
        WorkloadOptions { bursts: vec![1 << 20], ..WorkloadOptions::default() },
        quick(&["aes-128-gcm"]),
        WorkloadOptions { directions: vec![Direction::Decrypt.into()], ..quick(&["sha1"]) },
    ];
    for options in wrong {
        let mut out = Vec::new();
        let error = run_workloads(&options, &mut out).unwrap_err();
        assert!(out.is_empty() && error.is_usage(), "{options:?}: {error}");
    }
}
