//! A message with all its parts, before and after.

use std::fmt::Display;
use std::ops::Range;

use broadloom_engine::{Algorithm, ChainOrder, CipherAlgorithm, Data, Direction, Held, Job};
use fastrand::Rng;

use crate::keyed::{Keyed, random_bytes};
use crate::limits::Limits;
use crate::reference::{self, Input};

/// The ranges of a buffer and their purposes, as in the setters of a job.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    pub cipher: Option<Range<usize>>,
    pub mac: Option<Range<usize>>,
    pub tag_at: Option<usize>,
}

/// A message, what becomes of it, and what becomes of that again.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub keyed: Keyed,
    pub nonce: Vec<u8>,
    pub associated: Vec<u8>,
    pub layout: Layout,
    /// The length of the text in bits, where that is not all of them.
    pub bits: Option<usize>,
    /// The buffer as it was.
    pub before: Vec<u8>,
    /// The buffer once it was digested, authenticated, encrypted or sealed.
    pub after: Vec<u8>,
    /// That buffer once it was verified, decrypted or opened.
    pub restored: Vec<u8>,
    /// The digest or tag.
    pub tag: Vec<u8>,
}

impl Case {
    /// A random message of so many bytes, rounded down to what the algorithm takes, with a random
    /// nonce, and with some associated data where it has any; less where the provider takes less.
    pub fn random(rng: &mut Rng, keyed: &Keyed, len: usize) -> Self {
        let len = keyed.text_len(len.min(keyed.limits.text));
        let before = random_bytes(rng, len);
        let nonce = random_nonce(rng, keyed.algorithm, len);
        let associated = match keyed.algorithm {
            Algorithm::Aead(_) => {
                let len = if rng.u8(..4) == 0 { 0 } else { rng.usize(..70) };
                random_bytes(rng, len.min(keyed.limits.associated))
            }
            _ => Vec::new(),
        };
        let bits = (8 * len).saturating_sub(rng.usize(..8));
        let bits = (keyed.algorithm.counts_bits() && rng.bool()).then_some(bits);
        Case::new(keyed.clone(), nonce, associated, Layout::default(), before).of_bits(bits)
    }

    /// The same of a length in bits.
    pub fn of_bits(mut self, bits: Option<usize>) -> Self {
        if self.bits != bits {
            self.after.clone_from(&self.before);
            self.bits = bits;
            self.compute();
        }
        self
    }

    /// A message whose outcome the reference computes.
    pub fn new(
        keyed: Keyed,
        nonce: Vec<u8>,
        associated: Vec<u8>,
        layout: Layout,
        before: Vec<u8>,
    ) -> Self {
        let after = before.clone();
        let given = Case::given(keyed, before, after, Vec::new());
        let mut case = Case { nonce, associated, layout, ..given };
        case.compute();
        case
    }

    /// A message with an outcome from another source, without a nonce and associated data.
    pub fn given(keyed: Keyed, before: Vec<u8>, after: Vec<u8>, tag: Vec<u8>) -> Self {
        Case {
            keyed,
            nonce: Vec::new(),
            associated: Vec::new(),
            layout: Layout::default(),
            bits: None,
            restored: before.clone(),
            before,
            after,
            tag,
        }
    }

    fn compute(&mut self) {
        let keyed = self.keyed.clone();
        let Keyed { algorithm, key, mac_key, tag_len, .. } = &keyed;
        let all = 0..self.before.len();
        let covered = self.layout.mac.clone().unwrap_or(all);
        let ciphered = self.ciphered();
        if let Algorithm::Chain(cipher, mac, order) = *algorithm {
            if order == ChainOrder::MacThenCipher {
                let text = &self.before[covered.clone()];
                self.put_tag(reference::mac(mac, mac_key, &[], text, *tag_len));
            }
            let plain = &self.after[ciphered.clone()];
            let encrypted = reference::cipher(cipher, true, key, &self.nonce, plain);
            self.after[ciphered].copy_from_slice(&encrypted);
            if order == ChainOrder::CipherThenMac {
                let text = &self.after[covered];
                self.put_tag(reference::mac(mac, mac_key, &[], text, *tag_len));
            }
            return;
        }
        let range = if self.writes() { ciphered } else { covered };
        let (output, tag) = reference::compute(&Input {
            algorithm: *algorithm,
            direction: self.making(),
            key,
            mac_key,
            nonce: &self.nonce,
            associated: &self.associated,
            tag_len: *tag_len,
            bits: self.bits,
            data: &self.before[range.clone()],
        });
        if self.writes() {
            self.after[range].copy_from_slice(&output);
        }
        self.put_tag(tag);
    }

    /// Truncates a tag, and puts it where it goes.
    fn put_tag(&mut self, mut tag: Vec<u8>) {
        tag.truncate(self.keyed.tag_len);
        if let Some(at) = self.layout.tag_at {
            self.after[at..at + tag.len()].copy_from_slice(&tag);
            self.restored[at..at + tag.len()].copy_from_slice(&tag);
        }
        self.tag = tag;
    }

    /// Returns `true` if it is short enough.
    pub fn is_within(&self, limits: Limits) -> bool {
        self.before.len() <= limits.text && self.associated.len() <= limits.associated
    }

