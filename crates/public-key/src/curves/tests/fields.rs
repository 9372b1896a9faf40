//! Numbers modulo the primes, on words that check that nothing overflows.

use std::vec::Vec;

use num_bigint::BigUint;

use super::many;
use crate::kernels::curves::element::{Element, Multiply};
use crate::kernels::curves::montgomery::{self, Montgomery};
use crate::kernels::curves::prime25519::{self, Fe};
use crate::kernels::curves::scalar::Odd;
use crate::kernels::curves::weierstrass::p256::Prime256;
use crate::kernels::curves::weierstrass::p384::Prime384;
use crate::kernels::curves::weierstrass::p521::Prime521;
use crate::kernels::curves::weierstrass::secp256k1::PrimeK1;
use crate::kernels::curves::words::Words;

/// A word of one lane, with products as on AVX2 or, if `FUSED`, as with IFMA. No sum or factor may
/// be too long.
///
/// The operations that check something are called, because a field copies each of them hundreds of
/// times: as part of the copies they would take a third of the time in which the crate's tests
/// compile.
#[derive(Clone, Copy)]
struct Checked<const FUSED: bool>(u64);

// SAFETY: baseline instructions only.
unsafe impl<const FUSED: bool> Words for Checked<FUSED> {
    const LANES: usize = 1;
    const LOOSE: bool = FUSED;
    type Sum = [u64; 2];

    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: `from` is readable for one word (`LANES` is 1), by the contract of `Words::load`.
        Checked(unsafe { from.read() })
    }
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: `to` is writable for one word (`LANES` is 1), by the contract of `Words::store`.
        unsafe { to.write(self.0) }
    }
    fn splat(self, word: u64) -> Self {
        Checked(word)
    }
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        Checked(self.0.checked_add(other.0).expect("there is room for the sum"))
    }
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        Checked(self.0.checked_sub(other.0).expect("differences are not negative"))
    }
    fn and(self, other: Self) -> Self {
        Checked(self.0 & other.0)
    }
    fn or(self, other: Self) -> Self {
        Checked(self.0 | other.0)
    }
    fn xor(self, other: Self) -> Self {
        Checked(self.0 ^ other.0)
    }
    fn shift_left(self, by: u32) -> Self {
        Checked(self.0 << by)
    }
    fn shift_right(self, by: u32) -> Self {
        Checked(self.0 >> by)
    }
    fn equal(self, other: Self) -> Self {
        Checked(if self.0 == other.0 { u64::MAX } else { 0 })
    }
    #[inline(never)]
    fn select(self, one: Self, other: Self) -> Self {
        if self.0 == u64::MAX { one } else { other }
    }
    #[inline(never)]
    fn small_product(self, other: Self) -> Self {
        assert!(self.0 >> 32 == 0 && other.0 >> 32 == 0, "factors of 32 bits");
        Checked(self.0 * other.0)
    }
    fn sum(self) -> [u64; 2] {
        [self.0, 0]
    }
    #[inline(never)]
    fn plus_product([low, high]: [u64; 2], x: Self, y: Self) -> [u64; 2] {
        let bits = if FUSED { 52 } else { 32 };
        assert!(x.0 >> bits == 0 && y.0 >> bits == 0, "factors of {bits} bits");
        let product = u128::from(x.0) * u128::from(y.0);
        let halves = match FUSED {
            true => [product as u64 & ((1 << 52) - 1), (product >> 52) as u64],
            false => [product as u64, 0],
        };
        let plus = |sum: u64, part| sum.checked_add(part).expect("there is room for the sum");
        [plus(low, halves[0]), plus(high, halves[1])]
    }
    #[inline(never)]
    fn plus([low, high]: [u64; 2], word: Self) -> [u64; 2] {
        [low.checked_add(word.0).expect("there is room for the sum"), high]
    }
    #[inline(never)]
    fn twice([low, high]: [u64; 2]) -> [u64; 2] {
        [low, high].map(|half| half.checked_mul(2).expect("there is room for the sum"))
    }
    #[inline(never)]
    fn part([low, high]: [u64; 2], bits: u32) -> (Self, Self) {
        match FUSED {
            true => (Checked(low), Checked(high << (52 - bits))),
            false => (Checked(low & ((1 << bits) - 1)), Checked(low >> bits)),
        }
    }
}

