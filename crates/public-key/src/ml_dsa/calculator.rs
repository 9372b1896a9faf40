//! What the operations of a group share: memory for polynomials, and what is done in all of them.

use alloc::boxed::Box;
use alloc::vec;
use core::array;

use broadloom_lanes::Cpu;
use broadloom_lanes::inside::sponge::MAX_LANES;
use broadloom_lanes::inside::wiped::clear_all;

use super::key::{MlDsaPrivateKey, MlDsaPublicKey};
use super::message::MlDsaMessage;
use super::params::{DIGEST, MAX_CHALLENGE, MAX_PUBLIC, MAX_TAU, MlDsaSet};
use super::sponges::{Batch, Pieces, RATE, Sponges, Transcript};
use crate::arch;
use crate::kernels::ml_dsa::kernel::MlDsaKernel;
use crate::kernels::ml_dsa::numbers::MAX_LANES as MAX_GROUP;
use crate::kernels::ml_dsa::pack::Packing;
use crate::kernels::ml_dsa::ring::{MAX_K, MAX_L, N};
use crate::kernels::ml_dsa::shifted::TABLE;

/// Where the polynomials in columns are: vectors first. The first one has room for one polynomial
/// more.
pub(super) const FIRST: usize = 0;
pub(super) const SECOND: usize = FIRST + MAX_L + 1;
pub(super) const SUM: usize = SECOND + MAX_K;
pub(super) const OTHER: usize = SUM + 1;
pub(super) const ROOM: usize = OTHER + 1;
const POLYS: usize = ROOM + 1;

/// The polynomials in rows of a slot: a matrix, and a vector or two.
pub(super) const SLOT: usize = MAX_K * MAX_L + MAX_L + MAX_K;

/// The tables of a slot: of the vectors of a private key. A table of the last one takes the room of
/// two.
const TABLES: usize = MAX_L + MAX_K + 2 * MAX_K;

/// A cache line of numbers.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u32; 16]);

/// A polynomial in a row, or what is packed of one.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct PolyRow(pub [u32; N]);

/// Bytes of a mask before it is a polynomial, at most.
pub(super) const MASK: usize = Packing::Gamma19.bytes();

/// The bytes of a mask.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Mask(pub [u8; MASK]);

/// Polynomials in columns.
pub(super) struct Polys {
    lines: Box<[Line]>,
}

impl Polys {
    /// Returns where a polynomial is, in the columns of `kernel`, which has at most as many lanes
    /// as there is room for.
    pub fn at(&mut self, kernel: &MlDsaKernel, poly: usize) -> *mut u32 {
        let at = poly * N * kernel.lanes;
        assert!(poly < POLYS && at < 16 * self.lines.len(), "there is room");
        // SAFETY: the place is within the lines.
        unsafe { self.lines.as_mut_ptr().cast::<u32>().add(at) }
    }
}

/// A table of numbers of eight bits.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Table([u8; TABLE]);

/// A key that is expanded into a slot.
pub(super) trait SlotKey {
    /// Returns the bytes from which everything follows that stays in a slot from one call to the
    /// next. They are public.
    fn identity(&self) -> (MlDsaSet, &[u8]);
}

impl SlotKey for MlDsaPrivateKey {
    /// The seed of the matrix. The tables of the secrets do not stay.
    fn identity(&self) -> (MlDsaSet, &[u8]) {
        (self.set(), self.rho())
    }
}

impl SlotKey for MlDsaPublicKey {
    /// The whole key: its matrix, its vector and its digest stay.
    fn identity(&self) -> (MlDsaSet, &[u8]) {
        (self.set(), self.bytes())
    }
}

/// What a slot holds from one call to the next.
#[derive(Clone)]
struct Held {
    set: MlDsaSet,
    /// The identity of the key; none if it is empty. That of a public key is longer than that of a
    /// private key, so that one is never taken for the other.
    identity: [u8; MAX_PUBLIC],
    len: usize,
    /// The digest of a public key.
    digest: [u8; DIGEST],
    /// When the slot was last needed, by a clock that counts operations.
    needed: u64,
}

impl Held {
    const NOTHING: Held = Held {
        set: MlDsaSet::MlDsa44,
        identity: [0; MAX_PUBLIC],
        len: 0,
        digest: [0; DIGEST],
        needed: 0,
    };

    /// Returns `true` if the slot holds what follows from the identity of a key.
    fn is_of(&self, key: &impl SlotKey) -> bool {
        self.len > 0 && key.identity() == (self.set, &self.identity[..self.len])
    }
}

