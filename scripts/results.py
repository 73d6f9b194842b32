#!/usr/bin/env python3
"""Keeps the table of results/README.md, from results/figures.toml.

    scripts/results.py table      rewrite the table from results/figures.toml
    scripts/results.py measure    measure the cheap rows again, then rewrite the table (`make results`)
    scripts/results.py check      exit code 1 if a row that depends on search or evaluation has another
                                  bench than the engine, or the table is out of date (`make release-check`)

Needs Python 3.11 and nothing else. Row names after `measure` select rows: `measure bench perft`.
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
PAGE = ROOT / "results/README.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
FIELDS = ("id", "what", "figure", "error", "command", "date", "bench", "depends")
MAX_ROWS, MAX_WORDS, RUNS = 20, 15, 5


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
        if not set(row.get("depends", ())) <= {"search", "eval"}:
            problems.append(f"{name}: depends: expected a list of search, eval; found {row['depends']}")
        for field in ("what", "figure", "error", "command"):
            if words(row.get(field, "")) > MAX_WORDS:
                problems.append(f"{name}: {field}: more than {MAX_WORDS} words")
    if problems:
        fail(f"{FIGURES}: " + "; ".join(problems))
    return rows


def table(rows):
    """The rows as a Markdown table."""
    lines = [
        "| figure | value | error | depends on | bench | date | host | command |",
        "|---|---:|---|---|---|---|---|---|",
    ]
    for row in rows:
        bench = f"`{row['bench']}`" if row["bench"].isdigit() else row["bench"]
        cells = (
            row["what"], row["figure"], row["error"], ", ".join(row["depends"]) or "none", bench,
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
    output = run([args.harness, "instructions", args.kernels, "results/instructions.yaml"])
    count = re.search(r"^search +(?:\d+|-) +(\d+) ", output, re.M)
    if not count:
        raise Skipped("no counts; is valgrind installed?")
    return {"figure": f"{int(count[1]):,}"}


def measure_statistics(args):
    command = [args.cargo, "test", "-p", "stretto-harness", "--test", "stats_vectors"]
    found = re.search(r"^test result: ok\. (\d+) passed; (\d+) failed", run(command), re.M)
    if not found:
        fail("stats_vectors: expected `test result: ok`")
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
    nodes = bench(args.stretto)[0]
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
        if row["bench"].isdigit():
            fields["bench"] = str(nodes)
        store(row["id"], fields)
    PAGE.write_text(page(load()))


def check(args):
    rows = load()
    nodes = bench(args.stretto)[0]
    stale = [row for row in rows if row["depends"] and row["bench"] != str(nodes)]
    for row in stale:
        print(f"{row['id']}: measured with bench {row['bench']}, the engine has {nodes}: {row['command']}")
    outdated = PAGE.read_text() != page(rows)
    if outdated:
        print("results/README.md is out of date: run scripts/results.py table")
    if not stale and not outdated:
        print(f"all figures are up to date (bench {nodes})")
    return 1 if stale or outdated else 0


def main():
    parser = argparse.ArgumentParser(description="Keep the table of results/README.md.")
    parser.add_argument("verb", choices=("table", "measure", "check"))
    parser.add_argument("rows", nargs="*", help="rows to measure; all cheap ones by default")
    parser.add_argument("--stretto", default="target/release/stretto", help="the engine")
    parser.add_argument("--harness", default="target/release/harness", help="the harness")
    parser.add_argument("--kernels", help="the engine's example `kernels`, for instruction counts")
    parser.add_argument("--cargo", default="cargo")
    args = parser.parse_args()
    if args.verb == "table":
        PAGE.write_text(page(load()))
    elif args.verb == "measure":
        measure(args)
    else:
        return check(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
