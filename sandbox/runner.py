# Waits for the one program of its container, then becomes it.
#
# `runner.py FD [MODULE…]` imports the modules, writes a byte to the descriptor FD and closes it.
# Then come, on standard input, the program's length in four bytes, greatest first, and its text.
# What the program sees is what `python3 -I -B -X utf8 -` would show it: a fresh `__main__`, no
# arguments, a standard input that has ended, tracebacks that begin in the program.
import os
import sys

PIECE_BYTES = 1 << 16


def exactly(count):
    pieces = []
    while count:
        piece = os.read(0, min(count, PIECE_BYTES))
        if not piece:
            os._exit(0)
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def await_program(report, modules):
    for module in modules:
        __import__(module)
    os.write(report, b".")
    os.close(report)
    source = exactly(int.from_bytes(exactly(4), "big"))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return source


def become(source):
    module = type(sys)("__main__")
    module.__dict__.update(__builtins__=sys.modules["builtins"], __annotations__={})
    sys.modules["__main__"] = module
    sys.argv[:] = ["-"]
    try:
        exec(compile(source, "<stdin>", "exec", dont_inherit=True), module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        # The frame of this file is none of the program's.
        error = error.with_traceback(error.__traceback__.tb_next)
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)


become(await_program(int(sys.argv[1]), sys.argv[2:]))
