//! The permutation Keccak-f\[1600\] (FIPS 202, section 3), written once over [`Vector`].

use crate::vector::{Vector, each};

/// Words of a state: number `5 * y + x` is what FIPS 202 calls lane (x, y).
pub const WORDS: usize = 25;

/// The state of one buffer.
pub type KeccakState = [u64; WORDS];

/// The states of a vector's lanes in registers: `rows[y][x]`.
pub type Rows<V> = [[V; 5]; 5];

/// The constants of the rounds (FIPS 202, section 3.2.5), four to a pass of the loop.
pub const CONSTANTS: [[u64; 4]; 6] = [
    [0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000],
    [0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009],
    [0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a],
    [0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003],
    [0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a],
    [0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008],
];

/// The steps of a round in the instructions of one instruction set. Only the reading of a block has
/// no general form.
///
/// # Safety
/// The contract of [`Vector`]: an implementor uses no instruction outside the set that its
/// documentation names, and marks every method `#[inline(always)]`.
pub unsafe trait Steps {
    /// A word of every lane.
    type V: Vector<Word = u64>;

    /// Loads eight words of every lane, little-endian in memory: word `i` of lane `l`, read at
    /// `lanes[l] + offset`, is lane `l` of element `i`.
    ///
    /// # Safety
    /// - The CPU has the instruction set.
    /// - `lanes` is readable for `LANES` pointers, and each of these for eight words from `offset`
    ///   on, at any alignment.
    unsafe fn load_eight(lanes: *const *const u8, offset: usize) -> [Self::V; 8];

    /// Returns the parity of a column.
    #[inline(always)]
    fn parity([a, b, c, d, e]: [Self::V; 5]) -> Self::V {
        a.xor3(b, c).xor3(d, e)
    }

    /// Returns `a ^ rotate_left(b, 1)`.
    #[inline(always)]
    fn add_rotated(a: Self::V, b: Self::V) -> Self::V {
        a.xor(b.rotate_right::<63>())
    }

    /// Returns `rotate_right(a ^ b, RIGHT)`.
    #[inline(always)]
    fn add_then_rotate<const RIGHT: i32>(a: Self::V, b: Self::V) -> Self::V {
        a.xor(b).rotate_right::<RIGHT>()
    }

    /// Returns `a ^ (!b & c)`.
    #[inline(always)]
    fn chi(a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        a.xor(b.not().and(c))
    }
}

/// Does all 24 rounds.
#[inline(always)]
pub fn permute<S: Steps>(s: &mut Rows<S::V>) {
    for constants in &CONSTANTS {
        round::<S>(s, constants[0], 0);
        round::<S>(s, constants[1], 1);
        round::<S>(s, constants[2], 2);
        round::<S>(s, constants[3], 3);
    }
}

/// Returns where lane (x, y) is before round `i` of four: the row of registers.
///
/// A round leaves every plane of its result in the registers that it took the plane's lanes from.
/// After four rounds each lane is in its own register again, so that the loop over four rounds
/// moves no register.
#[inline(always)]
const fn row(i: usize, x: usize, y: usize) -> usize {
    let row = match i % 4 {
        0 => y,
        1 => x + 2 * y,
        2 => 3 * x + 4 * y,
        _ => 2 * x + 3 * y,
    };
    row % 5
}

/// Does round `i` of four.
#[inline(always)]
fn round<S: Steps>(s: &mut Rows<S::V>, constant: u64, i: usize) {
    let parity = each!(x in 5 => S::parity(each!(y in 5 => s[row(i, x, y)][x])));
    let d = each!(x in 5 => S::add_rotated(parity[(x + 4) % 5], parity[(x + 1) % 5]));

    // FIPS 202, section 3.2.2, rotates each lane left by an offset: here right, by what is left of
    // 64.
    let lanes = [
        s[0][0].xor(d[0]),
        moved::<20, S>(s, &d, i, 0, 1),
        moved::<21, S>(s, &d, i, 0, 2),
        moved::<43, S>(s, &d, i, 0, 3),
        moved::<50, S>(s, &d, i, 0, 4),
    ];
    plane::<S>(s, lanes, i, 0);
    // SAFETY: a value of a vector is proof that the CPU has its instruction set.
    s[0][0] = s[0][0].xor(unsafe { S::V::splat(constant) });
    let lanes = [
        moved::<36, S>(s, &d, i, 1, 0),
        moved::<44, S>(s, &d, i, 1, 1),
        moved::<61, S>(s, &d, i, 1, 2),
        moved::<19, S>(s, &d, i, 1, 3),
        moved::<3, S>(s, &d, i, 1, 4),
    ];
    plane::<S>(s, lanes, i, 1);
    let lanes = [
        moved::<63, S>(s, &d, i, 2, 0),
        moved::<58, S>(s, &d, i, 2, 1),
        moved::<39, S>(s, &d, i, 2, 2),
        moved::<56, S>(s, &d, i, 2, 3),
        moved::<46, S>(s, &d, i, 2, 4),
    ];
    plane::<S>(s, lanes, i, 2);
    let lanes = [
        moved::<37, S>(s, &d, i, 3, 0),
        moved::<28, S>(s, &d, i, 3, 1),
        moved::<54, S>(s, &d, i, 3, 2),
        moved::<49, S>(s, &d, i, 3, 3),
        moved::<8, S>(s, &d, i, 3, 4),
    ];
    plane::<S>(s, lanes, i, 3);
    let lanes = [
        moved::<2, S>(s, &d, i, 4, 0),
        moved::<9, S>(s, &d, i, 4, 1),
        moved::<25, S>(s, &d, i, 4, 2),
        moved::<23, S>(s, &d, i, 4, 3),
        moved::<62, S>(s, &d, i, 4, 4),
    ];
    plane::<S>(s, lanes, i, 4);
}

/// Returns the lane that goes to (`x`, `y`), with the parity of its neighbours added, rotated right
/// by `RIGHT`.
#[inline(always)]
fn moved<const RIGHT: i32, S: Steps>(
    s: &Rows<S::V>,
    d: &[S::V; 5],
    i: usize,
    y: usize,
    x: usize,
) -> S::V {
    let from = (x + 3 * y) % 5;
    S::add_then_rotate::<RIGHT>(s[row(i, from, x)][from], d[from])
}

/// Makes plane `y` of the result of its lanes.
#[inline(always)]
fn plane<S: Steps>(s: &mut Rows<S::V>, b: [S::V; 5], i: usize, y: usize) {
    each!(x in 5 => s[row(i + 1, x, y)][x] = S::chi(b[x], b[(x + 1) % 5], b[(x + 2) % 5]));
}
