//! What rows of a topic mean together, in a line beside what source 003 says.

use super::super::topic::Topic;
use super::key::{Key, bytes};
use super::of;
use super::paper;
use crate::report::grid::Grid;
use crate::report::pass::Pass;
use crate::report::row::Row;

/// A line: what was asked, what came out, what the source says.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The figure or question.
    pub topic: Topic,
    /// What was asked.
    pub what: String,
    /// What came out here.
    pub ours: String,
    /// What the source says; empty where it left the question open.
    pub paper: String,
}

/// A row and its pass.
type Entry<'r> = (&'r Row, &'r Pass);

/// From this many times the least on, a time counts as more than the least.
const FLAT: f64 = 1.05;

/// Returns what all rows say, topic by topic.
pub fn findings(rows: &[Row]) -> Vec<Finding> {
    let mut found = Vec::new();
    for topic in Topic::ALL {
        let rows_of = of(rows, topic);
        if !rows_of.is_empty() {
            let lines = match topic {
                Topic::Ratio => ratio(&rows_of),
                Topic::Threads => threads(&rows_of),
                Topic::Sync => sync(&rows_of),
                Topic::SyncThreads => sync_threads(&rows_of),
                Topic::Outstanding => outstanding(&rows_of, &of(rows, Topic::SyncThreads)),
                Topic::Models => models(&rows_of),
                Topic::Copy => copy(&rows_of),
                Topic::Interrupt => between(&rows_of, Key::Poll, "yield", "interrupt"),
                Topic::Poller => between(&rows_of, Key::Poller, "inline", "separate"),
                Topic::Frequency => frequency(&rows_of),
                Topic::Batch => batch(&rows_of),
                Topic::Numa => between(&rows_of, Key::Numa, "local", "remote"),
                Topic::Offload => offload(&rows_of),
                Topic::Overhead => overhead(&rows_of),
                Topic::Scaling => scaling(&rows_of),
                Topic::Decompress => decompress(&rows_of),
            };
            found.extend(lines.into_iter().map(|[what, ours, paper]| Finding {
                topic,
                what,
                ours,
                paper,
            }));
        }
    }
    found
}

/// The findings as a table.
pub fn findings_grid(findings: &[Finding]) -> Grid {
    let mut grid = Grid::new(["figure", "what", "here", "the paper"], 4);
    for finding in findings {
        let name = finding.topic.name();
        grid.push([name, &finding.what, &finding.ours, &finding.paper]);
    }
    grid
}

/// What, ours, paper.
type Line = [String; 3];

fn line(what: impl Into<String>, ours: impl Into<String>, paper: impl Into<String>) -> Line {
    [what.into(), ours.into(), paper.into()]
}

/// Seconds for each 2^30 bytes, in few digits.
fn s(seconds: f64) -> String {
    if seconds < 0.0995 { format!("{seconds:.3} s") } else { format!("{seconds:.2} s") }
}

fn times(value: f64) -> String {
    format!("{value:.2} times")
}

fn elapsed(entry: Entry<'_>) -> f64 {
    entry.1.elapsed_per_gib()
}

fn cpu(entry: Entry<'_>) -> f64 {
    entry.1.cpu_per_gib()
}

fn outstanding_of(entry: Entry<'_>) -> usize {
    entry.0.outstanding.unwrap_or(1)
}

/// The values of a key in the order in which they come, each with its entries.
fn by<'r>(rows: &[Entry<'r>], key: impl Fn(Entry<'r>) -> String) -> Vec<(String, Vec<Entry<'r>>)> {
    let mut groups: Vec<(String, Vec<Entry<'r>>)> = Vec::new();
    for &entry in rows {
        let value = key(entry);
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, group)) => group.push(entry),
            None => groups.push((value, vec![entry])),
        }
    }
    groups
}

fn provider(entry: Entry<'_>) -> String {
    entry.0.provider.clone()
}

