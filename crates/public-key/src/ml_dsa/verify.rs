//! Verification.

use super::calculator::{
    Calculator, Expanded, FIRST, ROOM, SECOND, SUM, challenges, each_lane, represent,
};
use super::key::MlDsaPublicKey;
use super::message::MlDsaMessage;
use super::params::{DIGEST, LEN, MAX_CHALLENGE, MlDsaSet};
use crate::kernels::ml_dsa::numbers::MAX_LANES as MAX_GROUP;
use crate::kernels::ml_dsa::pack::Packing;
use crate::kernels::ml_dsa::ring::N;

/// A signature that is said to be right.
#[derive(Clone, Copy)]
pub(super) struct Claim<'c> {
    pub key: &'c MlDsaPublicKey,
    pub message: MlDsaMessage<'c>,
    pub signature: &'c [u8],
}

/// Calls a function for each hint of a signature: with the number of its polynomial, and its place
/// (FIPS 204, algorithm 21). Returns `false` if hints are not written in the one way that there is.
pub(super) fn read_hints(
    set: MlDsaSet,
    signature: &[u8],
    mut hint: impl FnMut(usize, usize),
) -> bool {
    let (places, ends) = signature[set.hints_at()..].split_at(set.omega());
    let mut start = 0;
    for (poly, end) in ends.iter().map(|end| usize::from(*end)).enumerate() {
        if end < start || end > places.len() {
            return false;
        }
        let these = &places[start..end];
        if !these.is_sorted_by(|one, next| one < next) {
            return false;
        }
        these.iter().for_each(|place| hint(poly, usize::from(*place)));
        start = end;
    }
    places[start..].iter().all(|place| *place == 0)
}

