// RSA (RFC 8017): powers of numbers of WORDS words, the lowest first, modulo a key's modulus. The
// host pads and blinds.
//
// A private operation is three kernels: one item blinds the number, two items raise it, each modulo
// one prime, and one item joins what they found, raises that to the public exponent, and gives it
// out only if this yields the blinded number.
//
// No branch and no address depends on a secret: exponents have their whole length, and powers are
// picked from tables by masks.

#define HALF (WORDS / 2)

// Where a key has what, in words. With a public key, the first three.
#define INVERSE 0           // of minus the modulus, modulo 2^32
#define EXPONENT 2          // the public one: two words
#define MODULUS 8           // and then R² modulo it
#define COEFFICIENT (MODULUS + 2 * WORDS)
#define PRIME(half) (COEFFICIENT + HALF + (half) * 3 * HALF) // R² modulo it, private exponent
#define PRIME_INVERSE(half) (4 + (half))

// Bits of an exponent that are looked at together.
#define WINDOW 4
#define POWERS (1 << WINDOW)

void square(u32 *a, const u32 *n, const u32 inverse, const u32 count)
{
    u32 same[WORDS];
    UNROLL
    for (u32 j = 0; j < count; j++) same[j] = a[j];
    multiply(a, same, n, inverse, count);
}

// a = a/R modulo n.
void leave(u32 *a, const u32 *n, const u32 inverse, const u32 count)
{
    u32 one[WORDS];
    for (u32 j = 0; j < count; j++) one[j] = j == 0;
    multiply(a, one, n, inverse, count);
}

// a = a^e modulo n, for the public exponent, which may take what time it needs.
void raise_public(u32 *a, __global const u32 *key, const u32 *n)
{
    const u32 inverse = key[INVERSE];
    const u64 exponent = (u64)key[EXPONENT + 1] << 32 | key[EXPONENT];
    u32 base[WORDS];
    load(base, key + MODULUS + WORDS, WORDS);
    multiply(a, base, n, inverse, WORDS);
    for (u32 j = 0; j < WORDS; j++) base[j] = a[j];
    for (u32 bit = 63 - (u32)clz(exponent); bit-- > 0;) {
        square(a, n, inverse, WORDS);
        if (exponent >> bit & 1) multiply(a, base, n, inverse, WORDS);
    }
    leave(a, n, inverse, WORDS);
}

// Task: number, key, output.
KERNEL
void rsa_public(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u32 *key = in + task[1];
    u32 a[WORDS], n[WORDS];
    load(a, in + task[0], WORDS);
    load(n, key + MODULUS, WORDS);
    raise_public(a, key, n);
    store(out + task[2], a, WORDS);
}

// Task: number, key, output, r^e·R.
KERNEL
void rsa_blind(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u32 *key = in + task[1];
    u32 a[WORDS], power[WORDS], n[WORDS];
    load(a, in + task[0], WORDS);
    load(power, in + task[3], WORDS);
    load(n, key + MODULUS, WORDS);
    multiply(a, power, n, key[INVERSE], WORDS);
    store(out + task[2], a, WORDS);
}

