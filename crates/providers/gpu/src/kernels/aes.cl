// AES in counter mode and in Galois/counter mode (FIPS 197, SP 800-38A, SP 800-38D), in constant
// time: no table, no branch on a secret.
//
// A work item encrypts two blocks at a time, bit by bit. Plane `q[k]` holds bit `k` of each of the
// 32 bytes: the byte in row `r` and column `c` of block `b` is at bit `8 r + 2 c + b`. So ShiftRows
// rotates bytes, MixColumns rotates whole words, and SubBytes is a circuit.

#define SWAP_BITS(a, b, mask, n) { u32 t = (a >> n ^ b) & mask; b ^= t; a ^= t << n; }

// Turns words into planes, and planes into words. Word `2 c + b` is column `c` of block `b`.
void turn_over(u32 q[8])
{
    SWAP_BITS(q[0], q[1], 0x55555555u, 1) SWAP_BITS(q[2], q[3], 0x55555555u, 1)
    SWAP_BITS(q[4], q[5], 0x55555555u, 1) SWAP_BITS(q[6], q[7], 0x55555555u, 1)
    SWAP_BITS(q[0], q[2], 0x33333333u, 2) SWAP_BITS(q[1], q[3], 0x33333333u, 2)
    SWAP_BITS(q[4], q[6], 0x33333333u, 2) SWAP_BITS(q[5], q[7], 0x33333333u, 2)
    SWAP_BITS(q[0], q[4], 0x0f0f0f0fu, 4) SWAP_BITS(q[1], q[5], 0x0f0f0f0fu, 4)
    SWAP_BITS(q[2], q[6], 0x0f0f0f0fu, 4) SWAP_BITS(q[3], q[7], 0x0f0f0f0fu, 4)
}

// Multiplications in GF(2^2) and GF(2^4), over normal bases.
#define MUL4(r0, r1, a0, a1, b0, b1) \
    { u32 cross = (a0 ^ a1) & (b0 ^ b1); r0 = (a0 & b0) ^ cross; r1 = (a1 & b1) ^ cross; }

void mul16(u32 r[4], const u32 a[4], const u32 b[4])
{
    u32 l0, l1, h0, h1, m0, m1;
    MUL4(l0, l1, a[0], a[1], b[0], b[1])
    MUL4(h0, h1, a[2], a[3], b[2], b[3])
    MUL4(m0, m1, (a[0] ^ a[2]), (a[1] ^ a[3]), (b[0] ^ b[2]), (b[1] ^ b[3]))
    const u32 s0 = m0 ^ m1, s1 = m0;
    r[0] = l0 ^ s0; r[1] = l1 ^ s1; r[2] = h0 ^ s0; r[3] = h1 ^ s1;
}

// The S-box by inversion in the tower GF(((2^2)^2)^2); the same circuit as in the crate of lanes,
// which says where it comes from.
void sub_bytes(u32 x[8])
{
    u32 a = x[0] ^ x[6], b = x[5] ^ a, c = x[7] ^ b, d = x[1] ^ x[3], e = x[4] ^ x[7] ^ d;
    const u32 low[4] = { c, x[1] ^ b, x[4] ^ b, x[1] ^ x[2] ^ c };
    const u32 high[4] = { x[2] ^ a ^ d, b, x[0], x[0] ^ e };

    u32 norm[4], sum[4];
    UNROLL
    for (u32 i = 0; i < 4; i++) sum[i] = low[i] ^ high[i];
    mul16(norm, low, high);
    norm[0] ^= sum[0]; norm[1] ^= sum[0] ^ sum[1]; norm[2] ^= sum[1] ^ sum[3];
    norm[3] ^= sum[0] ^ sum[2];

    // The inverse in GF(2^4). The square of (s0, s1) is (s1, s0), and scaled it is (s0 ^ s1, s1).
    u32 n0, n1;
    MUL4(n0, n1, norm[0], norm[1], norm[2], norm[3])
    const u32 s0 = norm[0] ^ norm[2], s1 = norm[1] ^ norm[3];
    n0 ^= s0 ^ s1; n1 ^= s1;
    u32 inverse[4];
    MUL4(inverse[0], inverse[1], n1, n0, norm[2], norm[3])
    MUL4(inverse[2], inverse[3], n1, n0, norm[0], norm[1])

    u32 l[4], h[4];
    mul16(l, inverse, high);
    mul16(h, inverse, low);
    a = l[1] ^ h[3]; b = l[3] ^ a; c = l[2] ^ h[0]; d = l[0] ^ h[1];
    x[0] = ~(l[2] ^ d); x[1] = ~(l[1] ^ d); x[2] = h[2] ^ a ^ c; x[3] = l[0] ^ l[2] ^ b;
    x[4] = b; x[5] = ~c; x[6] = ~(l[3] ^ h[3]); x[7] = a;
}

