# Creates a user, two engines and a workload of each kind. Run by `manage.py shell` of an OpenBench
# server. The web form cannot be used: it would ask the code host for branches and commits.
import math
import os
from types import SimpleNamespace

from django.contrib.auth.models import User

import OpenBench.spsa_utils
from OpenBench.models import Engine, Profile, Test

user = User.objects.create_user("rehearsal", password="rehearsal")
Profile.objects.create(user=user, enabled=True, approver=True)
files, bench = os.environ["FILES"], int(os.environ["BENCH"])
play = Engine.objects.create(name="play", source=files + "/play.zip", sha="a" * 40, bench=bench)
lab = Engine.objects.create(name="lab", source=files + "/lab.zip", sha="b" * 40, bench=bench)


def workload(dev, base, **fields):
    common = dict(
        author="rehearsal", book_name="rehearsal.epd", upload_pgns="COMPACT", dev=dev, base=base,
        workload_size=4, throughput=1000, scale_nps=1000000, win_adj="movecount=3 score=600",
        draw_adj="movenumber=34 movecount=8 score=20", approved=True)
    for side in ("dev", "base"):
        common.update({
            side + "_repo": files, side + "_engine": "Stretto", side + "_options": "Threads=1 Hash=8",
            side + "_time_control": "N=5000"})
    common.update(fields)
    return Test.objects.create(**common)


# Equal engines are far better than "120 to 80 Elo weaker", so the server accepts H1 within some
# hundred games. Different hash sizes make the games of a pair differ.
workload(
    play, lab, test_mode="SPRT", elolower=-120.0, eloupper=-80.0, alpha=0.05, beta=0.05, priority=3,
    lowerllr=math.log(0.05 / 0.95), upperllr=math.log(0.95 / 0.05), dev_options="Threads=1 Hash=1")

tune = workload(lab, lab, test_mode="SPSA", priority=2)
OpenBench.spsa_utils.create_spsa_run(tune, SimpleNamespace(POST={
    "spsa_alpha": "0.602", "spsa_gamma": "0.101", "spsa_A_ratio": "0.1", "spsa_iterations": "4",
    "spsa_pairs_per": "4", "spsa_reporting_type": "BATCHED", "spsa_distribution_type": "SINGLE",
    "spsa_inputs": "LmrSlope, int, 220.0, 50.0, 800.0, 25.0, 0.002\nNullMoveEval, int, 180.0, 50.0, 600.0, 25.0, 0.002",
}))

workload(
    play, lab, test_mode="DATAGEN", book_name="NONE", max_games=16, play_reverses=True, priority=1,
    win_adj="None", draw_adj="None", genfens_args="limit 200")
