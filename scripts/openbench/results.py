# Prints the state of all workloads. Run by `manage.py shell` of an OpenBench server.
from OpenBench.models import LogEvent, Result, Test

for test in Test.objects.order_by("id"):
    state = "passed" if test.passed else "failed" if test.failed else "finished" if test.finished else "unfinished"
    print("%-8s %-10s games %3d  pentanomial %s  llr %.2f" % (
        test.test_mode, state, test.games, list(test.as_penta()), test.currentllr))
    for result in Result.objects.filter(test=test).order_by("machine__id"):
        print("         machine %d: games %d, crashes %d, losses on time %d" % (
            result.machine.id, result.games, result.crashes, result.timeloss))
    if test.test_mode == "SPSA":
        for parameter in test.spsa_run.parameters.order_by("index"):
            print("         %s %.2f -> %.2f" % (parameter.name, parameter.start, parameter.value))
for event in LogEvent.objects.exclude(log_file=""):
    print("error: %s (%s)" % (event.summary, event.log_file))
