#!/usr/bin/env python3
"""Writes the tables of results/claims.md and its data files from runs of `workshop claims`.

    scripts/claims.py RUN [LATER...] --bench N    the folders of complete runs, and the bench of the engine at the time

The first run must have every claim of the page; it may have more. The claims of each later run replace those of the runs before it, so a
single claim can be repeated. All runs must have full effort. The remarks between the tables are written by hand. The results of the page
are shortened by hand: a result that differs from that of claims.tsv replaces the short one in full and is printed. Needs Python 3.11
and nothing else.
"""

import argparse
import collections
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "results/claims.md"
DATA = ROOT / "results/claims.tsv"
DETAILS = ROOT / "results/claims-details.txt"
COLUMNS = ["claim", "texts", "statement", "result", "verdict"]
SHORT = {"Chess Tree Search": "Tree", "Owen 1997": "Owen", "Otter": "Otter", "Books and tables": "Books", "ours": "ours"}
VERDICTS = ("confirmed", "refuted", "depends", "arithmetic", "not decided")
OURS = "ours"


def fail(message):
    sys.exit(f"claims: {message}")


def grouped(text):
    """The text with commas in whole numbers of five digits and more."""
    return re.sub(r"(?<![\w.,^])\d{5,}(?![\w.])", lambda number: f"{int(number[0]):,}", text)


def table(header, rows):
    """The lines of a Markdown table."""
    cells = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells]


def load(run):
    """The findings of a complete run with full effort, and its day."""
    try:
        manifest = (run / "manifest.yaml").read_text()
        lines = (run / "journal.jsonl").read_text().splitlines()
    except OSError as error:
        fail(error)
    wanted = re.findall(r"^    - (\w+)$", manifest, re.MULTILINE)
    created = re.search(r"^created: (\S+)T", manifest, re.MULTILINE)
    if "\nkind: claims\n" not in manifest or not created:
        fail(f"{run}: no run of `workshop claims`")
    if not re.search(r"^    effort: full$", manifest, re.MULTILINE):
        fail(f"{run}: not of full effort; repeat it without `--effort quick`")
    findings = sorted((json.loads(line) for line in lines), key=lambda finding: finding["index"])
    missing = set(wanted) - {finding["id"] for finding in findings}
    if missing:
        fail(f"{run}: not complete, without {', '.join(sorted(missing))}")
    return findings, created[1]


def is_measured(found):
    """Whether the claim has an experiment."""
    return found["finding"]["verdict"] != "arithmetic"


def joined(runs):
    """The findings of the first run, each replaced by that of the last run with its claim, and the claims measured on each day."""
    (first, day), *later = runs
    latest = {found["id"]: (found, day) for found in first}
    for findings, day in later:
        for found in findings:
            if found["id"] not in latest:
                fail(f"the first run lacks {found['id']} of a later one")
            latest[found["id"]] = (found, day)
    days = collections.defaultdict(list)
    for claim, (found, day) in latest.items():
        if is_measured(found):
            days[day].append(claim)
    return [found for found, _ in latest.values()], dict(days)


def dates(days):
    """The day of the largest part of the claims, and the claims of other days."""
    main = max(days, key=lambda day: len(days[day]))
    others = [f"{', '.join(days[day])}: {day}" for day in sorted(days) if day != main]
    return "; ".join([main, *others])


def summary(findings, bench, days):
    """The paragraph with the number of claims by text and verdict."""
    own = sum(finding["texts"] == [OURS] for finding in findings)
    counts = collections.Counter(finding["finding"]["verdict"] for finding in findings)
    said = "{} are confirmed, {} are refuted ({refuted}), {} depend on the conditions, {} are arithmetic, and {} are not decided"
    refuted = ", ".join(finding["id"] for finding in findings if finding["finding"]["verdict"] == "refuted")
    said = said.format(*(counts[name] for name in VERDICTS), refuted=refuted)
    return [
        f"{len(findings)} claims, {len(findings) - own} of four texts on chess programming and {own} of our own; "
        f"{sum(map(is_measured, findings))} were tested by experiment.",
        f"{said[0].upper()}{said[1:]}.",
        f"`workshop claims`, full effort, bench `{bench}`, {dates(days)}.",
    ]


def data(findings, limited):
    """The complete results, a row for each claim."""
    rows = []
    for found in findings:
        finding = found["finding"]
        verdict = finding["verdict"] + (" (our limit)" if found["id"] in limited else "")
        rows.append([found["id"], ", ".join(found["texts"]), found["statement"], grouped(finding["measured"]), verdict])
    return rows


def overview(page, old, rows):
    """The table of all claims, with the short results of the page where the complete ones are unchanged."""
    lines = split(page, "overview")[1].splitlines()
    shown = {cells[0].split(": ")[0]: cells[2] for cells in (line.strip("| ").split(" | ") for line in lines)}
    short = []
    for claim, texts, statement, result, verdict in rows:
        if old.get(claim) == result:
            result = shown[claim]
        else:
            print(f"{PAGE.relative_to(ROOT)}: {claim} has a new result; shorten it")
        short.append([f"{claim}: {statement}", ", ".join(SHORT[text] for text in texts.split(", ")), result, verdict])
    return table(["claim", "text", "result", "verdict"], short)


def details(findings):
    """The figures of each claim that has some, as tables separated by tabs."""
    lines = []
    for found in findings:
        figures = found["finding"]["figures"]
        if not figures:
            continue
        lines += [f"# {found['id']}: {found['statement']}", ""]
        for figure in figures:
            rows = [figure["header"], *figure["rows"]]
            lines += [f"{grouped(figure['title'])}.", "", *("\t".join(row) for row in rows), ""]
    return lines[:-1]


def split(page, name):
    """The page before the lines of a part, these lines, and the page after them."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        fail(f"{PAGE}: expected `{begin.strip()}` and `{end}` once each")
    before, rest = page.split(begin)
    lines, after = rest.split(end)
    return before + begin, lines, end + after


def replace(page, name, lines):
    """The page with new lines between the marks of a part."""
    before, _, after = split(page, name)
    return before + "\n".join(lines) + "\n" + after


def check_claims(page, run, findings):
    """Refuses a run without some claim of the page, such as a run of a single claim."""
    shown = re.findall(r"^\| ([NTB]\d+c?): ", split(page, "overview")[1], re.MULTILINE)
    found = {finding["id"] for finding in findings}
    missing = [claim for claim in shown if claim not in found]
    if missing:
        fail(f"{run}: without {', '.join(missing)} of {PAGE}; run `workshop claims` without the names of claims")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--bench", type=int, required=True)
    args = parser.parse_args()
    findings, days = joined([load(run) for run in args.runs])
    page = PAGE.read_text()
    check_claims(page, args.runs[0], findings)
    page = replace(page, "summary", summary(findings, args.bench, days))
    limited = set(re.findall(r"^\| ([NTB]\d+c?) \|", split(page, "limits")[1], re.MULTILINE))
    rows = data(findings, limited)
    old = {row[0]: row[3] for row in (line.split("\t") for line in DATA.read_text().splitlines())}
    page = replace(page, "overview", overview(page, old, rows))
    PAGE.write_text(page)
    DATA.write_text("".join("\t".join(row) + "\n" for row in [COLUMNS, *rows]))
    DETAILS.write_text("\n".join(details(findings)) + "\n")


if __name__ == "__main__":
    main()
