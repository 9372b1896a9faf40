//! The check of one algorithm: messages whose keys are secret.

use std::collections::HashSet;

use broadloom_lanes::{Cpu, Isa, KernelInfo, Lanes, Loan, Planner};

use crate::secrets::{made_from_secrets, public, secret};
use crate::{observer, observer::Observer};

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
    /// `true` if the text is written over.
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

/// Messages in one call: for the kernels of few buffers and of many. No kernel for AArch64 needs
/// more than 20.
const COUNTS: [usize; 3] = [1, 3, if cfg!(target_arch = "x86_64") { 70 } else { 20 }];

/// Checks that need not be repeated on a CPU which has the same kernels: their names, instruction
/// sets and kernels.
pub type Seen = HashSet<(String, Isa, String)>;

/// The checks on one CPU.
pub struct Checks<'o> {
    pub cpu: Cpu,
    observer: &'o mut Observer,
    seen: &'o mut Seen,
    /// Checks made.
    pub done: usize,
    /// Names of checks whose branches or addresses depend on secrets, or which secrets did not
    /// reach.
    pub failed: Vec<String>,
}

impl<'o> Checks<'o> {
    pub fn new(cpu: Cpu, observer: &'o mut Observer, seen: &'o mut Seen) -> Self {
        Checks { cpu, observer, seen, done: 0, failed: Vec::new() }
    }

    /// Runs an algorithm on messages under secret keys: on public texts, to see that what it writes
    /// is made from the keys; and on secret ones.
    pub fn keyed<K, L: Lanes>(
        &mut self,
        shape: Shape<'_>,
        key: impl Fn(&Cpu, usize) -> K,
        loan: impl for<'a> Fn(&'a K, &'a mut Message) -> Loan<'a, L>,
    ) {
        self.kernel(shape.name, |cpu| {
            let mut planner = Planner::<L>::new(cpu);
            let mut reached = true;
            for (count, secret) in
                COUNTS.into_iter().flat_map(|count| [(count, false), (count, true)])
            {
                let keys: Vec<K> = (0..count).map(|i| key(cpu, i)).collect();
                let mut messages: Vec<_> =
                    (0..count).map(|i| Message::new(shape, count * 7 + i, secret)).collect();
                observer::watch(|| {
                    let both = keys.iter().zip(&mut messages);
                    planner.process_each(both.map(|(key, message)| loan(key, message)));
                });
                for message in &mut messages {
                    if shape.ciphers {
                        reached &= made_from_secrets(&mut message.text);
                    }
                    reached &= made_from_secrets(&mut message.tag[..shape.tag]);
                }
            }
            reached
        });
    }

    /// Checks a kernel, unless it was checked on another CPU. The name begins with that of the
    /// algorithm.
    pub fn kernel(&mut self, name: &str, run: impl Fn(&Cpu) -> bool) {
        let algorithm = |info: &&KernelInfo| {
            let name = name.strip_prefix("hmac-").unwrap_or(name);
            name.split([' ', ',']).next() == Some(info.algorithm)
        };
        if let Some(info) = crate::kernels(&self.cpu).iter().find(algorithm) {
            let kernels = format!("{} {} {}", info.kernel, info.single, info.few);
            if !self.seen.insert((name.to_owned(), self.cpu.isa(), kernels)) {
                return;
            }
        }
        self.check(name, run);
    }

    /// Makes one check, which returns whether secrets reached all that it wrote, and reports on it.
    pub fn check(&mut self, name: &str, run: impl Fn(&Cpu) -> bool) {
        let isa = self.cpu.isa();
        let found = self.observer.observe(&format!("{name} on {isa}"), || run(&self.cpu));
        self.done += 1;
        for finding in &found {
            println!("{name} on {isa}: {finding}");
        }
        if !found.is_empty() {
            self.failed.push(name.to_owned());
        }
    }
}

impl Message {
    pub fn new(shape: Shape<'_>, number: usize, is_secret: bool) -> Message {
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
}
