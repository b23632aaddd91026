# Starts processes until there can be no more, where the limit on them is not shown. Regate's own
# program. Each is small and does nothing. Put before it: SEEN, how many may be there as any other
# program sees them, and UNSEEN, how many while nobody in here counts them.
import ctypes
import os
import signal

NEW_USER_NAMESPACE = 0x10000000

started = []


def start(count):
    """Whether so many can be started."""
    while len(started) < count:
        try:
            child = os.fork()
        except OSError:
            return False
        if child == 0:
            signal.pause()
        started.append(child)
    return True


if start(SEEN):
    print("more than are seen")
elif ctypes.CDLL(None).unshare(NEW_USER_NAMESPACE) == 0 and start(UNSEEN):
    print("more than are not seen")
else:
    print("refused")
for child in started:
    os.kill(child, signal.SIGKILL)
