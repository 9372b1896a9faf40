//! Verification.

use super::calculator::{
    CHALLENGE, Calculator, FIRST, OTHER, ROOM, SECOND, SUM, challenges, each_lane, represent,
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
    /// Verifies signatures (FIPS 204, algorithm 8): returns a bit for each that is right. The time
    /// depends on the input.
    ///
    /// There is one claim at least, and no more than [`lanes`](Calculator::lanes); all keys are of
    /// one set.
    pub fn verify(&mut self, claims: &[Claim<'_>]) -> u32 {
        let (n, set) = (claims.len(), claims[0].key.set());
        let (k, l) = (set.k(), set.l());
        let kernel = self.kernel(n);
        let Calculator { sponges, polys, slots, rows, transcripts, .. } = self;
        let mut right = (1_u32 << n) - 1;

        let mut keys = [[0; DIGEST]; MAX_GROUP];
        sponges.hash(
            n,
            |at| [claims[at].key.bytes(), &[], &[], &[], &[], &[]],
            |at, digest| keys[at].copy_from_slice(&digest[..DIGEST]),
        );
        let digests = represent(sponges, n, |at| (&keys[at], claims[at].message));
        for (transcript, mu) in transcripts.iter_mut().zip(&digests) {
            transcript.0[..DIGEST].copy_from_slice(mu);
        }

        // Hints become columns.
        for poly in 0..k {
            let to = polys.at(kernel, SECOND + poly);
            // SAFETY: there is room for the kernel's polynomials.
            unsafe { to.write_bytes(0, N * kernel.lanes) };
        }
        for (lane, claim) in claims.iter().enumerate() {
            let is_good = read_hints(set, claim.signature, |poly, place| {
                let to = polys.at(kernel, SECOND + poly);
                // SAFETY: as above, and the place is below 256.
                unsafe { *to.add(place * kernel.lanes + lane) = 1 };
            });
            right &= !(u32::from(!is_good) << lane);
        }

        // What is subtracted is multiplied by 2^13.
        let mut seeds = [[0; MAX_CHALLENGE]; MAX_GROUP];
        for (seed, claim) in seeds.iter_mut().zip(claims) {
            seed[..set.challenge_len()].copy_from_slice(&claim.signature[..set.challenge_len()]);
        }
        let unit = (1_u32 << 13).wrapping_neg();
        challenges(sponges, (n, set, unit), |at| &seeds[at], rows);
        // SAFETY: the slots are as many as there are operations, at least.
        unsafe {
            let rho = |at: usize| &claims[at].key.bytes()[..LEN];
            sponges.matrices(kernel, (n, k, l), rho, |at| slots.at(at, 0));
        }

        let [sum, other, challenge, room, first] =
            [SUM, OTHER, CHALLENGE, ROOM, FIRST].map(|poly| polys.at(kernel, poly));
        let signatures = each_lane(n, |at| claims[at].signature.as_ptr());
        let public = each_lane(n, |at| claims[at].key.bytes().as_ptr());
        let to_rows = rows.each_mut().map(|row| row.0.as_mut_ptr());
        let from_rows = to_rows.map(<*mut u32>::cast_const);
        let commitments = transcripts.each_mut().map(|all| all.0[DIGEST..].as_mut_ptr());
        let (response, commitment) = (set.response_packing(), set.commitment_packing());
        // SAFETY: the kernel is for this CPU, there is room for its polynomials, and the rows have
        // a signature, a public key, a matrix, a challenge, and room for a commitment.
        unsafe {
            let rows = from_rows.map(<*const u32>::cast);
            (kernel.unpack)(rows.as_ptr(), 0, Packing::Whole, challenge, room);
            (kernel.forward)(challenge);
            (kernel.pack)(challenge, room, Packing::Whole, to_rows.as_ptr());
            for poly in 0..l {
                let (to, at) = (polys.at(kernel, FIRST + poly), poly * response.bytes());
                (kernel.unpack)(signatures.as_ptr(), set.challenge_len() + at, response, to, room);
                right &= !(kernel.exceeds)(to, set.gamma1() - set.beta());
                (kernel.forward)(to);
            }
            for i in 0..k {
                let from = each_lane(n, |at| slots.at(at, l * i).cast_const());
                (kernel.dot)(sum, from.as_ptr(), first, l);
                let at = LEN + i * Packing::T1.bytes();
                (kernel.unpack)(public.as_ptr(), at, Packing::T1, other, room);
                (kernel.forward)(other);
                // In place: each product is written where its factor was.
                (kernel.dot)(other, from_rows.as_ptr(), other, 1);
                (kernel.add)(sum, other);
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
