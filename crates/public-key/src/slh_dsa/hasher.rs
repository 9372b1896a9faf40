//! The tweakable hash functions of FIPS 205, section 11, many at a time.

use alloc::boxed::Box;
use alloc::vec;
use core::ptr;

use broadloom_lanes::inside::Choice;
use broadloom_lanes::inside::vector::MAX_LANES;
use broadloom_lanes::{Cpu, Occupancy, Word};
use zeroize::Zeroize;

use super::absorb::{AllLanes, Pointers, SlhDsaAbsorb};
use super::key::SlhDsaPublicKey;
use super::params::{LAST, MAX_N, SlhDsaParams, SlhDsaSet};
use crate::arch;
use crate::kernels::slh_dsa::address::{Address, COMPRESSED, FULL, Kind};
use crate::kernels::slh_dsa::chain::SlhDsaKernels;
use crate::kernels::slh_dsa::chain::{ChainKernels, Chains, Run, Trace};

/// Messages that are hashed side by side: a multiple of the lanes of every chain kernel.
pub(super) const ROWS: usize = 16;

/// Bytes of a row: the longest message with its padding, and whole cache lines, of which rows next
/// to each other take different sets.
const ROW: usize = 37 * 64;

/// Room for a message that is hashed, with what comes before it and the padding.
#[derive(Clone)]
#[repr(C, align(64))]
pub(super) struct Row(pub [u8; ROW]);

/// The chains of one hash.
struct HasherLanes<W: Word> {
    kernels: ChainKernels<W>,
    chains: Box<Chains<W>>,
}

impl<W: Word> HasherLanes<W> {
    fn new(cpu: &Cpu, choice: &Choice<ChainKernels<W>>) -> Self {
        let kernels = cpu.pick(choice);
        assert!(ROWS.is_multiple_of(kernels.wide.lanes), "a batch fills all lanes");
        HasherLanes { kernels, chains: Box::new(Chains::new()) }
    }
}

/// What hashes for all parameter sets.
pub(super) struct Hasher {
    sha256: HasherLanes<u32>,
    keccak: HasherLanes<u64>,
    pub all: AllLanes,
    pub rows: Box<[Row; ROWS]>,
    /// The values of each step of the chains that a signature takes its own from.
    trace: Box<[u64]>,
    pub occupancy: Occupancy,
}

/// Values that a trace has of a chain: one for each place.
const PLACES: usize = LAST + 1;

impl Hasher {
    pub fn new(cpu: &Cpu) -> Self {
        let SlhDsaKernels { sha256, keccak } = &arch::kernels(cpu).slh_dsa;
        let (sha256, keccak) = (HasherLanes::new(cpu, sha256), HasherLanes::new(cpu, keccak));
        let traced = |set: SlhDsaSet| {
            let params = set.params();
            let lanes = match params.is_shake {
                true => keccak.kernels.wide.lanes,
                false => sha256.kernels.wide.lanes,
            };
            (params.d * params.chains()).next_multiple_of(lanes) * PLACES * params.n / 8
        };
        let most = SlhDsaSet::ALL.into_iter().map(traced).max();
        Hasher {
            all: AllLanes::new(cpu),
            rows: Box::new([const { Row([0; ROW]) }; ROWS]),
            trace: vec![0; most.unwrap_or(0)].into_boxed_slice(),
            occupancy: Occupancy::default(),
            sha256,
            keccak,
        }
    }

    /// Chains that go side by side.
    pub fn chain_lanes(&self, params: &SlhDsaParams) -> usize {
        match params.is_shake {
            true => self.keccak.kernels.wide.lanes,
            false => self.sha256.kernels.wide.lanes,
        }
    }

