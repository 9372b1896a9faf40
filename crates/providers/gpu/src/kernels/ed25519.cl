// Ed25519 (RFC 8032, 5.1). A digest by SHA-512 comes from the kernel sha512, which runs before.
//
// Signing has no branch and no address that depends on a secret. Verification has both: all that
// it reads is public.

// Where a key has what, in words. A state of SHA-512 is before it.
#define OWN 16              // to sign, a number; to verify, multiples of the negative point

__constant u32 ORDER[8] = {
    0x5cf5d3edu, 0x5812631au, 0xa2f79cd6u, 0x14def9deu, 0, 0, 0, 0x10000000u,
};
#define ORDER_INVERSE 0x12547e1bu // of minus the order, modulo 2^32

// R² and R³ modulo the order, where R is 2^256.
__constant u32 POWERS_OF_R[2][8] = {
    {
        0x449c0f01u, 0xa40611e3u, 0x68859347u, 0xd00e1ba7u,
        0x17f5be65u, 0xceec73d2u, 0x7c309a3du, 0x0399411bu,
    },
    {
        0x7b83a2dbu, 0x2a9e4968u, 0xaef7f3ecu, 0x278324e6u,
        0x04ec5b65u, 0x8065dc6cu, 0x3599cec7u, 0x0e530b77u,
    },
};

// The number of 16 words, times R, modulo the order.
void reduce_wide(u32 *reduced, const u32 *wide, const u32 *order)
{
    u32 part[WORDS], power[WORDS];
    for (u32 i = 0; i < WORDS; i++) reduced[i] = 0;
    for (u32 at = 0; at < 2; at++) {
        for (u32 i = 0; i < WORDS; i++) {
            part[i] = wide[WORDS * at + i];
            power[i] = POWERS_OF_R[at][i];
        }
        multiply(part, power, order, ORDER_INVERSE, WORDS);
        add_modulo(reduced, part, order, WORDS);
    }
}

// a/R modulo the order.
void leave(u32 *a, const u32 *order)
{
    u32 one[WORDS];
    for (u32 i = 0; i < WORDS; i++) one[i] = i == 0;
    multiply(a, one, order, ORDER_INVERSE, WORDS);
}

// Makes digits from -8 to 7 of a number below 2^253: four bits each, to which 8 was added.
void make_digits(u32 *number)
{
    u64 sum = 0;
    UNROLL
    for (u32 i = 0; i < WORDS; i++) {
        sum += (u64)number[i] + 0x88888888u;
        number[i] = (u32)sum;
        sum >>= 32;
    }
}

int digit(const u32 *digits, const u32 at)
{
    return (int)(digits[at / 8] >> (at % 8 * 4) & 15) - 8;
}

// The multiple of a row of the base point's table by a digit. The row is read whole.
Addend base_multiple(const u32 row, const int digit)
{
    const u32 mask = (u32)(digit >> 31), size = ((u32)digit ^ mask) - mask;
    u32 limbs[ADDEND];
    UNROLL
    for (u32 i = 0; i < ADDEND; i++) limbs[i] = 0;
    limbs[0] = limbs[10] = size == 0;
    for (u32 multiple = 0; multiple < 8; multiple++) {
        const u32 own = 0 - ((((multiple + 1) ^ size) - 1) >> 31);
        UNROLL
        for (u32 i = 0; i < ADDEND; i++) limbs[i] |= BASE[row][multiple][i] & own;
    }
    Addend q;
    UNROLL
    for (u32 i = 0; i < 10; i++) {
        q.plus.limb[i] = limbs[i];
        q.minus.limb[i] = limbs[10 + i];
        q.product.limb[i] = limbs[20 + i];
    }
    return signed_addend(q, mask);
}

// The base point times a number below the order, as the standard writes it.
void multiply_base(u32 *words, u32 *number)
{
    make_digits(number);
    Point point = neutral();
    // Digits with odd numbers first: a row stands for two digits.
    for (u32 odd = 2; odd-- > 0;) {
        for (u32 row = 0; row < 32; row++) {
            const Addend own = base_multiple(row, digit(number, 2 * row + odd));
            point = added(point, own, true);
        }
        for (u32 i = 0; i < 4 * odd; i++) point = doubled(point, true);
    }
    encode(words, point);
}

