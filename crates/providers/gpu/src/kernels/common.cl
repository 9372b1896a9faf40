// What all kernels have in common. A work item does one task, described by TASK words.

typedef uint u32;
typedef ulong u64;

// Loops over arrays are unrolled, so that a GPU has the arrays in registers.
#define UNROLL _Pragma("unroll")

#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))

// Input and output of a batch, the word of the input where tasks begin, how many they are, and data
// that stay on the device, or nowhere.
#define ARGUMENTS \
    __global const u32 *in, __global u32 *out, u32 tasks, u32 count, __global u32 *resident

#define TASK 12
#define NONE 0xffffffffu

// The task of this work item; a group's last items may have none.
#define TASK_OR_RETURN(t) \
    if (get_global_id(0) >= count) return; \
    __global const u32 *t = in + tasks + get_global_id(0) * TASK

u32 swap32(u32 x) { return (rotate(x, 8u) & 0x00ff00ffu) | (rotate(x, 24u) & 0xff00ff00u); }

u64 swap64(u64 x) { return ((u64)swap32((u32)x) << 32) | swap32((u32)(x >> 32)); }

// Those bytes of the word at byte `at` that are before byte `len`.
u32 tail_mask(u32 at, u32 len)
{
    if (at + 4 <= len) return ~0u;
    return at >= len ? 0 : (1u << (8 * (len - at))) - 1;
}