/// The entries with the least and the most of something.
fn ends<'r>(rows: &[Entry<'r>], of: impl Fn(Entry<'r>) -> usize) -> Option<(Entry<'r>, Entry<'r>)> {
    let least = rows.iter().copied().min_by_key(|&entry| of(entry))?;
    let most = rows.iter().copied().max_by_key(|&entry| of(entry))?;
    (of(least) < of(most)).then_some((least, most))
}

fn ratio(rows: &[Entry<'_>]) -> Vec<Line> {
    let mut lines = Vec::new();
    for (name, group) in by(rows, provider) {
        let Some((_, largest)) = ends(&group, |entry| entry.1.chunk.unwrap_or(0)) else { continue };
        let usual = group.iter().find(|entry| entry.1.chunk == Some(paper::RATIO_DEVICE.0));
        let (Some(usual), Some(limit)) = (usual.and_then(|entry| entry.1.ratio), largest.1.ratio)
        else {
            continue;
        };
        let (device, zlib) = (paper::RATIO_DEVICE.1 * 100.0, paper::RATIO_ZLIB.1 * 100.0);
        let said = match name.as_str() {
            "zlib" => format!("{device:.1} % (its device), {zlib:.1} % as one chunk"),
            "emulated" => format!("{device:.1} %, and poorer above 128 KB"),
            _ => format!("{device:.1} % (its device)"),
        };
        let chunk = bytes(largest.1.chunk.unwrap_or(0));
        let ours =
            format!("{:.1} % with 64 KiB, {:.1} % with {chunk}", usual * 100.0, limit * 100.0);
        lines.push(line(format!("{name}: ratio"), ours, said));
    }
    lines
}

fn threads(rows: &[Entry<'_>]) -> Vec<Line> {
    let of = |(name, group): (String, Vec<Entry<'_>>)| {
        let (one, most) = ends(&group, |entry| entry.1.threads)?;
        let said = match name.as_str() {
            "zlib" => {
                let [(_, first), (count, last)] = paper::THREADS_ELAPSED else { return None };
                format!("{} to {} at {count} on 16 cores", s(*first), s(*last))
            }
            _ => String::new(),
        };
        let ours = format!(
            "{} to {} at {} on {} cores ({})",
            s(elapsed(one)),
            s(elapsed(most)),
            most.1.threads,
            most.0.cores,
            times(elapsed(one) / elapsed(most))
        );
        Some(line(format!("{name}: elapsed, from 1 thread on"), ours, said))
    };
    let groups = by(rows, provider);
    let modelled = groups.iter().filter_map(|(name, group)| hyper_threading(name, group));
    let modelled: Vec<Line> = modelled.collect();
    groups.into_iter().filter_map(of).chain(modelled).collect()
}

/// Estimates what the most threads with a core each would take if each were two hardware threads of
/// its core, as the source saw it: a model, and no measurement.
fn hyper_threading(name: &str, group: &[Entry<'_>]) -> Option<Line> {
    let own = group.iter().copied().filter(|entry| entry.1.threads <= entry.0.cores);
    let most = own.max_by_key(|entry| entry.1.threads)?;
    let (less, more) = paper::HYPER_THREADING;
    let (count, twice) = (most.1.threads, 2 * most.1.threads);
    let ours = format!(
        "{} to {} elapsed, {} to {} CPU time",
        s(elapsed(most)),
        s(elapsed(most) * less),
        s(cpu(most)),
        s(cpu(most) * more)
    );
    let said = "20 % less elapsed, 50 % more CPU time";
    Some(line(format!("{name}: {twice} hardware threads on {count} cores, modelled"), ours, said))
}

fn sync(rows: &[Entry<'_>]) -> Vec<Line> {
    let Some(device) = rows.iter().find(|entry| entry.0.provider == "emulated") else {
        return Vec::new();
    };
    let others = rows.iter().filter(|entry| entry.0.provider != "emulated");
    let of = |software: &Entry<'_>| {
        let said = match software.0.provider.as_str() {
            "zlib" => format!("{} against {}", s(paper::SYNC_ELAPSED), s(paper::SOFTWARE_ELAPSED)),
            _ => String::new(),
        };
        let ours = format!("{} against {}", s(elapsed(*device)), s(elapsed(*software)));
        line(
            format!("the device, synchronous, against {} in one thread", software.0.provider),
            ours,
            said,
        )
    };
    others.map(of).collect()
}

fn sync_threads(rows: &[Entry<'_>]) -> Vec<Line> {
    let Some((one, most)) = ends(rows, |entry| entry.1.threads) else { return Vec::new() };
    let [(_, first), (count, last)] = paper::SYNC_THREADS_ELAPSED else { return Vec::new() };
    let [(_, low), (at, high)] = paper::SYNC_THREADS_CPU else { return Vec::new() };
    let threads = most.1.threads;
    vec![
        line(
            format!("elapsed, 1 to {threads} threads"),
            format!("{} to {}", s(elapsed(one)), s(elapsed(most))),
            format!("{} to {} at {count}", s(*first), s(*last)),
        ),
        line(
            format!("CPU time, 1 to {threads} threads"),
            format!("{} to {}", s(cpu(one)), s(cpu(most))),
            format!("{} to nearly {} at {at}", s(*low), s(*high)),
        ),
    ]
}

/// The fewest jobs outstanding from which on the elapsed time stays within a few per cent of its
/// least.
fn flat_from(rows: &[Entry<'_>]) -> Option<usize> {
    let least = rows.iter().map(|&entry| elapsed(entry)).reduce(f64::min)?;
    let mut sorted = rows.to_vec();
    sorted.sort_by_key(|&entry| outstanding_of(entry));
    let flat = sorted.iter().rev().take_while(|&&entry| elapsed(entry) <= least * FLAT);
    flat.last().map(|&entry| outstanding_of(entry))
}

fn outstanding(rows: &[Entry<'_>], sync_threads: &[Entry<'_>]) -> Vec<Line> {
    let mut lines = Vec::new();
    for (waits, group) in by(rows, |(row, pass)| Key::Poll.value(row, pass).into_owned()) {
        let full = *paper::OUTSTANDING_ELAPSED.last().expect("it has points");
        let first = group.iter().find(|&&entry| outstanding_of(entry) == 1);
        let last = group.iter().find(|&&entry| outstanding_of(entry) == full.0);
        let (Some(&one), Some(&many)) = (first, last) else { continue };
        let [(_, elapsed_one), (_, elapsed_many)] = paper::OUTSTANDING_ELAPSED else { continue };
        let [(_, cpu_one), (_, cpu_many)] = paper::OUTSTANDING_CPU else { continue };
        let fell =
            |one: f64, many: f64| format!("{} to {} ({})", s(one), s(many), times(one / many));
        lines.push(line(
            format!("elapsed, 1 to {} outstanding, {waits}", full.0),
            fell(elapsed(one), elapsed(many)),
            fell(*elapsed_one, *elapsed_many),
        ));
        lines.push(line(
            format!("CPU time, 1 to {} outstanding, {waits}", full.0),
            fell(cpu(one), cpu(many)),
            fell(*cpu_one, *cpu_many),
        ));
        if let Some(count) = flat_from(&group) {
            let said = format!("{} jobs outstanding", paper::FULL);
            lines.push(line(
                format!("elapsed is flat from, {waits}"),
                format!("{count} jobs outstanding"),
                said,
            ));
        }
        if let Some(&threads) = sync_threads.iter().find(|entry| entry.1.threads == 16) {
            let said = cpu_many / paper::SYNC_THREADS_CPU[1].1;
            lines.push(line(
                format!(
                    "CPU time of {} outstanding, {waits}, to that of 16 synchronous threads",
                    full.0
                ),
                format!(
                    "{} to {} ({:.2})",
                    s(cpu(many)),
                    s(cpu(threads)),
                    cpu(many) / cpu(threads)
                ),
                format!(
                    "{} to nearly {} ({said:.2})",
                    s(*cpu_many),
                    s(paper::SYNC_THREADS_CPU[1].1)
                ),
            ));
        }
    }
    lines
}

fn models(rows: &[Entry<'_>]) -> Vec<Line> {
    let software = rows.iter().find(|entry| entry.0.provider != "emulated");
    let best = rows.iter().filter(|entry| entry.0.provider == "emulated");
    let best = best.min_by(|a, b| elapsed(**a).total_cmp(&elapsed(**b)));
    let (Some(&software), Some(&best)) = (software, best) else { return Vec::new() };
    let reduced = |of: fn(Entry<'_>) -> f64| times(of(software) / of(best));
    vec![line(
        format!(
            "elapsed and CPU time of {} in one thread, to the device's best",
            software.0.provider
        ),
        format!("{} and {}", reduced(elapsed), reduced(cpu)),
        "more than 20 times, both",
    )]
}

fn copy(rows: &[Entry<'_>]) -> Vec<Line> {
    let of = |(chunk, group): (String, Vec<Entry<'_>>)| {
        let with = |transfer: &str| {
            group.iter().copied().find(|entry| entry.1.transfer.as_deref() == Some(transfer))
        };
        let (copied, gathered) = (with("copy")?, with("gather")?);
        // The counter's rate follows from a pass's cycles and seconds.
        let chunks = copied.1.input_bytes as f64 / copied.0.buffer_bytes;
        let hertz = copied.0.cycles_per_buffer? * chunks / copied.1.elapsed_s;
        let saved = copied.1.cpu_s - gathered.1.cpu_s;
        let cycles = saved * hertz / copied.1.input_bytes as f64;
        let (low, high) = paper::COPY_CYCLES_PER_BYTE;
        let said = match copied.1.chunk {
            Some(chunk) if chunk == paper::RATIO_DEVICE.0 => {
                format!("{low} to {high} cycles a byte for copying; gathering was not measured")
            }
            _ => String::new(),
        };
        let ours = format!(
            "{} and {} of CPU time; {cycles:.2} cycles a byte between them",
            s(cpu(copied)),
            s(cpu(gathered))
        );
        Some(line(format!("copied and gathered, chunks of {chunk}"), ours, said))
    };
    by(rows, |(row, pass)| Key::Chunk.value(row, pass).into_owned())
        .into_iter()
        .filter_map(of)
        .collect()
}

/// Two ways to do the same, at each number of jobs outstanding.
fn between(rows: &[Entry<'_>], key: Key, one: &str, other: &str) -> Vec<Line> {
    let of = |(count, group): (String, Vec<Entry<'_>>)| {
        let with = |value: &str| {
            group.iter().copied().find(|(row, pass)| key.value(row, pass).starts_with(value))
        };
        let (first, second) = (with(one)?, with(other)?);
        let name = |entry: Entry<'_>| key.value(entry.0, entry.1).into_owned();
        let ours = format!(
            "elapsed {} and {}, CPU time {} and {}",
            s(elapsed(first)),
            s(elapsed(second)),
            s(cpu(first)),
            s(cpu(second))
        );
        Some(line(format!("{} and {}, {count} outstanding", name(first), name(second)), ours, ""))
    };
    by(rows, |entry| outstanding_of(entry).to_string()).into_iter().filter_map(of).collect()
}

fn frequency(rows: &[Entry<'_>]) -> Vec<Line> {
    let of = |(count, group): (String, Vec<Entry<'_>>)| {
        let least = group.iter().map(|&entry| elapsed(entry)).reduce(f64::min)?;
        let good = group.iter().copied().filter(|&entry| elapsed(entry) <= least * FLAT);
        let best = good.min_by(|a, b| cpu(*a).total_cmp(&cpu(*b)))?;
        let waits = Key::Poll.value(best.0, best.1);
        let ours = format!("{waits}: {} elapsed, {} of CPU time", s(elapsed(best)), s(cpu(best)));
        let what =
            format!("least CPU time within 5 % of the shortest elapsed, {count} outstanding");
        Some(line(what, ours, ""))
    };
    by(rows, |entry| outstanding_of(entry).to_string()).into_iter().filter_map(of).collect()
}

fn batch(rows: &[Entry<'_>]) -> Vec<Line> {
    let with = |doorbell: &str, burst: usize| {
        rows.iter()
            .find(|(row, pass)| row.burst == burst && pass.doorbell.as_deref() == Some(doorbell))
    };
    let Some(single) = with("each", 1) else { return Vec::new() };
    let of = |doorbell: &str, what: &str| {
        let many = with(doorbell, 16)?;
        let gain = single.1.elapsed_s / many.1.elapsed_s;
        let asked = format!("{what} of 16, {} requests, over one by one", bytes(many.0.size?));
        Some(line(asked, format!("{} the rate", times(gain)), ""))
    };
    [of("each", "batches"), of("deferred", "a doorbell deferred over batches")]
        .into_iter()
        .flatten()
        .collect()
}

fn offload(rows: &[Entry<'_>]) -> Vec<Line> {
    let of = |(operation, group): (String, Vec<Entry<'_>>)| {
        let at = |size: Option<usize>, device: bool| {
            let mut found = group.iter().copied().filter(|entry| entry.0.size == size);
            found.find(|entry| (entry.0.provider == "emulated") == device)
        };
        let mut sizes: Vec<usize> = group.iter().filter_map(|entry| entry.0.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let pair = |size: usize| Some((at(Some(size), false)?, at(Some(size), true)?));
        let pairs: Vec<_> = sizes.iter().filter_map(|&size| Some((size, pair(size)?))).collect();
        let (software, _) = pairs.first()?.1;
        let pays = |&(_, (software, device)): &(usize, (Entry<'_>, Entry<'_>))| {
            cpu(device) < cpu(software)
        };
        let from = pairs.iter().rev().take_while(|pair| pays(pair)).last();
        let ours = match from {
            Some((size, _)) if *size == sizes[0] => {
                format!("at every size measured, from {} on", bytes(*size))
            }
            Some((size, _)) => format!("from {} on", bytes(*size)),
            None => format!("at no size measured, up to {}", bytes(*sizes.last()?)),
        };
        let said = match software.0.algorithm.as_str() {
            "deflate" => "",
            _ => paper::CIPHER_BREAK_EVEN,
        };
        let what = format!("{operation}: offload takes less CPU time than {}", software.0.provider);
        Some(line(what, ours, said))
    };
    by(rows, |entry| entry.0.operation()).into_iter().filter_map(of).collect()
}

fn overhead(rows: &[Entry<'_>]) -> Vec<Line> {
    let of = |(name, group): (String, Vec<Entry<'_>>)| {
        let bare = group.iter().find(|entry| entry.0.call.is_none())?;
        let ours = group.iter().find(|entry| entry.0.call.is_some())?;
        let percent = |of: fn(&Pass) -> f64| 100.0 * (of(ours.1) / of(bare.1) - 1.0);
        let text = format!(
            "{:+.1} % ({:+.1} % of the medians)",
            percent(|pass| pass.elapsed_s),
            percent(|pass| pass.elapsed_s_median)
        );
        Some(line(format!("{name}: elapsed in one thread, over the library alone"), text, ""))
    };
    by(rows, |entry| format!("{}, level {}", entry.0.provider, entry.1.level.unwrap_or(0)))
        .into_iter()
        .filter_map(of)
        .collect()
}

fn scaling(rows: &[Entry<'_>]) -> Vec<Line> {
    let of = |(name, group): (String, Vec<Entry<'_>>)| {
        let (one, most) = ends(&group, |entry| entry.1.threads)?;
        let gain = times(elapsed(one) / elapsed(most));
        Some(line(format!("{name}: {} threads against 1", most.1.threads), gain, ""))
    };
    by(rows, |entry| format!("{} {}", entry.0.provider, entry.0.direction))
        .into_iter()
        .filter_map(of)
        .collect()
}

/// The device with one and with most jobs outstanding, beside software in one thread.
fn decompress(rows: &[Entry<'_>]) -> Vec<Line> {
    let is_device = |entry: &Entry<'_>| entry.0.provider == "emulated";
    let (device, software): (Vec<_>, Vec<_>) = rows.iter().copied().partition(is_device);
    let of = |software: &Entry<'_>| {
        let (one, most) = ends(&device, outstanding_of)?;
        let ours = format!(
            "{} to {} at {}; {} in software",
            s(elapsed(one)),
            s(elapsed(most)),
            outstanding_of(most),
            s(elapsed(*software))
        );
        let what = format!("decompression, from 1 outstanding on, and {}", software.0.provider);
        Some(line(what, ours, ""))
    };
    software.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{pass, rows};
    use super::*;

    fn texts(rows: &[Row], topic: Topic) -> Vec<Finding> {
        findings(rows).into_iter().filter(|finding| finding.topic == topic).collect()
    }

    #[test]
    fn every_topic_says_something() {
        let rows = rows();
        for topic in Topic::ALL {
            assert!(!texts(&rows, topic).is_empty(), "{topic}");
        }
        assert!(findings(&[]).is_empty());
        let text = findings_grid(&findings(&rows)).to_string();
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    #[test]
    fn a_fall_stands_beside_the_papers() {
        let rows = [
            pass(Topic::Outstanding, "emulated", 1, 1, 1.6, 1.7),
            pass(Topic::Outstanding, "emulated", 1, 12, 0.21, 0.1),
            pass(Topic::Outstanding, "emulated", 1, 18, 0.2, 0.1),
            pass(Topic::Outstanding, "emulated", 1, 24, 0.2, 0.1),
            pass(Topic::SyncThreads, "emulated", 16, 1, 0.25, 0.5),
        ];
        let found = texts(&rows, Topic::Outstanding);
        assert_eq!(found[0].ours, "6.40 s to 0.80 s (8.00 times)");
        assert_eq!(found[0].paper, "6.30 s to 0.73 s (8.63 times)");
        assert_eq!(
            (found[2].ours.as_str(), found[2].paper.as_str()),
            ("12 jobs outstanding", "18 jobs outstanding")
        );
        assert_eq!(found[3].ours, "0.40 s to 2.00 s (0.20)");
    }

    #[test]
    fn hardware_threads_are_modelled_where_each_thread_has_a_core() {
        let rows = [
            Row { cores: 2, ..pass(Topic::Threads, "zlib", 1, 1, 4.0, 4.0) },
            Row { cores: 2, ..pass(Topic::Threads, "zlib", 2, 1, 2.0, 4.0) },
            Row { cores: 2, ..pass(Topic::Threads, "zlib", 4, 1, 2.0, 4.0) },
        ];
        let found = texts(&rows, Topic::Threads);
        let modelled = found.iter().find(|finding| finding.what.contains("modelled")).unwrap();
        assert_eq!(modelled.what, "zlib: 4 hardware threads on 2 cores, modelled");
        assert_eq!(modelled.ours, "8.00 s to 6.40 s elapsed, 16.00 s to 24.00 s CPU time");
    }

    #[test]
    fn offload_pays_from_the_size_on_from_which_it_always_does() {
        let at = |provider: &str, size: usize, cpu: f64| {
            let row = pass(Topic::Offload, provider, 1, 24, 0.1, cpu);
            Row { size: Some(size), ..row }
        };
        let mut rows = vec![
            at("isal", 64, 0.1),
            at("emulated", 64, 0.05),
            at("isal", 256, 0.1),
            at("emulated", 256, 0.2),
            at("isal", 1024, 0.1),
            at("emulated", 1024, 0.05),
            at("isal", 4096, 0.1),
            at("emulated", 4096, 0.05),
        ];
        assert_eq!(texts(&rows, Topic::Offload)[0].ours, "from 1 KiB on");
        rows[7].pass.as_mut().unwrap().cpu_s = 1.0;
        assert_eq!(texts(&rows, Topic::Offload)[0].ours, "at no size measured, up to 4 KiB");
    }

    #[test]
    fn overheads_are_told_for_the_shortest_and_the_median() {
        let bare = Row { call: None, ..pass(Topic::Overhead, "zlib", 1, 1, 1.0, 1.0) };
        let ours = Row {
            call: Some("framework".to_owned()),
            ..pass(Topic::Overhead, "zlib", 1, 1, 1.02, 1.0)
        };
        let found = texts(&[bare, ours], Topic::Overhead);
        assert!(found[0].ours.starts_with("+2.0 % ("), "{:?}", found[0]);
    }
}