macro_rules! multiply {
    ($module:ident, $prime:ty, $fused:literal, $limbs:literal) => {
        // SAFETY: baseline instructions only.
        unsafe impl Multiply for Element<$prime, Checked<$fused>, $limbs> {
            unsafe fn product(a: &Self, b: &Self) -> Self {
                $module::product(a, b)
            }
            unsafe fn squared(a: &Self) -> Self {
                $module::squared(a)
            }
        }
    };
}

multiply!(prime25519, prime25519::Prime25519, true, 5);
multiply!(prime25519, prime25519::Prime25519, false, 10);
multiply!(montgomery, Prime256, true, 5);
multiply!(montgomery, Prime256, false, 10);
multiply!(montgomery, Prime384, true, 8);
multiply!(montgomery, Prime384, false, 14);
multiply!(montgomery, Prime521, true, 11);
multiply!(montgomery, Prime521, false, 22);
multiply!(montgomery, PrimeK1, true, 5);
multiply!(montgomery, PrimeK1, false, 10);

fn number<const K: usize>(words: [u64; K]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |number, word| (number << 64usize) + *word)
}

/// Returns the numbers with words at their extremes, and others, below 2^255.
fn numbers() -> Vec<[u64; 4]> {
    let mut numbers = Vec::from([[0; 4], [1, 0, 0, 0]]);
    numbers.extend(
        [u64::MAX, u64::MAX - 18, u64::MAX - 19]
            .map(|low| [low, u64::MAX, u64::MAX, u64::MAX >> 1]),
    );
    let random = |i: u64| {
        [1, 2, 3, 5].map(|by: u64| (i * by).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (by / 5))
    };
    numbers.extend((1..many(40) as u64).map(random));
    numbers
}

/// Returns a number whose limbs are as long as those of products may be.
fn longest<const FUSED: bool, const N: usize>() -> (Fe<Checked<FUSED>, N>, BigUint) {
    let bits = if FUSED { 51 } else { 26 };
    let limb = (1_u64 << bits) + (1 << if FUSED { 9 } else { 16 });
    let number = (0..N).map(|i| BigUint::from(limb) << (bits * i)).sum();
    (Fe::of([Checked(limb); N]), number)
}

fn arithmetic<const FUSED: bool, const N: usize>()
where
    Fe<Checked<FUSED>, N>: Multiply,
{
    let prime = (BigUint::from(1u8) << 255) - 19u8;
    let element = |words| Fe::<Checked<FUSED>, N>::splat(Checked(0), words);
    let same = |ours: Fe<Checked<FUSED>, N>, expected: BigUint| {
        assert_eq!(number(ours.to_words()[0]), expected % &prime);
    };
    let numbers = numbers().into_iter().map(|words| (element(words), number(words)));
    let numbers: Vec<_> = numbers.chain([longest()]).collect();
    for (x, p) in &numbers {
        for (y, q) in &numbers {
            let (x, y, p, q) = (*x, *y, p.clone(), q.clone());
            let far = &prime * 128u8;
            // Sums and differences are factors, and what comes of factors is in sums again.
            same(x.plus(&y).plus(&x).times(&x.plus(&y)), (&p + &q + &p) * (&p + &q));
            let (xx, yy) = (x.square(), y.square());
            let product = xx.plus(&yy).plus(&xx).times(&yy.plus(&xx)).times(&xx.minus(&yy));
            let (pp, qq) = (&p * &p, &q * &q);
            same(product, (&pp + &qq + &pp) * (&qq + &pp) * (&far * &far + &pp - &qq));
            let (plus, minus) = (x.plus(&y), x.minus(&y));
            let difference = &far + &p - &q;
            same(plus.times(&minus), (&p + &q) * &difference);
            same(minus.square().plus(&plus.square()), &difference * &difference + (&p + &q).pow(2));
            same(minus.scaled(121_665).minus(&plus), &difference * 121_665u32 + &far - (&p + &q));
            same(x.times(&y).replaced(Checked(u64::MAX), &minus), difference);
        }
    }
}

/// Returns a factor whose limbs are as long as those of differences may be, below the prime's
/// highest power by as much as differences are at most, and what it stands for times R.
fn longest_difference<P: Montgomery, const FUSED: bool, const N: usize>()
-> (Element<P, Checked<FUSED>, N>, BigUint) {
    let bits = P::ALL_BITS / N;
    let limb = if bits == 52 { (1 << bits) - 1 } else { (1_u64 << bits) + (1 << 7) };
    let above = P::POWERS[0].1 - bits * (N - 1);
    let highest = (1 << above) + (1 << (above / 3));
    let limbs: [u64; N] = core::array::from_fn(|at| if at + 1 < N { limb } else { highest });
    let number = limbs.iter().enumerate().map(|(i, limb)| BigUint::from(*limb) << (bits * i)).sum();
    (Element::of(limbs.map(Checked)), number)
}

