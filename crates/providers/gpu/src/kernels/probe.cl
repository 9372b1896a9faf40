// How fast the device computes, in eight chains side by side. Word `tasks` of the input says how
// many turns.

// Operations of hashes on 32-bit words.

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void probe(__global const u32 *in, __global u32 *out, u32 tasks, u32 count)
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
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void probe_products(__global const u32 *in, __global u32 *out, u32 tasks, u32 count)
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
