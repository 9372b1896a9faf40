// How fast the device computes, in eight chains side by side. Word `tasks` of the input says how
// many turns.

// Operations of hashes on 32-bit words.

KERNEL
void probe(ARGUMENTS)
{
    const u32 item = get_global_id(0), turns = in[tasks];
    if (item >= count) return;
    u32 x[8], sum = 0;
    UNROLL
    for (u32 i = 0; i < 8; i++) x[i] = item * 8 + i;
    for (u32 turn = 0; turn < turns; turn++) {
        // A rotation, an addition, and a function of three inputs.
        UNROLL
        for (u32 i = 0; i < 8; i++) x[i] = bitselect(rotate(x[i], 7u) + item, ~item, x[i]);
    }
    UNROLL
    for (u32 i = 0; i < 8; i++) sum ^= x[i];
    out[item] = sum;
}

// Products of 32-bit words, to which a word is added: those of long numbers.
KERNEL
void probe_products(ARGUMENTS)
{
    const u32 item = get_global_id(0), turns = in[tasks];
    if (item >= count) return;
    u64 x[8], sum = 0;
    UNROLL
    for (u32 i = 0; i < 8; i++) x[i] = item * 8 + i;
    for (u32 turn = 0; turn < turns; turn++) {
        UNROLL
        for (u32 i = 0; i < 8; i++) x[i] = (u64)(u32)x[i] * ~item + (u32)(x[i] >> 32);
    }
    UNROLL
    for (u32 i = 0; i < 8; i++) sum ^= x[i];
    out[item] = (u32)sum ^ (u32)(sum >> 32);
}
