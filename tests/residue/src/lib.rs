//! For tests: searches all writable memory of the process for secrets that should be gone.
//!
//! A front closes what it opened, and then asks whether a key is still somewhere: in the heap, in
//! freed memory, in a static, on the stack of any thread. A [`Secret`] keeps its bytes masked, and
//! the search reads memory through a buffer that it leaves out, so that neither is found.
//!
//! Give secrets as literals where that is possible: those are in memory that nobody writes to,
//! which is not searched. Every test proves its search by a copy that it [plants](Secret::plant).
//!
//! ```
//! use broadloom_residue::{Secret, search};
//!
//! let secret = Secret::new("the key", b"\x84\x0c\xd3\x5e\x91\x27\x6b\xfa\x11\x68\xe4\x3d");
//! let planted = secret.plant();
//! assert_eq!(search(&[&secret]).len(), 1, "the search finds what is there");
//! drop(planted);
//! assert_eq!(search(&[&secret]), []);
//! ```

#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

use std::fmt;
use std::fs::{self, File};
use std::hint::black_box;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

/// Bytes of memory that are looked at in one step.
const STEP: usize = 1 << 20;

/// Bytes that are searched for, which nobody finds here: they are masked.
#[derive(Debug)]
pub struct Secret {
    name: String,
    masked: Vec<u8>,
}

/// A copy of a secret in the clear, to prove a search. It is wiped when it is dropped.
#[derive(Debug)]
pub struct Planted(Box<[u8]>);

/// Where a secret was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The secret's name.
    pub secret: String,
    /// The address of its first byte.
    pub address: u64,
    /// The mapping, as `/proc/self/maps` has it.
    pub mapping: String,
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is at {:#x}, in {}", self.secret, self.address, self.mapping)
    }
}

/// Returns what the byte at a place is masked with: never 0, so that no byte of a secret stays as
/// it is.
fn mask(place: usize) -> u8 {
    (black_box(place) as u8).wrapping_mul(0x9d).wrapping_add(0x5b) | 1
}

/// Masks bytes, or takes the mask away: one by one, so that no register that holds several of them
/// is left on the stack.
#[inline(never)]
fn turn(bytes: &[u8]) -> Box<[u8]> {
    let mut turned = vec![0; bytes.len()].into_boxed_slice();
    for place in 0..bytes.len() {
        turned[place] = black_box(bytes[place]) ^ mask(place);
    }
    turned
}

impl Secret {
    /// A secret of these bytes, at least eight, so that nothing else looks like it.
    ///
    /// # Panics
    /// If there are fewer bytes.
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> Secret {
        let name = name.into();
        assert!(bytes.len() >= 8, "{name}: {} bytes are too few to be told apart", bytes.len());
        Secret { name, masked: turn(bytes).into_vec() }
    }

    /// A copy in the clear, which a search finds.
    pub fn plant(&self) -> Planted {
        Planted(turn(&self.masked))
    }

    /// Returns `true` if it begins at the beginning of some bytes.
    fn is_at(&self, bytes: &[u8]) -> bool {
        let mut pairs = bytes.iter().zip(&self.masked).enumerate();
        bytes.len() >= self.masked.len()
            && pairs.all(|(place, (byte, masked))| byte ^ mask(place) == *masked)
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    black_box(bytes);
}

/// Held while a search is in progress. A search reads all memory into a buffer of its own, so a
/// second search at the same time would find the copies in the buffer of the first.
static SEARCHING: Mutex<()> = Mutex::new(());

/// Searches all memory of the process that can be written, freed memory and stacks included. Only
/// one search runs at a time; a second thread waits until the first has wiped its buffer.
///
/// # Panics
/// If the system does not let the process read its own memory.
pub fn search(secrets: &[&Secret]) -> Vec<Trace> {
    let _searching = SEARCHING.lock().unwrap_or_else(PoisonError::into_inner);
    let memory = File::open("/proc/self/mem").expect("Linux lets a process read its memory");
    let overlap = secrets.iter().map(|secret| secret.masked.len()).max().unwrap_or(1) - 1;
    let mut buffer = vec![0; STEP + overlap].into_boxed_slice();
    let own = buffer.as_ptr().addr() as u64;
    let own = own..own + buffer.len() as u64;
    let mut traces = Vec::new();
    for (range, mapping) in writable() {
        for start in range.clone().step_by(STEP) {
            let end = range.end.min(start + buffer.len() as u64);
            let bytes = &mut buffer[..(end - start) as usize];
            // A mapping may have gone since they were listed.
            let read = memory.read_at(bytes, start).unwrap_or(0);
            look(secrets, &bytes[..read], start, &own, &mapping, &mut traces);
        }
    }
    wipe(&mut buffer);
    traces
}

/// The mappings that can be written, by their addresses, and as they are listed.
fn writable() -> Vec<(Range<u64>, String)> {
    let maps = fs::read_to_string("/proc/self/maps").expect("Linux lists a process's memory");
    let mappings = maps.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let is_writable = words.next()?.starts_with("rw");
        let address = |text| u64::from_str_radix(text, 16).ok();
        let range = address(start)?..address(end)?;
        is_writable.then(|| (range, line.split_whitespace().collect::<Vec<_>>().join(" ")))
    });
    mappings.collect()
}

