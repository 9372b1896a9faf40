//! Signatures.
//!
//! An attempt to sign is rejected four times of five, so that signatures take a varying number of
//! attempts, which do not depend on each other. A lane makes one attempt, of whichever signature
//! needs one: it reads the polynomials of the key from the rows of a slot, where they are
//! transformed. So the next lane that is free takes the next signature, and if there are fewer
//! signatures than lanes, several attempts of one are made at once, of which the first that is not
//! rejected counts.
//!
//! Which attempts are rejected is public, and is branched on: how many there were says nothing of
//! the key, as neither their responses nor their masks are given out.

use super::calculator::{
    CHALLENGE, Calculator, FIRST, FOURTH, MASK, Mask, OTHER, ROOM, SECOND, SUM, THIRD, challenges,
    each_lane, represent,
};
use super::key::MlDsaPrivateKey;
use super::message::MlDsaMessage;
use super::params::{DIGEST, LEN, MAX_CHALLENGE, MlDsaSet, SECRETS};
use crate::kernels::ml_dsa::kernel::MlDsaKernel;
use crate::kernels::ml_dsa::numbers::MAX_LANES as MAX_GROUP;
use crate::kernels::ml_dsa::pack::Packing;
use crate::kernels::ml_dsa::ring::N;
use crate::outcome::publish;
use crate::wiped::{clear, clear_all};

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
    /// Where the signature goes; null if the slot is free.
    room: *mut u8,
    mu: [u8; DIGEST],
    /// The seed of masks (rho'').
    seed: [u8; DIGEST],
    /// Attempts that were rejected.
    rejected: usize,
}

const FREE: Signing =
    Signing { room: core::ptr::null_mut(), mu: [0; DIGEST], seed: [0; DIGEST], rejected: 0 };

/// The most signatures that are under way.
const MAX_SLOTS: usize = 2 * MAX_GROUP;

/// Signatures that are under way, by slot.
type Under = [Signing; MAX_SLOTS];

