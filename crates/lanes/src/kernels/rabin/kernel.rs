//! The search in lanes.
//!
//! The data are cut into stripes of equal lengths, and each lane slides a window over one of them,
//! eight bytes a step. All arithmetic is on polynomials over the field of two elements. A step
//! takes the fingerprint `F` to `F x^64 + N + O x^512` modulo the polynomial `P`, where the word
//! `N` enters the window and the word `O` leaves. Each of three carry-less products gives a part:
//! `O` times `x^512` modulo `P`; the quotient, by `x^117 / P` (Barrett); and the quotient times
//! `P`.
//!
//! A division byte by byte has the same quotient. So behind each byte `n` that enters, where `o`
//! leaves, the fingerprint is `F x^8 + n + o x^512 + y P`, and `y` is a byte of the quotient. The
//! lowest eight bits of that are zero if `y` is a certain linear function of `n` and `o`. Then the
//! next eight bits are zero if the `y` of the byte before differs from what its own bytes ask for
//! by another linear function of `n` and `o`. A kernel compares these sixteen bits, and tables
//! decide about the few places that are left.

use super::constants::Constants;
use super::tables::Tables;
use super::words::{MAX_LANES, RabinWords};
use crate::kernels::rabin::WINDOW;
use crate::vector::each;

/// A kernel of one instruction set.
pub(crate) struct RabinKernel {
    /// The instruction set.
    pub name: &'static str,
    /// Stripes that it searches at once.
    pub stripes: usize,
    /// Finds the first byte that ends a window with zeros, in stripes of `len` bytes that follow
    /// each other from `start` on.
    ///
    /// # Safety
    /// The CPU must have the instruction set. `len` must be a multiple of 64; `stripes * len` bytes
    /// must be readable from `start` on, and 64 bytes before.
    pub find: unsafe fn(&Constants, &Tables, start: *const u8, len: usize) -> Option<usize>,
}

/// Bytes of each stripe that are searched before results are looked at.
const STEP: usize = WINDOW;

/// The polynomial's constants in registers.
#[derive(Clone, Copy)]
struct Loaded<W: RabinWords> {
    inverse: W,
    modulus: W,
    leaving: W,
    /// [`Quotients`](super::constants::Quotients) of bytes that enter, and of bytes that leave.
    first: [W::Map; 2],
    next: [W::Map; 2],
    mask: W,
    next_mask: W,
}

/// Where each lane is.
#[derive(Clone, Copy)]
struct StripeState<W> {
    /// The fingerprint, its highest bit first.
    fingerprint: W,
    /// By what the bytes of the last quotient differ from those that end in zeros.
    difference: W,
    /// The words that leave the window next.
    window: [W; 8],
}

impl<W: RabinWords> Loaded<W> {
    /// Loads the constants.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    #[inline(always)]
    unsafe fn new(constants: &Constants) -> Self {
        // SAFETY: the CPU has the instruction set, by this function's contract.
        unsafe {
            Loaded {
                inverse: W::splat(constants.inverse),
                modulus: W::splat(constants.modulus),
                leaving: W::splat(constants.leaving),
                first: each!(i in 2 => W::map(&constants.quotients[i].first)),
                next: each!(i in 2 => W::map(&constants.quotients[i].next)),
                mask: W::splat(u64::from_ne_bytes([constants.masks[0]; 8])),
                next_mask: W::splat(u64::from_ne_bytes([constants.masks[1]; 8])),
            }
        }
    }
}

impl<W: RabinWords> StripeState<W> {
    /// Returns the state behind the first window of each stripe.
    ///
    /// # Safety
    /// - The CPU has the instruction set.
    /// - For each lane, 64 bytes are readable at `first + lane * stride`.
    #[inline(always)]
    unsafe fn new(by: &Loaded<W>, first: *const u8, stride: usize) -> Self {
        // SAFETY: the CPU has the instruction set and each lane's 64 bytes are readable, by this
        // function's contract.
        unsafe {
            let zero = W::splat(0);
            let window = [zero; 8];
            let mut state = StripeState { fingerprint: zero, difference: zero, window };
            state.window = W::load(first, stride);
            let _ = each!(i in 8 => state.slide(by, state.window[i], zero));
            state
        }
    }

    /// Slides by a word. The bytes of the result are zero where the lowest bits of the fingerprint
    /// may be.
    #[inline(always)]
    fn slide(&mut self, by: &Loaded<W>, new: W, old: W) -> W {
        let [low, high] = old.product(by.leaving);
        let high = self.fingerprint.xor3(new.shift_right::<53>(), high);
        let quotient = high.product_high(by.inverse).xor(high);
        let low = low.xor(new.shift_left::<11>());
        self.fingerprint = quotient.product_low(by.modulus).xor(low);

        let difference = quotient.xor3(new.mapped(by.first[0]), old.mapped(by.first[1]));
        let before = difference.shift_right::<8>().or(self.difference.shift_left::<56>());
        self.difference = difference;
        let next = before.xor3(new.mapped(by.next[0]), old.mapped(by.next[1]));
        difference.and(by.mask).or(next.and(by.next_mask))
    }
}

