//! The text that Prometheus reads.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use broadloom_engine::Processor;
use broadloom_metrics::Snapshot;

use crate::common::{hash, large, session};

/// The samples of a text: everything but comments.
fn samples(text: &str) -> BTreeSet<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn a_series_is_written_with_its_labels() {
    let text = large(2).to_openmetrics();
    let labels = |number| {
        let size = if number == 0 { "more" } else { "128" };
        format!(
            "algorithm=\"aes-128-gcm\",direction=\"open\",provider=\"native\",kernel=\"vaes-512\",\
             queue=\"queue-pair-{number}\",size=\"{size}\",label=\"tenant \\\"{number}\\\"\\\\\\n\""
        )
    };
    for line in [
        "# TYPE broadloom_operations counter".to_owned(),
        format!("broadloom_operations_total{{{}}} 1000000", labels(0)),
        format!("broadloom_operations_total{{{}}} 1000001", labels(1)),
        format!("broadloom_processed_bytes_total{{{}}} 64000000000", labels(1)),
        format!("broadloom_errors_total{{{},error=\"tag-mismatch\"}} 3", labels(0)),
        format!("broadloom_fallbacks_total{{{},reason=\"no-queue\"}} 4", labels(0)),
        "broadloom_queue_info{queue=\"queue-pair-3\",type=\"queue-pair\"} 1".to_owned(),
        "broadloom_queue_core{queue=\"queue-pair-3\"} 3".to_owned(),
        "broadloom_queue_batches_total{queue=\"queue-pair-0\",cause=\"batch\"} 12".to_owned(),
        "broadloom_uptime_seconds 0.25".to_owned(),
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in {text}");
    }
    assert!(!text.contains("broadloom_queue_core{queue=\"queue-pair-0\"}"), "it is not known");
    assert!(text.ends_with("\n# EOF\n"));
}

#[test]
fn buckets_hold_all_values_up_to_their_ends() {
    let text = large(0).to_prometheus();
    let bucket = |name: &str, end: &str| {
        let start = format!("broadloom_{name}_bucket{{queue=\"queue-pair-1\",le=\"{end}\"}} ");
        let found: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(&start)).collect();
        assert_eq!(found.len(), 1, "{start}");
        found[0].parse::<u64>().expect("a number")
    };
    let jobs = ["1.0", "2.0", "32.0", "64.0", "4096.0", "+Inf"];
    assert_eq!(jobs.map(|end| bucket("queue_batch_jobs", end)), [2, 2, 2, 11, 11, 12]);
    let times = ["1.024e-6", "2.048e-6", "+Inf"];
    assert_eq!(times.map(|end| bucket("queue_work_seconds", end)), [5, 9, 9]);
    assert_eq!(bucket("queue_wait_seconds", "+Inf"), 0);
    assert!(text.contains("broadloom_queue_batch_jobs_count{queue=\"queue-pair-1\"} 12\n"));
    assert!(text.contains("broadloom_queue_batch_jobs_sum{queue=\"queue-pair-1\"} 700.0\n"));
}

#[test]
fn both_formats_have_the_same_samples() {
    let snapshot = large(30);
    let [new, old] = [snapshot.to_openmetrics(), snapshot.to_prometheus()];
    assert_eq!(samples(&new), samples(&old));
    assert_eq!(samples(&new).len(), new.lines().filter(|line| !line.starts_with('#')).count());
    assert!(old.contains("# TYPE broadloom_operations_total counter\n"));
    assert!(!old.contains("# UNIT") && !old.contains("# EOF"));
}

/// Each metric is declared once, before its samples, which stand together.
#[test]
fn samples_stand_below_the_type_of_their_metric() {
    let text = large(30).to_openmetrics();
    let mut types = BTreeMap::new();
    let mut current = String::new();
    for line in text.lines() {
        if let Some(declared) = line.strip_prefix("# TYPE ") {
            let (name, kind) = declared.split_once(' ').expect("a name and a type");
            assert!(types.insert(name.to_owned(), kind.to_owned()).is_none(), "{name} twice");
            current = name.to_owned();
        } else if !line.starts_with('#') {
            let name = line.split(['{', ' ']).next().expect("a name");
            let rest = name.strip_prefix(&current).unwrap_or_else(|| panic!("{line}"));
            let expected: &[&str] = match types[&current].as_str() {
                "counter" => &["_total"],
                "gauge" => &[""],
                _ => &["_bucket", "_sum", "_count"],
            };
            assert!(expected.contains(&rest), "{line} below {current}");
        }
    }
    assert!(types.len() > 10);
}

/// `promtool` of Prometheus reads the older format, and reports names and types that break the
/// conventions.
#[test]
fn promtool_finds_nothing() {
    // Debian's package prometheus has it.
    if !broadloom_testing::has("promtool") {
        return;
    }
    hash(&mut Processor::new(), &session("promtool"), &[1, 100, 10_000]);
    for text in [large(50).to_prometheus(), Snapshot::now().to_prometheus()] {
        let mut child = Command::new("promtool")
            .args(["check", "metrics"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it is there");
        child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        let words =
            String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && words.is_empty(), "{words}");
    }
}

/// Says how long it takes, which no test can demand.
#[test]
fn a_thousand_series_are_written() {
    let snapshot = large(1000);
    let start = Instant::now();
    let text = snapshot.to_openmetrics();
    println!("1000 series: {} bytes in {:?}", text.len(), start.elapsed());
    let operations = text.lines().filter(|line| line.starts_with("broadloom_operations_total"));
    assert_eq!(operations.count(), 1000);
}
