//! Sources by their shape: what is repeated, nested or chained in them.

use std::fmt::Write;

type Shapes = Vec<(&'static str, Vec<u8>)>;

/// Bytes of the sources that repeat one token.
pub(crate) const REPEATED_BYTES: usize = 16 << 10;

/// What is repeated: brackets, quotes, operators, keywords, prefixes, and what a parser has to
/// recover from.
#[rustfmt::skip]
pub(crate) const UNITS: &[&str] = &[
    "(", "[", "{", ")", "]", "}", "([{", "(]", "a(", "a[", "{a:", "(a b", "[a b,", "{a b:", "x = (\n",
    "'", "\"", "`", "'\n", "'''\n", "a' ", "'a", "'a' ", "f'", "f''", "f'{", "f'{a:{", "rb", "b''", "\\", "\\\n",
    "x\\\n", "\\\r\n", "\\ ", "#", "#\n", "# nosec\n", "# coding: ", "\r", "\0", "\u{feff}", "\u{202e}", "é",
    "ﬁ ", "ﷺ", "a\u{301}", " ", "\t", "\n", "\x0c", ";", "a;", ",", "a,", ".", "a.", "...", ":", "a:", "a: b\n",
    "=", "x=", "a = = b\n", "-", "~", "not ", "**", "*", "a is not ", "a b ", "a b\n", "1a", "0x ", "1_", "1.e", "!", "?",
    "$ x ", "@", "@\n", "@a\n", "->", ":=", "lambda:", "lambda x:", "await ", "yield ", "async ", "async def ",
    "async\n", "if x: ", "if x:\n", "else:\n", "elif a:\n b\n", "try:\n", "except:\n a\n", "for a in ", "while x: ",
    "with x:\n", "class A:\n", "class A: ", "def f(:\n", "def f(\n", "def f(a:\n  return (a\n", "match ", "match(",
    "match x:\n", "case ", "match *a, b\n", "type(", "type x = y\n", "print ", "print >> ", "print a b\n", "exec ",
    "exec a in b, c\n", "import a\n", "from a import *\n", "global a\n", "del a\n", "raise ", "return ", "x if y else ",
    "if x:\n\ty\n        z\n", "if )\n", "  a\n a\n", "[x for ",
];

/// What a whole megabyte is made of.
pub(crate) const MEGABYTES: &[&str] = &[
    "a",
    "1",
    " ",
    "\t",
    "\n",
    "#",
    "é",
    "(",
    "'",
    "x=",
    "\\\n",
    "x\\\n",
    "a = b\n",
    "print(x)\n",
    "'a\n",
    "a b\n",
    "if else for in while ",
];

/// Bytes without a pattern, the same ones each time.
pub(crate) fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..bytes).map(|_| next()).collect()
}

fn chain(start: &str, link: &str, times: usize, end: &str) -> Vec<u8> {
    format!("{start}{}{end}", link.repeat(times)).into_bytes()
}

fn numbered(start: &str, times: usize, line: impl Fn(usize) -> String, end: &str) -> Vec<u8> {
    let mut text = start.to_owned();
    for number in 0..times {
        text.push_str(&line(number));
    }
    text.push_str(end);
    text.into_bytes()
}

/// Blocks within blocks, each one column further in.
fn ladder(levels: usize, step: &str, end: &str) -> Vec<u8> {
    let mut text = String::new();
    for level in 0..levels {
        writeln!(text, "{}if x:", step.repeat(level)).unwrap();
    }
    text.push_str(&step.repeat(levels));
    text.push_str(end);
    text.into_bytes()
}

