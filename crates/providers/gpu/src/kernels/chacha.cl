// ChaCha20 and Poly1305 (RFC 8439).

#define QUARTER(a, b, c, d) \
    a += b; d = rotate(d ^ a, 16u); c += d; b = rotate(b ^ c, 12u); \
    a += b; d = rotate(d ^ a, 8u); c += d; b = rotate(b ^ c, 7u);

// The block of key stream of the state `s`.
void chacha_block(const u32 s[16], u32 x[16])
{
    for (u32 i = 0; i < 16; i++) x[i] = s[i];
    for (u32 i = 0; i < 10; i++) {
        QUARTER(x[0], x[4], x[8], x[12])
        QUARTER(x[1], x[5], x[9], x[13])
        QUARTER(x[2], x[6], x[10], x[14])
        QUARTER(x[3], x[7], x[11], x[15])
        QUARTER(x[0], x[5], x[10], x[15])
        QUARTER(x[1], x[6], x[11], x[12])
        QUARTER(x[2], x[7], x[8], x[13])
        QUARTER(x[3], x[4], x[9], x[14])
    }
    for (u32 i = 0; i < 16; i++) x[i] += s[i];
}

void chacha_state(u32 s[16], __global const u32 *key, __global const u32 *counter)
{
    s[0] = 0x61707865u; s[1] = 0x3320646eu; s[2] = 0x79622d32u; s[3] = 0x6b206574u;
    for (u32 i = 0; i < 8; i++) s[4 + i] = key[i];
    for (u32 i = 0; i < 4; i++) s[12 + i] = counter[i];
}

// A slice of a text. Task: data, bytes, key, output, four words of counter and nonce. What is
// written behind the last byte is zero.
KERNEL
void chacha20(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u32 *data = in + task[0];
    __global u32 *made = out + task[3];
    const u32 len = task[1];
    u32 s[16], x[16];
    chacha_state(s, in + task[2], task + 4);
    for (u32 at = 0; at < len; at += 64, data += 16, made += 16) {
        chacha_block(s, x);
        s[12]++;
        if (at + 64 <= len) {
            for (u32 i = 0; i < 16; i++) made[i] = data[i] ^ x[i];
        } else {
            for (u32 i = 0; i < 16; i++) made[i] = (data[i] ^ x[i]) & tail_mask(at + 4 * i, len);
        }
    }
}

typedef struct { u32 r[5], h[5]; } poly;

// Adds a block to the hash, and multiplies it by the key modulo 2^130 - 5, in limbs of 26 bits.
void poly_block(poly *p, u32 w0, u32 w1, u32 w2, u32 w3)
{
    const u32 low = 0x3ffffff;
    const u32 r0 = p->r[0], r1 = p->r[1], r2 = p->r[2], r3 = p->r[3], r4 = p->r[4];
    const u32 s1 = r1 * 5, s2 = r2 * 5, s3 = r3 * 5, s4 = r4 * 5;
    const u32 h0 = p->h[0] + (w0 & low);
    const u32 h1 = p->h[1] + ((w0 >> 26 | w1 << 6) & low);
    const u32 h2 = p->h[2] + ((w1 >> 20 | w2 << 12) & low);
    const u32 h3 = p->h[3] + ((w2 >> 14 | w3 << 18) & low);
    const u32 h4 = p->h[4] + (w3 >> 8 | 1u << 24);
    u64 d0 = (u64)h0 * r0 + (u64)h1 * s4 + (u64)h2 * s3 + (u64)h3 * s2 + (u64)h4 * s1;
    u64 d1 = (u64)h0 * r1 + (u64)h1 * r0 + (u64)h2 * s4 + (u64)h3 * s3 + (u64)h4 * s2;
    u64 d2 = (u64)h0 * r2 + (u64)h1 * r1 + (u64)h2 * r0 + (u64)h3 * s4 + (u64)h4 * s3;
    u64 d3 = (u64)h0 * r3 + (u64)h1 * r2 + (u64)h2 * r1 + (u64)h3 * r0 + (u64)h4 * s4;
    u64 d4 = (u64)h0 * r4 + (u64)h1 * r3 + (u64)h2 * r2 + (u64)h3 * r1 + (u64)h4 * r0;
    d1 += d0 >> 26;
    d2 += d1 >> 26;
    d3 += d2 >> 26;
    d4 += d3 >> 26;
    const u64 first = (d0 & low) + (d4 >> 26) * 5;
    p->h[0] = (u32)first & low;
    p->h[1] = ((u32)d1 & low) + (u32)(first >> 26);
    p->h[2] = (u32)d2 & low;
    p->h[3] = (u32)d3 & low;
    p->h[4] = (u32)d4 & low;
}

// Whole blocks of a text that ends with zeros.
void poly_text(poly *p, __global const u32 *text, u32 len)
{
    for (u32 at = 0; at < len; at += 16, text += 4) {
        poly_block(p, text[0], text[1], text[2], text[3]);
    }
}

// The tag of ChaCha20-Poly1305. Task: ciphertext, bytes, key, output, counter (0) and nonce,
// associated data, bytes, whether the ciphertext is among the output.
KERNEL
void poly1305(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    u32 s[16], x[16];
    chacha_state(s, in + task[2], task + 4);
    chacha_block(s, x);

    poly p;
    const u32 low = 0x3ffffff;
    const u32 k0 = x[0] & 0x0fffffff, k1 = x[1] & 0x0ffffffc;
    const u32 k2 = x[2] & 0x0ffffffc, k3 = x[3] & 0x0ffffffc;
    p.r[0] = k0 & low;
    p.r[1] = (k0 >> 26 | k1 << 6) & low;
    p.r[2] = (k1 >> 20 | k2 << 12) & low;
    p.r[3] = (k2 >> 14 | k3 << 18) & low;
    p.r[4] = k3 >> 8;
    for (u32 i = 0; i < 5; i++) p.h[i] = 0;

    poly_text(&p, in + task[8], task[9]);
    if (task[10]) poly_text(&p, (__global const u32 *)out + task[0], task[1]);
    else poly_text(&p, in + task[0], task[1]);
    poly_block(&p, task[9], 0, task[1], 0);

    // All carries, twice, as the first limb may pass one on to the second.
    for (u32 turn = 0; turn < 2; turn++) {
        u32 carry = 0;
        for (u32 i = 0; i < 5; i++) {
            p.h[i] += carry;
            carry = p.h[i] >> 26;
            p.h[i] &= low;
        }
        p.h[0] += carry * 5;
    }
    // Less the modulus, if that leaves something.
    u32 g[5], carry = 5;
    for (u32 i = 0; i < 5; i++) {
        g[i] = p.h[i] + carry;
        carry = g[i] >> 26;
        g[i] &= low;
    }
    const u32 keep = carry - 1;
    for (u32 i = 0; i < 5; i++) p.h[i] = bitselect(g[i], p.h[i], keep);

    const u32 sum[4] = {
        p.h[0] | p.h[1] << 26, p.h[1] >> 6 | p.h[2] << 20,
        p.h[2] >> 12 | p.h[3] << 14, p.h[3] >> 18 | p.h[4] << 8,
    };
    u64 word = 0;
    for (u32 i = 0; i < 4; i++) {
        word += (u64)sum[i] + x[4 + i];
        out[task[3] + i] = (u32)word;
        word >>= 32;
    }
}
