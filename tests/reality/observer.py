# Runs programs, each in a process of its own, and tells what the interpreter saw them do.
#
# It follows the text of `sandbox/observer.py`. The list of programs is called at the end of both:
# `run_all(PROGRAMS, …)`. One line of JSON comes out for each. What counts for a program is judged
# by who reads the lines.
HEAVY = ("numpy", "pandas", "matplotlib")


def play(source, out, events):
    """Becomes the program: a fresh `__main__` whose text came from stdin."""
    code = compile(source, "<stdin>", "exec", dont_inherit=True)
    module = type(sys)("__main__")
    module.__dict__.update(__builtins__=sys.modules["builtins"], __annotations__={})
    sys.modules["__main__"] = module
    sys.unraisablehook = complain
    sys.argv[:] = ["-"]
    unheard = observe(out, events)
    try:
        exec(code, module.__dict__)
    except SystemExit:
        raise
    except BaseException:
        # Showing it opens the files that it came through, which is not the program's doing.
        unheard(sys.excepthook, *sys.exc_info())
        sys.exit(1)


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


def run_all(programs, files, watch, seconds_max):
    """Runs every program, then tells of each. Those that name a library that takes long to load
    come last, and find it loaded."""
    events = watched(watch)
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
            return play(source, told, events)
        runs[index] = (status, told)
    tell([runs[index] for index in range(len(programs))])


def weight(source):
    """How many of the heavy libraries have to be there before a program runs."""
    return max([index + 1 for index, name in enumerate(HEAVY) if name in source], default=0)


def tell(runs):
    import json

    for status, (events, errors) in runs:
        complaint = (errors.strip().splitlines() or [""])[-1]
        told = json.dumps({"status": status, "complaint": complaint[:200]}, ensure_ascii=False)
        line = told[:-1] + ', "events": [' + ",".join(events.split("\n")[:-1]) + "]}\n"
        # A lone surrogate is a text in Python and nowhere else.
        sys.stdout.buffer.write(line.encode("utf-8", "replace"))
