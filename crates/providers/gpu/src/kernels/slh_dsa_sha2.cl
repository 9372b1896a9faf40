// The hashes of SLH-DSA with SHA-2 (FIPS 205, 11.2). The host has absorbed the block of PK.seed.

// Bytes of an address, and words of 32 bits before its last.
#define ADDRESS 22u
#define ADDRESS_WORDS 5u

// A word of an address, but for the last half of it.
u32 address_word(const Address a, const u32 i)
{
    return i == 0 ? a.layer << 24 | (u32)(a.tree >> 40)
        : i == 1 ? (u32)(a.tree >> 8)
        : i == 2 ? (u32)a.tree << 24 | a.kind << 16 | a.words[0] >> 16
        : i == 3 ? a.words[0] << 16 | a.words[1] >> 16
                 : a.words[1] << 16 | a.words[2] >> 16;
}

// Takes a chain on (FIPS 205, algorithm 5): PRF where there is a kind for it, which is not counted,
// and then so many steps of F, each under the number of its own.
void run_chain(
    u32 value[8], __global const u32 *key, Address a, const u32 secret, const u32 first,
    const u32 steps)
{
    const u32 words = key[NODE_WORDS], kind = a.kind, before = secret != 0;
    // The value, and its padding.
    u32 m[9];
    UNROLL
    for (u32 i = 0; i < 9; i++) {
        m[i] = i < words ? swap32(value[i < 8 ? i : 0]) : i == words ? 0x80000000u : 0;
    }
    for (u32 step = 0; step < before + steps; step++) {
        const bool is_secret = step < before;
        a.kind = is_secret ? secret : kind;
        a.words[2] = is_secret ? first : first + step - before;
        u32 h[8], w[16];
        UNROLL
        for (u32 i = 0; i < 8; i++) h[i] = key[i];
        UNROLL
        for (u32 i = 0; i < 5; i++) w[i] = address_word(a, i);
        w[5] = a.words[2] << 16 | m[0] >> 16;
        UNROLL
        for (u32 i = 0; i < 8; i++) w[6 + i] = m[i] << 16 | m[i + 1] >> 16;
        w[14] = 0;
        w[15] = 8 * (64 + ADDRESS + 4 * words);
        sha256_block(h, w);
        UNROLL
        for (u32 i = 0; i < 8; i++) m[i] = i < words ? h[i] : m[i];
    }
    UNROLL
    for (u32 i = 0; i < 8; i++) value[i] = swap32(m[i]);
}

// A word of data with their padding.
u32 padded_word(__global const u32 *data, const u32 count, const u32 i)
{
    return i < count ? swap32(data[i]) : i == count ? 0x80000000u : 0;
}

// A word of an address and of the data that follow it, which are so many words.
u32 message_word(const Address a, __global const u32 *data, const u32 count, const u32 i)
{
    if (i < ADDRESS_WORDS) return address_word(a, i);
    const u32 at = i - ADDRESS_WORDS;
    const u32 high = at == 0 ? a.words[2] : padded_word(data, count, at - 1);
    return high << 16 | padded_word(data, count, at) >> 16;
}

// H and T: the hash of nodes, which are so many words.
void hash_nodes(
    u32 node[8], __global const u32 *key, const Address a, __global const u32 *data,
    const u32 count)
{
    const u32 len = ADDRESS + 4 * count;
    if (key[NODE_WORDS] == 4) {
        u32 h[8], w[16];
        UNROLL
        for (u32 i = 0; i < 8; i++) h[i] = key[i];
        const u32 blocks = (len + 1 + 8 + 63) / 64;
        for (u32 block = 0; block < blocks; block++) {
            UNROLL
            for (u32 i = 0; i < 16; i++) w[i] = message_word(a, data, count, 16 * block + i);
            if (block + 1 == blocks) w[15] = 8 * (64 + len);
            sha256_block(h, w);
        }
        UNROLL
        for (u32 i = 0; i < 8; i++) node[i] = swap32(h[i]);
    } else {
        u64 h[8], w[16];
        __global const u64 *state = (__global const u64 *)(key + SHA512_STATE);
        UNROLL
        for (u32 i = 0; i < 8; i++) h[i] = state[i];
        const u32 blocks = (len + 1 + 16 + 127) / 128;
        for (u32 block = 0; block < blocks; block++) {
            UNROLL
            for (u32 i = 0; i < 16; i++) {
                const u32 at = 32 * block + 2 * i;
                w[i] = (u64)message_word(a, data, count, at) << 32
                    | message_word(a, data, count, at + 1);
            }
            if (block + 1 == blocks) w[15] = 8 * (128 + len);
            sha512_block(h, w);
        }
        UNROLL
        for (u32 i = 0; i < 4; i++) {
            node[2 * i] = swap32((u32)(h[i] >> 32));
            node[2 * i + 1] = swap32((u32)h[i]);
        }
    }
}
