//! The whole of `run_matrix`, at sizes that take a moment. Figures are nobody's business here; that
//! they are there, and belong to what was asked for, is.

use broadloom_engine::Direction;
use broadloom_lanes::Cpu;
use broadloom_perf::experiments::matrix::{Suite, page};
use broadloom_perf::measure::sizes::Sizes;
use broadloom_perf::measure::workload::Workload;
use broadloom_perf::names::{Cache, Call, Kind, Sharing};
use broadloom_perf::report::baseline::Baseline;
use broadloom_perf::report::csv;
use broadloom_perf::report::row::{KEYS, Report, Row};
use broadloom_perf::report::states::STATES;
use broadloom_perf::{MatrixOptions, PerfError, run_matrix};

fn quick(algorithms: &[&str], providers: &[&str]) -> MatrixOptions {
    MatrixOptions {
        algorithms: algorithms.iter().map(|name| name.parse().unwrap()).collect(),
        providers: providers.iter().map(|name| name.parse().unwrap()).collect(),
        sizes: vec![Workload::Size(64)],
        quick: true,
        ..MatrixOptions::default()
    }
}

fn try_run(options: &MatrixOptions) -> (Result<Report, PerfError>, String) {
    let mut out = Vec::new();
    let report = run_matrix(options, &Cpu::detect(), &mut out);
    (report, String::from_utf8(out).unwrap())
}

fn run(options: &MatrixOptions) -> (Report, String) {
    let (report, text) = try_run(options);
    (report.unwrap(), text)
}

/// Returns `true` if libcrypto is there; continuous integration must have it.
fn openssl_is_here() -> bool {
    let here = run(&quick(&["md5"], &["native", "openssl"])).0.rows.len() == 2;
    broadloom_testing::is_present("a comparison with openssl", here, "openssl is absent")
}

#[test]
fn every_side_gets_a_row_for_every_case() {
    let options = MatrixOptions {
        sizes: vec![Workload::Size(64), Workload::Size(100), Workload::Imix(Default::default())],
        bursts: vec![1, 16],
        calls: vec![Call::QueuePair, Call::ProcessMany],
        caches: vec![Cache::Warm, Cache::Cold],
        sharings: vec![Sharing::Shared, Sharing::PerCore],
        ..quick(&["hmac-sha1", "aes-128-cbc"], &["native", "native:isa=portable"])
    };
    let (report, text) = run(&options);
    let isas = if report.rows.iter().any(|row| row.isa != "portable") { 2 } else { 1 };
    assert_eq!(report.rows.len(), 2 * 3 * 2 * 2 * 2 * 2 * isas);
    for row in &report.rows {
        assert!(row.cycles_per_buffer.is_some_and(|cycles| cycles > 0.0), "{row:?}");
        assert!(row.cycles_per_buffer <= row.cycles_per_buffer_median, "{row:?}");
        // Plain integers have no AES rounds to be limited by.
        let limited = row.algorithm == "hmac-sha1" || row.isa != "portable";
        assert_eq!(row.limit_cycles_per_buffer.is_some(), limited, "{row:?}");
        assert!(row.gbps.is_some(), "{row:?}");
        assert_eq!((row.kind(), row.cores, row.mode.as_str()), (Kind::Throughput, 1, "burst"));
        let bytes = match (row.size, row.algorithm.as_str()) {
            (Some(64), _) => Some(64.0),
            (Some(_), "aes-128-cbc") => Some(112.0),
            (Some(_), _) => Some(100.0),
            (None, _) => None,
        };
        assert!(bytes.is_none_or(|bytes| row.buffer_bytes == bytes), "{row:?}");
        assert_eq!(row.workload.as_deref(), bytes.is_none().then_some("imix"));
    }
    assert!(text.contains("hmac-sha1 generate") && text.contains("process-many"), "{text}");
}

#[test]
fn latencies_and_verifications_are_rows_of_their_own() {
    let options = MatrixOptions {
        kinds: vec![Kind::Latency, Kind::Verify],
        bursts: vec![8],
        ..quick(&["aes-128-cbc+hmac-sha1", "hmac-sha256+aes-256-cbc"], &["native"])
    };
    let (report, text) = run(&options);
    let of = |kind| report.rows.iter().filter(move |row| row.kind() == kind);
    assert_eq!((of(Kind::Latency).count(), of(Kind::Verify).count()), (2, 2));
    for row in of(Kind::Latency) {
        let figures =
            [row.latency_ns_min, row.latency_ns_p50, row.latency_ns_p99, row.latency_ns_max];
        assert!(figures.iter().all(Option::is_some) && figures.is_sorted(), "{row:?}");
        assert!(
            row.latency_ns_mean >= row.latency_ns_min && row.latency_ns_mean <= row.latency_ns_max
        );
        assert_eq!(row.cycles_per_buffer, None);
    }
    assert!(of(Kind::Verify).all(|row| row.verified == Some(128) && row.gbps.is_none()));
    assert!(text.contains("buffers right") && text.contains("p99"), "{text}");
}

