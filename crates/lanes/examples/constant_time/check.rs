//! The check of one algorithm: messages whose keys memcheck takes for undefined.

use broadloom_lanes::{Cpu, Lanes, Loan, Planner};

use crate::memcheck;

/// A message, and room for its tag.
pub struct Message {
    /// Its IV, nonce or counter, which is public: modes take the start of it.
    pub nonce: [u8; 60],
    /// Associated data, which are public.
    pub associated: Vec<u8>,
    /// What is hashed, encrypted or decrypted, in place.
    pub text: Vec<u8>,
    /// The tag or digest.
    pub tag: [u8; 64],
}

impl Message {
    /// The first bytes of the nonce.
    pub fn nonce<const N: usize>(&self) -> [u8; N] {
        *self.nonce.first_chunk().expect("no mode's nonce is longer")
    }
}

/// What an algorithm is called, which texts it takes, and what it writes.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    pub name: &'a str,
    /// Bytes of the shortest text.
    pub least: usize,
    /// Texts are whole multiples of so many bytes.
    pub unit: usize,
    /// Whether the text is written over.
    pub ciphers: bool,
    /// Bytes of the tag.
    pub tag: usize,
}

impl<'a> Shape<'a> {
    /// A cipher of texts of any length.
    pub const fn cipher(name: &'a str) -> Self {
        Shape { name, least: 0, unit: 1, ciphers: true, tag: 0 }
    }

    /// A cipher of whole blocks.
    pub const fn blocks(name: &'a str, unit: usize) -> Self {
        Shape { unit, ..Shape::cipher(name) }
    }

    /// A code or digest of data of any length.
    pub const fn tag(name: &'a str, tag: usize) -> Self {
        Shape { ciphers: false, tag, ..Shape::cipher(name) }
    }

    /// A cipher with a tag.
    pub const fn sealed(name: &'a str) -> Self {
        Shape { tag: 16, ..Shape::cipher(name) }
    }
}

/// Messages in one call: for the kernels of few buffers and of many.
const COUNTS: [usize; 3] = [1, 3, 70];

/// The checks on one CPU.
pub struct Checks {
    pub cpu: Cpu,
    /// Algorithms checked.
    pub done: usize,
    /// Algorithms whose branches or addresses depend on secrets, or that were not reached by them.
    pub failed: usize,
}

impl Checks {
    /// Runs an algorithm on messages under undefined keys: on public texts, to see that what it writes
    /// is undefined, and so made from the keys; and on undefined ones.
    pub fn keyed<K, L: Lanes>(
        &mut self,
        shape: Shape<'_>,
        key: impl Fn(usize) -> K,
        loan: impl for<'a> Fn(&'a K, &'a mut Message) -> Loan<'a, L>,
    ) {
        self.check(shape.name, |cpu| {
            let mut planner = Planner::<L>::new(cpu);
            let mut reached = true;
            for (count, secret) in COUNTS.into_iter().flat_map(|count| [(count, false), (count, true)]) {
                let keys: Vec<K> = (0..count).map(&key).collect();
                let mut messages: Vec<_> =
                    (0..count).map(|i| message(shape, count * 7 + i, secret)).collect();
                planner.process_each(
                    keys.iter().zip(&mut messages).map(|(key, message)| loan(key, message)),
                );
                for message in &mut messages {
                    if shape.ciphers {
                        reached &= is_undefined(&mut message.text);
                    }
                    reached &= is_undefined(&mut message.tag[..shape.tag]);
                }
            }
            reached
        });
    }

    /// Runs one check, which returns whether secrets reached all that it wrote, and reports on it.
    pub fn check(&mut self, name: &str, run: impl FnOnce(&Cpu) -> bool) {
        let before = memcheck::errors();
        let reached = run(&self.cpu);
        let errors = memcheck::errors().zip(before).map_or(0, |(after, before)| after - before);
        self.done += 1;
        if errors > 0 {
            println!("{name} on {}: {errors} branches or addresses depend on secrets", self.cpu.isa());
        }
        if !reached {
            println!("{name} on {}: what it wrote does not depend on secrets", self.cpu.isa());
        }
        self.failed += usize::from(errors > 0 || !reached);
    }
}

/// Bytes that differ from place to place and with the seed.
pub fn public(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|i| (seed.wrapping_mul(167) ^ i.wrapping_mul(31) ^ (i >> 7)) as u8).collect()
}

/// The same, undefined.
pub fn secret(seed: usize, len: usize) -> Vec<u8> {
    let mut bytes = public(seed, len);
    memcheck::undefine(&mut bytes);
    bytes
}

/// The same as an array.
pub fn secret_array<const N: usize>(seed: usize) -> [u8; N] {
    secret(seed, N).try_into().expect("as many bytes")
}

/// Whether every byte is undefined, at least in part. They are defined afterwards: results are public, or
/// their owner's to look at.
pub fn is_undefined(bytes: &mut [u8]) -> bool {
    let undefined = memcheck::undefined_bits(bytes).iter().all(|bits| *bits != 0);
    memcheck::define(bytes);
    undefined
}

fn message(shape: Shape<'_>, number: usize, is_secret: bool) -> Message {
    const LENGTHS: [usize; 12] = [300, 0, 1, 16, 64, 100, 31, 128, 55, 200, 17, 1100];
    let len = LENGTHS[number % LENGTHS.len()].max(shape.least) / shape.unit * shape.unit;
    let text = if is_secret { secret(number, len) } else { public(number, len) };
    Message {
        nonce: core::array::from_fn(|i| (number * 59 + i * 31) as u8),
        associated: public(number + 1, [16, 0, 5, 300][number % 4]),
        text,
        tag: [0; 64],
    }
}
