#!/usr/bin/env python3
"""Rewrites the table of results/network.md and docs/pictures/networks.svg from results/networks.toml.

    python3 scripts/networks.py

Needs Python 3.11 and nothing else.
"""

import math
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "results/networks.toml"
PAGE = ROOT / "results/network.md"
PICTURE = ROOT / "docs/pictures/networks.svg"
BEGIN, END = "<!-- networks: begin -->", "<!-- networks: end -->"
FIELDS = ("name", "positions", "seen", "width", "nodes", "epochs", "target", "against", "elo", "error", "games", "limit")

# The picture, in pixels.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 300, 56, 620, 30, 256
STYLE = """:root { color-scheme: light dark; --ink: #1d2430; --paper: #ffffff; --faint: #c9ced6;
  --c0: #1f6fb4; --c1: #c2491d; --c2: #2b8a3e; --c3: #8a3ea8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --paper: #14181f; --faint: #3a424e;
  --c0: #6cb2f0; --c1: #f2936b; --c2: #74c98a; --c3: #cf93ea; } }
svg { font-family: system-ui, sans-serif; }
svg text { fill: var(--ink); font-size: 12px; }
svg .axis { stroke: var(--faint); }"""


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
    """The picture: Elo by positions seen, on a logarithmic axis, one colour per width."""
    rows = [row for row in rows if "total" in row]
    widths = sorted({row["width"] for row in rows})
    low, high = 10, 10 ** math.ceil(math.log10(max(row["seen"] for row in rows)))
    top = 50 * math.ceil((max(row["total"] + row["error"] for row in rows) + 10) / 50)
    bottom = 50 * math.floor((min(row["total"] - row["error"] for row in rows) - 10) / 50)

    def x(positions):
        return round(LEFT + (RIGHT - LEFT) * math.log(positions / low) / math.log(high / low), 1)

    def y(elo):
        return round(BOTTOM - (BOTTOM - TOP) * (elo - bottom) / (top - bottom), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'role="img" aria-label="Elo of the networks by training positions">',
        f"<style>\n{STYLE}\n</style>",
        '<rect width="100%" height="100%" fill="var(--paper)"/>',
        f'<text x="{LEFT}" y="18">Elo against the classical evaluation, with 95 % intervals</text>',
    ]
    ticks = [step * 10**power for power in range(1, 4) for step in (1, 2, 5) if low <= step * 10**power <= high]
    for tick in ticks:
        parts.append(f'<line class="axis" x1="{x(tick)}" y1="{TOP}" x2="{x(tick)}" y2="{BOTTOM}"/>'
                     f'<text x="{x(tick)}" y="{BOTTOM + 16}" text-anchor="middle">{tick:,}</text>')
    for elo in range(bottom, top + 1, 50):
        parts.append(f'<line class="axis" x1="{LEFT}" y1="{y(elo)}" x2="{RIGHT}" y2="{y(elo)}"/>'
                     f'<text x="{LEFT - 6}" y="{y(elo) + 4}" text-anchor="end">{elo}</text>')
    middle = (LEFT + RIGHT) // 2
    parts.append(f'<text x="{middle}" y="{BOTTOM + 36}" text-anchor="middle">millions of positions, those of earlier networks included</text>')
    for row in rows:
        colour = f"var(--c{widths.index(row['width'])})"
        place, elo = x(row["seen"]), row["total"]
        parts.append(f'<line x1="{place}" y1="{y(elo - row["error"])}" x2="{place}" y2="{y(elo + row["error"])}" stroke="{colour}" stroke-width="2"/>'
                     f'<circle cx="{place}" cy="{y(elo)}" r="5" fill="{colour}"><title>{row["name"]}: {elo:+} ± {row["error"]}</title></circle>'
                     f'<text x="{place + 9}" y="{y(elo) + 4}">{row["name"].removeprefix("generation ")}</text>')
    for index, width in enumerate(widths):
        parts.append(f'<circle cx="{RIGHT + 20}" cy="{TOP + 10 + 22 * index}" r="5" fill="var(--c{index})"/>'
                     f'<text x="{RIGHT + 32}" y="{TOP + 14 + 22 * index}">{width} neurons</text>')
    return "\n".join([*parts, "</svg>", ""])


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