#[test]
fn a_side_alone_verifies_only_what_it_can_take_back() {
    let options = MatrixOptions { kinds: vec![Kind::Verify], ..quick(&["sha256"], &["native"]) };
    let error = try_run(&options).0.unwrap_err().to_string();
    assert!(error.contains("sha256: native is alone"), "{error}");
}

#[test]
fn several_cores_share_the_work() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(2);
    let options = MatrixOptions {
        cores: vec![1, cores],
        kinds: vec![Kind::Throughput, Kind::Latency],
        ..quick(&["hmac-sha1"], &["native"])
    };
    let (report, text) = run(&options);
    let on = |cores| report.rows.iter().filter(|row| row.cores == cores).count();
    assert_eq!((on(1), on(cores)), (2, 2));
    assert_eq!(text.contains("throughput on several cores"), cores > 1, "{text}");
}

#[test]
fn outstanding_operations_are_set_against_synchronous_calls() {
    let options =
        MatrixOptions { outstanding: vec![1, 8], ..quick(&["aes-128-cbc+hmac-sha1"], &["native"]) };
    let (report, text) = run(&options);
    let keys =
        |row: &Row| (row.mode.clone(), row.outstanding, row.burst, row.call.clone().unwrap());
    let expected = [
        ("sync".to_owned(), None, 1, "process-many".to_owned()),
        ("async".to_owned(), Some(1), 1, "queue-pair".to_owned()),
        ("async".to_owned(), Some(8), 1, "queue-pair".to_owned()),
    ];
    assert_eq!(report.rows.iter().map(keys).collect::<Vec<_>>(), expected);
    assert!(text.contains("8 outstanding") && text.contains("4.74×"), "{text}");
}

