//! What key stream costs that is drawn a few bytes at a time, beside one long call: the case of
//! SRTP.

use std::hint::black_box;
use std::time::Instant;

use broadloom_lanes::{AesKey, Cpu, CtrLanes, Keystream, Loan, Planner};

/// Bytes of one long call.
const LONG: usize = 8192;

/// Bytes that are timed together.
const TOGETHER: usize = 20 * LONG;

const REPEATS: usize = 400;

fn main() {
    let cpu = Cpu::detect();
    let key = AesKey::new(&[7; 16]).expect("16 bytes");
    let mut buffer = vec![0; LONG];
    let mut planner = Planner::<CtrLanes>::new(&cpu);
    let mut long = || {
        for _ in 0..TOGETHER / LONG {
            planner.process_each([Loan::ctr(&key, &[1; 16], black_box(&mut buffer))]);
        }
    };
    let mut stream = Keystream::new(&cpu, &key, &[1; 16]);
    let mut packets = vec![0; LONG];
    let mut draws = |len: usize| {
        for _ in 0..TOGETHER / LONG {
            for packet in packets.chunks_exact_mut(len) {
                stream.draw(packet).expect("far from the last counter");
            }
            black_box(&mut packets);
        }
    };
    let lens = [16, 40, 80, 160, 200];
    let mut times = vec![Vec::new(); 1 + lens.len()];
    for _ in 0..REPEATS {
        times[0].push(per_byte(&mut long, TOGETHER));
        for (times, len) in times[1..].iter_mut().zip(lens) {
            times.push(per_byte(|| draws(len), TOGETHER / LONG * (LONG / len * len)));
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    let least = |i: usize| times[i][0];
    let median = |i: usize| times[i][REPEATS / 2];
    println!("{:<22} {:>9} {:>9} {:>12}", "ns per byte", "minimum", "median", "of a long one");
    println!("{:<22} {:>9.4} {:>9.4}", format!("one call of {LONG} B"), least(0), median(0));
    for (i, len) in (1..).zip(lens) {
        let (name, ratio) = (format!("draws of {len} B"), least(i) / least(0));
        println!("{name:<22} {:>9.4} {:>9.4} {ratio:>11.2}x", least(i), median(i));
    }
}

/// Nanoseconds per byte of work that makes so many.
fn per_byte(work: impl FnOnce(), bytes: usize) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64 / bytes as f64
}
