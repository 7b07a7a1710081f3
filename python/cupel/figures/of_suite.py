"""The figures of a suite, from the document that its page is drawn from (docs/json.md)."""

import math

from cupel.figures.figure import BARS, DOTS, LINE, Axis, Figure, Series

BINS = 20


def figures_of_suite(document):
    suite = document["suite"]
    return [_curve(suite, "usd", "dollars a task"), _curve(suite, "queries", "queries a task"),
            _speedups(suite), _histogram(suite), _fast_p(suite), _scores(suite), _levels(suite),
            _outcomes(suite)]


def _names(suite):
    return [score["strategy"] for score in suite["strategies"]]


def _timed(suite, strategy):
    return [row for row in suite["tasks"] if row["strategy"] == strategy and row["over_eager"]]


def _curve(suite, unit, title):
    series = [Series(score["strategy"], LINE,
                     [(x, y, None, None) for x, y in score[f"curve_over_{unit}"]])
              for score in suite["strategies"] if len(score[f"curve_over_{unit}"]) > 1]
    return Figure(f"curve_over_{unit}", "What money buys", Axis(title),
                  Axis("geometric mean over eager", True), series)


def _speedups(suite):
    best = {}
    for row in suite["tasks"]:
        if row["over_eager"]:
            best[row["task"]] = max(best.get(row["task"], 0), row["over_eager"]["ratio"])
    tasks = sorted(best, key=best.get, reverse=True)
    place = {task: i for i, task in enumerate(tasks)}
    series = [Series(name, DOTS, [
        (place[row["task"]], *(row["over_eager"][key] for key in ("ratio", "low", "high")))
        for row in _timed(suite, name)]) for name in _names(suite)]
    return Figure("speedups", "Speedup of each task", Axis("task", names=tasks),
                  Axis("ratio over eager", True), series)


def _histogram(suite):
    ratios = {name: [row["over_eager"]["ratio"] for row in _timed(suite, name)]
              for name in _names(suite)}
    known = [ratio for some in ratios.values() for ratio in some]
    low, high = (math.log(min(known)), math.log(max(known))) if known else (0, 0)
    width = (high - low) / BINS or 0.1
    series = []
    for name, some in ratios.items():
        counts = [0] * BINS
        for ratio in some:
            counts[min(BINS - 1, int((math.log(ratio) - low) / width))] += 1
        series.append(Series(name, BARS, [
            (math.exp(low + (i + 0.5) * width), count, None, None)
            for i, count in enumerate(counts) if known]))
    return Figure("histogram", "How speedups are spread", Axis("ratio over eager", True),
                  Axis("tasks"), series)


def _fast_p(suite):
    """By whole intervals: the share of tasks whose lower end exceeds p."""
    series = []
    for name in _names(suite):
        lows = sorted(row["over_eager"]["low"] for row in _timed(suite, name))
        above = [low for low in lows if low > 1]
        points = [(1.0, len(above) / len(lows), None, None)] if lows else []
        points += [(low, (len(above) - i - 1) / len(lows), None, None)
                   for i, low in enumerate(above)]
        series.append(Series(name, LINE, points))
    return Figure("fast_p", "Share of tasks that are p times faster", Axis("p", True),
                  Axis("share of tasks"), series)


def _scores(suite):
    series = []
    for key, title in (("over_eager", "over eager"), ("over_compile", "over torch.compile"),
                       ("over_best_free", "over the best free variant")):
        points = [(i, score[key]["value"], score[key]["low"], score[key]["high"])
                  for i, score in enumerate(suite["strategies"]) if score[key]]
        series.append(Series(title, DOTS, points))
    return Figure("scores", "Geometric means", Axis("strategy", names=_names(suite)),
                  Axis("geometric mean", True), series)


def _levels(suite):
    names = sorted({level["level"] for score in suite["strategies"] for level in score["levels"]})
    series = [Series(score["strategy"], DOTS, [
        (names.index(level["level"]), *(level["over_eager"][key]
                                        for key in ("value", "low", "high")))
        for level in score["levels"] if level["over_eager"]]) for score in suite["strategies"]]
    return Figure("levels", "By level", Axis("level", names=names),
                  Axis("geometric mean over eager", True), series)


def _outcomes(suite):
    names = sorted({outcome for score in suite["strategies"] for outcome in score["outcomes"]})
    series = [Series(score["strategy"], BARS, [
        (names.index(outcome), count, None, None)
        for outcome, count in score["outcomes"].items()]) for score in suite["strategies"]]
    return Figure("outcomes", "What became of what was bought", Axis("outcome", names=names),
                  Axis("programs"), series)
