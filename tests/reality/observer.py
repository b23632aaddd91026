# Runs programs, each in a process of its own, and tells what the interpreter saw them do.
#
# The list of programs is called at the end of this text: `observe(PROGRAMS)`. One line of JSON
# comes out for each. It must import nothing before a program has run: what is loaded here is
# loaded in every program. What counts for a program is judged by who reads the lines.
import os
import sys

INSTALLED = ("/usr/lib/python3", "/usr/local/lib/python3")
LIBRARY = (*INSTALLED, "<frozen ")
IMPORTER = "<frozen importlib._bootstrap>"
ARGUMENT_CHARACTERS_MAX = 200
EVENTS_MAX = 4000
CHAIN_MAX = 40
ANYONE = 0
HEAVY = ("numpy", "pandas", "matplotlib")
WORKSPACE = "/workspace"


def listener(out, paths, always):
    """The audit hook: one line for each thing that is done, once each. `paths` says which
    arguments of which events are paths, `always` which events count even where an import does it."""
    write, getcwd, realpath = os.write, os.getcwd, os.path.realpath
    fsdecode, join, frame_of = os.fsdecode, os.path.join, sys._getframe
    thread_of = sys.modules["_thread"].get_ident
    seen = set()
    busy = {ANYONE}

    def text(value):
        kind = type(value)
        if kind is str:
            return value[:ARGUMENT_CHARACTERS_MAX]
        if kind is bytes:
            return fsdecode(value[:ARGUMENT_CHARACTERS_MAX])
        if kind is int or value is None:
            return str(value)
        if kind.__module__ == "pathlib":
            return str(value)
        if kind.__name__ == "code":
            return value.co_filename
        if kind is list or kind is tuple:
            return " ".join([text(item) for item in value[:8]])
        return "<" + kind.__name__ + ">"

    def place(value):
        """Where a file really lies, links followed. A number is a file that is open already."""
        if type(value) is int or value is None:
            return ""
        name = text(value)
        try:
            return realpath(join(getcwd(), name))
        except (OSError, ValueError):
            return join(WORKSPACE, name)

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

    def hear(event, arguments, frame):
        files, importing, line = chain(frame)
        if importing and own_to_imports(event, arguments, always):
            return
        told = tuple([text(argument) for argument in arguments[:3]])
        places = tuple([place(arguments[index]) for index in paths.get(event, ())])
        fact = (event, told, places, tuple(files), importing, line)
        if fact not in seen and len(seen) < EVENTS_MAX:
            seen.add(fact)
            write(out, (repr(fact) + "\n").encode("utf-8", "backslashreplace"))

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

    return hook


def own_to_imports(event, arguments, always):
    """What the import of an installed module does by itself. Code from elsewhere that is loaded
    is told, and so is what no import has reason to do."""
    if event == "exec":
        return arguments[0].co_filename.startswith((*INSTALLED, "<"))
    return event not in always


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


def play(source, out, paths, always):
    """Becomes the program: a fresh `__main__` whose text came from stdin."""
    code = compile(source, "<stdin>", "exec", dont_inherit=True)
    module = type(sys)("__main__")
    module.__dict__.update(__builtins__=sys.modules["builtins"], __annotations__={})
    sys.modules["__main__"] = module
    sys.unraisablehook = complain
    sys.argv[:] = ["-"]
    hook = listener(out, paths, always)
    variables(hook)
    sys.addaudithook(hook)
    exec(code, module.__dict__)


def complain(unraisable):
    """In the place of a display that reads and parses the lines at fault, which the program did
    not ask for."""
    sys.stderr.write(unraisable.exc_type.__name__ + " is ignored\n")


def furnish(files):
    """Makes the workspace as each program finds it."""
    clear(WORKSPACE)
    clear("/tmp")
    for name in files:
        with open(WORKSPACE + "/" + name, "w") as file:
            file.write(files[name])


def clear(folder):
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, 0o700)
            clear(entry.path)
            os.rmdir(entry.path)
        else:
            os.unlink(entry.path)


def processes():
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}


def run(source, seconds_max):
    """Runs one program to its end, and answers its exit status, its complaint and its events."""
    before = processes()
    events, errors = (os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR) for _ in range(2))
    child = os.fork()
    if child == 0:
        nothing = os.open("/dev/null", os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.dup2(errors, 2)
        os.chdir(WORKSPACE)
        sys.modules["_signal"].alarm(seconds_max)
        return play, events
    status = os.waitpid(child, 0)[1]
    for stray in processes() - before:
        try:
            os.kill(stray, 9)
            os.waitpid(stray, 0)
        except OSError:
            pass
    told = [read(file) for file in (events, errors)]
    os.close(events)
    os.close(errors)
    return status, told


def read(file):
    size = os.fstat(file).st_size
    return os.pread(file, size, 0).decode("utf-8", "replace")


def observe(programs, files, paths, always, seconds_max):
    """Runs every program, then tells of each. Those that name a library that takes long to load
    come last, and find it loaded."""
    order = sorted(range(len(programs)), key=lambda index: weight(programs[index]))
    runs, loaded = {}, 0
    for index in order:
        source = programs[index]
        while loaded < weight(source):
            __import__(HEAVY[loaded])
            loaded += 1
        furnish(files)
        status, told = run(source, seconds_max)
        if status is play:
            return play(source, told, paths, always)
        runs[index] = (status, told)
    tell([runs[index] for index in range(len(programs))])


def weight(source):
    """How many of the heavy libraries have to be there before a program runs."""
    return max([index + 1 for index, name in enumerate(HEAVY) if name in source], default=0)


def tell(runs):
    import ast
    import json

    words = ("event", "arguments", "places", "chain", "importing", "line")
    for status, (events, errors) in runs:
        facts = [dict(zip(words, ast.literal_eval(line))) for line in events.splitlines()]
        complaint = (errors.strip().splitlines() or [""])[-1]
        told = {"status": status, "complaint": complaint[:200], "events": facts}
        line = json.dumps(told, ensure_ascii=False) + "\n"
        # A lone surrogate is a text in Python and nowhere else.
        sys.stdout.buffer.write(line.encode("utf-8", "replace"))
