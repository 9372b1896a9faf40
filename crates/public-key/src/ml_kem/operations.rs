//! The operations of a group side by side: key generation, encapsulation, decapsulation.

use alloc::boxed::Box;
use alloc::vec;
use core::array;

use broadloom_lanes::Cpu;
use broadloom_lanes::inside::publish;
use broadloom_lanes::inside::wiped::clear_all;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroize;

use super::key::{MlKemPrivateKey, MlKemPublicKey};
use super::params::{ETA2, LEN, MAX_CIPHERTEXT, MAX_PRIVATE, MlKemSet, POLY};
use super::sponges::{G, H, J, Rows, Sponges};
use crate::arch;
use crate::kernels::ml_kem::kernel::{MAX_LANES as MAX_GROUP, MlKemKernel};
use crate::kernels::ml_kem::pack::Bits;
use crate::kernels::ml_kem::ring::{MAX_K, N};

/// Where the polynomials are: vectors first.
const SECRETS: usize = 0;
const ERRORS: usize = SECRETS + MAX_K;
const ROW: usize = ERRORS + MAX_K + 1;
const SUM: usize = ROW + MAX_K;
const MESSAGE: usize = SUM + 1;
const ROOM: usize = MESSAGE + 1;
const POLYS: usize = ROOM + 1;

/// A cache line of numbers.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([i16; 32]);

/// Polynomials in columns.
struct Polys {
    lines: Box<[Line]>,
}

impl Polys {
    /// Room for the polynomials of a kernel's lanes.
    fn new(lanes: usize) -> Self {
        let lines = (POLYS * N * lanes).div_ceil(32);
        Polys { lines: vec![Line([0; 32]); lines].into_boxed_slice() }
    }

    /// Returns where a polynomial is, in the columns of `kernel`, which has at most as many lanes
    /// as there is room for.
    fn at(&mut self, kernel: &MlKemKernel, poly: usize) -> *mut i16 {
        let at = poly * N * kernel.lanes;
        assert!(poly < POLYS && at < 32 * self.lines.len(), "there is room");
        // SAFETY: the place is within the lines.
        unsafe { self.lines.as_mut_ptr().cast::<i16>().add(at) }
    }
}

/// What an operation hashes and makes on its way.
#[derive(Clone, Copy)]
struct Notes {
    /// The message, or `d`.
    message: [u8; LEN],
    /// The digest of the encapsulation key, or `z`.
    other: [u8; LEN],
    /// The secret and the randomness, or both seeds: what G gives.
    seeds: [u8; 2 * LEN],
    /// The secret of a ciphertext that is wrong.
    rejection: [u8; LEN],
}

const NO_NOTES: Notes =
    Notes { message: [0; LEN], other: [0; LEN], seeds: [0; 2 * LEN], rejection: [0; LEN] };

impl Notes {
    /// The first half of the seeds: the secret, or the seed of the matrix.
    fn first(&self) -> &[u8] {
        &self.seeds[..LEN]
    }

    /// The second half: the seed of the noise.
    fn second(&self) -> &[u8] {
        &self.seeds[LEN..]
    }
}

/// A ciphertext that is made to be compared.
type Ciphertext = [u8; MAX_CIPHERTEXT];

/// What computes the operations of a group.
pub(super) struct Calculator {
    kernels: &'static [&'static MlKemKernel],
    pub sponges: Sponges,
    polys: Polys,
    notes: Box<[Notes; MAX_GROUP]>,
    ciphertexts: Box<[Ciphertext; MAX_GROUP]>,
    /// For lanes that nobody has.
    spare: Box<[u8; MAX_PRIVATE]>,
}

/// A row of each operation in `0..n`; the lanes that nobody has read that of the first.
fn rows(n: usize, row: impl Fn(usize) -> *const u8) -> Rows {
    array::from_fn(|lane| row(if lane < n { lane } else { 0 }))
}

impl Calculator {
    pub fn new(cpu: &Cpu) -> Self {
        let kernels = arch::kernels(cpu).ml_kem;
        Calculator {
            kernels,
            sponges: Sponges::new(cpu),
            polys: Polys::new(kernels.last().expect("there is a kernel").lanes),
            notes: Box::new([NO_NOTES; MAX_GROUP]),
            ciphertexts: Box::new([[0; MAX_CIPHERTEXT]; MAX_GROUP]),
            spare: Box::new([0; MAX_PRIVATE]),
        }
    }

