//! The program fio on the raw side, and what it prints.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::pass::{Latency, Outcome};
use super::side::{Over, drop_pages};
use super::topic::{FILE, Topic};

/// The provider in its rows.
pub(super) const NAME: &str = "fio";

/// Asks for fio's version.
///
/// # Errors
/// The program is not there or fails: the reason.
pub(super) fn version() -> Result<String, String> {
    let output = Command::new(NAME).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("the program fio: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!("fio --version ended with {}", output.status)),
    }
}

/// The options for a row, of so many clients with sets of so many bytes.
fn options(topic: Topic, clients: usize, set: u64, operations: usize) -> Vec<String> {
    let (engine, pattern, more): (_, _, &[&str]) = match topic {
        Topic::StreamingReadCold => ("psync", "read", &["--invalidate=1"]),
        Topic::StreamingReadWarm => ("psync", "read", &["--invalidate=0", "--pre_read=1"]),
        Topic::StreamingWrite => ("psync", "write", &["--end_fsync=1", "--unlink=1"]),
        Topic::RandomRead => ("psync", "randread", &["--invalidate=0", "--pre_read=1"]),
        Topic::RandomWrite => ("psync", "randwrite", &["--overwrite=1"]),
        Topic::SynchronousWrite => ("psync", "randwrite", &["--overwrite=1", "--sync=dsync"]),
        Topic::Create => ("filecreate", "read", &[]),
        Topic::Delete => ("filedelete", "read", &[]),
        Topic::Stat => ("filestat", "read", &[]),
    };
    let mut all: Vec<String> = vec![
        format!("--name={topic}"),
        format!("--ioengine={engine}"),
        format!("--rw={pattern}"),
        format!("--numjobs={clients}"),
    ];
    if engine == "psync" {
        let name = if topic == Topic::StreamingWrite { "written" } else { "set" };
        all.push(format!("--size={set}"));
        all.push(format!("--bs={}", topic.bytes()));
        all.push(format!("--number_ios={operations}"));
        all.push(format!("--filename_format={name}.$jobnum"));
    } else {
        all.push(format!("--nrfiles={operations}"));
        all.push(format!("--filesize={FILE}"));
        all.push(format!("--bs={FILE}"));
        all.push("--openfiles=1".to_owned());
    }
    all.extend(more.iter().map(|&option| option.to_owned()));
    let common = ["--thread", "--group_reporting", "--fallocate=none"];
    all.extend(common.map(str::to_owned));
    all
}

/// Runs fio in a directory, and gives what it prints.
fn run<'o>(place: &Path, options: impl Iterator<Item = &'o str>) -> Result<String, String> {
    let output = Command::new(NAME)
        .args(options)
        .current_dir(place)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("the program fio: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default();
        return Err(format!("fio ended with {}: {last}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// One pass of fio in a directory.
///
/// # Errors
/// It fails, or prints something else: the reason.
pub(super) fn pass(
    directory: &Path,
    topic: Topic,
    clients: usize,
    set: u64,
    quick: bool,
) -> Result<Outcome, String> {
    let operations = topic.operations(Over::Directory, set, quick);
    // Files of an earlier pass would be there already.
    let place = match topic {
        Topic::Create | Topic::Delete | Topic::Stat => directory.join(topic.name()),
        _ => directory.to_owned(),
    };
    let io = |error: std::io::Error| format!("{}: {error}", place.display());
    if place != directory {
        fs::create_dir(&place).map_err(io)?;
    }
    let mut options = options(topic, clients, set, operations);
    if topic == Topic::StreamingReadCold {
        // The pages of a set leave the cache only when they are on the disk.
        run(&place, options.iter().map(String::as_str).chain(["--create_only=1"]))?;
        for client in 0..clients {
            let set = place.join(format!("set.{client}"));
            fs::File::open(set).and_then(|set| drop_pages(&set)).map_err(io)?;
        }
    }
    options.push("--output-format=json".to_owned());
    let text = run(&place, options.iter().map(String::as_str))?;
    if place != directory {
        fs::remove_dir_all(&place).map_err(io)?;
    }
    parse(&text, topic, clients)
        .ok_or_else(|| format!("fio printed something else than expected: {text}"))
}

/// Reads fio's JSON, before which there may be notes.
fn parse(text: &str, topic: Topic, clients: usize) -> Option<Outcome> {
    let report: Value = serde_json::from_str(&text[text.find('{')?..]).ok()?;
    let job = report["jobs"].get(0)?;
    if job["error"].as_i64() != Some(0) {
        return None;
    }
    let side = &job[if topic.direction() == "write" { "write" } else { "read" }];
    let number = |value: &Value| value.as_f64();
    let operations = side["total_ios"].as_u64().filter(|count| *count > 0)? as usize;
    let times = &side["clat_ns"];
    let percentile = |part: &str| number(&times["percentile"][part]);
    let (max, mean) = (number(&times["max"])?, number(&times["mean"])?);
    let min = number(&times["min"])?;
    // fio rounds percentiles to a bucket, which may end beyond what was measured.
    let within = |percentile: f64| percentile.max(min).min(max);
    let (p50, p99) = (percentile("50.000000")?, percentile("99.000000")?);
    let latency = Latency { min, mean, p50: within(p50), p99: within(p99), max };
    // fio counts milliseconds, within which it does many of the fastest operations.
    let busy = mean * operations as f64 / clients as f64 / 1e9;
    let busy_part = (number(&job["usr_cpu"])? + number(&job["sys_cpu"])?) / 100.0;
    Some(Outcome {
        operations,
        // Its new files are empty.
        bytes: if topic == Topic::Create { 0 } else { (operations * topic.bytes()) as u64 },
        elapsed: (number(&side["runtime"])? / 1e3).max(busy),
        cpu: busy_part * number(&job["job_runtime"])? / 1e3,
        latency: Some(latency),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The percentiles are beyond what they are taken of.
    fn report(direction: &str, runtime: u64) -> String {
        format!(
            r#"fio: a note
            {{"jobs": [{{"error": 0, "usr_cpu": 5.0, "sys_cpu": 20.0, "job_runtime": 100,
            "{direction}": {{"total_ios": 50, "runtime": {runtime}, "clat_ns": {{"min": 1000000,
            "max": 2000000, "mean": 1000000.0, "percentile": {{"50.000000": 990000,
            "99.000000": 2007040}}}}}}}}]}}"#
        )
    }

    #[test]
    fn its_report_is_read_and_percentiles_lie_within_the_times() {
        let done = parse(&report("write", 80), Topic::RandomWrite, 2).unwrap();
        let latency = done.latency.unwrap();
        assert_eq!((latency.p50, latency.p99), (1e6, 2e6));
        assert_eq!((done.operations, done.bytes), (50, 50 * 8192));
        assert_eq!((done.elapsed, done.cpu), (0.08, 0.025));
        // Too short for its clock: from the mean.
        assert_eq!(parse(&report("read", 0), Topic::Stat, 1).unwrap().elapsed, 0.05);
    }

    #[test]
    fn other_reports_are_refused() {
        let wrong = report("write", 80);
        assert_eq!(parse(&wrong, Topic::RandomRead, 1), None);
        assert_eq!(
            parse(&wrong.replace("\"error\": 0", "\"error\": 28"), Topic::RandomWrite, 1),
            None
        );
        assert_eq!(parse("no space left", Topic::RandomWrite, 1), None);
    }
}