#[test]
fn files_hold_what_the_report_does_and_become_a_baseline() {
    let options = MatrixOptions {
        command: Some("broadloom perf matrix --quick".to_owned()),
        ..quick(&["md5", "hmac-md5"], &["native"])
    };
    let (report, _) = run(&options);
    let text = |write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<()>| {
        let mut text = Vec::new();
        write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    };
    let json = text(&|out| report.write_json(out));
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    let csv = text(&|out| csv::write(&report.rows, out));
    assert_eq!(csv.lines().next(), Some(KEYS.join(",").as_str()));
    assert_eq!(csv.lines().count(), 1 + report.rows.len());
    let page = text(&|out| page::write(&report, None, out));
    assert!(page.contains("hmac-md5 generate") && page.contains("perf matrix --quick"));

    let mut old = report.clone();
    for row in &mut old.rows {
        row.cycles_per_buffer = row.cycles_per_buffer.map(|cycles| cycles / 1000.0);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.json");
    std::fs::write(&path, serde_json::to_string(&old).unwrap()).unwrap();
    let baseline = Baseline::read(&path).unwrap();
    let options = MatrixOptions { baseline: Some(baseline.clone()), ..options };
    let (report, printed) = run(&options);
    assert!(
        printed.contains("% slower") && printed.contains("2 of 2 rows got slower"),
        "{printed}"
    );
    assert!(text(&|out| page::write(&report, Some(&baseline), out)).contains("Since the baseline"));
}

#[test]
fn the_suite_runs_both_kinds_of_contexts_beside_the_papers_figures() {
    if !openssl_is_here() {
        return;
    }
    let options = MatrixOptions {
        suite: Some(Suite::DpdkOpenssl),
        cores: vec![1],
        sizes: vec![Workload::Size(32), Workload::Size(256)],
        ..quick(&[], &[])
    };
    let (report, text) = run(&options);
    let keys = |row: &Row| (row.algorithm.clone(), row.direction.clone(), row.side());
    for (algorithm, direction) in Suite::DpdkOpenssl.operations() {
        for side in ["openssl (per-job)", "openssl (per-queue-pair)"] {
            let key = (algorithm.to_string(), direction.to_string(), side.to_owned());
            assert_eq!(report.rows.iter().filter(|row| keys(row) == key).count(), 2, "{key:?}");
        }
    }
    assert!(report.rows.iter().any(|row| row.provider == "native"));
    assert!(text.contains("+145 %") && text.contains("+136 %"), "the paper's figures: {text}");
}

#[test]
fn all_that_openssl_has_can_be_measured_and_verified() {
    if !openssl_is_here() {
        return;
    }
    let algorithms = [
        "aes-128-ccm",
        "aes-256-gcm",
        "chacha20-poly1305",
        "aes-128-gmac",
        "3des-cbc",
        "aes-192-ctr",
    ];
    let options = MatrixOptions {
        directions: Direction::ALL.to_vec(),
        sizes: "1:7:64".parse::<Sizes>().unwrap().0,
        kinds: vec![Kind::Verify],
        bursts: vec![16],
        ..quick(&algorithms, &["openssl", "openssl:contexts=per-job"])
    };
    let (report, _) = run(&options);
    assert_eq!(report.rows.len(), algorithms.len() * 2 * 10 * 2);
}

#[test]
fn the_states_of_the_patches_have_figures_charts_and_memory() {
    if !openssl_is_here() {
        return;
    }
    let options = MatrixOptions {
        suite: Some(Suite::DpdkOpensslStates),
        sizes: vec![Workload::Size(32), Workload::Size(256)],
        cores: vec![1],
        ..quick(&["3des-ctr", "hmac-sha1"], &[])
    };
    let (report, text) = run(&options);
    let of = |kind| report.rows.iter().filter(move |row| row.kind() == kind);
    let sides = STATES.len() + 1;
    assert_eq!(of(Kind::Throughput).count(), 2 * 2 * sides);
    for state in &STATES {
        assert_eq!(of(Kind::Throughput).filter(|row| state.is_of(row)).count(), 4, "{state:?}");
        assert!(text.contains(state.name), "{text}");
    }
    let mut page = Vec::new();
    page::write(&report, None, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    for state in &STATES {
        let title = format!("<figcaption>3des-ctr encrypt, {}</figcaption>", state.name);
        assert_eq!(page.matches(&title).count(), 1, "{title}");
    }
    assert!(page.contains("the paper's, 8 cores") || page.contains("the paper&#39;s, 8 cores"));
}

#[test]
fn a_provider_of_few_queue_pairs_takes_no_part_on_more_cores() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(2);
    if cores < 2 || !openssl_is_here() {
        return;
    }
    let options = MatrixOptions {
        cores: vec![1, 2],
        ..quick(&["md5"], &["native", "openssl:queue-pairs=1"])
    };
    let (report, text) = run(&options);
    let of = |provider: &str| {
        let rows = report.rows.iter().filter(|row| row.provider == provider);
        rows.map(|row| row.cores).collect::<Vec<_>>()
    };
    assert_eq!((of("native"), of("openssl")), (vec![1, 2], vec![1]));
    assert!(text.contains("openssl:queue-pairs=1 takes no part on 2 cores"), "{text}");
}

#[test]
fn nonces_have_the_fields_of_their_algorithms() {
    let algorithms = ["kasumi-f8", "aes-128-xts", "aes-128-ctr32", "chacha20", "des-ecb"];
    let options = MatrixOptions {
        directions: Direction::ALL.to_vec(),
        sizes: "64".parse::<Sizes>().unwrap().0,
        kinds: vec![Kind::Verify],
        bursts: vec![16],
        ..quick(&algorithms, &["native"])
    };
    let (report, _) = run(&options);
    assert_eq!(report.rows.len(), algorithms.len() * 2);
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_measured() {
    let wrong = [
        MatrixOptions { cores: vec![100_000], ..quick(&["md5"], &[]) },
        MatrixOptions { bursts: vec![0], ..quick(&["md5"], &[]) },
        MatrixOptions { directions: vec![Direction::Seal], ..quick(&["md5"], &[]) },
        quick(&["md5"], &["native:speed=11"]),
        quick(&["md5"], &["native:without=sha:without=aes", "native:without=aes:without=sha"]),
        quick(&["md5"], &["native:isa=portable:isa=portable"]),
    ];
    for options in wrong {
        let (result, out) = try_run(&options);
        let error = result.unwrap_err();
        assert!(error.is_usage() && out.is_empty(), "{options:?}: {error}: {out}");
    }
}

#[test]
fn lanes_with_and_without_a_feature_are_sides_of_one_run() {
    let options =
        quick(&["sha1"], &["native", "native:without=sha", "native:without=aes:without=sha"]);
    let (report, text) = run(&options);
    let without: Vec<_> = report.rows.iter().map(|row| row.without.as_deref()).collect();
    assert_eq!(without, [None, Some("sha"), Some("aes,sha")]);
    for side in ["| native ", "| native (without sha)", "| native (without aes,sha)"] {
        assert!(text.contains(side), "{side}: {text}");
    }
    assert!(text.contains("native over native (without sha)"), "{text}");
    let mut page = Vec::new();
    page::write(&report, None, &mut page).unwrap();
    assert!(String::from_utf8(page).unwrap().contains("native (without aes,sha)"));
}

#[test]
fn every_side_has_the_limit_beside_its_figures() {
    let (report, _) = run(&quick(&["hmac-sha1"], &["native", "openssl", "ipsec-mb", "emulated"]));
    for row in &report.rows {
        // A device is not bound by this core's arithmetic.
        let limited = row.provider != "emulated";
        assert_eq!(row.limit_cycles_per_buffer.is_some(), limited, "{row:?}");
        assert_eq!(row.limit_by.is_some(), limited, "{row:?}");
    }
}

#[test]
fn what_no_side_has_is_said() {
    let (result, text) = try_run(&quick(&["aes-128-gcm"], &["native:isa=portable"]));
    if let Err(error) = result {
        assert!(error.to_string().contains("does not have aes-128-gcm"), "{error}: {text}");
    }
}
