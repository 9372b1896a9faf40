//! What the operations of a group share: memory for polynomials, and what is done in all of them.

use alloc::boxed::Box;
use alloc::vec;
use core::array;

use super::message::MlDsaMessage;
use super::params::{DIGEST, MAX_CHALLENGE, MlDsaSet};
use super::sponges::{Batch, Pieces, RATE, Sponges, Transcript};
use crate::cpu::Cpu;
use crate::kernels::ml_dsa::kernel::MlDsaKernel;
use crate::kernels::ml_dsa::numbers::MAX_LANES as MAX_GROUP;
use crate::kernels::ml_dsa::pack::Packing;
use crate::kernels::ml_dsa::ring::{MAX_K, MAX_L, N};
use crate::wiped::clear_all;

/// Where the polynomials in columns are: vectors first.
pub(super) const FIRST: usize = 0;
pub(super) const SECOND: usize = FIRST + MAX_L;
pub(super) const THIRD: usize = SECOND + MAX_K;
pub(super) const FOURTH: usize = THIRD + MAX_K;
pub(super) const SUM: usize = FOURTH + MAX_K;
pub(super) const OTHER: usize = SUM + 1;
pub(super) const CHALLENGE: usize = OTHER + 1;
pub(super) const ROOM: usize = CHALLENGE + 1;
const POLYS: usize = ROOM + 1;

/// The polynomials in rows of an operation: a matrix, and the vectors of a private key.
pub(super) const SLOT: usize = MAX_K * MAX_L + MAX_L + 2 * MAX_K;

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

/// Polynomials in rows, of as many operations as may be under way.
pub(super) struct Slots {
    rows: Box<[PolyRow]>,
}

impl Slots {
    /// Returns where a polynomial of a slot is.
    pub fn at(&mut self, slot: usize, poly: usize) -> *mut u32 {
        assert!(poly < SLOT, "there is room");
        self.rows[slot * SLOT + poly..].as_mut_ptr().cast()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.rows.len() / SLOT
    }

    /// Wipes the last `polys` polynomials of a slot that has `all`.
    pub fn wipe(&mut self, slot: usize, all: usize, polys: usize) {
        clear_all(&mut self.rows[slot * SLOT..][all - polys..all], PolyRow([0; N]));
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
}

/// Pointers of each lane; the lanes that nobody has get that of the first.
pub(super) fn each_lane<T>(n: usize, of: impl FnMut(usize) -> T) -> [T; MAX_GROUP] {
    let mut of = of;
    array::from_fn(|lane| of(if lane < n { lane } else { 0 }))
}

impl Calculator {
    pub fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.kernels().ml_dsa;
        let lanes = kernels.last().expect("there is a kernel").lanes;
        let lines = (POLYS * N * lanes).div_ceil(16);
        Calculator {
            kernels,
            sponges: Sponges::new(cpu),
            polys: Polys { lines: vec![Line([0; 16]); lines].into_boxed_slice() },
            slots: Slots { rows: vec![PolyRow([0; N]); 2 * lanes * SLOT].into_boxed_slice() },
            rows: Box::new([PolyRow([0; N]); MAX_GROUP]),
            transcripts: Box::new([Transcript::NEW; MAX_GROUP]),
            masks: vec![Mask([0; MASK]); lanes * MAX_L].into_boxed_slice(),
        }
    }

    /// Returns the lanes of the widest kernel: the most operations of a group.
    pub fn lanes(&self) -> usize {
        self.kernels.last().expect("there is a kernel").lanes
    }

    /// Returns the narrowest kernel that has `n` lanes, or the widest.
    pub fn kernel(&self, n: usize) -> &'static MlDsaKernel {
        let enough = self.kernels.iter().find(|kernel| kernel.lanes >= n);
        enough.or(self.kernels.last()).expect("there is a kernel")
    }

    /// Wipes what secrets of a group of a kernel went through.
    pub fn wipe(&mut self, kernel: &MlDsaKernel) {
        self.sponges.wipe();
        let numbers = POLYS * N * kernel.lanes;
        clear_all(&mut self.polys.lines[..numbers.div_ceil(16)], Line([0; 16]));
        clear_all(&mut self.rows[..kernel.lanes], PolyRow([0; N]));
        clear_all(&mut self.transcripts[..kernel.lanes], Transcript::NEW);
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

/// Makes the challenges of seeds (FIPS 204, algorithm 29): `tau` numbers are `unit` or its
/// negative, all others zero. The time depends on the seed, which is public: it is a part of the
/// signature, or of an attempt that is rejected, and follows from nothing but a hash.
pub(super) fn challenges<'m>(
    sponges: &mut Sponges,
    (n, set, unit): (usize, MlDsaSet, u32),
    seed: impl Fn(usize) -> &'m [u8; MAX_CHALLENGE],
    rows: &mut [PolyRow; MAX_GROUP],
) {
    let len = set.challenge_len();
    let seed = |at: usize, block: &mut [u8; _]| {
        block[..len].copy_from_slice(&seed(at)[..len]);
        len
    };
    sponges.streams((n, 1), seed, |batch| {
        let (mut signs, mut next) = ([0_u64; 8], [N - set.tau(); 8]);
        let (count, first) = (batch.count, batch.first);
        for lane in 0..count {
            rows[first + lane] = PolyRow([0; N]);
            let (begin, rest) = batch.row(lane)[..RATE].split_at(8);
            signs[lane] = u64::from_le_bytes(begin.try_into().expect("eight bytes"));
            place(&mut rows[first + lane].0, rest, (&mut signs[lane], &mut next[lane]), unit);
        }
        while next[..count].iter().any(|next| *next < N) {
            Batch::next(batch);
            for lane in 0..count {
                let bytes = &batch.row(lane)[..RATE];
                place(&mut rows[first + lane].0, bytes, (&mut signs[lane], &mut next[lane]), unit);
            }
        }
    });
}

/// Places numbers of a challenge, from `next` on, with the signs that are left.
fn place(poly: &mut [u32; N], bytes: &[u8], (signs, next): (&mut u64, &mut usize), unit: u32) {
    for byte in bytes {
        if *next == N {
            return;
        }
        let at = usize::from(*byte);
        if at <= *next {
            poly[*next] = poly[at];
            poly[at] = if *signs & 1 == 0 { unit } else { unit.wrapping_neg() };
            (*signs, *next) = (*signs >> 1, *next + 1);
        }
    }
}
