//! KASUMI F8 by the bitsliced lanes, and by the large tables that suit machines with many threads a
//! core: 512 buffers of 256 bytes for each of 1 to N threads.
//!
//! `cargo run --release -p broadloom-lanes --example kasumi_tables`
//!
//! The tables are here to be compared with, and for nothing else: their time depends on the key.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use broadloom_lanes::{Cpu, KasumiKey, LinkDirection, Loan, Planner, TableKasumi};

const BUFFERS: usize = 512;
const LEN: usize = 256;
const ROUNDS: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let most = std::thread::available_parallelism()?.get();
    let tables = TableKasumi::new();
    println!(
        "{BUFFERS} buffers of {LEN} bytes a thread; MB/s of all threads, and how often one thread's"
    );
    println!("{:>7} {:>16} {:>16}", "threads", "lanes", "tables");
    let mut alone = [0.0; 2];
    for threads in 1..=most {
        let lanes = throughput(threads, || {
            let mut planner = Planner::new(&Cpu::detect());
            move |buffers: &mut [Vec<u8>], key: &KasumiKey| {
                planner.process_each(buffers.iter_mut().map(|buffer| {
                    Loan::f8(key, 1, 2, LinkDirection::Uplink, buffer, 8 * LEN)
                        .expect("good lengths")
                }));
            }
        });
        let tables = throughput(threads, || {
            |buffers: &mut [Vec<u8>], key: &KasumiKey| {
                for buffer in buffers {
                    let direction = LinkDirection::Uplink;
                    tables.f8(key, 1, 2, direction, buffer, 8 * LEN).expect("good lengths");
                }
            }
        });
        if threads == 1 {
            alone = [lanes, tables];
        }
        let shown = |rate: f64, alone: f64| format!("{rate:.1} ({:.2}x)", rate / alone);
        println!("{threads:>7} {:>16} {:>16}", shown(lanes, alone[0]), shown(tables, alone[1]));
    }
    Ok(())
}

/// MB/s of so many threads that all run the same, each with what `make` makes for it: the best of
/// some rounds.
fn throughput<W: FnMut(&mut [Vec<u8>], &KasumiKey)>(
    threads: usize,
    make: impl Fn() -> W + Sync,
) -> f64 {
    let barrier = Barrier::new(threads);
    let best = std::thread::scope(|scope| {
        let one = || {
            let mut work = make();
            let key = KasumiKey::new(&[7; 16]);
            let mut buffers = vec![vec![1; LEN]; BUFFERS];
            let mut times = [Duration::MAX; ROUNDS];
            for time in &mut times {
                barrier.wait();
                let start = Instant::now();
                work(&mut buffers, &key);
                *time = start.elapsed();
            }
            times
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        let times: Vec<_> =
            handles.into_iter().map(|h| h.join().expect("no thread fails")).collect();
        // A round takes as long as its slowest thread.
        let rounds = (0..ROUNDS).map(|round| times.iter().map(|times| times[round]).max());
        rounds.min().flatten().unwrap_or(Duration::MAX)
    });
    (threads * BUFFERS * LEN) as f64 / best.as_secs_f64() / 1e6
}
