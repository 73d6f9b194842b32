#!/usr/bin/env python3
"""Keeps the table of results/README.md, from results/figures.toml.

    scripts/results.py table      rewrite the table from results/figures.toml
    scripts/results.py measure    measure the cheap rows again, then rewrite the table (`make results`)
    scripts/results.py keep ROW RUN   store manifest, summary and reports of the run behind a row in results/kept/ROW
    scripts/results.py areas      exit code 1 if results/areas.toml misses a source file or the table is
                                  out of date (`make areas`)
    scripts/results.py check      as `areas`, and if a functional commit has changed an area of a row since
                                  the row was measured (`make release-check`)

Needs Python 3.11 and nothing else; `check` needs the history. Row names after `measure` select rows: `measure bench perft`.
`keep sample RUN` stores the run that README shows as an example.
"""

import argparse
import datetime
import re
import resource
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "results/figures.toml"
AREAS = ROOT / "results/areas.toml"
KEPT = ROOT / "results/kept"
KEPT_FILES = ("manifest.yaml", "summary.json", "report.md", "report.html")
PAGE = ROOT / "results/README.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
FIELDS = ("id", "what", "figure", "error", "command", "date", "commit", "areas")
MAX_ROWS, MAX_WORDS, RUNS = 20, 15, 5
AREA_NAMES = {"search", "evaluation", "time", "threads", "tables", "strength", "statistics", "runner", "measuring", "none"}


class Skipped(Exception):
    """A measurement that this machine cannot make."""


def fail(message):
    sys.exit(f"results: {message}")


def words(cell):
    """The number of words of a table cell, with links counted by their text."""
    return len(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell).split())


def load():
    """The rows of figures.toml, checked."""
    try:
        rows = tomllib.loads(FIGURES.read_text())["figure"]
    except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
        fail(f"{FIGURES}: {error}")
    problems = []
    if len(rows) > MAX_ROWS:
        problems.append(f"{len(rows)} rows, at most {MAX_ROWS} are allowed")
    if len({row.get("id") for row in rows}) < len(rows):
        problems.append("two rows have the same id")
    for row in rows:
        name = row.get("id", "a row without id")
        problems += [f"{name}: missing field `{field}`" for field in FIELDS if field not in row]
        if unknown := set(row.get("areas", ())) - AREA_NAMES:
            problems.append(f"{name}: areas: unknown {', '.join(sorted(unknown))}; expected some of {', '.join(sorted(AREA_NAMES))}")
        for field in ("what", "figure", "error", "command"):
            if words(row.get(field, "")) > MAX_WORDS:
                problems.append(f"{name}: {field}: more than {MAX_WORDS} words")
    if problems:
        fail(f"{FIGURES}: " + "; ".join(problems))
    return rows


def table(rows):
    """The rows as a Markdown table."""
    lines = [
        "| figure | value | error | depends on | commit | date | host | command |",
        "|---|---:|---|---|---|---|---|---|",
    ]
    for row in rows:
        run = f" ([run](kept/{row['id']}/report.md))" if (KEPT / row["id"]).is_dir() else ""
        cells = (
            row["what"], row["figure"] + run, row["error"], ", ".join(row["areas"]) or "none", f"`{row['commit']}`",
            row["date"], row.get("host", "any"), f"`{row['command']}`",
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def page(rows):
    """The text of results/README.md with a new table."""
    text = PAGE.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        fail(f"{PAGE}: expected one {BEGIN} and one {END}")
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n{table(rows)}\n{END}{rest.split(END)[1]}"


def run(command, **kwargs):
    """The standard output of a command."""
    try:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, **kwargs)
    except OSError as error:
        fail(f"cannot run {command[0]}: {error}")
    if done.returncode:
        fail(f"{' '.join(map(str, command))} failed with exit code {done.returncode}")
    return done.stdout


def bench(engine):
    """Nodes and nodes per second of `stretto bench`."""
    found = re.findall(r"^(\d+) nodes (\d+) nps$", run([engine, "bench"]), re.M)
    if not found:
        fail(f"{engine} bench: expected a last line `<nodes> nodes <nps> nps`")
    return tuple(map(int, found[-1]))


def host():
    """The processor of this machine."""
    try:
        model = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        model = None
    return re.sub(r"\((R|TM)\)", "", model[1]).strip() if model else "this machine"