    /// Returns `true` if it is written over.
    pub fn writes(&self) -> bool {
        !matches!(self.keyed.algorithm, Algorithm::Hash(_) | Algorithm::Mac(_))
    }

    /// The direction that makes something.
    pub fn making(&self) -> Direction {
        self.keyed.algorithm.directions()[0]
    }

    /// The data before processing in a direction.
    pub fn input(&self, direction: Direction) -> &[u8] {
        if direction.checks() { &self.after } else { &self.before }
    }

    /// The data after processing in a direction.
    pub fn output(&self, direction: Direction) -> &[u8] {
        if direction.checks() { &self.restored } else { &self.after }
    }

    /// The bytes that the cipher is for.
    pub fn ciphered(&self) -> Range<usize> {
        self.layout.cipher.clone().unwrap_or(0..self.before.len())
    }

    /// A job over some data, which hold [`input`](Case::input).
    pub fn job<'a>(&'a self, session: impl Into<Held<'a>>, data: impl Into<Data<'a>>) -> Job<'a> {
        let session = session.into();
        let checks = session.get().direction().checks();
        let mut job =
            Job::new(session, data).nonce(&self.nonce).associated(self.associated.as_slice());
        job.set_bits(self.bits);
        if let Some(range) = self.layout.cipher.clone() {
            job = job.cipher_range(range);
        }
        if let Some(range) = self.layout.mac.clone() {
            job = job.mac_range(range);
        }
        match self.layout.tag_at {
            Some(at) => job.tag_at(at),
            None if checks => job.expect_tag(&self.tag),
            None => job,
        }
    }

    /// A job that owns its data.
    pub fn owned_job<'a>(&'a self, session: impl Into<Held<'a>>) -> Job<'a> {
        let session = session.into();
        let data = self.input(session.get().direction()).to_vec();
        self.job(session, data)
    }

    /// That a job of it has gone as it should.
    pub fn check<T>(&self, job: &Job<'_, T>, context: impl Display) {
        let session = job.session();
        let direction = session.direction();
        let what = || {
            let len = self.before.len();
            format!("{} at {direction}, {len} bytes, {context}", self.describe(session.provider()))
        };
        assert_eq!(job.status(), Some(Ok(())), "{}", what());
        let made = !direction.checks() && !self.tag.is_empty();
        assert_eq!(job.tag(), made.then_some(self.tag.as_slice()), "the tag of {}", what());
        if job.data().output_pieces().next().is_some() {
            let output: Vec<u8> = job.data().output_pieces().flatten().copied().collect();
            assert_same(&output, self.output(direction), what);
            let ciphered = &self.output(direction)[self.ciphered()];
            let whole = self.writes() && job.data().output().is_some();
            let expected = whole.then_some(ciphered);
            assert_eq!(job.output(), expected, "what the cipher wrote of {}", what());
        }
    }

    /// The case and its provider, for messages.
    pub fn describe(&self, provider: &str) -> String {
        let Keyed { algorithm, tag_len, .. } = &self.keyed;
        let (nonce, associated) = (self.nonce.len(), self.associated.len());
        let Case { layout, bits, .. } = self;
        format!(
            "{algorithm} ({tag_len} bytes of tag, {nonce} of nonce, {associated} associated, \
             {layout:?}, bits: {bits:?}) of {provider}"
        )
    }
}

/// That two buffers are the same; names the first byte that is not.
pub(crate) fn assert_same(got: &[u8], expected: &[u8], what: impl Fn() -> String) {
    assert_eq!(got.len(), expected.len(), "the length of {}", what());
    let wrong = got.iter().zip(expected).position(|(got, expected)| got != expected);
    if let Some(at) = wrong {
        panic!("byte {at} is {:#04x} and should be {:#04x}: {}", got[at], expected[at], what());
    }
}

/// A nonce that allows for so many bytes of text.
pub(crate) fn random_nonce(rng: &mut Rng, algorithm: Algorithm, text_len: usize) -> Vec<u8> {
    let valid = algorithm.nonce_lens();
    let len = match algorithm {
        Algorithm::Aead(aead) if valid.max() < 16 => {
            let lens = valid.iter().filter(|len| aead.max_len(*len) >= text_len as u64);
            let lens: Vec<_> = lens.collect();
            lens[rng.usize(..lens.len())]
        }
        // Most users have 12 bytes.
        _ if valid.contains(12) => {
            if rng.bool() {
                12
            } else {
                let others: Vec<_> = (1..80).filter(|len| valid.contains(*len)).collect();
                others[rng.usize(..others.len())]
            }
        }
        _ => valid.max(),
    };
    let mut nonce = random_bytes(rng, len);
    // A counter of 32 bits that leaves room for the text.
    match algorithm.cipher() {
        Some(CipherAlgorithm::AesCtr32(_)) if len == 16 => nonce[12] &= 0x7f,
        Some(CipherAlgorithm::ChaCha20) if len == 16 => nonce[3] &= 0x7f,
        _ => {}
    }
    nonce.iter_mut().enumerate().for_each(|(at, byte)| *byte &= algorithm.nonce_mask(at));
    nonce
}