/// Does what [`RabinKernel::find`] does, with two registers of stripes side by side.
///
/// # Safety
/// - The contract of [`RabinKernel::find`], with `2 * W::LANES` stripes.
/// - The CPU has W's instruction set.
#[inline(always)]
pub(crate) unsafe fn find<W: RabinWords>(
    constants: &Constants,
    tables: &Tables,
    start: *const u8,
    len: usize,
) -> Option<usize> {
    // SAFETY: the stripes and the window before the first are readable and the CPU has the
    // instruction set, by this function's contract. The last 64 bytes of a stripe are the window
    // before the next one.
    unsafe {
        let by = Loaded::<W>::new(constants);
        let (first, second) = (start, start.add(W::LANES * len));
        let mut a = StripeState::new(&by, first.sub(STEP), len);
        let mut b = StripeState::new(&by, second.sub(STEP), len);
        let mut found = None;
        for at in (0..len).step_by(STEP) {
            let (old_a, old_b) = (a.window, b.window);
            a.window = W::load(first.add(at), len);
            b.window = W::load(second.add(at), len);
            let results = each!(i in 8 => [
                a.slide(&by, a.window[i], old_a[i]),
                b.slide(&by, b.window[i], old_b[i]),
            ]);
            let least = each!(i in 8 => results[i][0].min_bytes(results[i][1]));
            let least = each!(i in 4 => least[i].min_bytes(least[i + 4]));
            let least = least[0].min_bytes(least[1]).min_bytes(least[2].min_bytes(least[3]));
            if least.has_zero_byte() {
                let mut stored = [[[0; MAX_LANES]; 2]; 8];
                let _ = each!(i in 8 => {
                    results[i][0].store(&mut stored[i][0]);
                    results[i][1].store(&mut stored[i][1]);
                });
                decide(
                    tables,
                    start,
                    StripePlace { lanes: W::LANES, len, at },
                    &stored,
                    &mut found,
                );
            }
        }
        found
    }
}

/// Which bytes results are about.
#[derive(Clone, Copy)]
struct StripePlace {
    lanes: usize,
    len: usize,
    /// The offset in each stripe.
    at: usize,
}

/// Computes the fingerprints of the windows that a kernel is in doubt about.
///
/// # Safety
/// As for [`RabinKernel::find`].
#[cold]
#[inline(never)]
unsafe fn decide(
    tables: &Tables,
    start: *const u8,
    place: StripePlace,
    results: &[[[u64; MAX_LANES]; 2]; 8],
    found: &mut Option<usize>,
) {
    for (word, registers) in results.iter().enumerate() {
        for (register, lanes) in registers.iter().enumerate() {
            for (lane, bytes) in lanes[..place.lanes].iter().enumerate() {
                let stripe = register * place.lanes + lane;
                let first = stripe * place.len + place.at + word * 8;
                for (byte, _) in bytes.to_be_bytes().iter().enumerate().filter(|(_, b)| **b == 0) {
                    let end = first + byte;
                    if found.is_none_or(|found| end < found) {
                        // SAFETY: the byte is in a stripe, and 63 more are before it.
                        let window = unsafe {
                            let first = start.add(end + 1).sub(WINDOW);
                            &*first.cast::<[u8; WINDOW]>()
                        };
                        if tables.ends_chunk(window) {
                            *found = Some(end);
                        }
                    }
                }
            }
        }
    }
}

/// Four stripes: each step waits for the one before.
pub(crate) static PORTABLE: RabinKernel =
    RabinKernel { name: "integers", stripes: 4, find: find_by_tables };

/// Searches a stretch with tables.
///
/// # Safety
/// The contract of [`RabinKernel::find`].
unsafe fn find_by_tables(
    _: &Constants,
    tables: &Tables,
    start: *const u8,
    len: usize,
) -> Option<usize> {
    // SAFETY: the four stripes and the window before the first are readable, by this function's
    // contract, and nothing writes to them meanwhile.
    let data = unsafe { core::slice::from_raw_parts(start.sub(WINDOW), WINDOW + 4 * len) };
    // All stripes have a length that the compiler knows to be the same.
    let stripes = each!(i in 4 => &data[i * len..][..WINDOW + len]);
    let mut digests = each!(i in 4 => {
        tables.digest(stripes[i].first_chunk().expect("a stripe has a window before it"))
    });
    let mut found = [None; 4];
    let mut at = 0;
    while at < len && found[0].is_none() {
        let _ = each!(i in 4 => {
            let (old, new) = (stripes[i][at], stripes[i][at + WINDOW]);
            digests[i] = tables.slide(digests[i], old, new);
            if digests[i] & tables.mask == 0 && found[i].is_none() {
                found[i] = Some(i * len + at);
            }
        });
        at += 1;
    }
    found[0].or(found[1]).or(found[2]).or(found[3])
}
