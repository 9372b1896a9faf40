//! Where RC4 waits: three ways of writing its loop, and several buffers side by side.
//!
//! `cargo run --release -p broadloom-lanes --example rc4_stalls`
//!
//! 1. The keystream's byte is found with two more loads of what was just stored: each waits for its
//!    store.
//! 2. What was loaded before the swap is used again: only the last load is waited for.
//! 3. The byte is used in the next turn of the loop, when it is long there.
//! 4. Four buffers side by side (the lanes): while one waits, the others go on.
//!
//! What is left in 3 is the chain from one turn to the next, through memory, that only other
//! buffers can fill.

use std::hint::black_box;
use std::time::{Duration, Instant};

use broadloom_lanes::{Cpu, Loan, Planner, Rc4Key};

const LEN: usize = 1024;
const BUFFERS: usize = 8;
const ROUNDS: usize = 200;

/// One way of writing the loop.
type Cipher = fn(&mut State, &mut [u8]);

/// A key stream under way.
#[derive(Clone)]
struct State {
    entries: [u8; 256],
    i: u8,
    j: u8,
}

impl State {
    fn new(key: &[u8]) -> Self {
        let mut entries: [u8; 256] = std::array::from_fn(|i| i as u8);
        let mut j = 0_u8;
        for i in 0..256 {
            j = j.wrapping_add(entries[i]).wrapping_add(key[i % key.len()]);
            entries.swap(i, usize::from(j));
        }
        State { entries, i: 0, j: 0 }
    }

    /// Loads what was stored.
    #[inline(never)]
    fn reloading(&mut self, text: &mut [u8]) {
        let State { entries, i, j } = self;
        for byte in text {
            *i = i.wrapping_add(1);
            let (a, b) = (usize::from(*i), {
                *j = j.wrapping_add(entries[usize::from(*i)]);
                usize::from(*j)
            });
            entries.swap(a, b);
            // Else the compiler would see that it knows them.
            let entries = &*black_box(&mut *entries);
            *byte ^= entries[usize::from(entries[a].wrapping_add(entries[b]))];
        }
    }

    /// Uses again what was loaded.
    #[inline(never)]
    fn keeping(&mut self, text: &mut [u8]) {
        for byte in text {
            *byte ^= self.next();
        }
    }

    /// Uses each byte a turn later.
    #[inline(never)]
    fn pipelined(&mut self, text: &mut [u8]) {
        let Some((last, others)) = text.split_last_mut() else { return };
        let mut stream = self.next();
        for byte in others {
            let next = self.next();
            *byte ^= stream;
            stream = next;
        }
        *last ^= stream;
    }

    #[inline(always)]
    fn next(&mut self) -> u8 {
        let State { entries, i, j } = self;
        *i = i.wrapping_add(1);
        let a = entries[usize::from(*i)];
        *j = j.wrapping_add(a);
        let b = entries[usize::from(*j)];
        entries[usize::from(*j)] = a;
        entries[usize::from(*i)] = b;
        entries[usize::from(a.wrapping_add(b))]
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = [7; 16];
    let state = State::new(&key);
    println!("{BUFFERS} buffers of {LEN} bytes; the best of {ROUNDS} rounds");
    let ways: [(&str, Cipher); 3] = [
        ("1, loading what was stored", State::reloading),
        ("2, keeping what was loaded", State::keeping),
        ("3, a turn later", State::pipelined),
    ];
    let mut outputs = Vec::new();
    for (name, cipher) in ways {
        let mut buffers = vec![vec![1; LEN]; BUFFERS];
        report(name, || {
            for buffer in &mut buffers {
                cipher(&mut state.clone(), buffer);
            }
        });
        outputs.push(buffers);
    }
    let lanes_key = Rc4Key::new(&key)?;
    let mut planner = Planner::new(&Cpu::detect());
    let mut buffers = vec![vec![1; LEN]; BUFFERS];
    report("4, side by side", || {
        planner.process_each(buffers.iter_mut().map(|buffer| Loan::rc4(&lanes_key, buffer)));
    });
    outputs.push(buffers);
    assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]), "all compute the same");
    Ok(())
}

/// Runs something again and again, and says how long a byte takes.
fn report(name: &str, mut run: impl FnMut()) {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
    }
    let bytes = (LEN * BUFFERS) as f64;
    let per_byte = best.as_nanos() as f64 / bytes;
    println!("{name:28} {per_byte:6.2} ns a byte, {:7.1} MB/s", 1e3 / per_byte);
}
