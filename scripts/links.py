#!/usr/bin/env python3
"""Checks the relative links of all Markdown files: `make links`.

    scripts/links.py [DIR]

Every target must exist, and every anchor must be a heading or `<a id="...">` of its page. Paths in
backquotes such as `configs/match/self-play.yaml` are checked too. Exit code 1 lists what is missing.
"""

import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`(?:harness \w+ )?((?:configs|docs|results|scripts|packaging|openbench)/[\w./-]+\.\w+)")
# Written by runs or for the reader's own use, so not part of the repository.
ABSENT = re.compile(r"^results/runs/|^configs/sprt/king-step\.yaml$")


def anchors(page):
    """The anchors of a page, as GitHub makes them of its headings."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text())
    found = set(re.findall(r'<a id="([^"]+)">', text))
    for heading in re.findall(r"(?m)^#+ (.*)$", text):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-"))
    return found


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    listed = subprocess.run(["git", "-C", root, "ls-files", "*.md"], capture_output=True, text=True, check=True)
    broken, links = [], 0
    for name in listed.stdout.split():
        page = root / name
        if not page.is_file():
            continue
        text = page.read_text()
        for link in LINK.findall(re.sub(r"(?ms)^```.*?^```", "", text)):
            if re.match(r"[a-z]+:", link):
                continue
            links += 1
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not target.exists():
                broken.append(f"{name}: {link}: no such file")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                broken.append(f"{name}: {link}: no such heading")
        for path in PATH.findall(text):
            links += 1
            if not ABSENT.match(path) and not (root / path).exists() and not (page.parent / path).exists():
                broken.append(f"{name}: `{path}`: no such file")
    print(*broken, sep="\n", end="\n" if broken else "")
    print(f"{links} links, {len(broken)} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