// Task: blinded number, key, output, which prime.
KERNEL
void rsa_half(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u32 *prime = in + task[1] + PRIME(task[3]);
    __global const u32 *exponent = prime + 2 * HALF;
    __global const u32 *number = out + task[0];
    const u32 inverse = in[task[1] + PRIME_INVERSE(task[3])];
    u32 a[HALF], n[HALF], factor[HALF], powers[POWERS][HALF];
    load(n, prime, HALF);

    // low + high·R, and then that times R; the prime is more than half of R.
    load(a, number + HALF, HALF);
    load(factor, prime + HALF, HALF);
    multiply(a, factor, n, inverse, HALF);
    u32 low[HALF];
    load(low, number, HALF);
    reduce_once(low, 0, n, HALF);
    add_modulo(a, low, n, HALF);
    multiply(a, factor, n, inverse, HALF);

    // R modulo the prime stands for 1.
    u32 borrow = 0;
    for (u32 j = 0; j < HALF; j++) {
        const u64 difference = (u64)0 - n[j] - borrow;
        powers[0][j] = (u32)difference;
        borrow = (u32)(difference >> 63);
        powers[1][j] = factor[j] = a[j];
    }
    for (u32 i = 2; i < POWERS; i++) {
        multiply(a, factor, n, inverse, HALF);
        for (u32 j = 0; j < HALF; j++) powers[i][j] = a[j];
    }

    UNROLL
    for (u32 j = 0; j < HALF; j++) a[j] = powers[0][j];
    for (u32 at = 32 * HALF; at > 0;) {
        at -= WINDOW;
        for (u32 i = 0; i < WINDOW; i++) square(a, n, inverse, HALF);
        const u32 digit = exponent[at / 32] >> (at % 32) & (POWERS - 1);
        for (u32 j = 0; j < HALF; j++) factor[j] = 0;
        for (u32 i = 0; i < POWERS; i++) {
            const u32 mask = 0 - (((i ^ digit) - 1) >> 31);
            for (u32 j = 0; j < HALF; j++) factor[j] |= powers[i][j] & mask;
        }
        multiply(a, factor, n, inverse, HALF);
    }
    leave(a, n, inverse, HALF);
    store(out + task[2] + task[3] * HALF, a, HALF);
}

// Task: blinded number, key, output, halves, R/r. After the output is a word: 1 if the result is
// right, and else 0, with an output of zeros.
KERNEL
void rsa_join(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u32 *key = in + task[1];
    __global const u32 *number = out + task[0];
    u32 product[WORDS], n[WORDS];
    {
        // q + p·((p's half − q's half)·coefficient mod p)
        u32 p[HALF], first[HALF], second[HALF], other[HALF];
        load(p, key + PRIME(0), HALF);
        load(first, out + task[3], HALF);
        load(second, out + task[3] + HALF, HALF);
        for (u32 j = 0; j < HALF; j++) other[j] = second[j];
        reduce_once(other, 0, p, HALF);
        u32 borrow = 0;
        for (u32 j = 0; j < HALF; j++) {
            const u64 difference = (u64)first[j] - other[j] - borrow;
            first[j] = (u32)difference;
            borrow = (u32)(difference >> 63);
        }
        const u32 mask = 0 - borrow;
        u64 sum = 0;
        for (u32 j = 0; j < HALF; j++) {
            sum += (u64)first[j] + (p[j] & mask);
            first[j] = (u32)sum;
            sum >>= 32;
        }
        load(other, key + COEFFICIENT, HALF);
        multiply(first, other, p, key[PRIME_INVERSE(0)], HALF);
        load(other, key + PRIME(1), HALF);
        for (u32 j = 0; j < HALF; j++) {
            product[j] = second[j];
            product[HALF + j] = 0;
        }
        for (u32 i = 0; i < HALF; i++) {
            u64 carry = 0;
            for (u32 j = 0; j < HALF; j++) {
                carry += (u64)first[i] * other[j] + product[i + j];
                product[i + j] = (u32)carry;
                carry >>= 32;
            }
            product[i + HALF] = (u32)carry;
        }
    }
    load(n, key + MODULUS, WORDS);
    u32 check[WORDS];
    for (u32 j = 0; j < WORDS; j++) check[j] = product[j];
    raise_public(check, key, n);
    u32 wrong = 0;
    for (u32 j = 0; j < WORDS; j++) wrong |= check[j] ^ number[j];
    const u32 right = 1 ^ ((wrong | (0 - wrong)) >> 31);
    load(check, in + task[4], WORDS);
    multiply(product, check, n, key[INVERSE], WORDS);
    for (u32 j = 0; j < WORDS; j++) product[j] &= 0 - right;
    store(out + task[2], product, WORDS);
    out[task[2] + WORDS] = right;
}