u32 shift_rows(u32 x)
{
    return (x & 0xffu)
        | (x >> 2 & 0x3f00u) | (x << 6 & 0xc000u)
        | (x >> 4 & 0x0f0000u) | (x << 4 & 0xf00000u)
        | (x >> 6 & 0x03000000u) | (x << 2 & 0xfc000000u);
}

// Adds a round key. It is the same for both blocks, so that two planes of it take one word.
void add_key(u32 q[8], __global const u32 *key)
{
    UNROLL
    for (u32 i = 0; i < 4; i++) {
        const u32 even = key[i] & 0x55555555u, odd = key[i] & 0xaaaaaaaau;
        q[2 * i] ^= even | even << 1;
        q[2 * i + 1] ^= odd | odd >> 1;
    }
}

// Encrypts two blocks, word `2 c + b` being column `c` of block `b`.
void aes_pair(u32 q[8], __global const u32 *key, u32 rounds)
{
    turn_over(q);
    add_key(q, key);
    for (u32 round = 1; round <= rounds; round++) {
        key += 4;
        sub_bytes(q);
        UNROLL
        for (u32 i = 0; i < 8; i++) q[i] = shift_rows(q[i]);
        if (round < rounds) {
            u32 two[8];
            UNROLL
            for (u32 i = 0; i < 8; i++) two[i] = q[i] ^ rotate(q[i], 24u);
            UNROLL
            for (u32 i = 0; i < 8; i++) {
                const u32 carry = i == 1 || i == 3 || i == 4 ? two[7] : 0;
                q[i] = two[(i + 7) % 8] ^ carry ^ rotate(q[i], 24u) ^ rotate(two[i], 16u);
            }
        }
        add_key(q, key);
    }
    turn_over(q);
}

// Adds to a counter block: to all of it, or to the last word alone.
void count_on(u32 c[4], u32 blocks, u32 last_alone)
{
    c[3] += blocks;
    u32 carry = !last_alone && c[3] < blocks;
    UNROLL
    for (int i = 2; i >= 0; i--) {
        c[i] += carry;
        carry = carry && c[i] == 0;
    }
}

// A slice of a text. Task: data, bytes, key, output, four words of the counter block, rounds (and
// 256 where the last word counts alone), where the counter block is among the output or NONE,
// blocks of the text before the slice. What is written behind the last byte is zero.
KERNEL
void aes_ctr(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u32 *data = in + task[0];
    __global const u32 *key = in + task[2];
    __global u32 *made = out + task[3];
    const u32 len = task[1], rounds = task[8] & 255, last_alone = task[8] >> 8;
    u32 c[4];
    for (u32 i = 0; i < 4; i++) c[i] = task[9] == NONE ? task[4 + i] : out[task[9] + i];
    count_on(c, task[10], last_alone);
    for (u32 at = 0; at < len; at += 32, data += 8, made += 8) {
        u32 q[8];
        UNROLL
        for (u32 b = 0; b < 2; b++) {
            UNROLL
            for (u32 i = 0; i < 4; i++) q[2 * i + b] = swap32(c[i]);
            count_on(c, 1, last_alone);
        }
        aes_pair(q, key, rounds);
        UNROLL
        for (u32 i = 0; i < 8; i++) {
            const u32 x = data[i] ^ q[2 * (i & 3) + (i >> 2)];
            made[i] = x & tail_mask(at + 4 * i, len);
        }
    }
}

// The low half of a product of polynomials over GF(2). Bits are taken four apart, so that the
// carries of a multiplication end in the gaps.
u64 multiply(u64 x, u64 y)
{
    const u64 gaps = 0x1111111111111111ul;
    u64 a[4], b[4], sum = 0;
    UNROLL
    for (u32 i = 0; i < 4; i++) {
        a[i] = x & gaps << i;
        b[i] = y & gaps << i;
    }
    UNROLL
    for (u32 i = 0; i < 4; i++) {
        u64 part = 0;
        UNROLL
        for (u32 k = 0; k < 4; k++) part ^= a[k] * b[(i - k) & 3];
        sum |= part & gaps << i;
    }
    return sum;
}

u64 reverse(u64 x)
{
    x = (x & 0x5555555555555555ul) << 1 | (x >> 1 & 0x5555555555555555ul);
    x = (x & 0x3333333333333333ul) << 2 | (x >> 2 & 0x3333333333333333ul);
    x = (x & 0x0f0f0f0f0f0f0f0ful) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0ful);
    return swap64(x);
}