impl Calculator {
    /// Verifies signatures (FIPS 204, algorithm 8) under keys of one set, of which there is one at
    /// least: calls `done` with the number of each and `true` if it is right. The time depends on
    /// the input.
    pub fn verify(&mut self, claims: &[Claim<'_>], mut done: impl FnMut(usize, bool)) {
        let mut keys = Expanded::NONE;
        let lanes = self.lanes();
        for (group, claims) in claims.chunks(lanes).enumerate() {
            let entered = keys.enter(&mut self.slots, claims.iter().map(|claim| claim.key));
            if !entered.missing().is_empty() {
                self.expand_keys(entered.missing());
            }
            let slots = &entered.slots[..claims.len()];
            let right = self.verify_group(claims, slots);
            for (lane, slot) in slots.iter().enumerate() {
                keys.leave(*slot);
                done(lanes * group + lane, right >> lane & 1 == 1);
            }
        }
    }

    /// Expands public keys into slots: behind each row of the matrix goes a polynomial of the key,
    /// transformed.
    fn expand_keys(&mut self, keys: &[(&MlDsaPublicKey, usize)]) {
        let (n, set) = (keys.len(), keys[0].0.set());
        let (k, l) = (set.k(), set.l());
        let kernel = self.kernel(n);
        let Calculator { sponges, polys, slots, rows, .. } = self;
        let mut digests = [[0; DIGEST]; MAX_GROUP];
        sponges.hash(
            n,
            |at| [keys[at].0.bytes(), &[], &[], &[], &[], &[]],
            |at, digest| digests[at].copy_from_slice(&digest[..DIGEST]),
        );
        // SAFETY: a slot has room for a matrix with one more column.
        unsafe {
            let rho = |at: usize| &keys[at].0.bytes()[..LEN];
            let to = |at: usize, poly: usize| slots.at(keys[at].1, poly + poly / l);
            sponges.matrices(kernel, (n, 0..k, l), rho, to);
        }
        let [to, room] = [SUM, ROOM].map(|poly| polys.at(kernel, poly));
        let public = each_lane(n, |at| keys[at].0.bytes().as_ptr());
        for i in 0..k {
            let at = LEN + i * Packing::T1.bytes();
            let mut to_rows = rows.each_mut().map(|row| row.0.as_mut_ptr());
            for (to, (_, slot)) in to_rows.iter_mut().zip(keys) {
                *to = slots.at(*slot, (l + 1) * i + l);
            }
            // SAFETY: the kernel is for this CPU, there is room for its polynomials, and the rows
            // have a public key, and room for a polynomial.
            unsafe {
                (kernel.unpack)(public.as_ptr(), at, Packing::T1, to, room);
                (kernel.forward)(to);
                (kernel.pack)(to, room, Packing::Whole, to_rows.as_ptr());
            }
        }
        for ((key, slot), digest) in keys.iter().zip(&digests) {
            slots.hold(*slot, *key, digest);
        }
    }

    /// Verifies signatures under keys in slots: returns a bit for each that is right.
    ///
    /// There is one claim at least, and no more than [`lanes`](Calculator::lanes).
    fn verify_group(&mut self, claims: &[Claim<'_>], places: &[usize]) -> u32 {
        let (n, set) = (claims.len(), claims[0].key.set());
        let (k, l) = (set.k(), set.l());
        let kernel = self.kernel(n);
        let Calculator { sponges, polys, slots, transcripts, .. } = self;
        let mut right = (1_u32 << n) - 1;

        let digests = represent(sponges, n, |at| (slots.digest(places[at]), claims[at].message));
        for (transcript, mu) in transcripts.iter_mut().zip(&digests) {
            transcript.0[..DIGEST].copy_from_slice(mu);
        }

        // Hints become columns, and so do challenges: what is subtracted is multiplied by 2^13.
        for poly in (SECOND..SECOND + k).chain([FIRST + l]) {
            // SAFETY: there is room for the kernel's polynomials.
            unsafe { polys.at(kernel, poly).write_bytes(0, N * kernel.lanes) };
        }
        for (lane, claim) in claims.iter().enumerate() {
            let is_good = read_hints(set, claim.signature, |poly, place| {
                let to = polys.at(kernel, SECOND + poly);
                // SAFETY: as above, and the place is below 256.
                unsafe { *to.add(place * kernel.lanes + lane) = 1 };
            });
            right &= !(u32::from(!is_good) << lane);
        }
        let mut seeds = [[0; MAX_CHALLENGE]; MAX_GROUP];
        for (seed, claim) in seeds.iter_mut().zip(claims) {
            seed[..set.challenge_len()].copy_from_slice(&claim.signature[..set.challenge_len()]);
        }
        let challenges = challenges(sponges, (n, set), |at| &seeds[at]);
        let challenge = polys.at(kernel, FIRST + l);
        for (lane, numbers) in challenges[..n].iter().enumerate() {
            for (place, is_negative) in numbers.numbers(set) {
                let number = if is_negative { 1 << 13 } else { (1_u32 << 13).wrapping_neg() };
                // SAFETY: as above.
                unsafe { *challenge.add(place * kernel.lanes + lane) = number };
            }
        }

        let [sum, room, first] = [SUM, ROOM, FIRST].map(|poly| polys.at(kernel, poly));
        let signatures = each_lane(n, |at| claims[at].signature.as_ptr());
        let commitments = transcripts.each_mut().map(|all| all.0[DIGEST..].as_mut_ptr());
        let (response, commitment) = (set.response_packing(), set.commitment_packing());
        // SAFETY: the kernel is for this CPU, there is room for its polynomials, and the rows have
        // a signature, a matrix, and room for a commitment.
        unsafe {
            (kernel.forward)(challenge);
            for poly in 0..l {
                let (to, at) = (polys.at(kernel, FIRST + poly), poly * response.bytes());
                (kernel.unpack)(signatures.as_ptr(), set.challenge_len() + at, response, to, room);
                right &= !(kernel.exceeds)(to, set.gamma1() - set.beta());
                (kernel.forward)(to);
            }
            for i in 0..k {
                let row = each_lane(n, |at| slots.at(places[at], (l + 1) * i).cast_const());
                (kernel.dot)(sum, row.as_ptr(), first, l + 1);
                (kernel.inverse)(sum);
                (kernel.use_hints)(sum, polys.at(kernel, SECOND + i), set.gamma2());
                let to = commitments.map(|to| to.add(i * commitment.bytes()).cast());
                (kernel.pack)(sum, room, commitment, to.as_ptr());
            }
        }
        let len = DIGEST + set.commitment_len();
        let transcripts = &*transcripts;
        sponges.hash(
            n,
            |at| [&transcripts[at].0[..len], &[], &[], &[], &[], &[]],
            |at, digest| {
                let is_same = digest[..set.challenge_len()] == seeds[at][..set.challenge_len()];
                right &= !(u32::from(!is_same) << at);
            },
        );
        right
    }
}
