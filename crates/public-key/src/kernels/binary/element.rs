//! Polynomials over two elements modulo x^283 + x^12 + x^7 + x^5 + 1 (FIPS 186-4, D.1.3.4), one of
//! each lane.

use broadloom_lanes::inside::each;

use super::pairs::{Memory, Pairs};

/// Bits of an element.
pub(crate) const BITS: usize = 283;

/// Bits of the last word of an element.
const LAST: i32 = BITS as i32 - 4 * 64;

/// An element in five words, the lowest coefficients first.
pub(crate) type ElementWords = [u64; 5];

/// An element of every lane: three pairs, of which the last word is zero.
#[derive(Clone, Copy)]
pub(crate) struct Element<P>(pub [P; 3]);

/// An element of every lane, in memory.
#[derive(Clone, Copy)]
pub(crate) struct Column([Memory; 3]);

impl Column {
    pub const ZERO: Self = Column([Memory::ZERO; 3]);

    /// Puts an element into a lane.
    pub fn put(&mut self, lane: usize, words: &ElementWords) {
        let [a, b, c, d, e] = *words;
        for (memory, pair) in self.0.iter_mut().zip([[a, b], [c, d], [e, 0]]) {
            memory.0[lane] = pair;
        }
    }

    /// Returns the element of a lane.
    pub fn lane(&self, lane: usize) -> ElementWords {
        let [[a, b], [c, d], [e, _]] = self.0.map(|memory| memory.0[lane]);
        [a, b, c, d, e]
    }
}

impl zeroize::Zeroize for Column {
    fn zeroize(&mut self) {
        self.0.iter_mut().for_each(|memory| memory.0.zeroize());
    }
}

/// The products of an instruction set, compiled once.
///
/// # Safety
/// An implementor uses no other instructions than its pairs.
pub(crate) unsafe trait Multiply: Pairs {
    /// Returns the product.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn product(a: &Element<Self>, b: &Element<Self>) -> Element<Self>;

    /// Returns the element, squared `times` times.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn squared(a: &Element<Self>, times: usize) -> Element<Self>;
}

/// Computes [`Multiply::product`] with 16 carry-less products, by Karatsuba's method over pairs and
/// over words.
#[inline(always)]
pub(crate) fn product<P: Pairs>(a: &Element<P>, b: &Element<P>) -> Element<P> {
    let (Element([a0, a1, a2]), Element([b0, b1, b2])) = (a, b);
    let first = pair_product(*a0, *b0);
    let second = pair_product(*a1, *b1);
    let last = a2.low_products(*b2);
    let plus = |a: [P; 3], b: [P; 3]| each!(i in 3 => a[i].xor(b[i]));
    // What is 128, 256 and 384 places up: low, middle and high words, 64 places apart.
    let ab = plus(plus(pair_product(a0.xor(*a1), b0.xor(*b1)), first), second);
    let mut ac = plus(pair_product(a0.xor(*a2), b0.xor(*b2)), first);
    let mut bc = plus(pair_product(a1.xor(*a2), b1.xor(*b2)), second);
    (ac[0], bc[0]) = (ac[0].xor(last), bc[0].xor(last));
    let middles = [first[1], ab[1], second[1].xor(ac[1]), bc[1]];
    let zero = last.xor(last);
    reduce([
        first[0].xor(zero.middle(middles[0])),
        first[2].xor(ab[0]).xor(middles[0].middle(middles[1])),
        second[0].xor(ab[2]).xor(ac[0]).xor(middles[1].middle(middles[2])),
        second[2].xor(ac[2]).xor(bc[0]).xor(middles[2].middle(middles[3])),
        last.xor(bc[2]).xor(middles[3].middle(zero)),
    ])
}

/// Returns the product of two pairs: the lower pair, what is added 64 places up, and the upper
/// pair.
#[inline(always)]
fn pair_product<P: Pairs>(a: P, b: P) -> [P; 3] {
    let (low, high) = (a.low_products(b), a.high_products(b));
    let both = a.xor(a.swapped()).low_products(b.xor(b.swapped()));
    [low, both.xor(low).xor(high), high]
}

/// Returns the body of [`Multiply::squared`]: between the coefficients of a square are zeros.
#[inline(always)]
pub(crate) fn squared<P: Pairs>(a: &Element<P>, times: usize) -> Element<P> {
    (0..times).fold(*a, |Element([a0, a1, a2]), _| {
        let high = |pair: P| pair.swapped().low_squares();
        reduce([a0.low_squares(), high(a0), a1.low_squares(), high(a1), a2.low_squares()])
    })
}

