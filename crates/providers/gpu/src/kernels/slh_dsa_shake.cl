// The hashes of SLH-DSA with SHAKE256 (FIPS 205, 11.1).

// Words of a block, of 64 bits each, and those of an address.
#define RATE 17u
#define ADDRESS_WORDS 4u

// A word of an address.
u64 address_word(const Address a, const u32 i)
{
    const u32 low = i == 0 ? a.layer : i == 1 ? (u32)(a.tree >> 32) : i == 2 ? a.kind : a.words[1];
    const u32 high = i == 0 ? 0 : i == 1 ? (u32)a.tree : i == 2 ? a.words[0] : a.words[2];
    return (u64)swap32(high) << 32 | swap32(low);
}

// A word of PK.seed and of the address that follows it.
u64 head_word(__global const u32 *key, const Address a, const u32 words, const u32 i)
{
    if (i < words) return ((__global const u64 *)key)[i];
    return address_word(a, i - words);
}

// A word of a value.
u64 value_word(const u64 value[4], const u32 i)
{
    return i == 0 ? value[0] : i == 1 ? value[1] : i == 2 ? value[2] : value[3];
}

// Takes a chain on (FIPS 205, algorithm 5): PRF where there is a kind for it, which is not counted,
// and then so many steps of F, each under the number of its own.
void run_chain(
    u32 value[8], __global const u32 *key, Address a, const u32 secret, const u32 first,
    const u32 steps)
{
    const u32 words = key[NODE_WORDS] / 2, kind = a.kind, before = secret != 0;
    const u32 head = words + ADDRESS_WORDS, end = head + words;
    u64 m[4];
    UNROLL
    for (u32 i = 0; i < 4; i++) m[i] = (u64)value[2 * i + 1] << 32 | value[2 * i];
    for (u32 step = 0; step < before + steps; step++) {
        const bool is_secret = step < before;
        a.kind = is_secret ? secret : kind;
        a.words[2] = is_secret ? first : first + step - before;
        u64 s[25];
        UNROLL
        for (u32 i = 0; i < 25; i++) {
            s[i] = i > 12 ? 0
                : i < head ? head_word(key, a, words, i)
                : i < end ? value_word(m, i - head)
                : i == end ? 0x1f : 0;
        }
        s[RATE - 1] ^= (u64)1 << 63;
        permute(s);
        UNROLL
        for (u32 i = 0; i < 4; i++) m[i] = s[i];
    }
    UNROLL
    for (u32 i = 0; i < 4; i++) {
        value[2 * i] = (u32)m[i];
        value[2 * i + 1] = (u32)(m[i] >> 32);
    }
}

// H and T: the hash of nodes, which are so many words of 32 bits.
void hash_nodes(
    u32 node[8], __global const u32 *key, const Address a, __global const u32 *data,
    const u32 count)
{
    const u32 words = key[NODE_WORDS] / 2;
    const u32 head = words + ADDRESS_WORDS, end = head + count / 2, blocks = end / RATE + 1;
    __global const u64 *nodes = (__global const u64 *)data;
    u64 s[25];
    UNROLL
    for (u32 i = 0; i < 25; i++) s[i] = 0;
    for (u32 block = 0; block < blocks; block++) {
        UNROLL
        for (u32 i = 0; i < RATE; i++) {
            const u32 at = RATE * block + i;
            s[i] ^= at < head ? head_word(key, a, words, at)
                : at < end ? nodes[at - head]
                : at == end ? 0x1f : 0;
        }
        if (block + 1 == blocks) s[RATE - 1] ^= (u64)1 << 63;
        permute(s);
    }
    UNROLL
    for (u32 i = 0; i < 4; i++) {
        node[2 * i] = (u32)s[i];
        node[2 * i + 1] = (u32)(s[i] >> 32);
    }
}
