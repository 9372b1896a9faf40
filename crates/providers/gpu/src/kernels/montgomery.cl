// Numbers of up to WORDS words, the lowest first, modulo an odd number.

void load(u32 *a, __global const u32 *from, const u32 count)
{
    UNROLL
    for (u32 j = 0; j < count; j++) a[j] = from[j];
}

void store(__global u32 *to, const u32 *a, const u32 count)
{
    UNROLL
    for (u32 j = 0; j < count; j++) to[j] = a[j];
}

// 1 if a is below n, and else 0.
u32 is_below(const u32 *a, const u32 *n, const u32 count)
{
    u32 below = 0;
    UNROLL
    for (u32 j = 0; j < count; j++) below = (u32)(((u64)a[j] - n[j] - below) >> 63);
    return below;
}

// a + 2^(32 count) over, modulo n, if that is below 2n.
void reduce_once(u32 *a, const u32 over, const u32 *n, const u32 count)
{
    const u32 mask = 0 - (over | (1 - is_below(a, n, count)));
    u32 borrow = 0;
    UNROLL
    for (u32 j = 0; j < count; j++) {
        const u64 difference = (u64)a[j] - (n[j] & mask) - borrow;
        a[j] = (u32)difference;
        borrow = (u32)(difference >> 63);
    }
}

// a + b modulo n, of numbers below it.
void add_modulo(u32 *a, const u32 *b, const u32 *n, const u32 count)
{
    u64 sum = 0;
    UNROLL
    for (u32 j = 0; j < count; j++) {
        sum += (u64)a[j] + b[j];
        a[j] = (u32)sum;
        sum >>= 32;
    }
    reduce_once(a, (u32)sum, n, count);
}

// a = a·b/R modulo n, for numbers one of which is below n (Montgomery 1985). `b` is read by a
// variable index, and so must not be `a`, which a GPU shall have in registers.
void multiply(u32 *a, const u32 *b, const u32 *n, const u32 inverse, const u32 count)
{
    u32 t[WORDS];
    u32 over = 0;
    UNROLL
    for (u32 j = 0; j < count; j++) t[j] = 0;
    for (u32 i = 0; i < count; i++) {
        const u32 factor = b[i];
        u64 sum = (u64)a[0] * factor + t[0];
        u64 carry = sum >> 32;
        const u32 multiple = (u32)sum * inverse;
        u64 reduced = (u64)multiple * n[0] + (u32)sum;
        u64 second = reduced >> 32;
        UNROLL
        for (u32 j = 1; j < count; j++) {
            sum = (u64)a[j] * factor + t[j] + carry;
            carry = sum >> 32;
            reduced = (u64)multiple * n[j] + (u32)sum + second;
            second = reduced >> 32;
            t[j - 1] = (u32)reduced;
        }
        sum = carry + second + over;
        t[count - 1] = (u32)sum;
        over = (u32)(sum >> 32);
    }
    reduce_once(t, over, n, count);
    UNROLL
    for (u32 j = 0; j < count; j++) a[j] = t[j];
}