/// Reduces ten words to the rest: each coefficient from the 283rd on is added to four lower ones.
#[inline(always)]
fn reduce<P: Pairs>(words: [P; 5]) -> Element<P> {
    const UP: i32 = 64 - LAST;
    let zero = words[0].xor(words[0]);
    let above =
        |pair: P, next: P| pair.shift_right::<LAST>().xor(pair.middle(next).shift_left::<UP>());
    let high = [above(words[2], words[3]), above(words[3], words[4]), above(words[4], zero)];
    let multiple =
        |x: P| x.xor(x.shift_left::<5>()).xor(x.shift_left::<7>()).xor(x.shift_left::<12>());
    let carry = |x: P| x.shift_right::<59>().xor(x.shift_right::<57>()).xor(x.shift_right::<52>());
    let [carry_first, carry_second] = [carry(high[0]), carry(high[1])];
    let last = zero.splat([(1 << LAST) - 1, 0]);
    let first = words[0].xor(multiple(high[0])).xor(zero.middle(carry_first));
    let second = words[1].xor(multiple(high[1])).xor(carry_first.middle(carry_second));
    let third = words[2].and(last).xor(multiple(high[2])).xor(carry_second.middle(zero));
    // A few coefficients are too high once more.
    let first = first.xor(multiple(third.shift_right::<LAST>()));
    Element([first, second, third.and(last)])
}

impl<P: Multiply> Element<P> {
    /// Returns the same element in all lanes.
    #[inline(always)]
    pub fn splat(proof: P, [a, b, c, d, e]: ElementWords) -> Self {
        Element([proof.splat([a, b]), proof.splat([c, d]), proof.splat([e, 0])])
    }

    /// Loads the elements of all lanes.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    #[inline(always)]
    pub unsafe fn load(column: &Column) -> Self {
        // SAFETY: the CPU has the instruction set, by this function's contract.
        unsafe { Element(each!(i in 3 => P::load(&column.0[i]))) }
    }

    #[inline(always)]
    pub fn store(&self, column: &mut Column) {
        let Column([a, b, c]) = column;
        self.0[0].store(a);
        self.0[1].store(b);
        self.0[2].store(c);
    }

    #[inline(always)]
    pub fn plus(&self, other: &Self) -> Self {
        Element(each!(i in 3 => self.0[i].xor(other.0[i])))
    }

    #[inline(always)]
    pub fn times(&self, other: &Self) -> Self {
        // SAFETY: a value of `P` is proof of its instruction set.
        unsafe { P::product(self, other) }
    }

    #[inline(always)]
    pub fn square(&self) -> Self {
        self.square_times(1)
    }

    #[inline(always)]
    pub fn square_times(&self, times: usize) -> Self {
        // SAFETY: a value of `P` is proof of its instruction set.
        unsafe { P::squared(self, times) }
    }

    /// Exchanges elements in lanes where the mask is all ones.
    #[inline(always)]
    pub fn exchange(&mut self, other: &mut Self, mask: P) {
        let change = each!(i in 3 => self.0[i].xor(other.0[i]).and(mask));
        *self = Element(each!(i in 3 => self.0[i].xor(change[i])));
        *other = Element(each!(i in 3 => other.0[i].xor(change[i])));
    }

    /// Returns `1 / self`, or zero of zero: the power of 2^283 - 2 (Itoh and Tsujii).
    pub fn inverse(&self) -> Self {
        // `self` to the power of 2^done - 1.
        let (mut power, mut done) = (*self, 1);
        let exponent = BITS - 1;
        for bit in (0..exponent.ilog2()).rev() {
            power = power.square_times(done).times(&power);
            done *= 2;
            if exponent >> bit & 1 == 1 {
                power = power.square().times(self);
                done += 1;
            }
        }
        power.square()
    }

    /// Returns the sum of every other one of 283 squares, from the first: `y` with `y^2 + y =
    /// self`, where the trace of `self` is zero.
    pub fn half_trace(&self) -> Self {
        (0..BITS / 2).fold(*self, |sum, _| sum.square_times(2).plus(self))
    }
}

/// Returns the trace, 0 or 1: the sum of 283 squares. Of all coefficients only those of 1 and of
/// x^271 have a part in it.
pub(crate) fn trace(words: &ElementWords) -> u64 {
    (words[0] ^ words[271 / 64] >> (271 % 64)) & 1
}

/// Returns the lanes whose elements are zero, as bits.
pub(crate) fn zeros<P: Multiply>(element: &Element<P>) -> u32 {
    let mut column = Column::ZERO;
    element.store(&mut column);
    let zero = |lane: &usize| column.lane(*lane).iter().fold(0, |all, word| all | word) == 0;
    (0..P::LANES).filter(zero).fold(0, |lanes, lane| lanes | 1 << lane)
}

/// Returns the element of bytes, the highest coefficients first; none of more than 283 bits.
pub(crate) fn from_bytes(bytes: &[u8; 36]) -> Option<ElementWords> {
    let words = words(bytes);
    (words[4] >> LAST == 0).then_some(words)
}

/// Returns the number of bytes, the highest first.
pub(crate) fn words(bytes: &[u8; 36]) -> ElementWords {
    let mut words = [0; 5];
    for (index, chunk) in bytes.rchunks(8).enumerate() {
        words[index] = chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    words
}

/// Returns the bytes of a number, the highest first.
pub(crate) fn to_bytes(words: &ElementWords) -> [u8; 36] {
    let mut bytes = [0; 36];
    for (chunk, word) in bytes.rchunks_mut(8).zip(words) {
        let word = word.to_be_bytes();
        chunk.copy_from_slice(&word[8 - chunk.len()..]);
    }
    bytes
}