def rate(command, count):
    """Millions per CPU second over several runs of a command: the fields of a row. Steal time and other
    load change CPU time less than wall time."""
    rates = []
    for _ in range(RUNS):
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run(command)
        rates.append(count / (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start) / 1e6)
    return {
        "figure": f"{statistics.median(rates):.2f} million per CPU second",
        "error": f"{min(rates):.2f} to {max(rates):.2f} in {RUNS} runs",
        "host": host(),
    }


def measure_bench(args):
    return {"figure": f"{bench(args.stretto)[0]:,} nodes", "error": "exact"}


def measure_speed(args):
    return rate([args.stretto, "bench"], bench(args.stretto)[0])


def measure_perft(args):
    command, leaves = [args.stretto, "perft", "6"], 119_060_324
    if f"Nodes searched: {leaves}\n" not in run(command):
        fail(f"perft 6: expected `Nodes searched: {leaves}`")
    return rate(command, leaves)


def measure_instructions(args):
    if not args.kernels or not Path(args.kernels).is_file():
        raise Skipped("no program to count (--kernels)")
    output = run([args.cargo, "run", "--quiet", "--package", "stretto-harness", "--example", "instructions", "--", args.kernels, "results/instructions.yaml"])
    count = re.search(r"^search +(?:\d+|-) +(\d+) ", output, re.M)
    if not count:
        raise Skipped("no counts; is valgrind installed?")
    return {"figure": f"{int(count[1]):,}"}


def measure_statistics(args):
    command = [args.cargo, "test", "-p", "stretto-stats", "--test", "vectors"]
    found = re.search(r"^test result: ok\. (\d+) passed; (\d+) failed", run(command), re.M)
    if not found:
        fail("vectors: expected `test result: ok`")
    passed, failed = map(int, found.groups())
    return {"figure": f"{passed} of {passed + failed} tests pass"}


MEASUREMENTS = {
    "bench": measure_bench,
    "speed": measure_speed,
    "perft": measure_perft,
    "instructions": measure_instructions,
    "statistics": measure_statistics,
}


def store(name, fields):
    """Replaces fields of one row in figures.toml and keeps everything else, comments too."""
    head, *blocks = re.split(r"(?m)^(?=\[\[figure\]\]$)", FIGURES.read_text())
    for index, block in enumerate(blocks):
        if f'\nid = "{name}"\n' in block:
            for field, value in fields.items():
                line = f'{field} = "{value}"'
                block, count = re.subn(rf"(?m)^{field} = .*$", lambda _: line, block)
                if not count:
                    block = block.rstrip("\n") + f"\n{line}\n\n"
            blocks[index] = block
    FIGURES.write_text(head + "".join(blocks).rstrip("\n") + "\n")


def measure(args):
    rows = [row for row in load() if "measure" in row]
    if unknown := set(args.rows) - {row["id"] for row in rows}:
        fail(f"no cheap row {', '.join(sorted(unknown))}; rows: {', '.join(row['id'] for row in rows)}")
    commit = run(["git", "rev-parse", "--short", "HEAD"]).strip()
    if run(["git", "status", "--porcelain", "--untracked-files=no", "engine", "harness", "workshop"]).strip():
        fail("uncommitted changes in engine or harness: a figure states the commit that was measured")
    for row in rows:
        if args.rows and row["id"] not in args.rows:
            continue
        try:
            fields = MEASUREMENTS[row["measure"]](args)
        except Skipped as reason:
            print(f"{row['id']}: skipped: {reason}")
            continue
        print(f"{row['id']}: {fields['figure']}", flush=True)
        fields["date"] = datetime.date.today().isoformat()
        fields["commit"] = commit
        store(row["id"], fields)
    PAGE.write_text(page(load()))


def keep(name, folder):
    """Copies the small files of a run to results/kept, without the paths of this machine."""
    if name not in {row["id"] for row in load()} | {"sample"}:
        fail(f"no row {name}")
    (KEPT / name).mkdir(parents=True, exist_ok=True)
    for file in KEPT_FILES:
        text = (Path(folder) / file).read_text()
        for path, short in ((f"{ROOT}/", ""), (f"{Path.home()}/", "~/")):
            text = text.replace(path, short)
        (KEPT / name / file).write_text(text)


def has_run(row):
    """Whether the figure comes from a run folder of the harness."""
    return row["command"].startswith(("harness ", "workshop datagen ", "workshop train "))


def area_of(path, areas):
    """The area of a path: that of its longest prefix; None for files that are no sources."""
    return max(((len(p), area) for area, prefixes in areas.items() for p in prefixes if path.startswith(p)), default=(0, None))[1]