/// What keys are expanded to: polynomials in rows, and tables. What is public stays there until
/// another key needs the slot, so that a key that is used again and again is expanded once.
pub(super) struct Slots {
    rows: Box<[PolyRow]>,
    tables: Box<[Table]>,
    held: Box<[Held]>,
    clock: u64,
}

/// The most slots.
pub(super) const MAX_SLOTS: usize = MAX_GROUP + MAX_GROUP / 2;

impl Slots {
    /// Makes slots for all operations of a group, and for some that wait.
    fn new(lanes: usize) -> Self {
        let count = lanes + lanes / 2;
        Slots {
            rows: vec![PolyRow([0; N]); count * SLOT].into_boxed_slice(),
            tables: vec![Table([0; TABLE]); count * TABLES].into_boxed_slice(),
            held: vec![Held::NOTHING; count].into_boxed_slice(),
            clock: 0,
        }
    }

    /// Notes that a key is expanded into a slot. `digest` is that of a public key.
    pub fn hold(&mut self, slot: usize, key: &impl SlotKey, digest: &[u8; DIGEST]) {
        let (set, identity) = key.identity();
        let held = &mut self.held[slot];
        (held.set, held.len, held.digest) = (set, identity.len(), *digest);
        held.identity[..identity.len()].copy_from_slice(identity);
    }

    /// Notes that slots are used for something else than keys: the first of them.
    pub fn forget(&mut self, slots: usize) {
        self.held[..slots].iter_mut().for_each(|held| held.len = 0);
    }

    /// Returns the digest of the public key that a slot holds.
    pub fn digest(&self, slot: usize) -> &[u8; DIGEST] {
        &self.held[slot].digest
    }

    /// Returns where a polynomial of a slot is.
    pub fn at(&mut self, slot: usize, poly: usize) -> *mut u32 {
        assert!(poly < SLOT, "there is room");
        self.rows[slot * SLOT + poly..].as_mut_ptr().cast()
    }

    /// Returns where the table of a polynomial of a private key is, of which there are `secrets`
    /// that are secret, and then those of the lower part of the public key.
    pub fn table(&mut self, slot: usize, (secrets, poly): (usize, usize)) -> *mut u16 {
        let at = poly + poly.saturating_sub(secrets);
        assert!(at + usize::from(poly >= secrets) < TABLES, "there is room");
        self.tables[slot * TABLES + at..].as_mut_ptr().cast()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.held.len()
    }

    /// Wipes the last `polys` polynomials of a slot that has `all`.
    pub fn wipe(&mut self, slot: usize, all: usize, polys: usize) {
        clear_all(&mut self.rows[slot * SLOT..][all - polys..all], PolyRow([0; N]));
    }

    /// Wipes all tables of slots that keys were expanded into.
    pub fn wipe_tables(&mut self, keys: &Expanded) {
        for slot in (0..self.count()).filter(|slot| keys.keys[*slot] != 0) {
            clear_all(&mut self.tables[slot * TABLES..][..TABLES], Table([0; TABLE]));
        }
    }
}

/// The keys of one call that are expanded in the slots. Operations under one key share its slot.
pub(super) struct Expanded {
    /// Where the key of each slot is; zero if no key of this call is in it.
    keys: [usize; MAX_SLOTS],
    /// How many operations are under way with each.
    uses: [usize; MAX_SLOTS],
}

