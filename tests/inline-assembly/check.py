#!/usr/bin/env python3
"""Compares each inline assembly in LLVM IR with what its operands declare.

    check.py ARCHITECTURE FILE.ll...   ARCHITECTURE is x86_64 or aarch64

The IR holds the expanded template and the constraints. Of each template this program demands:

- every register that is named is declared, and so are the registers that vzeroupper, vzeroall and
  instructions with fixed registers change;
- an instruction writes no operand that is declared as an input only;
- an output that is written before the last instruction shares no register with an input;
- flags, memory and the stack are declared where an instruction changes them.

Every file of the crates of kernels that has inline assembly for the architecture must be among
those that were checked: the files under arch/ARCHITECTURE, and those that ask for it by
`target_arch`.

Run from the root of the repository: calls whose file is not there are the standard library's.
An instruction that the lists below do not know is an error: whoever adds one says here what it does.
Prints a line for each source file, and exits with 1 if anything is not declared.
"""

import collections
import itertools
import os
import pathlib
import re
import sys

# The crates of kernels.
CRATES = ["crates/lanes", "crates/public-key"]

HIGH_AND_LOW = {f"{name}{half}": name + "x" for name in "abcd" for half in "lhx"}
GENERAL = {f"{prefix}{name}x": name + "x" for prefix in "er" for name in "abcd"} | HIGH_AND_LOW
for name in ("si", "di", "bp", "sp"):
    GENERAL |= {prefix + name: name for prefix in ("e", "r", "")} | {name + "l": name}
for number in range(8, 16):
    GENERAL |= {f"r{number}{width}": f"r{number}" for width in ("", "d", "w", "b")}

X86_REGISTER = re.compile(r"(?<![\w$%.])(?:([xyz])mm(\d+)|k([0-7])|([a-z]\w{1,3}))(?!\w)")
ARM_REGISTER = re.compile(r"(?<![\w$#.])(?:[vqdshb](\d+)(?:\.\w+)?|[xw](\d+)|(sp|lr|fp))(?!\w)")

# What changes neither flags nor a fixed register, and writes its first operand; by the start of its
# name.
PLAIN_X86 = re.compile(
    r"(v|p(?!ush|op)|aes|sha1|sha256|mov|lea$|bswap|rorx|nop|not$|cmov|set)"
    r"(?!.*(testp|comis|cmpestr|cmpistr|ptest|zeroupper|zeroall|cmp.*xchg))"
)
# What changes the flags and writes its first operand.
ARITHMETIC_X86 = re.compile(r"(add|adc|sub|sbb|and|andn|or|xor|inc|dec|neg|rol|ror|shl|shr|sar|imul)$")
# What changes the flags and writes no operand.
COMPARES_X86 = re.compile(r"(cmp|test|v?ptest)$")
JUMPS_X86 = re.compile(r"j\w+$")
STACK_X86 = re.compile(r"(push|pop|call|ret|enter|leave)")

PLAIN_ARM = re.compile(
    r"(add|sub|mul|ror|eor|and|orr|shl|ushr|bsl|zip[12]|umull|pmull|aese|aesmc|sha\w+|mrs)$"
)
FLAGS_ARM = re.compile(r"(adds|subs)$")
NEITHER_ARM = re.compile(r"(isb|dsb|dmb|dc|nop|b(\.\w+)?|cbn?z)$")

CALL = re.compile(r'asm ((?:sideeffect |alignstack |inteldialect |unwind )*)"((?:[^"])*)", "([^"]*)"')


def unescape(text):
    return re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), text)


def canonical(name):
    """A register by the name that all its widths share."""
    name = name.lower()
    if match := re.fullmatch(r"[xyz]mm(\d+)", name):
        return "vector" + match[1]
    if match := re.fullmatch(r"[vqds](\d+)", name):
        return "vector" + match[1]
    if match := re.fullmatch(r"[xw](\d+)", name):
        return "x" + match[1]
    return GENERAL.get(name, name)