/// The same for a prime of a curve: sums and differences as points have them, at the bounds that
/// are stated.
fn differences<P: Montgomery + Odd<K>, const K: usize, const FUSED: bool, const N: usize>()
where
    Element<P, Checked<FUSED>, N>: Multiply,
{
    let one = BigUint::from(1u8);
    let power = |sum: BigUint, (sign, power): &(i64, usize)| match sign {
        1 => sum + (&one << *power),
        _ => sum - (&one << *power),
    };
    let prime = P::POWERS.iter().fold(BigUint::ZERO, power);
    assert_eq!(prime, number(P::WORDS));
    let inverse = (&one << P::ALL_BITS).modinv(&prime).expect("the prime is odd");
    let element = |words: [u64; K]| Element::<P, Checked<FUSED>, N>::entered(&words.map(Checked));
    let same = |ours: Element<P, Checked<FUSED>, N>, expected: BigUint| {
        assert_eq!(number(ours.to_words()[0]), expected % &prime);
    };
    // Numbers that look random, of which all words but the lowest four repeat others.
    let longer = |words: [u64; 4]| core::array::from_fn(|at| words[at % 4]);
    let mut all: Vec<[u64; K]> = numbers().into_iter().map(longer).collect();
    all.extend([[u64::MAX; K], P::WORDS]);
    for low in 0..3 {
        let mut words = P::WORDS;
        words[0] -= low;
        words[K - 1] -= low / 2;
        all.push(words);
    }
    for at in (0..64 * K).step_by(64 * K / many(16)) {
        let mut words = [0; K];
        words[at / 64] = 1 << (at % 64);
        all.push(words);
    }
    // No more bits than all limbs have.
    let cut = |mut words: [u64; K]| {
        words[K - 1] &= u64::MAX >> (64 * K).saturating_sub(P::ALL_BITS);
        words
    };
    let all = all.into_iter().map(cut);
    let mut numbers: Vec<_> = all.map(|words| (element(words), number(words))).collect();
    let (longest, value) = longest_difference();
    numbers.push((longest, value * inverse % &prime));
    for (x, p) in &numbers {
        for (y, q) in &numbers {
            let far = &prime * 16u8;
            same(x.times(y), p * q);
            // Differences, and of these products with sums.
            let difference = &prime + (p % &prime) - (q % &prime);
            same(x.minus(y).times(&x.plus(x).plus(y).factor()), (p + p + q) * &difference);
            let (xx, yy) = (x.square(), y.square());
            let both = xx.plus(&yy);
            same(both.factor().square(), (p * p + q * q).pow(2));
            same(both.factor().times(&both.factor()), (p * p + q * q).pow(2));
            let three = x.plus(&xx).plus(&x.plus(&xx)).plus(&x.plus(&xx)).factor();
            same(y.times(&three), (p + p * p) * q * 3u8);
            let four = both.plus(&both);
            let eight = four.plus(&four);
            // Eight products less eight products, and a product with that.
            let less = (p * p + q * q) * 4u8 + &far * &far - p * q * 8u8;
            let product = x.times(y);
            let two = product.plus(&product);
            let products = two.plus(&two).plus(&two.plus(&two));
            same(eight.minus(&products), less.clone());
            same(eight.minus(&products).square(), &less * &less);
            same(x.minus(y).replaced(Checked(u64::MAX), &xx), p * p);
        }
        same(Element::<P, Checked<FUSED>, N>::zero(Checked(0)).minus(x), &prime - p % &prime);
        same(x.minus(x), BigUint::ZERO);
        same(*x, p.clone());
    }
    same(Element::one(Checked::<FUSED>(0)), one);
}

#[test]
fn nothing_overflows_with_products_of_32_bits() {
    differences::<Prime256, 4, false, 10>();
    differences::<Prime384, 6, false, 14>();
    differences::<Prime521, 9, false, 22>();
    differences::<PrimeK1, 4, false, 10>();
    arithmetic::<false, 10>();
}

#[test]
fn nothing_overflows_with_products_of_52_bits() {
    differences::<Prime256, 4, true, 5>();
    differences::<Prime384, 6, true, 8>();
    differences::<Prime521, 9, true, 11>();
    differences::<PrimeK1, 4, true, 5>();
    arithmetic::<true, 5>();
}
