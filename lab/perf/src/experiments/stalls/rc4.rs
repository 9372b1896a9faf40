//! RC4 as source 001 writes it three times.

use std::hint::black_box;

use broadloom_lanes::{Cpu, Loan, Planner, Rc4Key};

use super::topic::TEXTBOOK;
use super::turns::{Name, Way};

/// The key of all buffers.
const KEY: [u8; 16] = [7; 16];

/// Returns the three versions, and the lanes.
pub(super) fn ways(cpu: &Cpu) -> Vec<Way> {
    let textbook = |options, kernel: &str, cipher: fn(&mut State, &mut [u8])| {
        let state = State::new(&KEY);
        let cipher = move |buffers: &mut [Vec<u8>]| {
            buffers.iter_mut().for_each(|buffer| cipher(&mut state.clone(), buffer));
        };
        let name = Name { provider: TEXTBOOK, options: Some(options), kernel: kernel.to_owned() };
        Way { name, cipher: Box::new(cipher) }
    };
    let mut planner = Planner::new(cpu);
    let key = Rc4Key::new(&KEY).expect("a key of 16 bytes is valid");
    let lanes = move |buffers: &mut [Vec<u8>]| {
        planner.process_each(buffers.iter_mut().map(|buffer| Loan::rc4(&key, buffer)));
    };
    let name =
        Name { provider: "native", options: None, kernel: "buffers side by side".to_owned() };
    vec![
        textbook("version=1", "loads what it stored", State::reloading),
        textbook("version=2", "keeps what it loaded", State::keeping),
        textbook("version=3", "uses a byte a turn later", State::pipelined),
        Way { name, cipher: Box::new(lanes) },
    ]
}

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

    /// Version 1: the byte of the key stream is found with two more loads of what was just stored.
    #[inline(never)]
    fn reloading(&mut self, text: &mut [u8]) {
        let State { entries, i, j } = self;
        for byte in text {
            *i = i.wrapping_add(1);
            let a = usize::from(*i);
            *j = j.wrapping_add(entries[a]);
            let b = usize::from(*j);
            entries.swap(a, b);
            // Otherwise the compiler sees that it knows both.
            let entries = &*black_box(&mut *entries);
            *byte ^= entries[usize::from(entries[a].wrapping_add(entries[b]))];
        }
    }

    /// Version 2: what was loaded before the exchange is used again.
    #[inline(never)]
    fn keeping(&mut self, text: &mut [u8]) {
        for byte in text {
            *byte ^= self.next();
        }
    }

    /// Version 3: each byte of the key stream is used a turn later, when it has long been loaded.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// For texts of every short length, the versions make what the lanes make.
    #[test]
    fn all_ways_make_the_same() {
        for len in 0..70 {
            let make = |mut way: Way| {
                let mut buffers = [vec![len as u8; len], vec![3; len + 1]];
                (way.cipher)(&mut buffers);
                buffers
            };
            let made: Vec<_> = ways(&Cpu::detect()).into_iter().map(make).collect();
            assert_eq!(made.len(), 4);
            assert!(made.windows(2).all(|pair| pair[0] == pair[1]), "{len} bytes");
        }
    }
}