/// Searches bytes that were read at an address, but for those that begin in the search's own.
fn look(
    secrets: &[&Secret],
    bytes: &[u8],
    start: u64,
    own: &Range<u64>,
    mapping: &str,
    traces: &mut Vec<Trace>,
) {
    let mut begins = [false; 256];
    secrets.iter().for_each(|secret| begins[usize::from(secret.masked[0] ^ mask(0))] = true);
    for (place, byte) in bytes.iter().enumerate().take(STEP) {
        let address = start + place as u64;
        if !begins[usize::from(*byte)] || own.contains(&address) {
            continue;
        }
        for secret in secrets.iter().filter(|secret| secret.is_at(&bytes[place..])) {
            let (secret, mapping) = (secret.name.clone(), mapping.to_owned());
            traces.push(Trace { secret, address, mapping });
        }
    }
}

/// Fails unless none of the secrets is in the memory of the process, and a search of them is known
/// to find a copy.
///
/// # Panics
/// If one is, and where; or if a planted copy is not found.
#[track_caller]
pub fn assert_gone(secrets: &[&Secret]) {
    let planted: Vec<Planted> = secrets.iter().map(|secret| secret.plant()).collect();
    let traces = search(secrets);
    for (secret, copy) in secrets.iter().zip(&planted) {
        let address = copy.0.as_ptr().addr() as u64;
        let found = traces.iter().any(|trace| trace.address == address);
        assert!(found, "the search misses a copy of {} at {address:#x}", secret.name);
    }
    drop((planted, traces));
    let traces = search(secrets);
    let lines: Vec<String> = traces.iter().map(Trace::to_string).collect();
    assert!(traces.is_empty(), "{} traces are left:\n{}", traces.len(), lines.join("\n"));
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    /// What a search has to find wherever it is, and in memory that was freed.
    #[test]
    fn copies_are_found_in_the_heap_on_stacks_and_after_they_were_freed() {
        let secret = Secret::new("a", b"\x1f\x8e\x22\xd7\x90\x4b\x63\xaa\x05\xfe\x17\xc8\x39");
        assert_gone(&[&secret]);
        let (told, tells) = mpsc::channel();
        let (ends, ended) = mpsc::channel::<()>();
        let copy = secret.plant();
        let mut on_stack = [0; 13];
        on_stack.copy_from_slice(&copy.0);
        black_box(&mut on_stack);
        let other = thread::spawn(move || {
            let mut here = [0; 13];
            here.copy_from_slice(&copy.0);
            black_box(&mut here);
            told.send(()).expect("somebody waits");
            let _ = ended.recv();
            wipe(&mut here);
        });
        tells.recv().expect("the thread is there");
        assert_eq!(search(&[&secret]).len(), 3, "the heap and two stacks");
        drop(ends);
        other.join().expect("it ends");
        wipe(&mut on_stack);
        // Larger than what a search allocates beside its buffer; and what is behind stays, so that
        // the allocator does not give the memory back to the system.
        let (mut freed, behind) = (vec![0_u8; 60_000], vec![1_u8; 60_000]);
        freed[30_000..30_013].copy_from_slice(&secret.plant().0);
        drop(black_box(freed));
        assert_eq!(search(&[&secret]).len(), 1, "freed and not wiped");
        drop(black_box(behind));
    }

    #[test]
    #[should_panic(expected = "1 traces are left:\nb is at 0x")]
    fn a_trace_fails_the_test() {
        let secret = Secret::new("b", b"\x71\x03\xe5\x4c\xbb\x96\x2d\xf0\x58");
        let _planted = secret.plant();
        assert_gone(&[&secret]);
    }
}
