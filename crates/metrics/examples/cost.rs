//! Measures what the counters cost: a job while they count, and a reader of a thousand series.
//!
//! ```sh
//! cargo run --release -p broadloom-metrics --example cost
//! ```
//!
//! Counting cannot end once it has begun. So each round is a process of its own, which works
//! without counting first, and then with it.

use std::env;
use std::error::Error;
use std::hint::black_box;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use broadloom_engine::{
    HashAlgorithm, Job, MacAlgorithm, Processor, QueueConfig, QueuePair, Registry, Session,
    Transform,
};
use broadloom_metrics::Snapshot;

/// Processes in which both sides are measured.
const ROUNDS: usize = 15;
/// Times that a side is measured in a process. The least of them counts, since a neighbour on the
/// machine can only add to it.
const REPEATS: usize = 120;
/// Jobs that are timed at once.
const JOBS: usize = 4096;
/// Snapshots that are read while threads work.
const SNAPSHOTS: usize = 200;
/// Series that they have, and the queue pairs that share them.
const SERIES: usize = 1000;
const PAIRS: usize = 10;

/// A way to have jobs done.
struct Way {
    name: &'static str,
    len: usize,
    burst: usize,
    is_queue_pair: bool,
}

const WAYS: [Way; 5] = [
    Way { name: "queue pair, 32 jobs of 64 B", len: 64, burst: 32, is_queue_pair: true },
    Way { name: "queue pair, 32 jobs of 1024 B", len: 1024, burst: 32, is_queue_pair: true },
    Way { name: "process_many, 32 jobs of 64 B", len: 64, burst: 32, is_queue_pair: false },
    Way { name: "process_many, 1 job of 64 B", len: 64, burst: 1, is_queue_pair: false },
    Way { name: "process_many, 1 job of 1024 B", len: 1024, burst: 1, is_queue_pair: false },
];

fn main() -> Result<(), Box<dyn Error>> {
    if env::args().nth(1).as_deref() == Some("round") {
        let session = session(&registry(), "")?;
        let without = WAYS.map(|way| least(&way, &session));
        broadloom_metrics::start();
        let with = WAYS.map(|way| least(&way, &session));
        without.iter().zip(with).for_each(|(without, with)| println!("{without} {with}"));
        return Ok(());
    }
    count()?;
    read()
}

/// Prints what a job takes without counting and with it.
fn count() -> Result<(), Box<dyn Error>> {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let output = Command::new(env::current_exe()?).arg("round").output()?;
        let text = String::from_utf8(output.stdout)?;
        let figures: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
        rounds.push(figures?);
    }
    println!("HMAC-SHA1, nanoseconds a job: least and median of {ROUNDS} processes");
    for (number, way) in WAYS.iter().enumerate() {
        let of = |column: usize| {
            let figures = rounds.iter().filter_map(|round| round.get(2 * number + column));
            sorted(figures.copied())
        };
        let (without, with) = (of(0), of(1));
        let shares = rounds.iter().map(|round| round[2 * number + 1] / round[2 * number] - 1.0);
        println!(
            "{:30} without {:7.2} {:7.2}, counted {:7.2} {:7.2}: least {:+.2} %, median {:+.2} %",
            way.name,
            without[0],
            without[ROUNDS / 2],
            with[0],
            with[ROUNDS / 2],
            100.0 * (with[0] / without[0] - 1.0),
            100.0 * sorted(shares)[ROUNDS / 2],
        );
    }
    Ok(())
}

/// Returns the least nanoseconds that a job takes.
fn least(way: &Way, session: &Session) -> f64 {
    let mut jobs: Vec<_> = (0..way.burst).map(|_| Job::new(session, vec![7; way.len])).collect();
    let mut processor = Processor::new();
    let mut pair = QueuePair::new(QueueConfig::default());
    let mut complete = Vec::with_capacity(way.burst);
    let mut burst = || {
        if way.is_queue_pair {
            pair.enqueue(&mut jobs);
            pair.flush();
            pair.dequeue(&mut complete, usize::MAX);
            std::mem::swap(&mut jobs, &mut complete);
        } else {
            black_box(processor.process_many(&mut jobs));
        }
    };
    let times = (0..REPEATS).map(|_| {
        let start = Instant::now();
        (0..JOBS / way.burst).for_each(|_| burst());
        start.elapsed().as_nanos() as f64 / JOBS as f64
    });
    times.fold(f64::MAX, f64::min)
}

/// Prints how long it takes to read the counters while two threads work with a thousand series.
fn read() -> Result<(), Box<dyn Error>> {
    broadloom_metrics::start();
    let registry = registry();
    let sessions: Result<Vec<_>, _> =
        (0..SERIES).map(|number| session(&registry, &format!("tenant-{number}"))).collect();
    let sessions = sessions?;
    let ends = AtomicBool::new(false);
    let work = |sessions: &[Session]| {
        let mut pairs: Vec<_> =
            (0..PAIRS / 2).map(|_| QueuePair::new(QueueConfig::default())).collect();
        let per_pair = sessions.len() / pairs.len();
        let mut complete = Vec::new();
        while !ends.load(Ordering::Relaxed) {
            for (pair, sessions) in pairs.iter_mut().zip(sessions.chunks(per_pair)) {
                let mut jobs: Vec<_> =
                    sessions.iter().map(|session| Job::new(session, vec![7; 64])).collect();
                pair.enqueue(&mut jobs);
                pair.flush();
                pair.dequeue(&mut complete, usize::MAX);
                complete.clear();
            }
        }
    };
    thread::scope(|scope| {
        let (one, other) = sessions.split_at(SERIES / 2);
        scope.spawn(|| work(one));
        scope.spawn(|| work(other));
        while Snapshot::now().series.len() < SERIES {
            thread::yield_now();
        }
        let mut times = [const { Vec::new() }; 3];
        let mut bytes = 0;
        for _ in 0..SNAPSHOTS {
            let start = Instant::now();
            let snapshot = Snapshot::now();
            times[0].push(start.elapsed().as_secs_f64() * 1e3);
            let text = snapshot.to_openmetrics();
            times[1].push(start.elapsed().as_secs_f64() * 1e3);
            bytes = text.len();
            let start = Instant::now();
            black_box(snapshot.to_json().map_or(0, |json| json.len()));
            times[2].push(start.elapsed().as_secs_f64() * 1e3);
        }
        ends.store(true, Ordering::Relaxed);
        println!(
            "\n{SERIES} series, {PAIRS} queue pairs at work: least, median and most of {SNAPSHOTS}"
        );
        let names = ["a snapshot", "a snapshot as OpenMetrics", "its JSON"];
        for (name, times) in names.into_iter().zip(times) {
            let times = sorted(times);
            let (least, median, most) = (times[0], times[SNAPSHOTS / 2], times[SNAPSHOTS - 1]);
            println!("{name:26} {least:6.2} ms {median:6.2} ms {most:6.2} ms");
        }
        println!("{bytes} bytes of OpenMetrics");
    });
    Ok(())
}

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    registry
}

fn session(registry: &Registry, label: &str) -> Result<Session, Box<dyn Error>> {
    let mac = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
    Ok(registry.open(&Transform::mac(mac, b"key").generate()?.label(label)?)?)
}

fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values
}
