# Starts processes until there can be no more, where the limit on them is not shown. Regate's own
# program. Each is small and does nothing; COUNT is put before it.
import os
import signal

started = []
while len(started) < COUNT:
    child = os.fork()
    if child == 0:
        signal.pause()
    started.append(child)
print("all started")
for child in started:
    os.kill(child, signal.SIGKILL)