    /// Returns the lanes of the widest kernel: the most operations of a group.
    pub fn lanes(&self) -> usize {
        self.kernels.last().expect("there is a kernel").lanes
    }

    /// Returns the kernel for a group.
    fn kernel(&self, n: usize) -> &'static MlKemKernel {
        let enough = self.kernels.iter().find(|kernel| kernel.lanes >= n);
        enough.expect("a group has no more operations than the widest kernel has lanes")
    }

    /// Generates keys (FIPS 203, algorithm 16): of `d` and `z` at the beginning of each input.
    ///
    /// # Safety
    /// There is one pair of pointers at least, and no more than [`lanes`](Calculator::lanes). Each
    /// is of an input and an output, readable and writable for a decapsulation key; these are the
    /// same place, or do not overlap.
    // In a frame of its own, which is cleared when the operations are complete.
    #[inline(never)]
    pub unsafe fn generate(&mut self, set: MlKemSet, buffers: &[(*const u8, *mut u8)]) {
        let (n, k) = (buffers.len(), set.k());
        let kernel = self.kernel(n);
        let Calculator { sponges, polys, notes, spare, .. } = self;
        for (note, (input, _)) in notes.iter_mut().zip(buffers) {
            // SAFETY: an input has more than 64 bytes, by this function's contract.
            let seed = unsafe { core::slice::from_raw_parts(*input, 2 * LEN) };
            // No array in between, which would stay on the stack.
            note.message.copy_from_slice(&seed[..LEN]);
            note.other.copy_from_slice(&seed[LEN..]);
        }
        let head = |at: usize, bytes: &mut [u8]| {
            let notes: &[Notes; MAX_GROUP] = notes;
            bytes[..LEN].copy_from_slice(&notes[at].message);
            bytes[LEN] = k as u8;
        };
        let mut seeds = [[0; 2 * LEN]; MAX_GROUP];
        sponges.hash(n, G, LEN + 1, head, |_| &[], |at, digest| seeds[at] = *digest);
        for (note, seeds) in notes.iter_mut().zip(&mut seeds) {
            // The seed of the matrix is a part of the encapsulation key.
            publish(&mut seeds[..LEN]);
            note.seeds = *seeds;
            seeds.zeroize();
        }
        let notes = &**notes;

        let room = polys.at(kernel, ROOM);
        sponges.noise(
            (n, 2 * k, set.eta1()),
            0,
            |at| notes[at].second(),
            |poly, rows| {
                let at = if poly < k { SECRETS + poly } else { ERRORS + poly - k };
                let to = polys.at(kernel, at);
                // SAFETY: the kernel is for this CPU, there is room for its polynomials, and the
                // rows have as many bytes as it takes.
                unsafe {
                    (kernel.noise)(rows.as_ptr(), set.eta1(), to, room);
                    (kernel.forward)(to);
                }
            },
        );
        let outputs = outputs(buffers, spare);
        let seed = |poly: usize, at: usize, seed: &mut [u8; LEN + 2]| {
            seed[..LEN].copy_from_slice(notes[at].first());
            [seed[LEN], seed[LEN + 1]] = [(poly % k) as u8, (poly / k) as u8];
        };
        let [secrets, row, sum] = [SECRETS, ROW, SUM].map(|poly| polys.at(kernel, poly));
        sponges.uniform(kernel, (n, k * k), seed, |poly, rows| {
            let (i, j) = (poly / k, poly % k);
            // SAFETY: as above; an output has room for a decapsulation key, in which the
            // encapsulation key follows the secrets.
            unsafe {
                (kernel.columns)(rows.as_ptr(), polys.at(kernel, ROW + j));
                if j + 1 == k {
                    (kernel.dot)(sum, row, secrets, k);
                    (kernel.add_to_product)(sum, polys.at(kernel, ERRORS + i));
                    (kernel.pack)(sum, room, Bits::Twelve, outputs.as_ptr(), POLY * (k + i));
                }
            }
        });
        // SAFETY: as above; the outputs are written to by nobody else.
        let all = unsafe {
            for poly in 0..k {
                let from = polys.at(kernel, SECRETS + poly);
                (kernel.pack)(from, room, Bits::Twelve, outputs.as_ptr(), POLY * poly);
            }
            let key = |(_, output): &(_, *mut u8)| {
                core::slice::from_raw_parts_mut(*output, set.private_key_len())
            };
            buffers.iter().map(key)
        };
        let (public, hashed) = (k * POLY, k * POLY + set.public_key_len());
        let mut digests = [[0; LEN]; MAX_GROUP];
        for (at, key) in all.clone().enumerate() {
            key[hashed - LEN..hashed].copy_from_slice(notes[at].first());
            publish(&mut key[public..hashed]);
        }
        let body = |at: usize| {
            // SAFETY: as above; nobody writes to the outputs meanwhile.
            unsafe { core::slice::from_raw_parts(buffers[at].1.add(public), hashed - public) }
        };
        sponges.hash(
            n,
            H,
            0,
            |_, _| (),
            body,
            |at, digest| {
                digests[at].copy_from_slice(&digest[..LEN]);
            },
        );
        for (at, key) in all.enumerate() {
            key[hashed..][..LEN].copy_from_slice(&digests[at]);
            key[hashed + LEN..].copy_from_slice(&notes[at].other);
        }
        self.wipe(n);
    }

    /// Encapsulates (FIPS 203, algorithm 17): with the random bytes at the beginning of each input.
    ///
    /// # Safety
    /// There is one pair of pointers at least, and no more than [`lanes`](Calculator::lanes), and
    /// as many keys, of one set. Each pair is of an input and an output, readable and writable for
    /// a ciphertext and a secret; these are the same place, or do not overlap.
    // In a frame of its own, which is cleared when the operations are complete.
    #[inline(never)]
    pub unsafe fn encapsulate(
        &mut self,
        keys: &[&MlKemPublicKey],
        buffers: &[(*const u8, *mut u8)],
    ) {
        let (n, set) = (buffers.len(), keys[0].set());
        for (note, (input, _)) in self.notes.iter_mut().zip(buffers) {
            // SAFETY: an input has more than 32 bytes, by this function's contract.
            let message = unsafe { core::slice::from_raw_parts(*input, LEN) };
            note.message.copy_from_slice(message);
        }
        let Calculator { sponges, notes, .. } = self;
        sponges.hash(
            n,
            H,
            0,
            |_, _| (),
            |at| keys[at].bytes(),
            |at, digest| {
                notes[at].other.copy_from_slice(&digest[..LEN]);
            },
        );
        self.expand(n);
        let outputs = outputs(buffers, &mut self.spare);
        // SAFETY: an output has room for a ciphertext, by this function's contract.
        unsafe { self.encrypt(n, set, |at| keys[at].bytes(), &outputs) };
        for (note, (_, output)) in self.notes.iter().zip(buffers) {
            // SAFETY: an output has room for a secret behind the ciphertext, by this function's
            // contract.
            let secret =
                unsafe { core::slice::from_raw_parts_mut(output.add(set.ciphertext_len()), LEN) };
            secret.copy_from_slice(note.first());
        }
        self.wipe(n);
    }

    /// Decapsulates (FIPS 203, algorithm 18) the ciphertext of each input.
    ///
    /// # Safety
    /// There is one pair of pointers at least, and no more than [`lanes`](Calculator::lanes), and
    /// as many keys, of one set. Each pair is of an input and an output, readable and writable for
    /// a ciphertext; these are the same place, or do not overlap.
    // In a frame of its own, which is cleared when the operations are complete.
    #[inline(never)]
    pub unsafe fn decapsulate(
        &mut self,
        keys: &[&MlKemPrivateKey],
        buffers: &[(*const u8, *mut u8)],
    ) {
        let (n, set) = (buffers.len(), keys[0].set());
        let (k, [u_bits, v_bits]) = (set.k(), set.bits());
        let kernel = self.kernel(n);
        // SAFETY: an input has a ciphertext, by this function's contract.
        let input =
            |at: usize| unsafe { core::slice::from_raw_parts(buffers[at].0, set.ciphertext_len()) };
        let Calculator { sponges, polys, notes, spare, .. } = self;
        let ciphertexts = rows(n, |at| input(at).as_ptr());
        let private = rows(n, |at| keys[at].bytes().as_ptr());
        let [secrets, row, sum, message, room] =
            [SECRETS, ROW, SUM, MESSAGE, ROOM].map(|poly| polys.at(kernel, poly));
        let notes_at = notes.as_mut_ptr();
        let spare = spare.as_mut_ptr();
        let messages: [*mut u8; MAX_GROUP] = array::from_fn(|lane| {
            if lane < n {
                // SAFETY: there is a note for each lane.
                unsafe { (&raw mut (*notes_at.add(lane)).message).cast() }
            } else {
                spare
            }
        });
        // SAFETY: the kernel is for this CPU, there is room for its polynomials, and the rows have
        // a ciphertext, a decapsulation key and room for a message.
        unsafe {
            for poly in 0..k {
                let (u, s) = (polys.at(kernel, SECRETS + poly), polys.at(kernel, ROW + poly));
                (kernel.unpack)(ciphertexts.as_ptr(), u_bits.bytes() * poly, u_bits, u, room);
                (kernel.forward)(u);
                (kernel.unpack)(private.as_ptr(), POLY * poly, Bits::Twelve, s, room);
            }
            (kernel.dot)(sum, row, secrets, k);
            (kernel.inverse)(sum);
            (kernel.unpack)(ciphertexts.as_ptr(), u_bits.bytes() * k, v_bits, message, room);
            (kernel.subtract)(message, sum);
            (kernel.pack)(message, room, Bits::One, messages.as_ptr(), 0);
        }
        for (note, key) in notes.iter_mut().zip(keys) {
            note.other.copy_from_slice(key.digest());
        }
        let z = |at: usize, head: &mut [u8]| head.copy_from_slice(keys[at].rejection());
        sponges.hash(n, J, LEN, z, input, |at, digest| {
            notes[at].rejection.copy_from_slice(&digest[..LEN]);
        });
        self.expand(n);
        // The lanes that nobody has write to the ciphertexts that nobody has.
        let made = self.ciphertexts.each_mut().map(|made| made.as_mut_ptr());
        // SAFETY: each pointer is of room for a ciphertext.
        unsafe { self.encrypt(n, set, |at| keys[at].public(), &made) };
        for (at, (_, output)) in buffers.iter().enumerate() {
            let note = &self.notes[at];
            let is_right = equal(input(at), &self.ciphertexts[at][..set.ciphertext_len()]);
            let secret = note.first().iter().zip(&note.rejection);
            let secret =
                secret.map(|(right, wrong)| u8::conditional_select(wrong, right, is_right));
            // SAFETY: an output has room for a ciphertext, by this function's contract; its input,
            // which may be the same place, is not read any more.
            let output = unsafe { core::slice::from_raw_parts_mut(*output, set.ciphertext_len()) };
            output.iter_mut().zip(secret).for_each(|(to, byte)| *to = byte);
            output[LEN..].fill(0);
        }
        // What the message was encrypted to is as secret as the message, if it was a wrong one.
        let made = self.kernel(n).lanes;
        clear_all(&mut self.ciphertexts[..made], [0; MAX_CIPHERTEXT]);
        self.wipe(n);
    }

    /// Makes the secret and the randomness of each message and the digest of the key.
    fn expand(&mut self, n: usize) {
        let Calculator { sponges, notes, .. } = self;
        let mut seeds = [[0; 2 * LEN]; MAX_GROUP];
        let head = |at: usize, bytes: &mut [u8]| {
            bytes[..LEN].copy_from_slice(&notes[at].message);
            bytes[LEN..].copy_from_slice(&notes[at].other);
        };
        sponges.hash(n, G, 2 * LEN, head, |_| &[], |at, digest| seeds[at] = *digest);
        for (note, seeds) in notes.iter_mut().zip(&mut seeds) {
            note.seeds = *seeds;
            seeds.zeroize();
        }
    }

    /// Encrypts the message of each note with its randomness (FIPS 203, algorithm 14).
    ///
    /// # Safety
    /// - `n` is 1 to the number of lanes, and `key` returns an encapsulation key of the set for
    ///   each operation below `n`.
    /// - Each pointer is writable for a ciphertext.
    unsafe fn encrypt<'t>(
        &mut self,
        n: usize,
        set: MlKemSet,
        key: impl Fn(usize) -> &'t [u8],
        outputs: &[*mut u8; MAX_GROUP],
    ) {
        let (k, [u_bits, v_bits]) = (set.k(), set.bits());
        let kernel = self.kernel(n);
        let Calculator { sponges, polys, notes, .. } = self;
        let notes = &**notes;
        let [secrets, row, sum, message, room] =
            [SECRETS, ROW, SUM, MESSAGE, ROOM].map(|poly| polys.at(kernel, poly));
        let random = |at: usize| notes[at].second();
        sponges.noise((n, k, set.eta1()), 0, random, |poly, rows| {
            let to = polys.at(kernel, SECRETS + poly);
            // SAFETY: the kernel is for this CPU, there is room for its polynomials, and the
            // rows have as many bytes as it takes.
            unsafe {
                (kernel.noise)(rows.as_ptr(), set.eta1(), to, room);
                (kernel.forward)(to);
            }
        });
        sponges.noise((n, k + 1, ETA2), k, random, |poly, rows| {
            let to = polys.at(kernel, ERRORS + poly);
            // SAFETY: as above.
            unsafe { (kernel.noise)(rows.as_ptr(), ETA2, to, room) }
        });
        let keys = rows(n, |at| key(at).as_ptr());
        let messages = rows(n, |at| notes[at].message.as_ptr());
        // SAFETY: as above; the rows have an encapsulation key, a message, and room for a
        // ciphertext.
        unsafe {
            for poly in 0..k {
                let to = polys.at(kernel, ROW + poly);
                (kernel.unpack)(keys.as_ptr(), POLY * poly, Bits::Twelve, to, room);
            }
            (kernel.dot)(sum, row, secrets, k);
            (kernel.inverse)(sum);
            (kernel.add)(sum, polys.at(kernel, ERRORS + k));
            (kernel.unpack)(messages.as_ptr(), 0, Bits::One, message, room);
            (kernel.add)(sum, message);
            (kernel.pack)(sum, room, v_bits, outputs.as_ptr(), u_bits.bytes() * k);
        }
        let seed = |poly: usize, at: usize, seed: &mut [u8; LEN + 2]| {
            seed[..LEN].copy_from_slice(&key(at)[k * POLY..]);
            // The matrix is transposed.
            [seed[LEN], seed[LEN + 1]] = [(poly / k) as u8, (poly % k) as u8];
        };
        sponges.uniform(kernel, (n, k * k), seed, |poly, rows| {
            let (i, j) = (poly / k, poly % k);
            // SAFETY: as above.
            unsafe {
                (kernel.columns)(rows.as_ptr(), polys.at(kernel, ROW + j));
                if j + 1 == k {
                    (kernel.dot)(sum, row, secrets, k);
                    (kernel.inverse)(sum);
                    (kernel.add)(sum, polys.at(kernel, ERRORS + i));
                    (kernel.pack)(sum, room, u_bits, outputs.as_ptr(), u_bits.bytes() * i);
                }
            }
        });
    }

    /// Wipes what secrets of `n` operations went through.
    fn wipe(&mut self, n: usize) {
        self.sponges.wipe();
        let numbers = POLYS * N * self.kernel(n).lanes;
        clear_all(&mut self.polys.lines[..numbers.div_ceil(32)], Line([0; 32]));
        clear_all(&mut self.notes[..n], NO_NOTES);
        clear_all(&mut self.spare[..], 0);
    }
}

/// Returns the output of each operation; the lanes that nobody has write to `spare`.
fn outputs(
    buffers: &[(*const u8, *mut u8)],
    spare: &mut [u8; MAX_PRIVATE],
) -> [*mut u8; MAX_GROUP] {
    let spare = spare.as_mut_ptr();
    array::from_fn(|lane| buffers.get(lane).map_or(spare, |(_, output)| *output))
}

/// Compares two ciphertexts in constant time; their lengths are the same multiple of 32.
fn equal(a: &[u8], b: &[u8]) -> Choice {
    let pieces = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let difference = |(a, b): (&[u8; 8], &[u8; 8])| u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b);
    pieces.map(difference).fold(0, |all, one| all | one).ct_eq(&0)
}
