# What the interpreter sees a program do, a line of JSON for each thing, once.
#
# It must import nothing: what is loaded here is loaded in every program. What counts for a program
# is judged by who reads the lines.
import os
import sys

INSTALLED = ("/usr/lib/python3", "/usr/local/lib/python3")
LIBRARY = (*INSTALLED, "<frozen ")
IMPORTER = "<frozen importlib._bootstrap>"
WORKSPACE = "/workspace"
ARGUMENT_CHARACTERS_MAX = 200
EVENTS_MAX = 4000
CHAIN_MAX = 40
ANYONE = 0
NEVER, DIRECT, ALWAYS = "n", "d", "a"
UNLISTED = (ALWAYS, ())
ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\"} | {code: "\\u%04x" % code for code in range(32)}


def watched(lines):
    """For each event, when it is told of and which of its arguments are paths."""
    events = {}
    for line in lines.splitlines():
        name, when, *paths = line.split(" ")
        events[name] = (when, tuple([int(path) for path in paths]))
    return events


def quoted(text):
    return '"' + text.translate(ESCAPES) + '"'


def listed(texts):
    return "[" + ",".join([quoted(text) for text in texts]) + "]"


def text(value):
    kind = type(value)
    if kind is str:
        return value[:ARGUMENT_CHARACTERS_MAX]
    if kind is bytes:
        return os.fsdecode(value[:ARGUMENT_CHARACTERS_MAX])
    if kind is int or value is None:
        return str(value)
    if kind.__module__ == "pathlib":
        return str(value)
    if kind.__name__ == "code":
        return value.co_filename
    if kind is list or kind is tuple:
        return " ".join([text(item) for item in value[:8]])
    return "<" + kind.__name__ + ">"


def chain(frame):
    """The files of the libraries between the event and the program, innermost first; whether
    an import lies between; the program's line."""
    files, importing = [], False
    while frame is not None and frame.f_code.co_filename.startswith(LIBRARY):
        name = frame.f_code.co_filename
        importing = importing or name == IMPORTER
        if len(files) < CHAIN_MAX and (not files or files[-1] != name):
            files.append(name)
        frame = frame.f_back
    return files, importing, frame.f_lineno if frame is not None else 0


def owed_to_imports(event, arguments, when):
    """What the import of an installed module does by itself. Code from elsewhere that is loaded
    is told, and so is what no import has reason to do."""
    if event == "exec":
        return arguments[0].co_filename.startswith((*INSTALLED, "<"))
    return when != ALWAYS


def listener(out, events):
    """The audit hook, which writes to the descriptor `out`; and a function that calls another
    one unheard."""
    write, getcwd, realpath, join = os.write, os.getcwd, os.path.realpath, os.path.join
    frame_of, thread_of = sys._getframe, sys.modules["_thread"].get_ident
    seen = set()
    busy = {ANYONE}

    def place(value):
        """Where a file really lies, links followed. A number is a file that is open already."""
        if type(value) is int or value is None:
            return ""
        name = text(value)
        try:
            return realpath(join(getcwd(), name))
        except (OSError, ValueError):
            return join(WORKSPACE, name)

    def hear(event, arguments, frame):
        when, paths = events.get(event, UNLISTED)
        if when == NEVER:
            return
        files, importing, line = chain(frame)
        if files and when == DIRECT or importing and owed_to_imports(event, arguments, when):
            return
        told = [text(argument) for argument in arguments[:3]]
        places = [place(arguments[index]) for index in paths]
        fact = '{"event":%s,"arguments":%s,"places":%s,"chain":%s,"line":%d}\n' % (
            quoted(event), listed(told), listed(places), listed(files), line)
        if fact not in seen and len(seen) < EVENTS_MAX:
            seen.add(fact)
            # A lone surrogate is a text in Python and nowhere else.
            write(out, fact.encode("utf-8", "replace"))

    def hook(event, arguments, depth=1):
        # What this hook does itself is not the program's doing; nor is its own start.
        thread = thread_of()
        if thread in busy:
            return
        if ANYONE in busy:
            if event == "exec":
                busy.clear()
            return
        busy.add(thread)
        try:
            hear(event, arguments, frame_of(depth))
        finally:
            busy.discard(thread)

    def unheard(function, *arguments):
        thread = thread_of()
        busy.add(thread)
        try:
            function(*arguments)
        finally:
            busy.discard(thread)

    return hook, unheard


def variables(hook):
    """The environment tells who reads it: the interpreter has no event for that."""

    class Variables(dict):
        def __getitem__(self, key):
            hook("os.environ", (key,), 2)
            return dict.__getitem__(self, key)

        def __iter__(self):
            hook("os.environ", ("*",), 2)
            return dict.__iter__(self)

    os.environ._data = os.environb._data = Variables(os.environ._data)


def observe(out, events):
    """Hears everything from the next piece of code on that is executed."""
    hook, unheard = listener(out, events)
    variables(hook)
    sys.addaudithook(hook)
    return unheard
