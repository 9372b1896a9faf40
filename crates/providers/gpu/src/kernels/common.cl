// What all kernels have in common. A work item does one task, described by TASK words.

typedef uint u32;
typedef ulong u64;

// Loops over arrays are unrolled, so that a GPU has the arrays in registers.
#define UNROLL _Pragma("unroll")

#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))

// Input and output of a batch, the word of the input where tasks begin, how many they are, data
// that stay on the device or nowhere, and memory for intermediate results or nowhere.
#define ARGUMENTS \
    __global const u32 *in, __global u32 *out, u32 tasks, u32 count, __global u32 *resident, \
        __global u32 *scratch

#define TASK 12
#define NONE 0xffffffffu

// The task of this work item; a group's last items may have none.
#define TASK_OR_RETURN(t) \
    if (get_global_id(0) >= count) return; \
    __global const u32 *t = in + tasks + get_global_id(0) * TASK

// A wide task has many items, in groups of its own. It begins with the number of its first group,
// and how many items it has.
__global const u32 *task_of_group(__global const u32 *tasks, const u32 count, const u32 group)
{
    u32 first = 0, end = count;
    while (end - first > 1) {
        const u32 middle = (first + end) / 2;
        if (tasks[middle * TASK] <= group) first = middle;
        else end = middle;
    }
    return tasks + first * TASK;
}

// The wide task of this work item, and which of its items this is; the last items of a task's last
// group may be none, and the last groups may have no task.
#define WIDE_TASK_OR_RETURN(t, item) \
    __global const u32 *t = task_of_group(in + tasks, count, get_group_id(0)); \
    const u32 item = get_global_id(0) - t[0] * GROUP; \
    if (item >= t[1]) return

// The same of a group whose items work together, and which of the task's groups this is.
#define GROUP_TASK_OR_RETURN(t, number) \
    __global const u32 *t = task_of_group(in + tasks, count, get_group_id(0)); \
    const u32 number = get_group_id(0) - t[0]; \
    if (number * GROUP >= t[1]) return

u32 swap32(u32 x) { return (rotate(x, 8u) & 0x00ff00ffu) | (rotate(x, 24u) & 0xff00ff00u); }

u64 swap64(u64 x) { return ((u64)swap32((u32)x) << 32) | swap32((u32)(x >> 32)); }

// Those bytes of the word at byte `at` that are before byte `len`.
u32 tail_mask(u32 at, u32 len)
{
    if (at + 4 <= len) return ~0u;
    return at >= len ? 0 : (1u << (8 * (len - at))) - 1;
}