// GHASH: the key, its halves reversed, and the sum so far; bit 0 of a block is the highest here.
typedef struct { u64 h0, h1, r0, r1, y0, y1; } ghash;

void ghash_begin(ghash *g, u32 w0, u32 w1, u32 w2, u32 w3)
{
    g->h1 = (u64)swap32(w0) << 32 | swap32(w1);
    g->h0 = (u64)swap32(w2) << 32 | swap32(w3);
    g->r0 = reverse(g->h0);
    g->r1 = reverse(g->h1);
    g->y0 = g->y1 = 0;
}

// Adds a block, given as two numbers, and multiplies by the key.
void ghash_block(ghash *g, u64 high, u64 low)
{
    const u64 y1 = g->y1 ^ high, y0 = g->y0 ^ low;
    const u64 q1 = reverse(y1), q0 = reverse(y0);
    u64 z0 = multiply(y0, g->h0), z1 = multiply(y1, g->h1);
    u64 z2 = multiply(y0 ^ y1, g->h0 ^ g->h1) ^ z0 ^ z1;
    u64 t0 = multiply(q0, g->r0), t1 = multiply(q1, g->r1);
    u64 t2 = multiply(q0 ^ q1, g->r0 ^ g->r1) ^ t0 ^ t1;
    t0 = reverse(t0) >> 1; t1 = reverse(t1) >> 1; t2 = reverse(t2) >> 1;

    u64 v0 = z0, v1 = t0 ^ z2, v2 = z1 ^ t2, v3 = t1;
    // Bits are reversed, so that the product is one place too low.
    v3 = v3 << 1 | v2 >> 63; v2 = v2 << 1 | v1 >> 63; v1 = v1 << 1 | v0 >> 63; v0 <<= 1;
    v2 ^= v0 ^ v0 >> 1 ^ v0 >> 2 ^ v0 >> 7;
    v1 ^= v0 << 63 ^ v0 << 62 ^ v0 << 57;
    v3 ^= v1 ^ v1 >> 1 ^ v1 >> 2 ^ v1 >> 7;
    v2 ^= v1 << 63 ^ v1 << 62 ^ v1 << 57;
    g->y0 = v2; g->y1 = v3;
}

// Whole blocks of a text that ends with zeros.
void ghash_text(ghash *g, __global const u32 *text, u32 len)
{
    for (u32 at = 0; at < len; at += 16, text += 4) {
        ghash_block(g, (u64)swap32(text[0]) << 32 | swap32(text[1]),
            (u64)swap32(text[2]) << 32 | swap32(text[3]));
    }
}

// The first counter block of GCM, for nonces that have not 12 bytes. Task: nonce, bytes, key,
// output, rounds at place 8.
KERNEL
void gcm_nonce(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    u32 q[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
    aes_pair(q, in + task[2], task[8]);
    ghash g;
    ghash_begin(&g, q[0], q[2], q[4], q[6]);
    ghash_text(&g, in + task[0], task[1]);
    ghash_block(&g, 0, (u64)task[1] * 8);
    out[task[3]] = (u32)(g.y1 >> 32);
    out[task[3] + 1] = (u32)g.y1;
    out[task[3] + 2] = (u32)(g.y0 >> 32);
    out[task[3] + 3] = (u32)g.y0;
}

// The tag of GCM. Task: ciphertext, bytes, key, output, four words of the first counter block,
// rounds (and 256 where the ciphertext is among the output), where the counter block is among the
// output or NONE, associated data, bytes.
KERNEL
void gcm_tag(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    u32 q[8];
    for (u32 i = 0; i < 4; i++) {
        q[2 * i] = 0;
        q[2 * i + 1] = swap32(task[9] == NONE ? task[4 + i] : out[task[9] + i]);
    }
    aes_pair(q, in + task[2], task[8] & 255);
    ghash g;
    ghash_begin(&g, q[0], q[2], q[4], q[6]);
    ghash_text(&g, in + task[10], task[11]);
    if (task[8] >> 8) ghash_text(&g, (__global const u32 *)out + task[0], task[1]);
    else ghash_text(&g, in + task[0], task[1]);
    ghash_block(&g, (u64)task[11] * 8, (u64)task[1] * 8);
    out[task[3]] = swap32((u32)(g.y1 >> 32)) ^ q[1];
    out[task[3] + 1] = swap32((u32)g.y1) ^ q[3];
    out[task[3] + 2] = swap32((u32)(g.y0 >> 32)) ^ q[5];
    out[task[3] + 3] = swap32((u32)g.y0) ^ q[7];
}
