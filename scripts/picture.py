"""A picture of points with intervals: a logarithmic axis of counts, and Elo."""

import math

# Pixels.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 300, 56, 620, 30, 256
STYLE = """:root { color-scheme: light dark; --ink: #1d2430; --paper: #ffffff; --faint: #c9ced6;
  --c0: #1f6fb4; --c1: #c2491d; --c2: #2b8a3e; --c3: #8a3ea8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --paper: #14181f; --faint: #3a424e;
  --c0: #6cb2f0; --c1: #f2936b; --c2: #74c98a; --c3: #cf93ea; } }
svg { font-family: system-ui, sans-serif; }
svg text { fill: var(--ink); font-size: 12px; }
svg .axis { stroke: var(--faint); }"""


def draw(label, title, axis, span, points, unit=""):
    """The picture as SVG. `points` are (series, count, Elo, error, name, text beside it); `span` is the range of counts. Each
    series has a colour; the axis of Elo covers all intervals."""
    low, high = span
    series = list(dict.fromkeys(point[0] for point in points))
    top = 50 * math.ceil((max(elo + error for _, _, elo, error, _, _ in points) + 10) / 50)
    bottom = 50 * math.floor((min(elo - error for _, _, elo, error, _, _ in points) - 10) / 50)

    def x(count):
        return round(LEFT + (RIGHT - LEFT) * math.log(count / low) / math.log(high / low), 1)

    def y(elo):
        return round(BOTTOM - (BOTTOM - TOP) * (elo - bottom) / (top - bottom), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-label="{label}">',
        f"<style>\n{STYLE}\n</style>",
        '<rect width="100%" height="100%" fill="var(--paper)"/>',
        f'<text x="{LEFT}" y="18">{title}</text>',
    ]
    for tick in (step * 10**power for power in range(7) for step in (1, 2, 5)):
        if low <= tick <= high:
            parts.append(f'<line class="axis" x1="{x(tick)}" y1="{TOP}" x2="{x(tick)}" y2="{BOTTOM}"/>'
                         f'<text x="{x(tick)}" y="{BOTTOM + 16}" text-anchor="middle">{tick:,}</text>')
    for elo in range(bottom, top + 1, 50):
        parts.append(f'<line class="axis" x1="{LEFT}" y1="{y(elo)}" x2="{RIGHT}" y2="{y(elo)}"/>'
                     f'<text x="{LEFT - 6}" y="{y(elo) + 4}" text-anchor="end">{elo}</text>')
    middle = (LEFT + RIGHT) // 2
    parts.append(f'<text x="{middle}" y="{BOTTOM + 36}" text-anchor="middle">{axis}</text>')
    for of, count, elo, error, name, text in points:
        colour, place = f"var(--c{series.index(of)})", x(count)
        parts.append(f'<line x1="{place}" y1="{y(elo - error)}" x2="{place}" y2="{y(elo + error)}" stroke="{colour}" stroke-width="2"/>'
                     f'<circle cx="{place}" cy="{y(elo)}" r="5" fill="{colour}"><title>{name}: {elo:+} ± {error}</title></circle>'
                     f'<text x="{place + 9}" y="{y(elo) + 4}">{text}</text>')
    for index, of in enumerate(series):
        parts.append(f'<circle cx="{RIGHT + 20}" cy="{TOP + 10 + 22 * index}" r="5" fill="var(--c{index})"/>'
                     f'<text x="{RIGHT + 32}" y="{TOP + 14 + 22 * index}">{of}{unit}</text>')
    return "\n".join([*parts, "</svg>", ""])