def load_areas():
    """The prefixes of each area, checked: each source file has an area, each prefix has a file."""
    try:
        areas = tomllib.loads(AREAS.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        fail(f"{AREAS}: {error}")
    files = (path for pattern in ("*/src/**/*.rs", "harness/stats/src/**/*.rs", "harness/system/src/**/*.rs", "*/build.rs", "engine/networks/*") for path in ROOT.glob(pattern))
    sources = [path.relative_to(ROOT).as_posix() for path in files]
    problems = [f"no area for {path}" for path in sources if area_of(path, areas) is None]
    prefixes = [prefix for prefixes in areas.values() for prefix in prefixes]
    problems += [f"{prefix} matches no file" for prefix in prefixes if not any(path.startswith(prefix) for path in sources)]
    problems += [f"{prefix} is listed twice" for prefix in set(prefixes) if prefixes.count(prefix) > 1]
    if set(areas) != AREA_NAMES:
        problems.append(f"expected the areas {', '.join(sorted(AREA_NAMES))}")
    if problems:
        fail(f"{AREAS}: " + "; ".join(problems))
    return areas


def functional_commits(since, areas):
    """The commits after `since` that change a source file and do not say "No functional change", oldest first, each with its
    areas. Paths of before a renaming count as the file of today."""
    log = run(["git", "log", "-M", "--no-merges", "--name-status", "--format=%x00%h%x01%s%x01%B%x01", f"{since}..HEAD"])
    names, commits = {}, []
    for entry in log.split("\0")[1:]:
        commit, subject, message, files = entry.split("\1")
        touched = set()
        for line in files.strip().splitlines():
            kind, *paths = line.split("\t")
            now = names.get(paths[-1], paths[-1])
            if kind.startswith("R"):
                names[paths[0]] = now
            # A renaming alone changes nothing.
            if kind != "R100":
                touched.add(area_of(now, areas))
        touched -= {None, "none"}
        if touched and "no functional change" not in message.lower():
            commits.append((commit, subject, touched))
    return commits[::-1]


def out_of_date(rows):
    """Whether the page has another table than the rows give; prints what to do."""
    outdated = PAGE.read_text() != page(rows)
    if outdated:
        print("results/README.md is out of date: run scripts/results.py table")
    return outdated


def check_areas():
    load_areas()
    return 1 if out_of_date(load()) else 0


def check():
    rows, areas = load(), load_areas()
    if run(["git", "rev-parse", "--is-shallow-repository"]).strip() == "true":
        fail("a shallow clone does not show which commits came after a figure (git fetch --unshallow)")
    stale = 0
    for row in rows:
        later = [c for c in functional_commits(row["commit"], areas) if c[2] & set(row["areas"])]
        if later:
            stale += 1
            changed = sorted(set.union(*(touched for _, _, touched in later)) & set(row["areas"]))
            print(f"{row['id']}: measured at {row['commit']}; {', '.join(changed)} changed since, by {len(later)} commits from "
                  f"{later[0][0]} \"{later[0][1]}\" on: {row['command']}")
    lost = [row["id"] for row in rows if has_run(row) and not (KEPT / row["id"]).is_dir()]
    if lost:
        print(f"no run in results/kept: {', '.join(lost)}")
    outdated = out_of_date(rows)
    if not stale and not lost and not outdated:
        print(f"all {len(rows)} figures are up to date")
    return 1 if stale or lost or outdated else 0


def main():
    parser = argparse.ArgumentParser(description="Keep the table of results/README.md.")
    parser.add_argument("verb", choices=("table", "measure", "keep", "areas", "check"))
    parser.add_argument("rows", nargs="*", help="rows to measure, all cheap ones by default; or row and run folder to keep")
    parser.add_argument("--stretto", default="target/release/stretto", help="the engine")
    parser.add_argument("--harness", default="target/release/harness", help="the harness")
    parser.add_argument("--workshop", default="target/release/workshop", help="the workshop")
    parser.add_argument("--kernels", help="the engine's example `kernels`, for instruction counts")
    parser.add_argument("--cargo", default="cargo")
    args = parser.parse_args()
    if args.verb == "table":
        PAGE.write_text(page(load()))
    elif args.verb == "measure":
        measure(args)
    elif args.verb == "keep":
        if len(args.rows) != 2:
            parser.error("keep: expected a row and a run folder")
        keep(*args.rows)
        PAGE.write_text(page(load()))
    else:
        return check_areas() if args.verb == "areas" else check()
    return 0


if __name__ == "__main__":
    sys.exit(main())
