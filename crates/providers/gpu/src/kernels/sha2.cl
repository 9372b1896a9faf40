// SHA-2 (FIPS 180-4) with words of 32 and of 64 bits, and HMAC over it: a task is a message that
// was padded by the host.
//
// Task: data, blocks, initial state, output, state of the outer hash or NONE, words of a digest,
// where the first blocks stay on the device, how many these are.

KERNEL
void sha256(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u32 *data = resident + task[6];
    u32 h[8], w[16];
    for (u32 i = 0; i < 8; i++) h[i] = in[task[2] + i];
    for (u32 block = 0; block < task[1]; block++, data += 16) {
        if (block == task[7]) data = in + task[0];
        UNROLL
        for (u32 i = 0; i < 16; i++) w[i] = swap32(data[i]);
        sha256_block(h, w);
    }
    if (task[4] != NONE) {
        UNROLL
        for (u32 i = 0; i < 8; i++) {
            w[i] = i < task[5] ? h[i] : i == task[5] ? 0x80000000u : 0;
            w[8 + i] = 0;
        }
        if (task[5] == 8) w[8] = 0x80000000u;
        w[15] = 512 + 32 * task[5];
        for (u32 i = 0; i < 8; i++) h[i] = in[task[4] + i];
        sha256_block(h, w);
    }
    for (u32 i = 0; i < 8; i++) out[task[3] + i] = swap32(h[i]);
}

KERNEL
void sha512(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u64 *data = (__global const u64 *)(resident + task[6]);
    __global const u64 *state = (__global const u64 *)(in + task[2]);
    __global u64 *digest = (__global u64 *)(out + task[3]);
    u64 h[8], w[16];
    for (u32 i = 0; i < 8; i++) h[i] = state[i];
    for (u32 block = 0; block < task[1]; block++, data += 16) {
        if (block == task[7]) data = (__global const u64 *)(in + task[0]);
        UNROLL
        for (u32 i = 0; i < 16; i++) w[i] = swap64(data[i]);
        sha512_block(h, w);
    }
    if (task[4] != NONE) {
        state = (__global const u64 *)(in + task[4]);
        UNROLL
        for (u32 i = 0; i < 8; i++) {
            w[i] = i < task[5] ? h[i] : i == task[5] ? 1ul << 63 : 0;
            w[8 + i] = 0;
        }
        if (task[5] == 8) w[8] = 1ul << 63;
        w[15] = 1024 + 64 * task[5];
        for (u32 i = 0; i < 8; i++) h[i] = state[i];
        sha512_block(h, w);
    }
    for (u32 i = 0; i < 8; i++) digest[i] = swap64(h[i]);
}
