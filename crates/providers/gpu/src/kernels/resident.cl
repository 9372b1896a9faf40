// Data that stay on the device. All items share the one task.

#define SHARED_TASK(t, item) \
    const u32 item = get_global_id(0); \
    if (item >= count) return; \
    __global const u32 *t = in + tasks

// Task: words of the input, the word at which they are to stay, how many.
KERNEL
void keep(ARGUMENTS)
{
    SHARED_TASK(task, item);
    for (u32 i = item; i < task[2]; i += count) resident[task[1] + i] = in[task[0] + i];
}

// Task: nothing, the first word to wipe, how many.
KERNEL
void wipe(ARGUMENTS)
{
    SHARED_TASK(task, item);
    for (u32 i = item; i < task[2]; i += count) resident[task[1] + i] = 0;
}
