#!/usr/bin/env python3
"""Prints result blocks with the code of OpenBench, fishtest and fastchess.

    scripts/blocks.py openbench CHECKOUT [RANDOM]  >testdata/blocks/openbench.txt
    scripts/blocks.py fishtest  CHECKOUT [RANDOM]  >testdata/blocks/fishtest.txt
    scripts/blocks.py fastchess CHECKOUT [RANDOM]  >testdata/blocks/fastchess.txt

CHECKOUT is a work tree of the tool; that of fastchess must be built (`make`). RANDOM random results follow the
cases below. Each block has a header line with its case, and an empty line after it:

    == PENTANOMIAL|SPLIT|TEST|LIMITS|THREADS|HASH

SPLIT of the even pairs are a win and a loss, the others two draws. TEST is `-`, or MODEL ELO0 ELO1 ALPHA BETA.
A block `ERROR` is one that the tool cannot print. Needs SciPy; fastchess needs a C++17 compiler.
"""

import ast
import itertools
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import types

RESULTS = [
    ((0, 0, 0, 0, 0), 0),
    ((0, 0, 1, 0, 0), 0),
    ((0, 0, 1, 0, 0), 1),
    ((0, 0, 0, 0, 1), 0),
    ((1, 0, 0, 0, 0), 0),
    ((0, 1, 0, 0, 0), 0),
    ((0, 0, 0, 2, 0), 0),
    ((1, 0, 0, 0, 1), 0),
    ((0, 0, 40, 0, 0), 0),
    ((0, 0, 40, 0, 0), 40),
    ((0, 0, 5000, 0, 0), 12),
    ((0, 0, 0, 0, 30), 0),
    ((30, 0, 0, 0, 0), 0),
    ((0, 0, 3, 12, 40), 1),
    ((9, 0, 0, 0, 40), 0),
    ((3, 10, 20, 9, 5), 7),
    ((1, 9, 52, 2, 2), 30),
    ((12, 60, 100, 80, 25), 41),
    ((43, 61, 144, 55, 37), 119),
    ((379, 10170, 21828, 10640, 343), 3000),
    ((485, 15354, 33303, 15740, 526), 9000),
    ((10789, 19328, 33806, 19402, 10543), 20000),
]
TESTS = [
    None,
    ("normalized", 0.0, 5.0, 0.05, 0.05),
    ("normalized", -1.75, 0.25, 0.05, 0.05),
    ("normalized", -120.0, -80.0, 0.05, 0.1),
    ("logistic", 0.0, 2.0, 0.05, 0.05),
]
LIMITS = [
    ("8+0.08", 1, 16),
    ("40/60+0.6", 8, 512),
    ("60", 1, 64),
    ("0.3+0.003", 2, 8),
    ("nodes=25000", 1, 16),
    ("depth=9", 1, 1),
    ("movetime=100", 1, 16),
]


def cases(count):
    chosen = itertools.cycle(LIMITS)
    for (pairs, split), test in itertools.product(RESULTS, TESTS):
        yield pairs, split, test, next(chosen)
    generator = random.Random(17)
    for _ in range(count):
        scale = 10 ** generator.uniform(0, 4.5)
        weights = [generator.random() ** 3 for _ in range(5)]
        total = sum(weights)
        pairs = tuple(round(scale * weight / total) for weight in weights)
        test = generator.choice(TESTS)
        if test:
            low = round(generator.uniform(-20, 10), generator.choice([0, 1, 2]))
            test = (test[0], low, low + generator.choice([1.0, 2.0, 3.5, 5.0, 20.0]), 0.05, 0.05)
        yield pairs, generator.randint(0, pairs[2]), test, generator.choice(LIMITS)


def games(pairs, split):
    """Returns wins, losses and draws."""
    ll, ld, even, wd, ww = pairs
    return 2 * ww + wd + split, 2 * ll + ld + split, ld + wd + 2 * (even - split)


def header(pairs, split, test, limits):
    words = " ".join(str(part) for part in test) if test else "-"
    return f"== {list(pairs)}|{split}|{words}|{'|'.join(str(part) for part in limits)}"


def function(path, names, scope):
    """Executes some functions and classes of a file, whose imports are not installed."""
    # fishtest is written for Python 3.14, which needs no parentheses here.
    text = re.sub(r"except (\w+(?:, \w+)+):", r"except (\1):", path.read_text())
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if getattr(node, "name", None) in names]
    exec(compile(tree, str(path), "exec"), scope)
    return scope


def openbench(checkout):
    sys.path.insert(0, str(checkout))
    import OpenBench.stats as stats

    utils = function(checkout / "OpenBench/utils.py", {"TimeControl", "extract_option"}, {"re": re})
    scope = {"OpenBench": types.SimpleNamespace(stats=stats, utils=types.SimpleNamespace(**utils))}
    block = function(checkout / "OpenBench/templatetags/mytags.py", {"longStatBlock"}, scope)["longStatBlock"]

    def run(pairs, split, test, limits):
        if test and test[0] == "logistic":
            return None
        limit, threads, hash_size = limits
        for word, letter in (("nodes", "N"), ("depth", "D"), ("movetime", "MT")):
            limit = limit.replace(word, letter)
        wins, losses, draws = games(pairs, split)
        tested = types.SimpleNamespace(
            test_mode="SPRT" if test else "GAMES",
            dev_options=f"Threads={threads} Hash={hash_size}",
            dev_time_control=utils["TimeControl"].parse(limit),
            use_penta=True,
            currentllr=0.0,
            results=lambda: pairs,
            as_penta=lambda: pairs,
            as_nwld=lambda: (wins + losses + draws, wins, losses, draws),
        )
        if test:
            # As create_workload.py and update_test do.
            _, tested.elolower, tested.eloupper, alpha, beta = test
            tested.lowerllr = math.log(beta / (1.0 - alpha))
            tested.upperllr = math.log((1.0 - beta) / alpha)
            if sum(pairs):
                tested.currentllr = stats.PentanomialSPRT(pairs, tested.elolower, tested.eloupper)
        return block(tested)

    return run


