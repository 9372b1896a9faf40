// How fast the device does 32-bit operations: those of hashes, in eight chains side by side. Word
// `tasks` of the input says how many turns.

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
