#!/usr/bin/env python3
"""Times what a user waits for with many threads: medians over trials, in milliseconds.

    scripts/many-threads.py PROGRAM THREADS [TRIALS]
"""

import statistics
import subprocess
import sys
import time


def trial(program, threads):
    """Returns the milliseconds of each step of one session with the engine."""
    engine = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    times = {}

    def timed(name, commands, answer):
        start = time.perf_counter()
        for command in commands:
            engine.stdin.write(command + "\n")
        engine.stdin.flush()
        if answer is None:
            engine.wait()
        else:
            while not (line := engine.stdout.readline()).startswith(answer):
                if not line:
                    sys.exit(f"{program} has exited")
        times[name] = 1e3 * (time.perf_counter() - start)

    timed("start", ["setoption name Hash value 64", f"setoption name Threads value {threads}", "isready"], "readyok")
    timed("go infinite to readyok", ["position startpos", "go infinite", "isready"], "readyok")
    time.sleep(0.3)
    timed("stop to bestmove", ["stop"], "bestmove")
    for count in ("first", "second"):
        timed(f"go nodes 1000, {count}", ["go nodes 1000"], "bestmove")
    engine.stdin.write("go infinite\n")
    engine.stdin.flush()
    time.sleep(0.3)
    timed("quit in a search", ["quit"], None)
    return times


def main():
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__.strip())
    program, threads = sys.argv[1], int(sys.argv[2])
    trials = [trial(program, threads) for _ in range(int(sys.argv[3]) if len(sys.argv) == 4 else 5)]
    for name in trials[0]:
        print(f"{name:24}{statistics.median(times[name] for times in trials):8.0f} ms")


if __name__ == "__main__":
    main()