    /// Sets the chain of a lane.
    pub fn put(&mut self, lane: usize, key: &SlhDsaPublicKey, address: &Address, value: &[u8]) {
        if key.params().is_shake {
            let chains = &mut *self.keccak.chains;
            let words = |bytes: &[u8]| -> [u64; 4] {
                let mut words = [0; 4];
                for (word, piece) in words.iter_mut().zip(bytes.as_chunks().0) {
                    *word = u64::from_le_bytes(*piece);
                }
                words
            };
            fill(&mut chains.start, lane, &words(key.seed()));
            fill(&mut chains.address, lane, &words(&address.full()));
            fill(&mut chains.value, lane, &words(value));
        } else {
            let chains = &mut *self.sha256.chains;
            let words = |bytes: &[u8]| -> [u32; 8] {
                let mut words = [0; 8];
                for (word, piece) in words.iter_mut().zip(bytes.as_chunks().0) {
                    *word = u32::from_be_bytes(*piece);
                }
                words
            };
            let mut padded = [0; COMPRESSED + 2];
            padded[..COMPRESSED].copy_from_slice(&address.compressed());
            fill(&mut chains.start, lane, &key.sha256);
            fill(&mut chains.address, lane, &words(&padded));
            fill(&mut chains.value, lane, &words(value));
        }
    }

    /// Writes the value of a lane's chain.
    pub fn value(&self, params: &SlhDsaParams, lane: usize, value: &mut [u8]) {
        if params.is_shake {
            for (piece, column) in value.chunks_exact_mut(8).zip(&self.keccak.chains.value) {
                piece.copy_from_slice(&column[lane].to_le_bytes());
            }
        } else {
            for (piece, column) in value.chunks_exact_mut(4).zip(&self.sha256.chains.value) {
                piece.copy_from_slice(&column[lane].to_be_bytes());
            }
        }
    }

    /// Takes the chains of lanes `0..count` so many steps on, after one of PRF where `secret` says
    /// that; the values of all places are kept as the traced group of a number, if there is one.
    pub fn run(
        &mut self,
        params: &SlhDsaParams,
        count: usize,
        (secret, steps): (Option<Kind>, usize),
        traced: Option<usize>,
    ) {
        let secret = match secret {
            Some(Kind::ChainSecret) => Kind::ChainSecret as u8 ^ Kind::Chain as u8,
            Some(_) => Kind::ForsSecret as u8 ^ Kind::Fors as u8,
            None => 0,
        };
        let run = Run { n: params.n, secret, steps };
        let lanes = self.chain_lanes(params);
        self.occupancy.count(count, lanes, steps + usize::from(secret != 0));
        assert!(count <= lanes, "{count} chains for {lanes} lanes");
        let group = PLACES * params.n / 8 * lanes;
        let to = match traced {
            Some(number) => self.trace[number * group..][..group].as_mut_ptr(),
            None => ptr::null_mut(),
        };
        assert!(to.is_null() || steps < PLACES, "a trace has {PLACES} places");
        // SAFETY: the kernels are for this CPU, and the chains have all lanes. A group of the trace
        // has a column of all lanes for each word of the values of each place; with few chains, a
        // part of the column is written.
        unsafe {
            if params.is_shake {
                let HasherLanes { kernels, chains } = &mut self.keccak;
                kernels.run(chains, count, run, Trace { to, stride: lanes });
            } else {
                let HasherLanes { kernels, chains } = &mut self.sha256;
                kernels.run(chains, count, run, Trace { to: to.cast(), stride: lanes });
            }
        }
    }

    /// Writes a value that was traced: of a chain among all that were, and at a place.
    pub fn traced(&self, params: &SlhDsaParams, chain: usize, place: usize, value: &mut [u8]) {
        let lanes = self.chain_lanes(params);
        let (group, lane) = (chain / lanes, chain % lanes);
        let at =
            |words: usize, word: usize| ((group * PLACES + place) * words + word) * lanes + lane;
        if params.is_shake {
            for (word, piece) in value.chunks_exact_mut(8).enumerate() {
                piece.copy_from_slice(&self.trace[at(params.n / 8, word)].to_le_bytes());
            }
        } else {
            // SAFETY: the slice has twice as many words of half the size, all of them initialised.
            let trace = unsafe {
                core::slice::from_raw_parts(self.trace.as_ptr().cast::<u32>(), 2 * self.trace.len())
            };
            for (word, piece) in value.chunks_exact_mut(4).enumerate() {
                piece.copy_from_slice(&trace[at(params.n / 4, word)].to_be_bytes());
            }
        }
    }

