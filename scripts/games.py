#!/usr/bin/env python3
"""Makes the tables of games on the pages from results/games.tsv.

    scripts/games.py          rewrite the tables (`make games`)
    scripts/games.py --check  exit code 1 if a table is out of date, or a page states a match that games.tsv lacks

A table stands on a page of results/ between `<!-- games TABLE: HEADING -->` and `<!-- games end -->`; HEADING is that of the
first column. Elo is computed from the pentanomial (docs/statistics.md). Needs Python 3.11 and nothing else.
"""

import math
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "results/games.tsv"
PAGES = sorted((ROOT / "results").glob("*.md"))
BLOCK = re.compile(r"(<!-- games ([\w-]+): (.*?) -->\n).*?(<!-- games end -->)", re.S)
COUNTS = re.compile(r"\[(\d+), (\d+), (\d+), (\d+), (\d+)\]")
FIELDS = "table match won drawn lost pentanomial bounds corrected bench commit date host more".split()


def fail(message):
    sys.exit(f"games: {message}")


def load():
    """The rows of games.tsv, checked."""
    lines = [line for line in DATA.read_text().splitlines() if not line.startswith("#")]
    if not lines or lines[0].split("\t") != FIELDS:
        fail(f"{DATA}: expected the columns {' '.join(FIELDS)}")
    rows = []
    for line in lines[1:]:
        cells = line.split("\t")
        if len(cells) != len(FIELDS):
            fail(f"{DATA}: expected {len(FIELDS)} cells, found {len(cells)}: {line}")
        row = dict(zip(FIELDS, cells))
        row["pairs"] = [int(count) for count in row["pentanomial"].split(",")]
        if row["won"] != "-":
            won, drawn, lost = row["games"] = [int(row[field]) for field in ("won", "drawn", "lost")]
            played, points, paired = won + drawn + lost, 2 * won + drawn, sum(k * n for k, n in enumerate(row["pairs"]))
            # Games of incomplete pairs and repeated ones are in the results alone.
            if sum(row["pairs"]) * 2 > played or not 0 <= points - paired <= 2 * (played - 2 * sum(row["pairs"])):
                fail(f"{DATA}: {row['match']}: the pentanomial does not fit {won}, {drawn}, {lost}")
        rows.append(row)
    return rows


def student_quantile(degrees):
    """The 97.5 % quantile of Student's t, to 1e-6 from 20 degrees of freedom on (Abramowitz and Stegun, 26.7.5)."""
    z = 1.959963984540054
    terms = [
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    ]
    return sum(term / degrees**power for power, term in enumerate(terms))


def elo(pairs):
    """Elo with its 95 % error."""
    count = sum(pairs)
    if count <= 20:
        fail(f"{pairs}: expected more than 20 pairs")
    mean = sum(n * k / 4 for k, n in enumerate(pairs)) / count
    deviation = math.sqrt(sum(n * (k / 4 - mean) ** 2 for k, n in enumerate(pairs)) / count / (count - 1))
    of = lambda score: -400 * math.log10(1 / score - 1)
    margin = student_quantile(count - 1) * deviation
    low, high = mean - margin, mean + margin
    return of(mean), (of(high) - of(low)) / 2


def shown_elo(row):
    """The cell of Elo: the estimate corrected for stopping leads."""
    value, error = elo(row["pairs"])
    plain = f"{value:+.1f} ± {error:.1f}"
    return plain if row["corrected"] == "-" else f"{row['corrected']} corrected for stopping; {plain}"


def shown_bounds(row):
    """The cell of an SPRT's bounds, empty for a match."""
    return "" if row["bounds"] == "-" else f"[{row['bounds'].replace(',', ', ')}]"


def table(name, heading, rows):
    """The rows of a table as Markdown."""
    rows = [row for row in rows if row["table"] == name]
    if not rows:
        fail(f"no rows of the table {name}")
    more = [dict(pair.split(": ", 1) for pair in row["more"].split("; ") if pair) for row in rows]
    extra = list(dict.fromkeys(key for cells in more for key in cells))
    has_bounds = any(row["bounds"] != "-" for row in rows)
    headings = [heading, *extra, "games (W, D, L)", "pentanomial", "Elo (95 %)", *(["bounds"] if has_bounds else []), "bench", "date"]
    lines = ["| " + " | ".join(headings) + " |", "|---" * len(headings) + "|"]
    for row, cells in zip(rows, more):
        won, drawn, lost = row["games"]
        lines.append("| " + " | ".join([
            row["match"], *(cells.get(key, "") for key in extra), f"{won + drawn + lost:,} ({won}, {drawn}, {lost})",
            str(row["pairs"]), shown_elo(row), *([shown_bounds(row)] if has_bounds else []),
            f"`{row['bench']}`", row["date"],
        ]) + " |")
    return "\n".join(lines) + "\n"


def main():
    rows, is_check, problems = load(), sys.argv[1:] == ["--check"], []
    if sys.argv[1:] and not is_check:
        fail("usage: games.py [--check]")
    known, made = {tuple(row["pairs"]) for row in rows}, set()
    for path in PAGES:
        text = path.read_text()
        made |= {block[1] for block in BLOCK.findall(text)}
        new = BLOCK.sub(lambda m: m[1] + table(m[2], m[3], rows) + m[4], text)
        if new != text and is_check:
            problems.append(f"{path.relative_to(ROOT)}: the tables of games are out of date: run scripts/games.py")
        elif new != text:
            path.write_text(new)
        for counts in COUNTS.findall(new):
            if tuple(map(int, counts)) not in known:
                problems.append(f"{path.relative_to(ROOT)}: games.tsv lacks the match with [{', '.join(counts)}]")
    problems += [f"no page has the table {name}" for name in sorted({row["table"] for row in rows} - made - {"-"})]
    if problems:
        fail("\n       ".join(problems))


if __name__ == "__main__":
    main()
