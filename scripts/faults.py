#!/usr/bin/env python3
"""Plants realistic faults, one at a time, and checks that the test each of them names fails.

    scripts/faults.py apply          check that every patch still applies and its test exists (`make faults-apply`)
    scripts/faults.py run [NAME...]  build and run the named test without and with each patch (`make faults`)

A fault is a patch in tests/faults. Its first line names the test: `test: PACKAGE TARGET FILTER`, where TARGET is `lib`, the name
of an integration test or `example:NAME`; the lines up to the diff say what the fault does. `run` works on a copy of the sources in target/faults.
Needs Python 3.11, git and cargo.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAULTS = ROOT / "tests/faults"
WORK = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "faults"
TREE = WORK / "tree"
# Most of the time is compiling, so the copy is built with little optimisation and incrementally.
FLAGS = ("--config", "profile.test.opt-level=0", "--config", "profile.test.incremental=true",
         "--config", 'profile.test.package.stretto-engine.opt-level=1')


def fail(message):
    sys.exit(f"faults: {message}")


def load(names):
    """The faults, each with its patch and its test; all of them if there are no names."""
    faults = []
    for patch in sorted(FAULTS.glob("*.patch")):
        head = re.match(r"test: (\S+) (\S+) (\S+)\n", patch.read_text())
        if not head:
            fail(f"{patch}: expected a first line `test: PACKAGE TARGET FILTER`")
        faults.append((patch.stem, patch, head.groups()))
    if unknown := [name for name in names if not any(fault[0].startswith(name) for fault in faults)]:
        fail(f"no fault {', '.join(unknown)}")
    return [fault for fault in faults if not names or any(fault[0].startswith(name) for name in names)]


def git_apply(patch, folder, *options):
    # The copy lies inside the repository, where git would ignore paths outside the folder.
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    return subprocess.run(["git", "apply", *options, str(patch)], cwd=folder, env=environment, capture_output=True, text=True)


def has_test(package, target, filter_):
    """Whether the sources of the target have a function or module with the last name of the filter."""
    folder = ROOT / {"stretto-engine": "engine", "stretto-workshop": "workshop", "stretto-harness": "harness"}.get(
        package, package.replace("stretto-", "harness/"))
    kind, _, name = target.rpartition(":")
    base = folder / ("src" if target == "lib" else f"{kind or 'test'}s/{name}")
    wanted = re.compile(rf"\b(fn|mod) \w*{re.escape(filter_.split('::')[-1])}")
    files = [file for file in [*base.rglob("*.rs"), base.with_suffix(".rs")] if file.is_file()]
    return any(wanted.search(file.read_text()) for file in files)


def apply_all(faults):
    """Checks that the patches apply to the sources as they are, and that their tests exist."""
    broken = 0
    for name, patch, where in faults:
        error = git_apply(patch, ROOT, "--check").stderr.strip()
        if error:
            print(f"{name}: does not apply: {error.splitlines()[0]}")
        elif not has_test(*where):
            print(f"{name}: has no test: {' '.join(where)}")
        else:
            continue
        broken += 1
    if not broken:
        print(f"all {len(faults)} faults apply")
    return 1 if broken else 0


def copy_sources():
    """Brings the copy up to date; unchanged files keep their times, so that little is compiled again."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wanted = {Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()}
    for path in [path for path in TREE.rglob("*") if path.is_file()]:
        if path.relative_to(TREE) not in wanted:
            path.unlink()
    for name in wanted:
        source, target = ROOT / name, TREE / name
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)


def test(package, target, filters):
    """Runs tests of the copy. Returns (whether it compiles, passed, failed, output)."""
    kind, _, name = target.rpartition(":")
    where = ["--lib"] if target == "lib" else [f"--{kind or 'test'}", name]
    command = ["cargo", "test", "--package", package, *where, "--no-fail-fast", *FLAGS]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(WORK / "target"), "GIT_CEILING_DIRECTORIES": str(WORK)}
    built = subprocess.run([*command, "--no-run"], cwd=TREE, env=environment, capture_output=True, text=True)
    if built.returncode:
        return False, 0, 0, built.stderr
    done = subprocess.run([*command, "--", *filters], cwd=TREE, env=environment, capture_output=True, text=True)
    found = re.search(r"test result: \w+\. (\d+) passed; (\d+) failed", done.stdout)
    # A crash of the test program counts as a failure.
    passed, failed = map(int, found.groups()) if found else (0, 1)
    return True, passed, failed, done.stdout + done.stderr


def run(faults):
    """Runs each test without and with its fault."""
    TREE.mkdir(parents=True, exist_ok=True)
    started, missed = time.monotonic(), []
    copy_sources()
    groups = sorted({(package, target) for _, _, (package, target, _) in faults})
    for package, target in groups:
        for _, _, (other, place, name) in faults:
            if (other, place) == (package, target):
                compiles, passed, failed, output = test(package, target, [name])
                if not compiles or failed or not passed:
                    fail(f"without a fault, {package} {target} {name}: {passed} passed, {failed} failed\n{output[-2000:]}")
    for name, patch, (package, target, filter_) in faults:
        applied = git_apply(patch, TREE)
        if applied.returncode:
            fail(f"{name}: {applied.stderr}")
        compiles, _, failed, output = test(package, target, [filter_])
        git_apply(patch, TREE, "--reverse")
        verdict = "caught" if compiles and failed else "MISSED" if compiles else "DOES NOT COMPILE"
        print(f"{time.monotonic() - started:6.0f} s  {verdict:8} {name}  ({package} {target} {filter_})", flush=True)
        if verdict != "caught":
            missed.append(name)
            print(output[-1500:] if not compiles else "", end="", flush=True)
    print(f"{len(faults) - len(missed)} of {len(faults)} faults caught in {(time.monotonic() - started) / 60:.0f} minutes")
    return 1 if missed else 0


def main():
    verb, *names = sys.argv[1:] or [""]
    if verb == "apply":
        return apply_all(load(names))
    if verb == "run":
        return run(load(names))
    fail("usage: faults.py apply | run [NAME...]")


if __name__ == "__main__":
    sys.exit(main())