/// The slots of operations, and the keys that are new there.
pub(super) struct Entered<'k, K> {
    /// The slot of each operation.
    pub slots: [usize; MAX_GROUP],
    first: [(&'k K, usize); MAX_GROUP],
    count: usize,
    missing: usize,
}

impl<'k, K> Entered<'k, K> {
    /// Returns the keys that no operation of the call has used before, and their slots.
    pub fn first(&self) -> &[(&'k K, usize)] {
        &self.first[..self.count]
    }

    /// Returns those of the new keys of which the slots hold nothing.
    pub fn missing(&self) -> &[(&'k K, usize)] {
        &self.first[..self.missing]
    }
}

impl Expanded {
    /// The state at the beginning of a call.
    pub const NONE: Expanded = Expanded { keys: [0; MAX_SLOTS], uses: [0; MAX_SLOTS] };

    /// Finds a slot for the key of each operation: its own; or the one that holds what stays of it;
    /// or the one that was not needed for the longest time. There is one operation at least, and
    /// no more than [`MAX_GROUP`]; fewer are under way than there are slots.
    pub fn enter<'k, K: SlotKey>(
        &mut self,
        slots: &mut Slots,
        keys: impl Iterator<Item = &'k K> + Clone,
    ) -> Entered<'k, K> {
        let any = keys.clone().next().expect("there is an operation");
        let mut entered =
            Entered { slots: [0; MAX_GROUP], first: [(any, 0); MAX_GROUP], count: 0, missing: 0 };
        for (key, place) in keys.zip(&mut entered.slots) {
            let address = core::ptr::from_ref(key).addr();
            let all = 0..slots.count();
            let known = all.clone().find(|slot| self.keys[*slot] == address);
            let slot = known.unwrap_or_else(|| {
                let free = all.filter(|slot| self.uses[*slot] == 0);
                let rank = |slot: &usize| {
                    let held = &slots.held[*slot];
                    (!held.is_of(key), held.needed)
                };
                free.min_by_key(rank).expect("a slot is free")
            });
            let held = &mut slots.held[slot];
            if known.is_none() {
                entered.first[entered.count] = (key, slot);
                if !held.is_of(key) {
                    // Nothing, until the key is expanded.
                    held.len = 0;
                    entered.first.swap(entered.missing, entered.count);
                    entered.missing += 1;
                }
                entered.count += 1;
            }
            slots.clock += 1;
            held.needed = slots.clock;
            self.keys[slot] = address;
            self.uses[slot] += 1;
            *place = slot;
        }
        entered
    }

    /// Ends the use of a slot by an operation. The key remains until the slot is needed.
    pub fn leave(&mut self, slot: usize) {
        self.uses[slot] -= 1;
    }
}

/// What computes the operations of a group.
pub(super) struct Calculator {
    kernels: &'static [&'static MlDsaKernel],
    pub sponges: Sponges,
    pub polys: Polys,
    pub slots: Slots,
    /// A row of each lane.
    pub rows: Box<[PolyRow; MAX_GROUP]>,
    pub transcripts: Box<[Transcript; MAX_GROUP]>,
    /// The masks of an attempt of each lane.
    pub masks: Box<[Mask]>,
    /// The polynomials of an attempt of each lane: its masks, which become the response, and the
    /// lower part of its commitment.
    pub trials: Box<[Trial]>,
}

/// The polynomials of an attempt, in rows.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    pub response: [PolyRow; MAX_L],
    pub low: [PolyRow; MAX_K],
}

impl Trial {
    pub const NEW: Trial =
        Trial { response: [PolyRow([0; N]); MAX_L], low: [PolyRow([0; N]); MAX_K] };
}

/// Returns the narrowest of kernels that has `n` lanes, or the widest.
pub(super) fn narrowest(
    kernels: &'static [&'static MlDsaKernel],
    n: usize,
) -> &'static MlDsaKernel {
    let enough = kernels.iter().find(|kernel| kernel.lanes >= n);
    enough.or(kernels.last()).expect("there is a kernel")
}

/// Pointers of each lane; the lanes that nobody has get that of the first.
pub(super) fn each_lane<T>(n: usize, of: impl FnMut(usize) -> T) -> [T; MAX_GROUP] {
    let mut of = of;
    array::from_fn(|lane| of(if lane < n { lane } else { 0 }))
}

impl Calculator {
    pub fn new(cpu: &Cpu) -> Self {
        let kernels = arch::kernels(cpu).ml_dsa;
        let lanes = kernels.last().expect("there is a kernel").lanes;
        let lines = (POLYS * N * lanes).div_ceil(16);
        Calculator {
            kernels,
            sponges: Sponges::new(cpu),
            polys: Polys { lines: vec![Line([0; 16]); lines].into_boxed_slice() },
            slots: Slots::new(lanes),
            rows: Box::new([PolyRow([0; N]); MAX_GROUP]),
            transcripts: Box::new([Transcript::NEW; MAX_GROUP]),
            masks: vec![Mask([0; MASK]); lanes * MAX_L].into_boxed_slice(),
            trials: vec![Trial::NEW; lanes].into_boxed_slice(),
        }
    }

    /// Returns the lanes of the widest kernel: the most operations of a group.
    pub fn lanes(&self) -> usize {
        self.kernels.last().expect("there is a kernel").lanes
    }

    /// Returns the narrowest kernel that has `n` lanes, or the widest.
    pub fn kernel(&self, n: usize) -> &'static MlDsaKernel {
        narrowest(self.kernels, n)
    }

    /// Returns all kernels, the narrowest first.
    pub fn kernels(&self) -> &'static [&'static MlDsaKernel] {
        self.kernels
    }

    /// Wipes what secrets went through, with kernels of up to so many lanes.
    pub fn wipe(&mut self, lanes: usize) {
        self.sponges.wipe();
        let numbers = POLYS * N * lanes;
        clear_all(&mut self.polys.lines[..numbers.div_ceil(16)], Line([0; 16]));
        clear_all(&mut self.rows[..lanes], PolyRow([0; N]));
        clear_all(&mut self.transcripts[..lanes], Transcript::NEW);
    }
}

