//! Numbers modulo the primes, on words that check that nothing overflows.

use std::vec::Vec;

use num_bigint::BigUint;

use super::many;
use crate::curves::element::Multiply;
use crate::curves::prime256;
use crate::curves::prime25519::{self, Fe};
use crate::curves::words::Words;

/// A word of one lane, with products as on AVX2 or, if `FUSED`, as with IFMA. No sum or factor may
/// be too long.
#[derive(Clone, Copy)]
struct Checked<const FUSED: bool>(u64);

// SAFETY: baseline instructions only.
unsafe impl<const FUSED: bool> Words for Checked<FUSED> {
    const LANES: usize = 1;
    const LOOSE: bool = FUSED;
    type Sum = [u64; 2];

    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for the word.
        Checked(unsafe { from.read() })
    }
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller vouches for the word.
        unsafe { to.write(self.0) }
    }
    fn splat(self, word: u64) -> Self {
        Checked(word)
    }
    fn add(self, other: Self) -> Self {
        Checked(self.0.checked_add(other.0).expect("there is room for the sum"))
    }
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
    fn select(self, one: Self, other: Self) -> Self {
        if self.0 == u64::MAX { one } else { other }
    }
    fn small_product(self, other: Self) -> Self {
        assert!(self.0 >> 32 == 0 && other.0 >> 32 == 0, "factors of 32 bits");
        Checked(self.0 * other.0)
    }
    fn sum(self) -> [u64; 2] {
        [self.0, 0]
    }
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
    fn plus([low, high]: [u64; 2], word: Self) -> [u64; 2] {
        [low.checked_add(word.0).expect("there is room for the sum"), high]
    }
    fn twice([low, high]: [u64; 2]) -> [u64; 2] {
        [low, high].map(|half| half.checked_mul(2).expect("there is room for the sum"))
    }
    fn part([low, high]: [u64; 2], bits: u32) -> (Self, Self) {
        match FUSED {
            true => (Checked(low), Checked(high << (52 - bits))),
            false => (Checked(low & ((1 << bits) - 1)), Checked(low >> bits)),
        }
    }
}

macro_rules! multiply {
    ($fused:literal, $limbs:literal) => {
        // SAFETY: baseline instructions only.
        unsafe impl Multiply for prime256::Fe<Checked<$fused>, $limbs> {
            unsafe fn product(a: &Self, b: &Self) -> Self {
                prime256::product(a, b)
            }
            unsafe fn squared(a: &Self) -> Self {
                prime256::squared(a)
            }
        }

        // SAFETY: baseline instructions only.
        unsafe impl Multiply for Fe<Checked<$fused>, $limbs> {
            unsafe fn product(a: &Self, b: &Self) -> Self {
                prime25519::product(a, b)
            }
            unsafe fn squared(a: &Self) -> Self {
                prime25519::squared(a)
            }
        }
    };
}

multiply!(true, 5);
multiply!(false, 10);

fn number(words: [u64; 4]) -> BigUint {
    BigUint::from_bytes_le(&super::super::scalar::to_bytes(words))
}

/// Numbers with words at their extremes, and others, below 2^255.
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

/// A number whose limbs are as long as those of products may be.
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

/// A factor of P-256 whose limbs are as long as those of differences may be, below 2^256 by as many
/// multiples of 2^224 as differences have at most, and what it stands for times R.
fn longest256<const FUSED: bool, const N: usize>() -> (prime256::Fe<Checked<FUSED>, N>, BigUint) {
    let bits = if FUSED { 52 } else { 26 };
    let limb = if FUSED { (1 << bits) - 1 } else { (1_u64 << bits) + (1 << 7) };
    let highest = (1 << (256 - bits * (N - 1))) + (1 << (240 - bits * (N - 1)));
    let limbs: [u64; N] = core::array::from_fn(|at| if at + 1 < N { limb } else { highest });
    let number = limbs.iter().enumerate().map(|(i, limb)| BigUint::from(*limb) << (bits * i)).sum();
    (prime256::Fe::of(limbs.map(Checked)), number)
}

/// The same for P-256: sums and differences as points have them, at the bounds that are stated.
fn arithmetic256<const FUSED: bool, const N: usize>()
where
    prime256::Fe<Checked<FUSED>, N>: Multiply,
{
    let one = BigUint::from(1u8);
    let prime =
        (&one << 256usize) - (&one << 224usize) + (&one << 192usize) + (&one << 96usize) - 1u8;
    let inverse = (&one << 260usize).modinv(&prime).expect("the prime is odd");
    let element = |words: [u64; 4]| prime256::Fe::<Checked<FUSED>, N>::entered(&words.map(Checked));
    let same = |ours: prime256::Fe<Checked<FUSED>, N>, expected: BigUint| {
        assert_eq!(number(ours.to_words()[0]), expected % &prime);
    };
    let mut numbers: Vec<_> =
        numbers().into_iter().map(|words| (element(words), number(words))).collect();
    for low in [u64::MAX, u64::MAX - 1] {
        let words = [low, u64::MAX >> 32, 0, 0xffff_ffff_0000_0001];
        numbers.extend([words, [low; 4]].map(|words| (element(words), number(words))));
    }
    let (longest, value) = longest256();
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
        let zero = prime256::Fe::splat(Checked(0), [0; 4]);
        same(zero.minus(x), &prime - p % &prime);
        same(x.minus(x), BigUint::ZERO);
        same(*x, p.clone());
    }
    same(prime256::Fe::one(Checked::<FUSED>(0)), one);
}

#[test]
fn nothing_overflows_with_products_of_32_bits() {
    arithmetic256::<false, 10>();
    arithmetic::<false, 10>();
}

#[test]
fn nothing_overflows_with_products_of_52_bits() {
    arithmetic256::<true, 5>();
    arithmetic::<true, 5>();
}