/// An attempt: the slot of its signature, and its number.
#[derive(Clone, Copy)]
struct Attempt {
    slot: usize,
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
        let slots = self.slots.count().min(2 * kernel.lanes);
        let mut left = orders;
        loop {
            let used = |under: &Under| -> usize {
                under.iter().filter(|signing| !signing.room.is_null()).count()
            };
            if !left.is_empty() && used(&under) < kernel.lanes {
                let count = left.len().min(kernel.lanes).min(slots - used(&under));
                let (now, later) = left.split_at(count);
                self.prepare(kernel, set, now, &mut under[..slots]);
                left = later;
            }
            let active = used(&under);
            if active == 0 {
                break;
            }
            let all = under.iter().enumerate().filter(|(_, signing)| !signing.room.is_null());
            let mut free = [0; MAX_SLOTS];
            free.iter_mut().zip(all).for_each(|(to, (slot, _))| *to = slot);
            let attempts: [Attempt; MAX_GROUP] = core::array::from_fn(|lane| {
                let slot = free[lane % active];
                Attempt { slot, number: under[slot].rejected + lane / active }
            });
            // SAFETY: the rooms are writable for signatures, by this function's contract.
            unsafe { self.attempt(kernel, set, &attempts[..kernel.lanes], &mut under) };
        }
        clear_all(&mut under, FREE);
        let (all, polys) = (set.k() * set.l(), set.l() + 2 * set.k());
        for slot in 0..slots {
            self.slots.wipe(slot, all + polys, polys);
        }
        clear_all(&mut self.masks[..], Mask([0; MASK]));
        self.wipe(kernel);
    }

    /// Takes signatures into free slots: expands and transforms what their keys have.
    fn prepare(
        &mut self,
        kernel: &MlDsaKernel,
        set: MlDsaSet,
        orders: &[Order<'_>],
        under: &mut [Signing],
    ) {
        let (n, k, l) = (orders.len(), set.k(), set.l());
        let mut places = [0; MAX_GROUP];
        let free = under.iter().enumerate().filter(|(_, signing)| signing.room.is_null());
        places.iter_mut().zip(free).for_each(|(to, (slot, _))| *to = slot);
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
        // SAFETY: the places are slots.
        unsafe {
            let rho = |at: usize| orders[at].key.rho();
            sponges.matrices(kernel, (n, k, l), rho, |at| slots.at(places[at], 0));
        }
        let [sum, room] = [SUM, ROOM].map(|poly| polys.at(kernel, poly));
        let keys = each_lane(n, |at| orders[at].key.bytes().as_ptr());
        let secrets = set.secret_packing();
        let lower = SECRETS + (k + l) * secrets.bytes();
        for poly in 0..l + 2 * k {
            let (offset, packing) = match poly.checked_sub(l + k) {
                Some(i) => (lower + i * Packing::T0.bytes(), Packing::T0),
                None => (SECRETS + poly * secrets.bytes(), secrets),
            };
            let to = core::array::from_fn::<_, MAX_GROUP, _>(|lane| match lane < n {
                true => slots.at(places[lane], k * l + poly),
                false => rows[lane].0.as_mut_ptr(),
            });
            // SAFETY: the kernel is for this CPU, there is room for its polynomials, and the rows
            // have a private key, and room for a polynomial.
            unsafe {
                (kernel.unpack)(keys.as_ptr(), offset, packing, sum, room);
                (kernel.forward)(sum);
                (kernel.pack)(sum, room, Packing::Whole, to.as_ptr());
            }
        }
    }

    /// Makes an attempt in each lane, and completes the signatures whose attempts succeed.
    ///
    /// # Safety
    /// There are as many attempts as the kernel has lanes, of slots in use. The rooms of these are
    /// writable for signatures.
    unsafe fn attempt(
        &mut self,
        kernel: &MlDsaKernel,
        set: MlDsaSet,
        attempts: &[Attempt],
        under: &mut Under,
    ) {
        let (n, k, l) = (attempts.len(), set.k(), set.l());
        let Calculator { sponges, polys, slots, rows, transcripts, masks, .. } = self;

        // Masks (FIPS 204, algorithm 34): that of a polynomial of each attempt, then of the next.
        let (response, commitment) = (set.response_packing(), set.commitment_packing());
        let seed = |stream: usize, block: &mut [u8; _]| {
            let Attempt { slot, number } = attempts[stream % n];
            let count = (number * l + stream / n) as u16;
            block[..DIGEST].copy_from_slice(&under[slot].seed);
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
            transcript.0[..DIGEST].copy_from_slice(&under[attempt.slot].mu);
        }
        let commitments = transcripts.each_mut().map(|all| all.0[DIGEST..].as_mut_ptr());
        let [other, challenge, room, second] =
            [OTHER, CHALLENGE, ROOM, SECOND].map(|poly| polys.at(kernel, poly));
        let mut slot_rows =
            |poly: usize| each_lane(n, |lane| slots.at(attempts[lane].slot, poly).cast_const());
        // SAFETY: the kernel is for this CPU, there is room for its polynomials, and the rows have
        // a mask, a matrix, and room for a commitment.
        unsafe {
            for poly in 0..l {
                let from = each_lane(n, |lane| masks[poly * n + lane].0.as_ptr());
                let (mask, to) = (polys.at(kernel, FIRST + poly), polys.at(kernel, SECOND + poly));
                (kernel.unpack)(from.as_ptr(), 0, response, mask, room);
                to.copy_from_nonoverlapping(mask, N * kernel.lanes);
                (kernel.forward)(to);
            }
            for i in 0..k {
                let (low, high) = (polys.at(kernel, THIRD + i), polys.at(kernel, FOURTH + i));
                (kernel.dot)(low, slot_rows(l * i).as_ptr(), second, l);
                (kernel.inverse)(low);
                (kernel.decompose)(low, high, set.gamma2());
                let to = commitments.map(|to| to.add(i * commitment.bytes()).cast());
                (kernel.pack)(high, room, commitment, to.as_ptr());
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
        challenges(sponges, (n, set, 1), |at| &seeds[at], rows);

        let to_rows = rows.each_mut().map(|row| row.0.as_mut_ptr());
        let vectors = k * l;
        let mut counts = [0_u32; MAX_GROUP];
        let all = ((1_u64 << n) - 1) as u32;
        // SAFETY: as above; the rows have a challenge, and the vectors of a key.
        let rejected = unsafe {
            let from = to_rows.map(|row| row.cast_const().cast());
            (kernel.unpack)(from.as_ptr(), 0, Packing::Whole, challenge, room);
            (kernel.forward)(challenge);
            let mut rejected = 0;
            for poly in 0..l {
                let to = polys.at(kernel, SECOND + poly);
                (kernel.dot)(to, slot_rows(vectors + poly).as_ptr(), challenge, 1);
                (kernel.inverse)(to);
                (kernel.add)(to, polys.at(kernel, FIRST + poly));
                rejected |= (kernel.exceeds)(to, set.gamma1() - set.beta());
            }
            for i in 0..k {
                let low = polys.at(kernel, THIRD + i);
                (kernel.dot)(other, slot_rows(vectors + l + i).as_ptr(), challenge, 1);
                (kernel.inverse)(other);
                (kernel.subtract)(low, other);
                rejected |= (kernel.exceeds)(low, set.gamma2().value() - set.beta());
            }
            if public_lanes(rejected) != all {
                for i in 0..k {
                    let (low, high) = (polys.at(kernel, THIRD + i), polys.at(kernel, FOURTH + i));
                    (kernel.dot)(other, slot_rows(vectors + l + k + i).as_ptr(), challenge, 1);
                    (kernel.inverse)(other);
                    rejected |= (kernel.exceeds)(other, set.gamma2().value());
                    (kernel.add)(low, other);
                    (kernel.make_hints)(low, high, set.gamma2(), counts.as_mut_ptr());
                }
                for (lane, count) in counts.iter().enumerate().take(n) {
                    let is_over = (set.omega() as u32).wrapping_sub(*count) >> 31;
                    rejected |= is_over << lane;
                }
            }
            public_lanes(rejected)
        };

        // The first attempt of each signature that is not rejected: attempts of one are in order.
        let mut rooms = [core::ptr::null_mut(); MAX_GROUP];
        for (lane, attempt) in attempts.iter().enumerate() {
            let signing = &mut under[attempt.slot];
            signing.rejected = attempt.number + 1;
            if rejected >> lane & 1 == 0 && !signing.room.is_null() {
                rooms[lane] = signing.room;
                clear(signing, FREE);
            }
        }
        if rooms.iter().all(|room| room.is_null()) {
            return;
        }
        let len = set.challenge_len();
        for poly in 0..l {
            // SAFETY: as above; the rooms are writable for signatures, by this function's contract.
            unsafe {
                let from = polys.at(kernel, SECOND + poly);
                (kernel.pack)(from, room, response, to_rows.as_ptr());
                for (room, from) in rooms.iter().zip(to_rows).filter(|(room, _)| !room.is_null()) {
                    let to = room.add(len + poly * response.bytes());
                    to.copy_from_nonoverlapping(from.cast(), response.bytes());
                }
            }
        }
        for lane in (0..n).filter(|lane| !rooms[*lane].is_null()) {
            // SAFETY: as above.
            let signature =
                unsafe { core::slice::from_raw_parts_mut(rooms[lane], set.signature_len()) };
            signature[..len].copy_from_slice(&seeds[lane][..len]);
            write_hints(set, signature, |poly, place| {
                let from = polys.at(kernel, THIRD + poly);
                // SAFETY: there is room for the kernel's polynomials.
                unsafe { *from.add(place * kernel.lanes + lane) }
            });
        }
    }
}

/// Writes the hints of a signature (FIPS 204, algorithm 20), of which there are as many as the set
/// allows at most: `hint` returns one for a polynomial and a place that has one, and zero for
/// others. They are public.
fn write_hints(set: MlDsaSet, signature: &mut [u8], mut hint: impl FnMut(usize, usize) -> u32) {
    let (places, ends) = signature[set.hints_at()..].split_at_mut(set.omega());
    places.fill(0);
    let mut count = 0;
    for (poly, end) in ends.iter_mut().enumerate() {
        for place in 0..N {
            if public_lanes(hint(poly, place)) != 0 {
                places[count] = place as u8;
                count += 1;
            }
        }
        *end = count as u8;
    }
}

/// Returns lanes about to be branched on: which attempts are rejected is public.
fn public_lanes(lanes: u32) -> u32 {
    let mut bytes = lanes.to_ne_bytes();
    publish(&mut bytes);
    u32::from_ne_bytes(bytes)
}
