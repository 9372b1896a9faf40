//! Signatures.
//!
//! An attempt to sign is rejected four times of five, so that signatures take a varying number of
//! attempts, which do not depend on each other. A lane makes one attempt, of whichever signature
//! needs one: it reads the matrix of the key from the rows of a slot. So the next lane that is free
//! takes the next signature, and if there are fewer signatures than lanes, several attempts of one
//! are made at once, of which the first that is not rejected counts.
//!
//! The lanes go side by side as far as the challenge. Most attempts are rejected because of one of
//! the first few polynomials behind it, so each attempt is then completed by itself, and ends with
//! the first polynomial that is out of range. A challenge has few numbers that are not zero: its
//! products with the secrets are sums of as many shifted copies, which takes less time than two
//! transforms.
//!
//! Which attempts are rejected is public, and is branched on, and so is the polynomial because of
//! which they are: this says nothing of the key, as neither their responses nor their masks are
//! given out.

use broadloom_lanes::inside::publish;
use broadloom_lanes::inside::wiped::{clear, clear_all};

use super::calculator::{
    Calculator, Challenge, Expanded, FIRST, MASK, MAX_SLOTS, Mask, OTHER, PolyRow, ROOM, SUM,
    Trial, challenges, each_lane, narrowest, represent,
};
use super::key::MlDsaPrivateKey;
use super::message::MlDsaMessage;
use super::params::{DIGEST, LEN, MAX_CHALLENGE, MAX_OMEGA, MAX_TAU, MlDsaSet, SECRETS};
use crate::kernels::ml_dsa::kernel::MlDsaKernel;
use crate::kernels::ml_dsa::numbers::MAX_LANES as MAX_GROUP;
use crate::kernels::ml_dsa::pack::Packing;
use crate::kernels::ml_dsa::ring::N;
use crate::kernels::ml_dsa::shifted;

/// A message to sign.
#[derive(Clone, Copy)]
pub(super) struct Order<'o> {
    pub key: &'o MlDsaPrivateKey,
    pub message: MlDsaMessage<'o>,
    pub random: &'o [u8; LEN],
    /// Room for the signature.
    pub room: *mut u8,
}

/// A signature that is under way.
#[derive(Clone, Copy)]
struct Signing {
    /// Where the signature goes; null if there is none.
    room: *mut u8,
    /// The slot of the key.
    key: usize,
    mu: [u8; DIGEST],
    /// The seed of masks (rho'').
    seed: [u8; DIGEST],
    /// Attempts that were rejected.
    rejected: usize,
}

const FREE: Signing = Signing {
    room: core::ptr::null_mut(),
    key: 0,
    mu: [0; DIGEST],
    seed: [0; DIGEST],
    rejected: 0,
};

/// Signatures that are under way, and free places.
type Under = [Signing; MAX_SLOTS];

/// An attempt: the place of its signature, and its number.
#[derive(Clone, Copy)]
struct Attempt {
    place: usize,
    number: usize,
}