// Task: digest of the prefix and the message, data, blocks, key, output. The data begin with 32
// bytes for the first half of the signature, and then have the public key and the message.
KERNEL
void ed25519_sign(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u64 *data = (__global const u64 *)(in + task[1]);
    __global const u32 *key = in + task[3];
    __global const u64 *state = (__global const u64 *)key;
    u32 order[WORDS], wide[2 * WORDS], nonce[WORDS], number[WORDS], first[WORDS];
    for (u32 i = 0; i < WORDS; i++) order[i] = ORDER[i];

    load(wide, out + task[0], 2 * WORDS);
    reduce_wide(nonce, wide, order);
    leave(nonce, order);
    for (u32 i = 0; i < WORDS; i++) number[i] = nonce[i];
    multiply_base(first, number);
    store(out + task[4], first, WORDS);

    u64 h[8], w[16];
    for (u32 i = 0; i < 8; i++) h[i] = state[i];
    for (u32 block = 0; block < task[2]; block++, data += 16) {
        UNROLL
        for (u32 i = 0; i < 16; i++) w[i] = swap64(data[i]);
        if (block == 0) {
            UNROLL
            for (u32 i = 0; i < 4; i++) w[i] = swap64((u64)first[2 * i + 1] << 32 | first[2 * i]);
        }
        sha512_block(h, w);
    }
    for (u32 i = 0; i < 8; i++) {
        const u64 limb = swap64(h[i]);
        wide[2 * i] = (u32)limb;
        wide[2 * i + 1] = (u32)(limb >> 32);
    }
    // The digest times R, times the key's number, over R.
    reduce_wide(number, wide, order);
    u32 secret[WORDS];
    load(secret, key + OWN, WORDS);
    multiply(number, secret, order, ORDER_INVERSE, WORDS);
    add_modulo(number, nonce, order, WORDS);
    store(out + task[4] + WORDS, number, WORDS);
}

// Task: digest of the signature's first half, the public key and the message; both halves of the
// signature; key; output. The output is a word: 1 if the signature is right, and else 0.
KERNEL
void ed25519_verify(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u32 *multiples = in + task[4] + OWN;
    u32 order[WORDS], wide[2 * WORDS], factors[2][WORDS];
    for (u32 i = 0; i < WORDS; i++) order[i] = ORDER[i];
    load(wide, out + task[0], 2 * WORDS);
    reduce_wide(factors[0], wide, order);
    leave(factors[0], order);
    load(factors[1], in + task[2], WORDS);
    out[task[3]] = 0;
    if (!is_below(factors[1], order, WORDS)) return;

    // The base point times the second half, less the key's point times the digest.
    make_digits(factors[0]);
    make_digits(factors[1]);
    Point point = neutral();
    for (u32 at = 64; at-- > 0;) {
        if (at < 63) {
            for (u32 i = 0; i < 4; i++) point = doubled(point, i == 3);
        }
        for (u32 which = 0; which < 2; which++) {
            const int own = digit(factors[which], at);
            if (own == 0) continue;
            const u32 multiple = abs(own) - 1;
            Addend q;
            for (u32 i = 0; i < 10; i++) {
                __global const u32 *limbs = multiples + ADDEND * multiple;
                q.plus.limb[i] = which ? BASE[0][multiple][i] : limbs[i];
                q.minus.limb[i] = which ? BASE[0][multiple][10 + i] : limbs[10 + i];
                q.product.limb[i] = which ? BASE[0][multiple][20 + i] : limbs[20 + i];
            }
            point = added(point, signed_addend(q, own < 0 ? ~0u : 0), which == 0);
        }
    }
    u32 words[WORDS], wrong = 0;
    encode(words, point);
    for (u32 i = 0; i < WORDS; i++) wrong |= words[i] ^ in[task[1] + i];
    out[task[3]] = wrong == 0;
}
