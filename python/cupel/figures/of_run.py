"""The figures of one run, from the document that its page is drawn from (docs/json.md)."""

from cupel.figures.figure import DOTS, LINE, Axis, Figure, Series

CORRECT = ("faster", "same", "slower", "ambiguous")
ROOF_POINTS = 96  # a line rises at its points only: so many look like a slope


def figures_of_run(document):
    return [*_progress(document), _errors(document), _times(document), _roofline(document)]


def _over_eager(entry):
    verdict = entry["verdict"]
    timed = verdict["outcome"] in CORRECT and verdict["ratios"]
    return verdict["ratios"][0] if timed else None


def _progress(document):
    """The best ratio so far, over dollars and over queries, and each right program."""
    entries = {entry["candidate_id"]: entry for entry in document["run"]["candidates"]}
    found = [(step, entries[step["candidate_id"]]) for step in document["progress"]
             if step["candidate_id"] in entries]
    found = [(step, entry, _over_eager(entry)) for step, entry in found if _over_eager(entry)]
    for unit, title in (("usd", "dollars"), ("queries", "queries")):
        end = max((step[unit] for step in document["progress"]), default=0)
        if not end:
            continue
        best, line = 1.0, [(0, 1.0, 1.0, 1.0)]
        for step, entry, ratio in found:
            if entry["verdict"]["outcome"] == "faster" and ratio["ratio"] > best:
                best = ratio["ratio"]
                line.append((step[unit], best, ratio["low"], ratio["high"]))
        line.append((end, *line[-1][1:]))
        dots = [(step[unit], ratio["ratio"], ratio["low"], ratio["high"])
                for step, _, ratio in found]
        yield Figure(f"best_over_{unit}", f"Best program over {title}", Axis(title),
                     Axis("ratio over eager", logarithmic=True),
                     [Series("best so far", LINE, line), Series("right programs", DOTS, dots)])


def _errors(document):
    points = {}
    for entry in document["run"]["candidates"]:
        ratio, error = _over_eager(entry), entry["verdict"]["error_rms"]
        if ratio and 0 < error < 1e29:
            points.setdefault(entry["verdict"]["outcome"], []).append(
                (error, ratio["ratio"], ratio["low"], ratio["high"]))
    return Figure("error_and_ratio", "How fast, how exact", Axis("error (rms, spreads)", True),
                  Axis("ratio over eager", True),
                  [Series(outcome, DOTS, some) for outcome, some in sorted(points.items())])


def _times(document):
    """Quantiles of the calls of the programs in the final table."""
    series = []
    for row in document["run"]["table"]:
        times = document["times"].get(row["candidate_id"])
        if times:
            values = times["quantiles_us"]
            series.append(Series(f"{row['role']}: {row['label']}", LINE, [
                (value, i / (len(values) - 1), None, None) for i, value in enumerate(values)]))
    return Figure("call_times", "Times of calls", Axis("microseconds", True),
                  Axis("share of calls at most"), series)


def _roofline(document):
    """The programs of the final table and eager's operators under what the machine can do."""
    roof, series = document.get("roofline"), []
    if roof and roof["flops"]:
        giga, intensity = 1e9, roof["flops"] / roof["bytes"]
        series = [Series(f"{row['role']}: {row['label']}", DOTS,
                         [(intensity, roof["flops"] / row["ms"] * 1e3 / giga, None, None)])
                  for row in roof["programs"]]
        dots = [(row["flops"] / row["bytes"], row["flops"] / row["us"] * 1e6 / giga, None, None)
                for row in roof["operators"] if row["flops"] and row["bytes"]]
        series.append(Series("eager's operators", DOTS, dots))
        copied, peak = roof["copied_bytes_per_s"] / giga, roof["float32_flops_per_s"] / giga
        around = [intensity, peak / copied, *(x for x, *_ in dots)]
        low, high = min(around) / 2, max(around) * 3
        places = [low * (high / low) ** (i / ROOF_POINTS) for i in range(ROOF_POINTS + 1)]
        series.append(Series("this machine", LINE, [
            (x, min(peak, copied * x), None, None) for x in places]))
    return Figure("roofline", "How near the machine's limits", Axis("operations a byte", True),
                  Axis("GFLOP/s", True), series)
