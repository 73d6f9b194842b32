#!/usr/bin/env python3
"""Rewrites the table of results/network.md and docs/pictures/networks.svg from results/networks.toml.

    python3 scripts/networks.py

Needs Python 3.11 and nothing else.
"""

import math
import sys
import tomllib
from pathlib import Path

from picture import draw

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "results/networks.toml"
PAGE = ROOT / "results/network.md"
PICTURE = ROOT / "docs/pictures/networks.svg"
BEGIN, END = "<!-- networks: begin -->", "<!-- networks: end -->"
FIELDS = ("name", "positions", "seen", "width", "nodes", "epochs", "target", "against", "elo", "error", "games", "limit")


def fail(message):
    sys.exit(f"networks: {message}")


def load():
    """The rows of networks.toml, checked."""
    try:
        rows = tomllib.loads(DATA.read_text())["network"]
    except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
        fail(f"{DATA}: {error}")
    for row in rows:
        missing = [field for field in FIELDS if field not in row]
        if missing:
            fail(f"{DATA}: {row.get('name', 'a row without name')}: missing field `{missing[0]}`")
    return rows


def table(rows):
    """The rows as a Markdown table."""
    lines = [
        "| network | positions, millions | neurons | nodes | epochs | target | against | Elo | games, nodes per move | remark |",
        "|---|---:|---:|---|---:|---|---|---:|---|---|",
    ]
    for row in rows:
        cells = (
            row["name"], f"{row['positions']:.1f}", row["width"], row["nodes"], row["epochs"], row["target"],
            row["against"], f"{row['elo']:+} ± {row['error']}", f"{row['games']:,} at {row['limit']}", row.get("remark", ""),
        )
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines)


def picture(rows):
    """The picture: Elo by positions seen, one colour per width."""
    rows = sorted((row for row in rows if "total" in row), key=lambda row: row["width"])
    points = [
        (row["width"], row["seen"], row["total"], row["error"], row["name"], row["name"].removeprefix("generation "))
        for row in rows
    ]
    return draw(
        "Elo of the networks by training positions",
        "Elo against the classical evaluation, with 95 % intervals",
        "millions of positions, those of earlier networks included",
        (10, 10 ** math.ceil(math.log10(max(row["seen"] for row in rows)))),
        points,
        " neurons",
    )


def main():
    rows = load()
    text = PAGE.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        fail(f"{PAGE}: expected one {BEGIN} and one {END}")
    head, rest = text.split(BEGIN)
    made = {PAGE: f"{head}{BEGIN}\n{table(rows)}\n{END}{rest.split(END)[1]}", PICTURE: picture(rows)}
    for path, content in made.items():
        if "--check" not in sys.argv:
            path.write_text(content)
        elif path.read_text() != content:
            fail(f"{path}: not up to date with networks.toml; run python3 scripts/networks.py")


if __name__ == "__main__":
    main()
