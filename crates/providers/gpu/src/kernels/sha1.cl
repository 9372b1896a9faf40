// SHA-1 (FIPS 180-4), and HMAC over it: a task is a message that was padded by the host.
//
// Task: data, blocks, initial state, output, state of the outer hash or NONE, nothing, where the
// first blocks stay on the device, how many these are.

#define ROUND1(f, k, x) { \
    u32 t = rotate(a, 5u) + (f) + e + (k) + (x); \
    e = d; d = c; c = rotate(b, 30u); b = a; a = t; }

void sha1_block(u32 h[5], u32 w[16])
{
    u32 a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    UNROLL
    for (u32 i = 0; i < 80; i++) {
        u32 x = w[i & 15];
        if (i >= 16) {
            x = rotate(w[(i + 13) & 15] ^ w[(i + 8) & 15] ^ w[(i + 2) & 15] ^ x, 1u);
            w[i & 15] = x;
        }
        if (i < 20) ROUND1(bitselect(d, c, b), 0x5a827999u, x)
        else if (i < 40) ROUND1(b ^ c ^ d, 0x6ed9eba1u, x)
        else if (i < 60) ROUND1(bitselect(b, c, b ^ d), 0x8f1bbcdcu, x)
        else ROUND1(b ^ c ^ d, 0xca62c1d6u, x)
    }
    h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e;
}

KERNEL
void sha1(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u32 *data = resident + task[6];
    u32 h[5], w[16];
    for (u32 i = 0; i < 5; i++) h[i] = in[task[2] + i];
    for (u32 block = 0; block < task[1]; block++, data += 16) {
        if (block == task[7]) data = in + task[0];
        UNROLL
        for (u32 i = 0; i < 16; i++) w[i] = swap32(data[i]);
        sha1_block(h, w);
    }
    if (task[4] != NONE) {
        UNROLL
        for (u32 i = 0; i < 16; i++) w[i] = i < 5 ? h[i] : 0;
        w[5] = 0x80000000u;
        w[15] = (64 + 20) * 8;
        for (u32 i = 0; i < 5; i++) h[i] = in[task[4] + i];
        sha1_block(h, w);
    }
    for (u32 i = 0; i < 5; i++) out[task[3] + i] = swap32(h[i]);
}
