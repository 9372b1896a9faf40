// Arithmetic modulo p = 2^255 - 19, and the curve of Ed25519 (RFC 8032, 5.1) over it.
//
// A number has ten limbs, the lowest first, of 26 and of 25 bits in turn (Bernstein, 2006). A
// factor of a product may have limbs that are up to three times as long as these. Limbs of a
// product or of a difference exceed them by less than a thousandth: such a number is reduced.

typedef struct { u32 limb[10]; } Number;

#define BITS(i) (26 - (i) % 2)
#define LIMB(i) ((1u << BITS(i)) - 1)

// A sum of reduced numbers or of their doubles, which is a factor and no more.
Number plus(const Number a, const Number b)
{
    Number sum;
    UNROLL
    for (u32 i = 0; i < 10; i++) sum.limb[i] = a.limb[i] + b.limb[i];
    return sum;
}

// A reduced difference. The second number may be a sum of two reduced ones.
Number minus(const Number a, const Number b)
{
    Number wide, difference;
    // 4p is added, whose limbs are larger than those of such a sum.
    UNROLL
    for (u32 i = 0; i < 10; i++) {
        wide.limb[i] = a.limb[i] + 4 * (LIMB(i) - (i == 0 ? 18 : 0)) - b.limb[i];
    }
    UNROLL
    for (u32 i = 0; i < 10; i++) {
        const u32 below = (i + 9) % 10;
        const u32 carry = wide.limb[below] >> BITS(below);
        difference.limb[i] = (wide.limb[i] & LIMB(i)) + carry * (i == 0 ? 19 : 1);
    }
    return difference;
}

// The reduced number of sums of products. Two chains of carries run side by side.
Number narrowed(u64 *sums)
{
    Number number;
#define CARRY(i) sums[(i) + 1] += sums[i] >> BITS(i), sums[i] &= LIMB(i)
    UNROLL
    for (u32 i = 0; i < 4; i++) {
        CARRY(i);
        CARRY(i + 4);
    }
    CARRY(4);
    CARRY(8);
    sums[0] += 19 * (sums[9] >> BITS(9));
    sums[9] &= LIMB(9);
    CARRY(0);
    UNROLL
    for (u32 i = 0; i < 10; i++) number.limb[i] = (u32)sums[i];
    return number;
}

// Limbs of 25 bits lack one bit each: a product of two of them counts twice. What is above all
// limbs counts 19 times at the bottom.
#define WEIGHT(i, j) (((i) & (j) & 1) + 1)
#define FOLD(i, j) ((i) + (j) < 10 ? 1 : 19)

Number times(const Number a, const Number b)
{
    u64 sums[10] = {0};
    UNROLL
    for (u32 i = 0; i < 10; i++) {
        UNROLL
        for (u32 j = 0; j < 10; j++) {
            const u32 first = a.limb[i] * WEIGHT(i, j), second = b.limb[j] * FOLD(i, j);
            sums[(i + j) % 10] += (u64)first * second;
        }
    }
    return narrowed(sums);
}

Number square(const Number a)
{
    u64 sums[10] = {0};
    UNROLL
    for (u32 i = 0; i < 10; i++) {
        UNROLL
        for (u32 j = i; j < 10; j++) {
            const u32 first = a.limb[i] * WEIGHT(i, j) * (i == j ? 1 : 2);
            sums[(i + j) % 10] += (u64)first * (a.limb[j] * FOLD(i, j));
        }
    }
    return narrowed(sums);
}

// A number to the power p - 2, its inverse: squarings, each of which a product follows with an
// earlier number. The first two of these are the number and its square.
__constant u32 SQUARES[11] = {2, 0, 1, 5, 10, 20, 10, 50, 100, 50, 5};
__constant u32 FACTOR[11] = {0, 1, 2, 4, 5, 6, 5, 8, 9, 8, 3};

Number inverse(const Number a)
{
    Number made[13];
    made[0] = a;
    made[1] = square(a);
    for (u32 step = 0; step < 11; step++) {
        Number power = made[step + 1];
        for (u32 i = 0; i < SQUARES[step]; i++) power = square(power);
        made[step + 2] = times(power, made[FACTOR[step]]);
    }
    return made[12];
}

// The words of a reduced number modulo p.
void words_of(u32 *words, Number a)
{
    // Such a number is below 2p. Whether it is p at least, the carry of a sum with 19 says.
    u32 above = 19;
    UNROLL
    for (u32 i = 0; i < 10; i++) above = (a.limb[i] + above) >> BITS(i);
    a.limb[0] += 19 * above;
    u32 carry = 0, word = 0, used = 0;
    u64 bits = 0;
    UNROLL
    for (u32 i = 0; i < 10; i++) {
        a.limb[i] += carry;
        carry = a.limb[i] >> BITS(i);
        bits |= (u64)(a.limb[i] & LIMB(i)) << used;
        used += BITS(i);
        if (used >= 32) {
            words[word++] = (u32)bits;
            bits >>= 32;
            used -= 32;
        }
    }
    words[7] = (u32)bits;
}

// X, Y, Z and T, where x is X/Z, y is Y/Z and x·y is T/Z (Hisil, Wong, Carter and Dawson, 2008).
// Additions are complete.
typedef struct { Number x, y, z, t; } Point;

// A point that is added: y + x, y - x, and 2·d·x·y.
typedef struct { Number plus, minus, product; } Addend;
#define ADDEND 30           // its limbs

Number small(const u32 value)
{
    Number number = {{value}};
    return number;
}

Point neutral(void)
{
    const Point point = {small(0), small(1), small(1), small(0)};
    return point;
}

// The point where x is X/Z, and y is Y/T; without T, if nothing is added to it.
Point made(const Number x, const Number y, const Number z, const Number t, const bool with_t)
{
    Point point = {times(x, t), times(y, z), times(z, t), x};
    if (with_t) point.t = times(x, y);
    return point;
}

Point doubled(const Point p, const bool with_t)
{
    const Number xx = square(p.x), yy = square(p.y), zz = square(p.z);
    const Number both = square(plus(p.x, p.y));
    const Number y = plus(yy, xx), z = minus(yy, xx);
    return made(minus(both, y), y, z, minus(plus(zz, zz), z), with_t);
}

Point added(const Point p, const Addend q, const bool with_t)
{
    const Number a = times(plus(p.y, p.x), q.plus), b = times(minus(p.y, p.x), q.minus);
    const Number c = times(q.product, p.t), d = plus(p.z, p.z);
    return made(minus(a, b), plus(a, b), plus(d, c), minus(d, c), with_t);
}

// The addend, or where the mask is all ones, its negative.
Addend signed_addend(Addend q, const u32 mask)
{
    const Number negated = minus(small(0), q.product);
    UNROLL
    for (u32 i = 0; i < 10; i++) {
        const u32 differing = (q.plus.limb[i] ^ q.minus.limb[i]) & mask;
        q.plus.limb[i] ^= differing;
        q.minus.limb[i] ^= differing;
        q.product.limb[i] ^= (q.product.limb[i] ^ negated.limb[i]) & mask;
    }
    return q;
}

// A point as the standard writes it (RFC 8032, 5.1.2).
void encode(u32 *words, const Point p)
{
    const Number own = inverse(p.z);
    u32 x[8];
    words_of(x, times(p.x, own));
    words_of(words, times(p.y, own));
    words[7] |= x[0] << 31;
}
