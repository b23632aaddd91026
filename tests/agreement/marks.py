"""What CPython's own parser sees in each source of the input, a line of JSON each: a path or a text.

One JSON line a source: imports, calls and string constants by their byte offsets, or that the file
is refused. Inside an f-string, whose places CPython 3.11 does not tell, they are told together.
"""

import ast
import json
import sys
import warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(20_000)

QUOTE_BYTES_MAX = 120


class Marks(ast.NodeVisitor):
    def __init__(self, source: bytes):
        self.source = source
        self.starts = [0]
        for at, byte in enumerate(source):
            if byte == 10 or (byte == 13 and source[at + 1 : at + 2] != b"\n"):
                self.starts.append(at + 1)
        self.imports, self.calls, self.strings, self.formats = [], [], [], []

    def start(self, node):
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def visit_Import(self, node):
        for alias in node.names:
            self.imports.append([self.start(node), alias.name, alias.asname, []])

    def visit_ImportFrom(self, node):
        names = [[alias.name, alias.asname] for alias in node.names if alias.name != "*"]
        module = "." * node.level + (node.module or "")
        self.imports.append([self.start(node), module, None, names])

    def visit_Call(self, node):
        called = node.func
        while isinstance(called, ast.NamedExpr):
            called = called.value
        written = self.source[self.start(called) : self.end(called)]
        self.calls.append([self.end(node), cut(written)])
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, (str, bytes)):
            kind = type(node.value).__name__
            unnamed = rb"\N{" in self.source[self.start(node) : self.end(node)]
            known = None if unnamed else text(node.value)
            self.strings.append([self.start(node), self.end(node), kind, known])

    def visit_JoinedStr(self, node):
        inside = Inside()
        inside.visit(node)
        start, end = self.start(node), self.end(node)
        written = self.source[start:end].replace(b" ", b"")
        debug = any(sign in written for sign in (b"=}", b"=!", b"=:"))
        opaque = debug or inside.opaque or rb"\N{" in written
        letters = None if opaque else "".join(sorted("".join(inside.strings)))
        self.formats.append([start, end, sorted(inside.calls), letters])


class Inside(ast.NodeVisitor):
    """What stands in an f-string, wherever in it."""

    def __init__(self):
        self.calls, self.strings, self.opaque = [], [], False

    def visit_Call(self, node):
        self.calls.append(dotted(node.func))
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, (str, bytes)):
            known = text(node.value)
            self.opaque = self.opaque or known is None
            self.strings.append(known or "")

    def visit_FormattedValue(self, node):
        self.visit(node.value)
        if node.format_spec:
            for part in node.format_spec.values:
                if not isinstance(part, ast.Constant):
                    self.visit(part)


def dotted(node):
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else "?"


def cut(written: bytes) -> str:
    return written[:QUOTE_BYTES_MAX].decode("utf-8", "ignore")


def text(value):
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return None if any("\ud800" <= letter <= "\udfff" for letter in value) else value


def read(path, text):
    source = text.encode() if path is None else open(path, "rb").read()
    try:
        tree = ast.parse(source)
        compile(source, "<source>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {"accepted": False}
    marks = Marks(source)
    try:
        marks.visit(tree)
    except IndexError:
        # Under a cookie the places are those of the decoded text.
        return {"accepted": True}
    return {
        "accepted": True,
        "imports": sorted(marks.imports, key=lambda mark: mark[0]),
        "calls": sorted(marks.calls, key=lambda mark: mark[0]),
        "strings": sorted(marks.strings, key=lambda mark: mark[0]),
        "formats": sorted(marks.formats, key=lambda mark: mark[0]),
    }


print(json.dumps({"version": f"{sys.version_info[0]}.{sys.version_info[1]}"}))
for line in sys.stdin:
    print(json.dumps(read(**json.loads(line))), flush=True)