/// Digests of messages under keys.
pub(super) type Digests = [[u8; DIGEST]; MAX_GROUP];

/// Makes mu of each message (FIPS 204, algorithm 7, line 6), of which `of` returns the digest of
/// the key and the message.
pub(super) fn represent<'m>(
    sponges: &mut Sponges,
    n: usize,
    of: impl Fn(usize) -> (&'m [u8], MlDsaMessage<'m>),
) -> Digests {
    let mut digests = [[0; DIGEST]; MAX_GROUP];
    let pieces = |at: usize| -> Pieces<'m> {
        let (key, message) = of(at);
        let [prefix, context, identifier, text] = message.pieces();
        [key, prefix, context, identifier, text, &[]]
    };
    sponges.hash(n, pieces, |at, digest| digests[at].copy_from_slice(&digest[..DIGEST]));
    for (at, digest) in digests.iter_mut().enumerate().take(n) {
        if let Some(mu) = of(at).1.mu() {
            *digest = *mu;
        }
    }
    digests
}

/// A challenge (FIPS 204, algorithm 29): the places of its numbers that are not zero, in the order
/// in which they were taken, and which of these are negative. The first place is nobody's.
#[derive(Clone, Copy)]
pub(super) struct Challenge {
    places: [u8; MAX_TAU + 1],
    signs: u64,
}

impl Challenge {
    pub const NONE: Challenge = Challenge { places: [0; MAX_TAU + 1], signs: 0 };

    /// Returns the places of the numbers that are not zero, and whether they are negative.
    pub fn numbers(&self, set: MlDsaSet) -> impl Iterator<Item = (usize, bool)> + '_ {
        let places = self.places[1..=set.tau()].iter().enumerate();
        places.map(|(at, place)| (usize::from(*place), self.signs >> at & 1 == 1))
    }
}

/// A challenge of which some numbers have places.
struct Placing {
    challenge: Challenge,
    count: usize,
    /// The number, counted from one, that each place has; zero if it has none.
    taken: [u8; N],
}

impl Placing {
    const NEW: Placing = Placing { challenge: Challenge::NONE, count: 0, taken: [0; N] };

    /// Places more numbers, up to `tau` of them. No branch predictor can tell which bytes are too
    /// large, so there is no branch for these: what they write is written over.
    fn place(&mut self, bytes: &[u8], tau: usize) {
        let places = &mut self.challenge.places;
        for byte in bytes {
            if self.count == tau {
                return;
            }
            let (at, last) = (usize::from(*byte), N - tau + self.count);
            let is_good = at <= last;
            // A number that is there moves to the last place.
            let there = self.taken[at];
            let moved = if is_good { there } else { 0 };
            places[usize::from(moved)] = last as u8;
            self.taken[last] = if is_good { there } else { self.taken[last] };
            let number = self.count + 1;
            places[number] = at as u8;
            self.taken[at] = if is_good { number as u8 } else { there };
            self.count += usize::from(is_good);
        }
    }
}

/// Makes the challenges of seeds. The time depends on the seed, which is public: it is a part of
/// the signature, or of an attempt that is rejected, and follows from nothing but a hash.
pub(super) fn challenges<'m>(
    sponges: &mut Sponges,
    (n, set): (usize, MlDsaSet),
    seed: impl Fn(usize) -> &'m [u8; MAX_CHALLENGE],
) -> [Challenge; MAX_GROUP] {
    let (len, tau) = (set.challenge_len(), set.tau());
    let seed = |at: usize, block: &mut [u8; _]| {
        block[..len].copy_from_slice(&seed(at)[..len]);
        len
    };
    let mut challenges = [Challenge::NONE; MAX_GROUP];
    sponges.streams((n, 1), seed, |batch| {
        let mut all = [Placing::NEW; MAX_LANES];
        let all = &mut all[..batch.count];
        for (lane, placing) in all.iter_mut().enumerate() {
            let (begin, rest) = batch.row(lane)[..RATE].split_at(8);
            placing.challenge.signs = u64::from_le_bytes(begin.try_into().expect("eight bytes"));
            placing.place(rest, tau);
        }
        while all.iter().any(|placing| placing.count < tau) {
            Batch::next(batch);
            for (lane, placing) in all.iter_mut().enumerate() {
                placing.place(&batch.row(lane)[..RATE], tau);
            }
        }
        for (placing, to) in all.iter().zip(&mut challenges[batch.first..]) {
            *to = placing.challenge;
        }
    });
    challenges
}
