//! The AES S-box and its inverse on bit slices, by arithmetic alone.
//!
//! A slice holds one bit of every byte: `x[k]` has bit `k` of 64 bytes, and one call substitutes
//! all 64. There is no table, so a cache reveals nothing.
//!
//! Both substitutions are an inversion in GF(2⁸) between two linear maps. The inversion is done in
//! the tower GF(((2²)²)²), each floor over a normal basis (as in D. Canright, "A very compact S-box
//! for AES", CHES 2005), where it becomes a few ANDs and XORs:
//!
//! | floor | basis, as bytes of the AES field | norm |
//! |---|---|---|
//! | GF(2²) | `w, w²` with `w = 0xbd` | 1 |
//! | GF(2⁴) | `z, z⁴` with `z = 0x5c` | `w²` |
//! | GF(2⁸) | `y, y¹⁶` with `y = 0xfe` | `0xec` |
//!
//! Among all such towers, this one has the cheapest base changes. Coordinates are listed from the
//! lowest: the first half of an element belongs to `y` (or `z`, or `w`).

/// An element of GF(2²) in 64 copies.
type Gf4 = [u64; 2];
/// An element of GF(2⁴) in 64 copies.
type Gf16 = [u64; 4];

/// Applies SubBytes (FIPS 197, 5.1.1) to 64 bytes.
#[inline(always)]
pub(crate) fn sub(x: &mut [u64; 8]) {
    let [x0, x1, x2, x3, x4, x5, x6, x7] = *x;

    // To the tower.
    let a = x0 ^ x6;
    let b = x5 ^ a;
    let c = x7 ^ b;
    let d = x1 ^ x3;
    let e = x4 ^ x7 ^ d;
    let t = [c, x1 ^ b, x4 ^ b, x1 ^ x2 ^ c, x2 ^ a ^ d, b, x0, x0 ^ e];

    let [t0, t1, t2, t3, t4, t5, t6, t7] = invert(t);

    // Back, and the affine map of the standard: a matrix and the constant 0x63.
    let a = t1 ^ t7;
    let b = t3 ^ a;
    let c = t2 ^ t4;
    let d = t0 ^ t5;
    *x = [!(t2 ^ d), !(t1 ^ d), t6 ^ a ^ c, t0 ^ t2 ^ b, b, !c, !(t3 ^ t7), a];
}

/// Applies InvSubBytes (FIPS 197, 5.3.2) to 64 bytes.
#[inline(always)]
pub(crate) fn inv_sub(x: &mut [u64; 8]) {
    let [x0, x1, x2, x3, x4, x5, x6, x7] = *x;

    // The affine map undone and to the tower, at once: a matrix and the constant 0xe7.
    let a = x4 ^ x6;
    let b = x0 ^ x1;
    let c = a ^ b;
    let d = x3 ^ x4;
    let t = [!(x3 ^ x6 ^ b), !a, !c, x4 ^ x7, x5 ^ c, !(x0 ^ d), !(x2 ^ x5 ^ x7), !(x7 ^ a)];

    let [t0, t1, t2, t3, t4, t5, t6, t7] = invert(t);

    let a = t1 ^ t5;
    let b = t2 ^ t7;
    let c = a ^ b;
    let d = t3 ^ t4;
    let e = t6 ^ b ^ d;
    *x = [t6, a, t0 ^ t3 ^ a, t0 ^ t6 ^ c, t2 ^ t5, t1 ^ e, c ^ d, t0 ^ t5];
}

/// Returns the inverse in GF(2⁸), 0 to 0.
#[inline(always)]
fn invert([l0, l1, l2, l3, h0, h1, h2, h3]: [u64; 8]) -> [u64; 8] {
    let (low, high) = ([l0, l1, l2, l3], [h0, h1, h2, h3]);
    let norm = add16(mul16(low, high), square_scale16(add16(low, high)));
    let norm = invert16(norm);
    let ([l0, l1, l2, l3], [h0, h1, h2, h3]) = (mul16(norm, high), mul16(norm, low));
    [l0, l1, l2, l3, h0, h1, h2, h3]
}

#[inline(always)]
fn add16(a: Gf16, b: Gf16) -> Gf16 {
    [a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]]
}

#[inline(always)]
fn mul16([a0, a1, a2, a3]: Gf16, [b0, b1, b2, b3]: Gf16) -> Gf16 {
    let (al, ah, bl, bh) = ([a0, a1], [a2, a3], [b0, b1], [b2, b3]);
    let cross = scale4(mul4(add4(al, ah), add4(bl, bh)));
    let ([l0, l1], [h0, h1]) = (add4(mul4(al, bl), cross), add4(mul4(ah, bh), cross));
    [l0, l1, h0, h1]
}

/// Returns `a² · 0xec`: the square times the norm of GF(2⁸) over GF(2⁴).
#[inline(always)]
fn square_scale16([a0, a1, a2, a3]: Gf16) -> Gf16 {
    [a0, a0 ^ a1, a1 ^ a3, a0 ^ a2]
}

/// Returns the inverse in GF(2⁴), 0 to 0.
#[inline(always)]
fn invert16([a0, a1, a2, a3]: Gf16) -> Gf16 {
    let (low, high) = ([a0, a1], [a2, a3]);
    let norm = add4(mul4(low, high), scale4(square4(add4(low, high))));
    // In GF(2²) the inverse is the square.
    let norm = square4(norm);
    let ([l0, l1], [h0, h1]) = (mul4(norm, high), mul4(norm, low));
    [l0, l1, h0, h1]
}

#[inline(always)]
fn add4(a: Gf4, b: Gf4) -> Gf4 {
    [a[0] ^ b[0], a[1] ^ b[1]]
}

#[inline(always)]
fn mul4(a: Gf4, b: Gf4) -> Gf4 {
    let cross = (a[0] ^ a[1]) & (b[0] ^ b[1]);
    [(a[0] & b[0]) ^ cross, (a[1] & b[1]) ^ cross]
}

#[inline(always)]
fn square4([a0, a1]: Gf4) -> Gf4 {
    [a1, a0]
}

/// Returns `a · w²`: times the norm of GF(2⁴) over GF(2²).
#[inline(always)]
fn scale4([a0, a1]: Gf4) -> Gf4 {
    [a0 ^ a1, a0]
}
