// Keccak (FIPS 202): SHA-3, SHAKE, KMAC, and HMAC over SHA-3. A task is a message that was padded
// by the host, which put a key's blocks before it.
//
// Task: data, blocks, words of the rate (64 bits each), output, block of the outer hash or NONE,
// words of the inner digest (32 bits each).

KERNEL
void keccak(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    __global const u64 *data = (__global const u64 *)(in + task[0]);
    __global u64 *digest = (__global u64 *)(out + task[3]);
    const u32 rate = task[2];
    u64 a[25];
    for (u32 i = 0; i < 25; i++) a[i] = 0;
    for (u32 block = 0; block < task[1]; block++, data += rate) {
        for (u32 i = 0; i < rate; i++) a[i] ^= data[i];
        permute(a);
    }
    if (task[4] != NONE) {
        // Digests of SHA3-224 end within a word.
        u64 inner[8];
        for (u32 i = 0; i < 8; i++) inner[i] = a[i];
        __global const u64 *key = (__global const u64 *)(in + task[4]);
        for (u32 i = 0; i < 25; i++) a[i] = i < rate ? key[i] : 0;
        permute(a);
        const u32 halves = task[5];
        for (u32 i = 0; i < halves / 2; i++) a[i] ^= inner[i];
        if (halves % 2) a[halves / 2] ^= (u32)inner[halves / 2];
        a[halves / 2] ^= (u64)6 << (halves % 2 * 32);
        a[rate - 1] ^= (u64)1 << 63;
        permute(a);
    }
    for (u32 i = 0; i < 8; i++) digest[i] = a[i];
}
