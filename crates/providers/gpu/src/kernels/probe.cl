// How fast the device does 32-bit operations: those of hashes, in four chains side by side. Word
// `tasks` of the input says how many turns.

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void probe(__global const u32 *in, __global u32 *out, u32 tasks, u32 count)
{
    const u32 item = get_global_id(0);
    if (item >= count) return;
    u32 a = item, b = a + 1, c = a + 2, d = a + 3;
    // 16 operations: 4 rotations, 4 additions, 8 of logic.
    for (u32 i = 0; i < in[tasks]; i++) {
        a = (rotate(a, 7u) + b) ^ (c & d);
        b = (rotate(b, 9u) + c) ^ (d & a);
        c = (rotate(c, 13u) + d) ^ (a & b);
        d = (rotate(d, 18u) + a) ^ (b & c);
    }
    out[item] = a ^ b ^ c ^ d;
}
