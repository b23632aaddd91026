

# Waits for the one program of its container, then becomes it.
#
# `runner.py FD [MODULE…]` imports the modules and writes a byte to the descriptor FD. Then come, on
# standard input, three texts, each behind its length in four bytes, greatest first: which events
# are to be told of on FD, none where it is empty; the proxy through which connections go, empty
# where there are none; and the program.
# What the program sees is what `python3 -I -B -X utf8 -` would show it: a fresh `__main__`, no
# arguments, a standard input that has ended, tracebacks that begin in the program.
PIECE_BYTES = 1 << 16
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
UNPROXIED = ("NO_PROXY", "no_proxy")


def exactly(count):
    pieces = []
    while count:
        piece = os.read(0, min(count, PIECE_BYTES))
        if not piece:
            os._exit(0)
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def received():
    return exactly(int.from_bytes(exactly(4), "big"))


def keep():
    """What is there before the program comes is not looked through for garbage, least of all when
    the interpreter ends, where that is most of the time that a small program takes."""
    import gc

    del sys.modules["gc"]
    gc.collect()
    gc.freeze()


def await_program(report, modules):
    for module in modules:
        __import__(module)
    keep()
    os.set_inheritable(report, False)
    os.write(report, b".")
    watch, proxy, source = received().decode(), received().decode(), received()
    if proxy:
        os.environ.update(dict.fromkeys(PROXIES, proxy), **dict.fromkeys(UNPROXIED, ""))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return watch, source


def called(function, *arguments):
    function(*arguments)


def become(source, watch, report):
    module = type(sys)("__main__")
    module.__dict__.update(__builtins__=sys.modules["builtins"], __annotations__={})
    sys.modules["__main__"] = module
    sys.argv[:] = ["-"]
    unheard = called
    try:
        code = compile(source, "<stdin>", "exec", dont_inherit=True)
        if watch:
            unheard = observe(report, watched(watch))
            show_ignored = sys.unraisablehook
            sys.unraisablehook = lambda ignored: unheard(show_ignored, ignored)
        exec(code, module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        # The frame of this file is none of the program's.
        error = error.with_traceback(error.__traceback__.tb_next)
        # Showing it opens the files that it came through, which is not the program's doing.
        show = unheard if sys.excepthook is sys.__excepthook__ else called
        show(sys.excepthook, type(error), error, error.__traceback__)
        sys.exit(1)


def main():
    report = int(sys.argv[1])
    watch, source = await_program(report, sys.argv[2:])
    become(source, watch, report)


main()