/// What no cap lets through.
pub(crate) fn past_the_caps() -> Shapes {
    let strings = format!("{}1{}", "f'{".repeat(255), "}'".repeat(255));
    vec![
        ("more than a megabyte", vec![b'x'; (1 << 20) + 1]),
        ("unary operators", chain("x = ", "-", 100_000, "1")),
        ("negations", chain("x = ", "not ", 100_000, "1")),
        ("sums", chain("x = 1", "+1", 100_000, "")),
        ("powers", chain("x = ", "a**", 100_000, "1")),
        ("attributes", chain("x", ".a", 50_000, "")),
        ("calls", chain("x", "()", 100_000, "")),
        ("subscripts", chain("x", "[0]", 100_000, "")),
        ("conditions", chain("x = ", "a if b else ", 10_000, "c")),
        ("lambdas", chain("x = ", "lambda:", 10_000, "1")),
        ("open brackets", chain("", "[", 32 << 10, "")),
        ("closed brackets", chain(&"[".repeat(50_000), "]", 50_000, "")),
        ("parts of a module", chain("import a", ".b", 50_000, "")),
        ("continuations", chain("", "\\\n", 16 << 10, "")),
        ("continued sums", chain("x = 1", " \\\n + 1", 20_000, "")),
        ("continued errors", chain("", "x\\\n", 300_000, "")),
        ("indentation, open string", ladder(511, " ", "'''")),
        ("indentation by tabs", ladder(100, "\t", "'''")),
        ("indentation, strings in strings", ladder(384, " ", &strings)),
        ("strings in strings", strings.into_bytes()),
        ("patterns", chain("match x:\n case ", "[", 10_000, "")),
        ("formats in formats", chain("x = f'", "{a:", 10_000, "'")),
    ]
}

/// Programs that are only long.
pub(crate) fn large() -> Shapes {
    vec![
        ("assignments in one", chain("", "a=", 100_000, "1")),
        ("elif", numbered("if a:\n b\n", 50_000, |_| "elif a:\n b\n".to_owned(), "")),
        ("functions", numbered("", 20_000, |n| format!("def f{n}(a): return a\n"), "")),
        ("one string", chain("x = '", "a", 1 << 19, "'")),
        ("one list", numbered("x = [", 50_000, |n| format!("{n}, "), "]")),
        ("one dictionary", numbered("x = {", 40_000, |n| format!("'k{n}': {n}, "), "}")),
        (
            "methods",
            numbered("class A:\n", 10_000, |n| format!(" def m{n}(self): self.x = {n}\n"), ""),
        ),
        ("decorators", chain("", "@d\n", 10_000, "def f(): pass\n")),
        ("cases", chain("match x:\n", " case A(b=c):\n  d\n", 5_000, "")),
        ("format parts", chain("x = f'", "{a}", 20_000, "'")),
        ("comments", chain("", "# nosec\n", 50_000, "")),
        ("imports", numbered("", 20_000, |n| format!("import a{n}\n"), "")),
        ("global names", numbered("def f():\n global a", 20_000, |n| format!(", a{n}"), "\n")),
        ("parameters", numbered("def f(a", 20_000, |n| format!(", a{n}"), "): pass\nf(1)\n")),
    ]
}

/// Programs whose values feed on each other.
pub(crate) fn growing() -> Shapes {
    vec![
        ("doubling", chain("x = 'a'\n", "x = x + x\n", 5_000, "")),
        ("attributes of itself", chain("import os\nx = os\n", "x = x.a\n", 5_000, "")),
        ("aliases", numbered("f0=f\n", 10_000, |n| format!("f{}=f{n}\n", n + 1), "f9('x')\n")),
        ("aliases backwards", numbered("", 2_000, global_alias, "")),
        ("own classes", numbered("", 5_000, own_class, "")),
        (
            "calls of calls",
            numbered("", 5_000, |n| format!("def f{n}(a): return f{}(a)\n", n + 1), ""),
        ),
        (
            "lists of lists",
            numbered("a0 = []\n", 5_000, |n| format!("a{} = [a{n}, a{n}]\n", n + 1), ""),
        ),
        ("binding in branches", numbered("", 5_000, |n| format!("if x:\n a = {n}\nb = a\n"), "")),
        ("returns", numbered("def f(x):\n", 5_000, |n| format!(" if x: return '{n}'\n"), "f(1)\n")),
        ("code in texts", numbered("", 2_000, |n| format!("exec('x{n} = {n}')\n"), "")),
        ("code in code", chain("", "exec('exec(\"import os\")')\n", 1_000, "")),
        ("format fields", chain("x = '", "{0.a}", 2_000, "'.format(y)\n")),
        (
            "dispatch",
            numbered("", 5_000, |n| format!("def f{n}(): pass\nd['k'] = f{n}\nd['k']()\n"), ""),
        ),
    ]
}

fn global_alias(number: usize) -> String {
    format!("def f{number}():\n global a{number}\n a{number} = a{}\n", number + 1)
}

fn own_class(number: usize) -> String {
    format!("class C{number}:\n  pass\nc{number} = C{number}()\nc{number}.x = c{number}\n")
}
