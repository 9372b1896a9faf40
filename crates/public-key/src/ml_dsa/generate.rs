//! Key generation.

use broadloom_lanes::inside::publish;
use broadloom_lanes::inside::sponge::MAX_LANES;
use broadloom_lanes::inside::wiped::clear_all;

use super::calculator::{Calculator, FIRST, OTHER, ROOM, SECOND, SUM, each_lane};
use super::params::{DIGEST, LEN, MlDsaSet, SECRETS};
use crate::kernels::ml_dsa::numbers::MAX_LANES as MAX_GROUP;
use crate::kernels::ml_dsa::pack::Packing;

/// The seeds of a key: that of the matrix, that of the secret vectors, and that of signatures.
#[derive(Clone, Copy)]
struct Seeds([u8; 2 * LEN + DIGEST]);

impl Seeds {
    fn matrix(&self) -> &[u8] {
        &self.0[..LEN]
    }

    fn secrets(&self) -> &[u8] {
        &self.0[LEN..][..DIGEST]
    }

    fn signing(&self) -> &[u8] {
        &self.0[LEN + DIGEST..]
    }
}

impl Calculator {
    /// Generates keys (FIPS 204, algorithm 6) of the seed at the beginning of each input.
    ///
    /// # Safety
    /// There is one pair of pointers at least, and no more than [`lanes`](Calculator::lanes). Each
    /// is of an input and an output, readable and writable for a private key and a public key;
    /// these are the same place, or do not overlap.
    // In a frame of its own, which is cleared when the operations are complete.
    #[inline(never)]
    pub unsafe fn generate(&mut self, set: MlDsaSet, buffers: &[(*const u8, *mut u8)]) {
        let (n, k, l) = (buffers.len(), set.k(), set.l());
        let (vectors, len) = (k * l, set.private_key_len());
        let kernel = self.kernel(n);
        let Calculator { sponges, polys, slots, rows, .. } = self;
        slots.forget(n);
        let mut seeds = [Seeds([0; 2 * LEN + DIGEST]); MAX_GROUP];
        let seed = |at: usize, block: &mut [u8; _]| {
            // SAFETY: an input has more than 32 bytes, by this function's contract.
            let seed = unsafe { core::slice::from_raw_parts(buffers[at].0, LEN) };
            block[..LEN].copy_from_slice(seed);
            [block[LEN], block[LEN + 1]] = [k as u8, l as u8];
            LEN + 2
        };
        sponges.streams((n, 1), seed, |batch| {
            for lane in 0..batch.count {
                let seeds = &mut seeds[batch.first + lane].0;
                seeds.copy_from_slice(&batch.row(lane)[..2 * LEN + DIGEST]);
                // The seed of the matrix is a part of the public key.
                publish(&mut seeds[..LEN]);
            }
        });

        let all = &seeds;
        let seed = |stream: usize, block: &mut [u8; _]| {
            block[..DIGEST].copy_from_slice(all[stream / (k + l)].secrets());
            [block[DIGEST], block[DIGEST + 1]] = [(stream % (k + l)) as u8, 0];
            DIGEST + 2
        };
        sponges.streams((n * (k + l), 2), seed, |batch| {
            let first = batch.first;
            let to = |lane: usize| {
                let stream = first + lane;
                slots.at(stream / (k + l), vectors + stream % (k + l))
            };
            let sample = |bytes, len, numbers, have| {
                // SAFETY: the kernel is for this CPU; the pointers are as a batch gives them.
                unsafe { (kernel.sample_secrets)((bytes, len), set.eta(), numbers, have) }
            };
            // SAFETY: a slot has room for the vectors behind the matrix.
            unsafe { batch.sample(2, sample, to) };
        });

        let secrets = set.secret_packing();
        let [sum, high, room] = [SUM, OTHER, ROOM].map(|poly| polys.at(kernel, poly));
        let packed = rows.each_mut().map(|row| row.0.as_mut_ptr());
        // Copies what was packed of each operation to its output.
        let copy = |offset: usize, packing: Packing| {
            for (from, (_, output)) in packed.iter().zip(buffers) {
                // SAFETY: a row has as many bytes, and an output has room for them there, by this
                // function's contract.
                unsafe {
                    output.add(offset).copy_from_nonoverlapping(from.cast(), packing.bytes());
                }
            }
        };
        // SAFETY: the kernel is for this CPU, there is room for its polynomials, and the rows have
        // as many bytes as it takes.
        unsafe {
            for poly in 0..k + l {
                let place = if poly < l { FIRST + poly } else { SECOND + poly - l };
                let to = polys.at(kernel, place);
                let from = each_lane(n, |at| slots.at(at, vectors + poly).cast_const().cast());
                (kernel.unpack)(from.as_ptr(), 0, Packing::Whole, to, room);
                (kernel.pack)(to, room, secrets, packed.as_ptr());
                copy(SECRETS + poly * secrets.bytes(), secrets);
                if poly < l {
                    (kernel.forward)(to);
                }
            }
            let lower = SECRETS + (k + l) * secrets.bytes();
            let first = polys.at(kernel, FIRST);
            // Few operations fill the lanes of Keccak with several rows. Those of many operations
            // go one by one to the same place, which is in the cache then.
            let step = if n < MAX_LANES { k } else { 1 };
            for i in 0..k {
                if i % step == 0 {
                    let to = |at: usize, poly: usize| slots.at(at, poly - l * i);
                    let rho = |at: usize| all[at].matrix();
                    sponges.matrices(kernel, (n, i..i + step, l), rho, to);
                }
                let from = each_lane(n, |at| slots.at(at, l * (i % step)).cast_const());
                (kernel.dot)(sum, from.as_ptr(), first, l);
                (kernel.inverse)(sum);
                (kernel.add)(sum, polys.at(kernel, SECOND + i));
                (kernel.power2round)(sum, high);
                (kernel.pack)(sum, room, Packing::T0, packed.as_ptr());
                copy(lower + i * Packing::T0.bytes(), Packing::T0);
                (kernel.pack)(high, room, Packing::T1, packed.as_ptr());
                copy(len + LEN + i * Packing::T1.bytes(), Packing::T1);
            }
        }
        let key = |at: usize| {
            // SAFETY: an output has room for both keys, by this function's contract; it is written
            // to by nobody else.
            unsafe { core::slice::from_raw_parts_mut(buffers[at].1, len + set.public_key_len()) }
        };
        for (at, seeds) in seeds.iter().enumerate().take(n) {
            let (private, public) = key(at).split_at_mut(len);
            private[..LEN].copy_from_slice(seeds.matrix());
            private[LEN..2 * LEN].copy_from_slice(seeds.signing());
            public[..LEN].copy_from_slice(seeds.matrix());
            publish(public);
        }
        let public = |at: usize| {
            // SAFETY: as above; nobody writes to the public keys meanwhile.
            unsafe { core::slice::from_raw_parts(buffers[at].1.add(len), set.public_key_len()) }
        };
        let mut digests = [[0; DIGEST]; MAX_GROUP];
        sponges.hash(
            n,
            |at| [public(at), &[], &[], &[], &[], &[]],
            |at, digest| digests[at].copy_from_slice(&digest[..DIGEST]),
        );
        for (at, digest) in digests.iter().enumerate().take(n) {
            key(at)[2 * LEN..SECRETS].copy_from_slice(digest);
        }
        clear_all(&mut seeds, Seeds([0; 2 * LEN + DIGEST]));
        for slot in 0..n {
            self.slots.wipe(slot, vectors + k + l, k + l);
        }
        self.wipe(kernel.lanes);
    }
}
