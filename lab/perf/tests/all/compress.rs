//! `run_compress` from its options to what it leaves behind.

use broadloom_lanes::Cpu;
use broadloom_perf::experiments::compress::{Topic, page};
use broadloom_perf::report::{csv, pass};
use broadloom_perf::{CompressOptions, PerfError, run_compress};
use serde_json::Value;
use tempfile::TempDir;

fn small() -> CompressOptions {
    CompressOptions {
        size: Some(256 << 10),
        chunk: 16 << 10,
        quick: true,
        ..CompressOptions::default()
    }
}

fn run(
    options: &CompressOptions,
) -> (Result<broadloom_perf::report::row::Report, PerfError>, String) {
    let mut out = Vec::new();
    let report = run_compress(options, &Cpu::detect(), &mut out);
    (report, String::from_utf8(out).unwrap())
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut text = Vec::new();
    write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn everything_is_measured_and_left_in_every_form() {
    let options =
        CompressOptions { command: Some("broadloom perf compress".to_owned()), ..small() };
    let (report, out) = run(&options);
    let report = report.unwrap();
    for topic in Topic::ALL {
        let rows = report
            .rows
            .iter()
            .filter(|row| row.pass.as_ref().is_some_and(|pass| pass.figure == topic.name()));
        assert!(rows.count() > 1, "{topic}");
        assert!(out.contains(&format!("\n{}:\n", topic.title())), "{topic}");
    }
    assert!(out.contains("Findings:") && out.contains("Seconds are for 1 GiB of input."), "{out}");
    assert!(out.contains("prepared before the clock started"), "{out}");
    assert!(out.contains("of 256 KiB") || out.contains("262144 bytes"), "{out}");

    let text = self::text(|out| report.write_json(out));
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&json["schema"], &json["command"]),
        (&"broadloom-perf/1".into(), &"broadloom perf compress".into())
    );
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), report.rows.len());
    for row in rows {
        for key in
            ["algorithm", "direction", "provider", "kernel", "figure", "threads", "outstanding"]
        {
            assert!(!row[key].is_null(), "{key}: {row}");
        }
        for key in ["elapsed_s", "cpu_s", "gbps", "cycles_per_buffer", "cycles_per_buffer_median"] {
            assert!(row[key].as_f64().is_some_and(|value| value >= 0.0), "{key}: {row}");
        }
        assert!(row["elapsed_s"].as_f64() <= row["elapsed_s_median"].as_f64());
        let is_device = row["provider"] == "emulated";
        for key in ["preset", "transfer", "poll", "poller", "prepared", "responses", "late"] {
            assert_eq!(!row[key].is_null(), is_device, "{key}: {row}");
        }
    }
    let compressed = |row: &&Value| row["algorithm"] == "deflate" && row["direction"] == "compress";
    for row in rows.iter().filter(compressed) {
        assert_eq!(row["level"], 1);
        assert!((0.1..1.1).contains(&row["ratio"].as_f64().unwrap()), "{row}");
    }

    let csv = self::text(|out| csv::write(&report.rows, out));
    assert_eq!(csv.lines().count(), 1 + rows.len());
    assert!(
        pass::KEYS.iter().all(|key| csv
            .lines()
            .next()
            .unwrap()
            .split(',')
            .any(|title| title == *key))
    );

    let page = self::text(|out| page::write(&report, out));
    for outside in ["http:", "https:", "src=", "url(", "@import", "<script", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
    for number in ["19.18", "1.41", "6.30", "0.730", "38.5 %", "38.1 %", "1.70"] {
        assert!(page.contains(number), "{number}");
    }
}

#[test]
fn a_topic_can_be_asked_for_alone_and_ways_are_told_apart() {
    let topics = vec![Topic::Interrupt];
    let (report, _) = run(&CompressOptions { topics, ..small() });
    let rows = report.unwrap().rows;
    let passes: Vec<_> = rows.iter().filter_map(|row| row.pass.as_ref()).collect();
    assert!(passes.iter().all(|pass| pass.figure == "interrupt" && pass.prepared == Some(true)));
    for poll in ["yield", "spin", "every", "interrupt"] {
        let of = passes.iter().filter(|pass| pass.poll.as_deref() == Some(poll));
        assert_eq!(of.count(), 2, "{poll}");
    }
    // Whatever way it waits, it makes the same.
    let made: Vec<u64> = passes.iter().filter_map(|pass| pass.output_bytes).collect();
    assert_eq!(made.len(), passes.len());
    assert!(made.iter().all(|&bytes| bytes == made[0]), "{made:?}");
}

#[test]
fn what_does_not_suit_is_an_error_before_anything_is_measured() {
    let folder = TempDir::new().unwrap();
    let none = Some(folder.path().join("none"));
    let spec = |text: &str| vec![text.parse().unwrap()];
    let device = |text, topics| CompressOptions { providers: spec(text), topics, ..small() };
    for (options, usage, text) in [
        (CompressOptions { input: none, ..small() }, false, "none"),
        (
            device("emulated:memory=card", vec![Topic::Ratio]),
            true,
            "provider emulated:memory=card: ",
        ),
        (
            device("emulated:poller=thread", vec![Topic::Ratio, Topic::Interrupt]),
            true,
            "provider emulated:poller=thread: figure interrupt asks for responses=interrupt beside \
             it",
        ),
        (CompressOptions { level: 200, ..small() }, true, "0 to 12"),
    ] {
        let (report, out) = run(&options);
        let error = report.unwrap_err();
        assert!(error.to_string().contains(text) && out.is_empty(), "{error}: {out}");
        assert_eq!(error.is_usage(), usage, "{error}");
    }
}
