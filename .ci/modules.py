"""The modules of a Rust crate, and what they import from each other.

`Crate(folder)` reads the sources below a folder, and `arrows()` has the imports: which module names
what of which other module. Imports are found in `use` declarations and in paths that begin with
`crate`, `$crate`, `self`, `super` or the name of a child. A name that a module re-exports counts
for the module that defines it, so that a `mod.rs` may offer what its children define. So does a
macro that is exported, which has a name at the root. What only tests need does not count, as the
dependencies of tests between crates do not.

This reads text, and is no compiler. It knows the forms that formatted sources have.
"""

import re
from collections import defaultdict

COMMENT_OR_LITERAL = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | b?r(?P<hashes>\#*)".*?"(?P=hashes)
    | b?"(?:\\.|[^"\\])*" | b?'(?:\\.[^']*|[^'\\])'""",
    re.DOTALL | re.VERBOSE,
)
TEST_ITEM = re.compile(
    r"#\[cfg\((?:test|all\(test[^\]]*)\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?"
    r"(?:unsafe\s+)?(?P<kind>mod|fn|use|impl|const|struct|static|type|macro_rules!)\b[^;{]*[;{]"
)
USE = re.compile(r"(?<![\w$])(?P<visible>pub(?:\([^)]*\))?\s+)?use\s+(?P<tree>[^;]*);")
ROOTED_PATH = re.compile(r"(?<![\w:])(?:\$?crate|super|self)(?:::\w+)+")
EXPORTED_MACRO = re.compile(r"#\[macro_export\]\s*macro_rules!\s+(\w+)")
DEFINITION = (
    r"\b(?:fn|struct|enum|trait|type|const|static|union|mod|macro_rules!)\s+"
    r"(?:mut\s+)?{}\b"
)


def without_comments(text):
    """Returns a source without comments, and with empty literals."""
    text = COMMENT_OR_LITERAL.sub(lambda m: "" if m[0].startswith("/") else '""', text)
    return re.sub(r"pub\(in [^)]*\)", "pub(crate)", text)


def end_of_item(text, start, brace):
    """Returns where an item ends whose first brace or semicolon is at `brace`."""
    if text[brace] == ";":
        return brace + 1
    depth = 0
    for at in range(brace, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at + 1
    raise ValueError(f"a brace is not closed: {text[start : start + 80]}")


def without_tests(text):
    """Returns a source without the items that are compiled for tests alone."""
    while match := TEST_ITEM.search(text):
        brace = match.end() - 1
        if match["kind"] == "use":
            brace = text.index(";", match.start())
        text = text[: match.start()] + text[end_of_item(text, match.start(), brace) :]
    return text


def leaves(tree):
    """Returns the paths that a `use` declaration imports, and the name that each is known by."""
    tree = tree.strip()
    if group := re.fullmatch(r"([^{]*)\{(.*)\}", tree, re.DOTALL):
        prefix = [part.strip() for part in group[1].split("::") if part.strip()]
        found, depth, branch = [], 0, ""
        for character in group[2] + ",":
            if character == "," and depth == 0:
                for path, name in leaves(branch) if branch.strip() else []:
                    if path == ["self"]:
                        found.append((prefix, prefix[-1] if name == "self" else name))
                    else:
                        found.append((prefix + path, name))
                branch = ""
                continue
            depth += (character == "{") - (character == "}")
            branch += character
        return found
    path, _, alias = tree.partition(" as ")
    path = [part.strip() for part in path.split("::") if part.strip()]
    return [(path, alias.strip() or path[-1])]


class Module:
    """A module: its uses (path, name, whether it is visible elsewhere), and its other text."""

    def __init__(self, path, text):
        self.path = path
        self.uses = []

        def take(match):
            for leaf, name in leaves(match["tree"]):
                self.uses.append((leaf, name, bool(match["visible"])))
            return " "

        self.body = USE.sub(take, text)

    def mentions(self, name):
        """Returns `True` if the module uses a name itself."""
        return re.search(rf"\b{re.escape(name)}\b", self.body) is not None

    def defines(self, name):
        """Returns `True` if an item of this name is in the module."""
        return re.search(DEFINITION.format(re.escape(name)), self.body) is not None


class Crate:
    """All modules of the sources below a folder, by their paths; the crate's own is empty."""

    def __init__(self, folder):
        self.modules = {}
        for file in sorted(folder.rglob("*.rs")):
            path = file.relative_to(folder).with_suffix("").parts
            if path[-1] in ("mod", "lib"):
                path = path[:-1]
            if "tests" not in path:
                text = without_tests(without_comments(file.read_text()))
                self.modules[path] = Module(path, text)
        # Folders whose module is declared inline have no file of their own.
        for path in list(self.modules):
            for length in range(1, len(path)):
                self.modules.setdefault(path[:length], Module(path[:length], ""))
        self.exported = {
            name: module.path
            for module in self.modules.values()
            for name in EXPORTED_MACRO.findall(module.body)
        }

    def find(self, module, path, seen=frozenset()):
        """Returns the module that defines what `path` means in `module`; `None` outside."""
        if (module.path, tuple(path)) in seen:
            return None
        seen |= {(module.path, tuple(path))}
        at, rest = module.path, list(path)
        rooted = rest[0] in ("crate", "$crate", "self", "super")
        if rest[0] in ("crate", "$crate"):
            at = ()
        if rooted and rest[0] != "super":
            rest = rest[1:]
        while rest and rest[0] == "super":
            at, rest = at[:-1], rest[1:]
        while rest and at + (rest[0],) in self.modules:
            at, rest = at + (rest[0],), rest[1:]
        if not rest or rest[0] == "*":
            return at
        if at == () and rest[0] in self.exported:
            return self.exported[rest[0]]
        here = self.modules[at]
        for leaf, name, _ in here.uses:
            if name == rest[0]:
                return self.find(here, leaf + rest[1:], seen)
        if here.defines(rest[0]):
            return at
        for leaf, name, _ in here.uses:
            if name == "*":
                below = self.find(here, leaf, seen)
                if below is not None and below != at:
                    found = self.find(self.modules[below], ["self"] + rest, seen)
                    if found is not None:
                        return found
        return at if rooted and at != module.path else None

    def arrows(self):
        """Returns what each module names of others: {module: {other module: {path, ...}}}."""
        arrows = defaultdict(lambda: defaultdict(set))

        def add(module, path):
            found = self.find(module, path)
            if found is not None and found != module.path:
                arrows[module.path][found].add("::".join(path))

        for module in self.modules.values():
            for path, name, visible in module.uses:
                if not visible or name != "*" and module.mentions(name):
                    add(module, path)
            for match in ROOTED_PATH.finditer(module.body):
                add(module, match[0].split("::"))
            for child in self.modules:
                if child and child[:-1] == module.path:
                    pattern = rf"(?<![\w:$]){child[-1]}(?:::\w+)+"
                    for match in re.finditer(pattern, module.body):
                        add(module, ["self"] + match[0].split("::"))
        return arrows


def circles(arrows):
    """Returns the sets of modules that import each other, directly or by others (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in arrows.get(node, ()):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in list(arrows):
        if node not in index:
            visit(node)
    return found


def shortest_way_back(arrows, start):
    """Returns the shortest way along arrows from a module of a circle to itself."""
    ways, seen = [[start]], set()
    for way in ways:
        for other in arrows.get(way[-1], ()):
            if other == start:
                return [*way, other]
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    raise ValueError(f"{start} is in no circle")
