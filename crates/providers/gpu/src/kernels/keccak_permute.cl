// The permutation of Keccak (FIPS 202).

__constant u64 ROUND_CONSTANTS[24] = {
    0x0000000000000001ul, 0x0000000000008082ul, 0x800000000000808aul, 0x8000000080008000ul,
    0x000000000000808bul, 0x0000000080000001ul, 0x8000000080008081ul, 0x8000000000008009ul,
    0x000000000000008aul, 0x0000000000000088ul, 0x0000000080008009ul, 0x000000008000000aul,
    0x000000008000808bul, 0x800000000000008bul, 0x8000000000008089ul, 0x8000000000008003ul,
    0x8000000000008002ul, 0x8000000000000080ul, 0x000000000000800aul, 0x800000008000000aul,
    0x8000000080008081ul, 0x8000000000008080ul, 0x0000000080000001ul, 0x8000000080008008ul,
};

// Rotations and places, as rho and pi visit them.
__constant u64 TURNS[24] = {
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
};
__constant u32 PLACES[24] = {
    10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
};

void permute(u64 a[25])
{
    u64 c[5];
    for (u32 round = 0; round < 24; round++) {
        UNROLL
        for (u32 x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        UNROLL
        for (u32 x = 0; x < 5; x++) {
            u64 d = c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], (u64)1);
            UNROLL
            for (u32 y = 0; y < 25; y += 5) a[y + x] ^= d;
        }
        u64 moved = a[1];
        UNROLL
        for (u32 i = 0; i < 24; i++) {
            u64 next = a[PLACES[i]];
            a[PLACES[i]] = rotate(moved, TURNS[i]);
            moved = next;
        }
        UNROLL
        for (u32 y = 0; y < 25; y += 5) {
            UNROLL
            for (u32 x = 0; x < 5; x++) c[x] = a[y + x];
            UNROLL
            for (u32 x = 0; x < 5; x++) a[y + x] = c[x] ^ (~c[(x + 1) % 5] & c[(x + 2) % 5]);
        }
        a[0] ^= ROUND_CONSTANTS[round];
    }
}