impl Calculator {
    /// Signs messages (FIPS 204, algorithm 7), any number, under keys of one set.
    ///
    /// # Safety
    /// Each order's room is writable for a signature.
    // In a frame of its own, which is cleared when the operations are complete.
    #[inline(never)]
    pub unsafe fn sign(&mut self, set: MlDsaSet, orders: &[Order<'_>]) {
        // Four attempts at once make most signatures.
        let kernel = self.kernel(4 * orders.len());
        let mut under = [FREE; MAX_SLOTS];
        let mut keys = Expanded::NONE;
        let most = kernel.lanes + kernel.lanes / 2;
        let mut left = orders;
        loop {
            let used = |under: &Under| -> usize {
                under.iter().filter(|signing| !signing.room.is_null()).count()
            };
            if !left.is_empty() && used(&under) < kernel.lanes {
                let count = left.len().min(kernel.lanes).min(most - used(&under));
                let (now, later) = left.split_at(count);
                self.prepare(set, now, (&mut under[..most], &mut keys));
                left = later;
            }
            let active = used(&under);
            if active == 0 {
                break;
            }
            let all = under.iter().enumerate().filter(|(_, signing)| !signing.room.is_null());
            let mut places = [0; MAX_SLOTS];
            places.iter_mut().zip(all).for_each(|(to, (place, _))| *to = place);
            let attempts: [Attempt; MAX_GROUP] = core::array::from_fn(|lane| {
                let place = places[lane % active];
                Attempt { place, number: under[place].rejected + lane / active }
            });
            let attempts = &attempts[..kernel.lanes];
            let challenges = self.commit(kernel, set, attempts, &under);
            for (lane, attempt) in attempts.iter().enumerate() {
                let signing = &mut under[attempt.place];
                // An attempt before this one may have made the signature.
                if signing.room.is_null() {
                    continue;
                }
                signing.rejected = attempt.number + 1;
                let (seed, challenge) = &challenges[lane];
                if self.respond(set, (lane, signing.key), challenge) {
                    // SAFETY: the room is writable for a signature, by this function's contract.
                    let signature = unsafe {
                        core::slice::from_raw_parts_mut(signing.room, set.signature_len())
                    };
                    signature[..set.challenge_len()].copy_from_slice(&seed[..set.challenge_len()]);
                    self.write(set, lane, signature);
                    keys.leave(signing.key);
                    clear(signing, FREE);
                }
            }
        }
        clear_all(&mut under, FREE);
        self.slots.wipe_tables(&keys);
        clear_all(&mut self.masks[..kernel.lanes * set.l()], Mask([0; MASK]));
        clear_all(&mut self.trials[..kernel.lanes], Trial::NEW);
        // That of the polynomials of one operation may have more lanes.
        self.wipe(kernel.lanes.max(self.kernel(set.k()).lanes));
    }

    /// Takes signatures into free places, and expands their keys.
    fn prepare(
        &mut self,
        set: MlDsaSet,
        orders: &[Order<'_>],
        (under, keys): (&mut [Signing], &mut Expanded),
    ) {
        let (n, k, l) = (orders.len(), set.k(), set.l());
        let mut places = [0; MAX_GROUP];
        let free = under.iter().enumerate().filter(|(_, signing)| signing.room.is_null());
        places.iter_mut().zip(free).for_each(|(to, (place, _))| *to = place);
        let kernels = self.kernels();
        let Calculator { sponges, polys, slots, rows, .. } = self;
        let digests = represent(sponges, n, |at| (orders[at].key.digest(), orders[at].message));
        let seeds = |at: usize| -> super::sponges::Pieces<'_> {
            let Order { key, random, .. } = orders[at];
            [key.signing_seed(), random, &digests[at], &[], &[], &[]]
        };
        sponges.hash(n, seeds, |at, seed| {
            let signing = &mut under[places[at]];
            *signing = Signing { room: orders[at].room, mu: digests[at], ..FREE };
            signing.seed.copy_from_slice(&seed[..DIGEST]);
        });

        let entered = keys.enter(slots, orders.iter().map(|order| order.key));
        for (place, slot) in places.iter().zip(entered.slots).take(n) {
            under[*place].key = slot;
        }
        let (new, missing) = (entered.first(), entered.missing());
        let count = new.len();
        if count == 0 {
            return;
        }
        let kernel = narrowest(kernels, count);
        // SAFETY: a slot has room for a matrix.
        unsafe {
            let rho = |at: usize| missing[at].0.rho();
            let to = |at: usize, poly| slots.at(missing[at].1, poly);
            sponges.matrices(kernel, (missing.len(), 0..k, l), rho, to);
        }
        for (key, slot) in missing {
            slots.hold(*slot, *key, &[0; DIGEST]);
        }
        let [sum, room] = [SUM, ROOM].map(|poly| polys.at(kernel, poly));
        let from = each_lane(count, |at| new[at].0.bytes().as_ptr());
        let to = rows.each_mut().map(|row| row.0.as_mut_ptr());
        let secrets = set.secret_packing();
        let lower = SECRETS + (k + l) * secrets.bytes();
        for poly in 0..l + 2 * k {
            let (offset, packing) = match poly.checked_sub(l + k) {
                Some(i) => (lower + i * Packing::T0.bytes(), Packing::T0),
                None => (SECRETS + poly * secrets.bytes(), secrets),
            };
            // SAFETY: the kernel is for this CPU, there is room for its polynomials, the keys have
            // one at the offset, the rows have room for it, and a slot has room for the tables.
            unsafe {
                (kernel.unpack)(from.as_ptr(), offset, packing, sum, room);
                (kernel.pack)(sum, room, Packing::Whole, to.as_ptr());
                for ((_, slot), row) in new.iter().zip(to) {
                    (kernel.make_table)(row, packing, slots.table(*slot, (l + k, poly)));
                }
            }
        }
    }

    /// Begins an attempt in each lane: its masks, its commitment, and its challenge, which is
    /// returned behind the challenge's seed.
    ///
    /// There are as many attempts as the kernel has lanes.
    fn commit(
        &mut self,
        kernel: &MlDsaKernel,
        set: MlDsaSet,
        attempts: &[Attempt],
        under: &Under,
    ) -> [([u8; MAX_CHALLENGE], Challenge); MAX_GROUP] {
        let (n, k, l) = (attempts.len(), set.k(), set.l());
        let Calculator { sponges, polys, slots, transcripts, masks, trials, .. } = self;

        // Masks (FIPS 204, algorithm 34): that of a polynomial of each attempt, then of the next.
        let (response, commitment) = (set.response_packing(), set.commitment_packing());
        let seed = |stream: usize, block: &mut [u8; _]| {
            let Attempt { place, number } = attempts[stream % n];
            let count = (number * l + stream / n) as u16;
            block[..DIGEST].copy_from_slice(&under[place].seed);
            block[DIGEST..DIGEST + 2].copy_from_slice(&count.to_le_bytes());
            DIGEST + 2
        };
        sponges.streams((n * l, 5), seed, |batch| {
            for lane in 0..batch.count {
                let (from, to) = (batch.row(lane), &mut masks[batch.first + lane].0);
                to.copy_from_slice(&from[..MASK]);
            }
        });

        for (transcript, attempt) in transcripts.iter_mut().zip(attempts) {
            transcript.0[..DIGEST].copy_from_slice(&under[attempt.place].mu);
        }
        let commitments = transcripts.each_mut().map(|all| all.0[DIGEST..].as_mut_ptr());
        let [low, high, room, first] = [SUM, OTHER, ROOM, FIRST].map(|poly| polys.at(kernel, poly));
        // SAFETY: the kernel is for this CPU, there is room for its polynomials, and the rows have
        // a mask, a matrix, and room for a commitment and for a polynomial.
        unsafe {
            for poly in 0..l {
                let from = each_lane(n, |lane| masks[poly * n + lane].0.as_ptr());
                let to = each_lane(n, |lane| trials[lane].response[poly].0.as_mut_ptr());
                let mask = polys.at(kernel, FIRST + poly);
                (kernel.unpack)(from.as_ptr(), 0, response, mask, room);
                (kernel.pack)(mask, room, Packing::Whole, to.as_ptr());
                (kernel.forward)(mask);
            }
            for i in 0..k {
                let matrix = each_lane(n, |lane| {
                    slots.at(under[attempts[lane].place].key, l * i).cast_const()
                });
                (kernel.dot)(low, matrix.as_ptr(), first, l);
                (kernel.inverse)(low);
                (kernel.decompose)(low, high, set.gamma2());
                let to = commitments.map(|to| to.add(i * commitment.bytes()).cast());
                (kernel.pack)(high, room, commitment, to.as_ptr());
                let to = each_lane(n, |lane| trials[lane].low[i].0.as_mut_ptr());
                (kernel.pack)(low, room, Packing::Whole, to.as_ptr());
            }
        }
        let mut seeds = [[0; MAX_CHALLENGE]; MAX_GROUP];
        let len = DIGEST + set.commitment_len();
        let whole = &*transcripts;
        sponges.hash(
            n,
            |at| [&whole[at].0[..len], &[], &[], &[], &[], &[]],
            |at, digest| {
                seeds[at].copy_from_slice(&digest[..MAX_CHALLENGE]);
                // A challenge follows from a hash of a commitment, and says nothing of it.
                publish(&mut seeds[at]);
            },
        );
        let challenges = challenges(sponges, (n, set), |at| &seeds[at]);
        core::array::from_fn(|at| (seeds[at], challenges[at]))
    }

    /// Completes the attempt of a lane under the key of a slot: makes the response, and the hints
    /// in the place of the lower part of the commitment. Returns `false` if it is rejected.
    fn respond(
        &mut self,
        set: MlDsaSet,
        (lane, slot): (usize, usize),
        challenge: &Challenge,
    ) -> bool {
        let (k, l) = (set.k(), set.l());
        let (secrets, count) = (set.secret_packing(), set.tau());
        let kernels = self.kernels();
        let (kernel, widest) = (narrowest(kernels, k), narrowest(kernels, MAX_GROUP));
        let Calculator { polys, slots, rows, transcripts, trials, .. } = self;
        let Trial { response, low } = &mut trials[lane];
        // Where the challenge's copies begin in tables, and those of its negative.
        let (mut added, mut subtracted) = ([0; MAX_TAU], [0; MAX_TAU]);
        for (at, (place, is_negative)) in challenge.numbers(set).enumerate() {
            added[at] = shifted::start(place, is_negative);
            subtracted[at] = shifted::start(place, !is_negative);
        }
        let (added, subtracted) = (&added[..count], &subtracted[..count]);
        let mut table = |poly: usize| slots.table(slot, (l + k, poly)).cast_const();
        // SAFETY: the kernel is for this CPU, the rows have polynomials, and the slot has the
        // tables of the key.
        unsafe {
            let bound = set.gamma2().value() - set.beta();
            for (i, low) in low[..k].iter_mut().enumerate() {
                let (row, table) = (low.0.as_mut_ptr(), table(l + i));
                let exceeds = (widest.add_product)(row, table, secrets, subtracted, bound);
                if public_word(exceeds) != 0 {
                    return false;
                }
            }
            let bound = set.gamma1() - set.beta();
            for (i, response) in response[..l].iter_mut().enumerate() {
                let (row, table) = (response.0.as_mut_ptr(), table(i));
                let exceeds = (widest.add_product)(row, table, secrets, added, bound);
                if public_word(exceeds) != 0 {
                    return false;
                }
            }
            for (i, low) in low[..k].iter_mut().enumerate() {
                let (product, table) = (&mut rows[0], table(l + k + i));
                *product = PolyRow([0; N]);
                let (row, bound) = (product.0.as_mut_ptr(), set.gamma2().value());
                let exceeds = (widest.add_product)(row, table, Packing::T0, added, bound);
                if public_word(exceeds) != 0 {
                    return false;
                }
                let numbers = low.0.iter_mut().zip(&product.0);
                numbers.for_each(|(number, other)| *number = number.wrapping_add(*other));
            }
        }

        // Hints, with a polynomial in each lane.
        let packing = set.commitment_packing();
        let [to, high, room] = [SUM, OTHER, ROOM].map(|poly| polys.at(kernel, poly));
        let mut hints = 0_u32;
        for first in (0..k).step_by(kernel.lanes) {
            let n = kernel.lanes.min(k - first);
            let commitment = &transcripts[lane].0[DIGEST..][first * packing.bytes()..];
            let highs = each_lane(n, |i| commitment[i * packing.bytes()..].as_ptr());
            let lows = each_lane(n, |i| low[first + i].0.as_ptr().cast());
            let to_rows = lanes_or_room(n, |i| low[first + i].0.as_mut_ptr(), rows);
            let mut counts = [0; MAX_GROUP];
            // SAFETY: the kernel is for this CPU, there is room for its polynomials, and the rows
            // have polynomials and packed ones.
            unsafe {
                (kernel.unpack)(lows.as_ptr(), 0, Packing::Whole, to, room);
                (kernel.unpack)(highs.as_ptr(), 0, packing, high, room);
                (kernel.make_hints)(to, high, set.gamma2(), counts.as_mut_ptr());
                (kernel.pack)(to, room, Packing::Whole, to_rows.as_ptr());
            }
            hints += counts[..n].iter().sum::<u32>();
        }
        public_word((set.omega() as u32).wrapping_sub(hints) >> 31) == 0
    }

    /// Writes the response and the hints of a lane, behind the challenge of a signature.
    fn write(&mut self, set: MlDsaSet, lane: usize, signature: &mut [u8]) {
        let kernel = self.kernel(set.l());
        let Calculator { polys, rows, trials, .. } = self;
        let Trial { response, low } = &mut trials[lane];
        let packing = set.response_packing();
        let [to, room] = [SUM, ROOM].map(|poly| polys.at(kernel, poly));
        let packed = rows.each_mut().map(|row| row.0.as_mut_ptr());
        let all = &mut signature[set.challenge_len()..set.hints_at()];
        let parts = all.chunks_mut(kernel.lanes * packing.bytes());
        for (part, response) in parts.zip(response[..set.l()].chunks(kernel.lanes)) {
            let from = each_lane(response.len(), |i| response[i].0.as_ptr().cast());
            // SAFETY: the kernel is for this CPU, there is room for its polynomials, the rows have
            // polynomials, and others have room for packed ones.
            unsafe {
                (kernel.unpack)(from.as_ptr(), 0, Packing::Whole, to, room);
                (kernel.pack)(to, room, packing, packed.as_ptr());
                for (to, from) in part.chunks_mut(packing.bytes()).zip(packed) {
                    let from = core::slice::from_raw_parts(from.cast::<u8>(), packing.bytes());
                    to.copy_from_slice(from);
                }
            }
        }
        write_hints(set, signature, &low[..set.k()]);
    }
}

/// Returns pointers of each lane; the lanes that nobody has get a row of their own.
fn lanes_or_room(
    n: usize,
    mut of: impl FnMut(usize) -> *mut u32,
    rows: &mut [PolyRow; MAX_GROUP],
) -> [*mut u32; MAX_GROUP] {
    let mut rows = rows.each_mut().map(|row| row.0.as_mut_ptr());
    rows.iter_mut().enumerate().take(n).for_each(|(lane, row)| *row = of(lane));
    rows
}

/// Writes the hints of a signature (FIPS 204, algorithm 20), of which there are as many as the set
/// allows at most: the polynomials are one where there is one, and zero elsewhere. They are public.
fn write_hints(set: MlDsaSet, signature: &mut [u8], hints: &[PolyRow]) {
    let (places, ends) = signature[set.hints_at()..].split_at_mut(set.omega());
    // What is written behind the last hint does not count.
    let (mut room, mut count) = ([0_u8; MAX_OMEGA + 1], 0);
    for (poly, end) in hints.iter().zip(ends) {
        for (part, numbers) in poly.0.as_chunks::<8>().0.iter().enumerate() {
            if public_word(numbers.iter().fold(0, |all, number| all | *number)) == 0 {
                continue;
            }
            for (at, number) in numbers.iter().enumerate() {
                room[count] = (8 * part + at) as u8;
                count += public_word(*number) as usize;
            }
        }
        *end = count as u8;
    }
    places.fill(0);
    places[..count].copy_from_slice(&room[..count]);
}

/// Returns a word about to be branched on: which attempts are rejected is public, and hints are.
fn public_word(word: u32) -> u32 {
    let mut bytes = word.to_ne_bytes();
    publish(&mut bytes);
    u32::from_ne_bytes(bytes)
}