def fishtest(checkout):
    sys.path.insert(0, str(checkout / "server"))
    sys.modules["fishtest"] = types.ModuleType("fishtest")
    sys.modules["fishtest"].__path__ = [str(checkout / "server/fishtest")]
    import fishtest.stats.stat_util as stat_util
    from fishtest.stats import LLRcalc

    package = types.SimpleNamespace(stats=types.SimpleNamespace(stat_util=stat_util))
    names = {"format_bounds", "format_results"}
    util = function(checkout / "server/fishtest/util.py", names, {"fishtest": package})
    names = {"t_conf", "is_elo_pentanomial_run", "_nelo_pentanomial_details", "_nelo_pentanomial_summary_values"}
    helpers = {"LLRcalc": LLRcalc, "stat_util": stat_util, "Markup": str}
    path = checkout / "server/fishtest/http/template_helpers.py"
    function(path, names | {"nelo_pentanomial_summary"}, helpers)

    def run(pairs, split, test, _limits):
        wins, losses, draws = games(pairs, split)
        results = {"wins": wins, "losses": losses, "draws": draws, "pentanomial": list(pairs)}
        tested = {"args": {"num_games": 60000}, "results": results}
        if test:
            model, elo0, elo1, alpha, beta = test
            sprt = stat_util.SPRT(alpha=alpha, beta=beta, elo0=elo0, elo1=elo1, elo_model=model)
            if sum(pairs):
                stat_util.update_SPRT(results, sprt)
            tested["args"]["sprt"] = sprt
        # As templates/elo_results.html.j2 does.
        lines = util["format_results"](tested)["info"]
        summary = helpers["nelo_pentanomial_summary"](tested)
        return "\n".join(lines + ([summary.replace("&plusmn;", "±")] if summary else []))

    return run


DRIVER = r"""
#include <iostream>
#include <sstream>
#include <vector>
#include <matchmaking/output/output_fastchess.hpp>
namespace fastchess { const char* version = ""; }  // That of main.cpp.
using namespace fastchess;
int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream in(line);
        int ll, ld, wl, dd, wd, ww, wins, losses, draws;
        std::string model, conditions;
        double elo0, elo1, alpha, beta;
        in >> ll >> ld >> wl >> dd >> wd >> ww >> wins >> losses >> draws >> model >> elo0 >> elo1 >> alpha >> beta;
        in >> std::ws;
        std::getline(in, conditions);
        Stats stats(ll, ld, wl, dd, wd, ww);
        stats.wins = wins; stats.losses = losses; stats.draws = draws;
        Fastchess output(true);
        auto elo = output.createElo(stats, true);
        SPRT sprt(alpha, beta, elo0, elo1, model, model != "-");
        // As printEloH2H and printInterval do; the conditions are made from engines that run.
        std::cout << "--------------------------------------------------\n"
                  << "Results of dev vs base (" << conditions << "):\n"
                  << output.formatElo(elo) << "\n"
                  << output.formatGameStats(*elo, stats, stats.pairsRatio()) << "\n"
                  << output.formatGameResults(stats, stats.points(), stats.pointsRatio()) << "\n"
                  << "Ptnml(0-2): " << output.formatPentaStats(stats) << ", " << output.formatWLDDRatio(stats) << "\n"
                  << output.printSprt(sprt, stats)
                  << "--------------------------------------------------\n\n";
    }
}
"""


def fastchess(checkout):
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "driver.cpp").write_text(DRIVER)
    app = checkout / "app"
    objects = [path for path in (app / "tmp").rglob("*.o") if path.name != "main.o"]
    includes = [f"-I{app / 'src'}", f"-I{app / 'third_party'}"]
    options = ["-std=c++17", "-O3", "-DNDEBUG", "-w", "-pthread", "-fno-access-control"]
    subprocess.run(
        ["g++", *options, *includes, str(folder / "driver.cpp"), *map(str, objects), "-o", str(folder / "driver")],
        check=True,
    )

    def run(pairs, split, test, limits):
        ll, ld, even, wd, ww = pairs
        limit, threads, hash_size = limits
        for word, unit in (("nodes=", " nodes"), ("depth=", " plies")):
            if limit.startswith(word):
                limit = limit.removeprefix(word) + unit
        if limit.startswith("movetime="):
            limit = f"{int(limit.removeprefix('movetime=')) / 1000:g}/move"
        counts = (ll, ld, split, even - split, wd, ww, *games(pairs, split))
        words = [*counts, *(test or ("-", 0, 1, 0.05, 0.05))]
        line = " ".join(map(str, words)) + f" {limit}, {threads}t, {hash_size}MB, book.epd\n"
        done = subprocess.run([str(folder / "driver")], input=line, capture_output=True, text=True, check=True)
        return done.stdout.rstrip("\n")

    return run


def main():
    tool, checkout, *count = sys.argv[1:]
    run = {"openbench": openbench, "fishtest": fishtest, "fastchess": fastchess}[tool](pathlib.Path(checkout).resolve())
    for case in cases(int(count[0]) if count else 0):
        try:
            block = run(*case)
        except (ArithmeticError, AssertionError, ValueError) as error:
            print(f"{case}: {error!r}", file=sys.stderr)
            block = "ERROR"
        if block is not None:
            print(f"{header(*case)}\n{block}\n")


main()