class Assembly:
    """One template and its constraints."""

    def __init__(self, arch, words, template, constraints, readonly):
        self.arch = arch
        self.template = unescape(template)
        self.declared, self.changed = set(), set()
        self.operands = []  # (written, early, fixed register)
        self.clobbers = set()
        self.stack = "alignstack" in words
        self.readonly = readonly
        for constraint in split_constraints(unescape(constraints)):
            fixed = re.search(r"\{(.*)\}", constraint)
            register = canonical(fixed[1]) if fixed else None
            if constraint.startswith("~"):
                self.clobbers.add(fixed[1])
                self.changed.add(register)
            elif constraint.startswith("="):
                self.operands.append([True, "&" in constraint, register])
                self.changed.add(register)
            elif constraint.isdigit():
                self.operands.append([True, True, self.operands[int(constraint)][2]])
            else:
                self.operands.append([False, False, register])
            self.declared.add(register)
        self.declared |= self.changed
        self.problems = []

    def problem(self, line, text):
        self.problems.append(f"{text}: {line.strip()}")

    def lines(self):
        for line in re.split(r"[\n;]", self.template):
            line = re.sub(r"/\*.*?\*/|//.*|^\s*\d+:|^\s*\.(p2align|rept|endr).*", "", line).strip()
            if line:
                yield line

    def check(self):
        lines = list(self.lines())
        for number, line in enumerate(lines):
            self.registers(line)
            last = number + 1 == len(lines)
            (self.x86 if self.arch == "x86_64" else self.arm)(line, last)
        return self.problems

    def registers(self, line):
        pattern = X86_REGISTER if self.arch == "x86_64" else ARM_REGISTER
        for match in pattern.finditer(line):
            name = match[0].split(".")[0]
            if self.arch == "x86_64" and match[4] and name not in GENERAL:
                continue
            if canonical(name) not in self.declared:
                self.problem(line, f"{name} is not declared")

    def writes(self, line, operand, last):
        """`operand` is changed by `line`."""
        operand = operand.strip()
        if "[" in operand:
            if "memory" not in self.clobbers or self.readonly:
                self.problem(line, "memory is written and not declared")
            return
        if match := re.search(r"\$\{?(\d+)", operand):
            written, early, _ = self.operands[int(match[1])]
            if not written:
                self.problem(line, f"operand {match[1]} is an input, and is written")
            elif not early and not last:
                self.problem(line, f"operand {match[1]} may share a register with an input")
            return
        name = re.sub(r"\{.*|\..*", "", operand).strip()
        if canonical(name) in self.declared - self.changed:
            self.problem(line, f"{name} is an input, and is written")

    def reads_memory(self, line, name):
        if "[" in line and name != "lea" and "memory" not in self.clobbers and not self.readonly:
            self.problem(line, "memory is read and not declared")

    def flags(self, line):
        if "flags" not in self.clobbers and "cc" not in self.clobbers:
            self.problem(line, "flags are changed and not declared")

    def x86(self, line, last):
        name, _, rest = line.partition(" ")
        first = rest.split(",")[0]
        self.reads_memory(line, name)
        if name in ("vzeroupper", "vzeroall"):
            for number in range(16):
                if f"vector{number}" not in self.changed:
                    self.problem(line, f"vector register {number} is not declared")
        elif STACK_X86.match(name):
            if not self.stack:
                self.problem(line, "the stack is used and not declared")
        elif name == "xchg":
            for operand in rest.split(","):
                self.writes(line, operand, last)
        elif PLAIN_X86.match(name):
            self.writes(line, first, last)
            if name == "sha256rnds2" and "vector0" not in self.declared:
                self.problem(line, "xmm0 is not declared")
        elif ARITHMETIC_X86.match(name):
            self.flags(line)
            if name == "imul" and "," not in rest:
                self.problem(line, "what it does is not known here")
            self.writes(line, first, last)
        elif COMPARES_X86.match(name):
            self.flags(line)
        elif not JUMPS_X86.match(name):
            self.problem(line, "what it does is not known here")

    def arm(self, line, last):
        name, _, rest = line.partition(" ")
        first = rest.split(",")[0]
        self.reads_memory(line, name)
        if FLAGS_ARM.match(name):
            self.flags(line)
            self.writes(line, first, last)
        elif PLAIN_ARM.match(name):
            self.writes(line, first, last)
        elif not NEITHER_ARM.match(name):
            self.problem(line, "what it does is not known here")


def split_constraints(text):
    return [part for part in re.findall(r"(?:[^,{]|\{[^}]*\})+", text)]


class Places:
    """Source files of the calls, from the debug information."""

    def __init__(self, text):
        self.nodes = dict(re.findall(r"^(!\d+) = (?:distinct )?!(DI\w+\(.*\))$", text, re.M))

    def field(self, node, name):
        match = re.search(rf'\b{name}: (!\d+|"[^"]*"|\d+)', self.nodes.get(node, ""))
        return match and match[1].strip('"')

    def of(self, call):
        location = re.search(r"!dbg (!\d+)", call)
        if not location:
            return None
        line = self.field(location[1], "line")
        scope = self.field(location[1], "scope")
        while scope and not self.field(scope, "file"):
            scope = self.field(scope, "scope")
        name = scope and self.field(self.field(scope, "file"), "filename")
        return name and (re.sub(r"/@/.*", "", re.sub(r"^.*crates/", "crates/", name)), int(line))


class Calls:
    """The calls of a file, and what was found in them."""

    def __init__(self, arch):
        self.arch = arch
        self.checked, self.problems = collections.Counter(), {}
        self.seen = set()

    def read(self, path):
        text = open(path, encoding="utf-8").read()
        attributes = dict(re.findall(r"^attributes (#\d+) = \{(.*)\}$", text, re.M))
        places = Places(text)
        for call in text.splitlines():
            match = CALL.search(call)
            place = places.of(call) if match else None
            # Inline assembly of the standard library is in files that are not here.
            if not place or not os.path.exists(place[0]):
                continue
            if (place, match[2], match[3]) in self.seen:
                continue
            self.seen.add((place, match[2], match[3]))
            group = re.search(r"(#\d+)", call[match.end():])
            readonly = "memory(read)" in attributes.get(group[1] if group else "", "")
            found = Assembly(self.arch, *match.groups(), readonly).check()
            self.checked[place[0]] += 1
            for problem in found:
                self.problems.setdefault(f"{place[0]}:{place[1]}: {problem}")


def main():
    arch, *paths = sys.argv[1:]
    calls = Calls(arch)
    for path in paths:
        calls.read(path)
    checked, problems = calls.checked, calls.problems
    sources = [pathlib.Path(crate, "src").rglob("*.rs") for crate in CRATES]
    for path in itertools.chain(*sources):
        text = path.read_text(encoding="utf-8")
        wanted = f"/arch/{arch}/" in str(path) or f'target_arch = "{arch}"' in text
        if wanted and re.search(r"(?<![\w`])asm!\(", text) and not checked[str(path)]:
            problems[f"{path}: none of its assembly is in the compiler's output"] = None
    for name, count in sorted(checked.items()):
        print(f"{name}: {count} templates checked for {arch}")
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems or not checked else 0)


main()
