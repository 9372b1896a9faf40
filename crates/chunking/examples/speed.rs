//! How fast chunks are found, on one core: each kernel of this machine, and the crate `rustic_cdc`,
//! in turns, the shortest of several. restic publishes 523 MB/s for its own chunker.
//!
//! ```sh
//! cargo run --release -p broadloom-chunking --example speed [MIB] [TURNS]
//! ```

use std::error::Error;
use std::time::{Duration, Instant};

use broadloom_chunking::{Chunker, Polynomial, Sizes};
use broadloom_lanes::Cpu;
use broadloom_testing::noise;
use rustic_cdc::{Rabin64, RollingHash64};

/// What the README of restic's chunker says, in MB/s.
const RESTIC: f64 = 523.28;

/// A name, and a function that says how many chunks it found in so many bytes.
type Side<'a> = (String, Box<dyn Fn(&[u8]) -> (usize, usize) + 'a>);

fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse::<usize>());
    let mib = numbers.next().transpose()?.unwrap_or(64);
    let turns = numbers.next().transpose()?.unwrap_or(20);
    let polynomial: Polynomial = "3da3358b4dc173".parse()?;
    let data = noise(mib << 20, 1);

    let rustic =
        ("rustic_cdc".to_owned(), Box::new(move |data: &[u8]| rustic(data, polynomial)) as _);
    let mut sides: Vec<Side> = vec![rustic];
    for isa in Cpu::available() {
        let chunker = Chunker::on(&Cpu::with_isa(isa)?, polynomial, Sizes::default());
        let count = move |data: &[u8]| {
            chunker.slices(data).fold((0usize, 0), |(count, sum), chunk| {
                (count + 1, sum ^ count.wrapping_mul(chunk.len()))
            })
        };
        sides.push((format!("broadloom, {isa}"), Box::new(count)));
    }

    let mut shortest = vec![Duration::MAX; sides.len()];
    let mut found = vec![(0, 0); sides.len()];
    for _ in 0..turns {
        for (at, (_, chunks)) in sides.iter().enumerate() {
            let start = Instant::now();
            found[at] = chunks(&data);
            shortest[at] = shortest[at].min(start.elapsed());
        }
    }

    println!("{mib} MiB of random bytes, {} chunks, shortest of {turns} turns", found[0].0);
    let seconds = shortest[0].as_secs_f64();
    for (at, (name, _)) in sides.iter().enumerate() {
        assert_eq!(found[at], found[0], "{name} finds other chunks");
        let speed = data.len() as f64 / shortest[at].as_secs_f64() / 1e6;
        let (restic, rustic) = (speed / RESTIC, seconds / shortest[at].as_secs_f64());
        println!(
            "{name:20} {speed:8.0} MB/s {rustic:6.2} x rustic_cdc {restic:6.2} x restic's figure"
        );
    }
    Ok(())
}

/// As the crate `rustic_core` uses it: the number of chunks, and a sum over their lengths.
fn rustic(mut data: &[u8], polynomial: Polynomial) -> (usize, usize) {
    let sizes = Sizes::default();
    let mask = sizes.average() as u64 - 1;
    let mut rabin = Rabin64::new_with_polynom(6, &polynomial.bits());
    let (mut count, mut sum) = (0usize, 0);
    while !data.is_empty() {
        let most = data.len().min(sizes.max());
        let mut length = most;
        if most >= sizes.min() {
            let window = data[sizes.min() - 64..sizes.min() - 1].iter().copied();
            rabin.reset_and_prefill_window(&mut { window });
            let cut = data[..most][sizes.min() - 1..].iter().position(|byte| {
                rabin.slide(*byte);
                rabin.hash & mask == 0
            });
            length = cut.map_or(most, |at| sizes.min() + at);
        }
        sum ^= count.wrapping_mul(length);
        count += 1;
        data = &data[length..];
    }
    (count, sum)
}