    /// Returns where the message of a row begins.
    pub fn offset(params: &SlhDsaParams) -> usize {
        if params.is_shake { params.n + FULL } else { COMPRESSED }
    }

    /// Returns the message of a row.
    pub fn row(&mut self, params: &SlhDsaParams, row: usize) -> &mut [u8] {
        &mut self.rows[row].0[Self::offset(params)..]
    }

    /// Hashes the messages of rows `0..count`, of `len` bytes each: H and T (FIPS 205, 11).
    pub fn hash<'k>(
        &mut self,
        params: &SlhDsaParams,
        (count, len): (usize, usize),
        of: impl Fn(usize) -> (&'k SlhDsaPublicKey, Address),
        done: impl FnMut(usize, &[u8]),
    ) {
        let Hasher { all, rows, occupancy, .. } = self;
        let rows = &mut rows[..count];
        let n = params.n;
        let compressed = |row: &mut [u8], address: Address| {
            row[..COMPRESSED].copy_from_slice(&address.compressed());
        };
        if params.is_shake {
            hash_rows(&mut all.shake, (rows, n, len + n + FULL), 0, occupancy, done, |at, row| {
                let (key, address) = of(at);
                row[..n].copy_from_slice(key.seed());
                row[n..][..FULL].copy_from_slice(&address.full());
                &()
            });
        } else if n == 16 {
            hash_rows(
                &mut all.sha256,
                (rows, n, len + COMPRESSED),
                1,
                occupancy,
                done,
                |at, row| {
                    let (key, address) = of(at);
                    compressed(row, address);
                    &key.sha256
                },
            );
        } else {
            hash_rows(
                &mut all.sha512,
                (rows, n, len + COMPRESSED),
                1,
                occupancy,
                done,
                |at, row| {
                    let (key, address) = of(at);
                    compressed(row, address);
                    &key.sha512
                },
            );
        }
    }

    /// Wipes what secrets went through.
    pub fn wipe(&mut self) {
        self.trace.zeroize();
        self.rows.iter_mut().for_each(|row| row.0.zeroize());
        self.sha256.chains.value.iter_mut().for_each(|column| column.zeroize());
        self.keccak.chains.value.iter_mut().for_each(|column| column.zeroize());
        self.all.wipe();
    }
}

/// Writes words into a lane.
fn fill<W: Copy, const N: usize>(columns: &mut [[W; MAX_LANES]; N], lane: usize, words: &[W]) {
    for (column, word) in columns.iter_mut().zip(words) {
        column[lane] = *word;
    }
}

/// Hashes rows, of which each has `len` bytes after so many blocks that its start has absorbed.
fn hash_rows<'k, A: SlhDsaAbsorb>(
    absorb: &mut A,
    (rows, n, len): (&mut [Row], usize, usize),
    before: usize,
    occupancy: &mut Occupancy,
    mut done: impl FnMut(usize, &[u8]),
    prepare: impl Fn(usize, &mut [u8]) -> &'k A::Start,
) where
    A::Start: 'k,
{
    let lanes = absorb.lanes();
    for (number, rows) in rows.chunks_mut(lanes).enumerate() {
        let mut data: Pointers = [ptr::null(); MAX_LANES];
        let mut blocks = 0;
        for (lane, row) in rows.iter_mut().enumerate() {
            absorb.begin(lane, prepare(number * lanes + lane, &mut row.0));
            let whole = len / A::BLOCK * A::BLOCK;
            blocks =
                len / A::BLOCK + A::pad(&mut row.0[whole..], len - whole, before * A::BLOCK + len);
            data[lane] = row.0.as_ptr();
        }
        // SAFETY: there is a row for each of these lanes, and at most as many as there are lanes;
        // the message and its padding lie within each row.
        unsafe { absorb.absorb(&mut data, rows.len(), blocks, occupancy) };
        let mut digest = [0; MAX_N];
        for lane in 0..rows.len() {
            absorb.digest(lane, &mut digest[..n]);
            done(number * lanes + lane, &digest[..n]);
        }
        digest.zeroize();
    }
}
