/* A plugin of qemu's user emulation: records what runs between two marks of the program.
 *
 *   qemu-aarch64 -plugin librecord.so PROGRAM
 *
 * The marks are the hints 96 and 97 of AArch64, which do nothing. At the second, a line says how many
 * instructions were executed, and gives a checksum of their addresses and of all addresses that they read or wrote.
 * It goes to the descriptor 1, after the program's own lines: tests/constant-time/compare reads both.
 *
 * Debian 12 has no header for plugins: what is used of the interface, version 1, is declared here.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { NO_REGISTERS = 0, READS_AND_WRITES = 3 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t,
                                           void (*)(uint64_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *,
                                            void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *,
                                      void (*)(unsigned, uint32_t, uint64_t, void *), int, int,
                                      void *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static int recording;
static uint64_t sum, count;

static void add(uint64_t value) { sum = ((sum << 5 | sum >> 59) ^ value) * 0x9e3779b97f4a7c15u; }

static void begin(unsigned cpu, void *data) {
    (void)cpu, (void)data;
    recording = 1;
    sum = count = 0;
}

static void end(unsigned cpu, void *data) {
    (void)cpu, (void)data;
    char line[80];
    int len = snprintf(line, sizeof line, "record %llu instructions, %016llx\n",
                       (unsigned long long)count, (unsigned long long)sum);
    recording = 0;
    if (write(1, line, len) != len) _exit(3);
}

static void executed(unsigned cpu, void *address) {
    (void)cpu;
    if (recording) {
        add((uintptr_t)address);
        count++;
    }
}

static void accessed(unsigned cpu, uint32_t how, uint64_t address, void *data) {
    (void)cpu, (void)how, (void)data;
    if (recording) add(address);
}

static void translated(uint64_t id, struct qemu_plugin_tb *block) {
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        void *address = (void *)(uintptr_t)qemu_plugin_insn_vaddr(instruction);
        uint32_t code;
        memcpy(&code, qemu_plugin_insn_data(instruction), sizeof code);
        if (code == 0xd5032c1f) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, begin, NO_REGISTERS, NULL);
        } else if (code == 0xd5032c3f) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, end, NO_REGISTERS, NULL);
        } else {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, executed, NO_REGISTERS, address);
            qemu_plugin_register_vcpu_mem_cb(instruction, accessed, NO_REGISTERS,
                                             READS_AND_WRITES, NULL);
        }
    }
}

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void *info,
                                                               int argc, char **argv) {
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
