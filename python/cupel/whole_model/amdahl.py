"""What gains in parts make of the whole, by Amdahl's law, beside what was judged of the whole."""

METRICS = ("latency", "throughput")


def expected(rows):
    """Of rows with `share` (of the time) and `ratio`: the ratio of the whole."""
    left = 1 - sum(row["share"] for row in rows)
    return 1 / (max(left, 0.0) + sum(row["share"] / row["ratio"] for row in rows))


def parts_text(rows):
    """`rows`: {"module", "count", "share", "ratio", "label"}."""
    cells = [["module", "equal", "share", "gain", "of the whole", "program"]]
    cells += [[row["module"], str(row["count"]), f"{row['share']:.1%}", f"{row['ratio']:.2f}x",
               f"{expected([row]):.2f}x", row["label"]] for row in rows]
    rest = 1 - sum(row["share"] for row in rows)
    cells.append(["all else", "", f"{max(rest, 0):.1%}", "", "", ""])
    cells.append(["together, by Amdahl's law", "", "", "", f"{expected(rows):.2f}x", ""])
    return _aligned(cells)


def whole_text(judged):
    """Of judged_rows()."""
    cells = [["the whole model", "latency", "over eager", "throughput", "over eager", "program"]]
    for row in judged:
        cells.append([row["what"], *(text for metric in METRICS for text in _told(row, metric)),
                      row["label"]])
    return _aligned(cells)


def judged_rows(result, candidate):
    """What a run judged of the whole model: eager, the modules' winners in place (the file
    `candidate`; None: there are none), torch.compile, and what won. Each "what", "label",
    "outcome", and by metric "ratio", "low", "high", "ms", or None where it was not measured."""
    metric = result["options"].get("metric", METRICS[0])
    rows = [_eager_row(result, metric)]
    if candidate:
        named = [row for row in [*result["table"], *result["candidates"]]
                 if row["label"].endswith(candidate)]
        rows += [_row("the modules' winners in place", row, metric) for row in named[:1]]
    names = {"torch.compile": "torch.compile of the whole", "winner": "the winner of the whole"}
    rows += [_row(names[row["role"]], row, metric) for row in result["table"]
             if row["role"] in names]
    return rows


def applied_row(verdict, package):
    """Of the whole model with the package applied to it."""
    return _row("the package, applied", {"verdict": verdict, "label": package}, verdict["metric"])


def _row(what, row, metric):
    verdict = row["verdict"]
    told = {metric: verdict["ratios"], _other(metric): verdict.get("other_ratios", [])}
    return {"what": what, "label": row["label"], "outcome": verdict["outcome"],
            **{name: _measured(told[name]) for name in METRICS}}


def _eager_row(result, metric):
    """Its times stand in the ratios of others."""
    told = {name: None for name in METRICS}
    for row in result["table"]:
        for name, key in ((metric, "ratios"), (_other(metric), "other_ratios")):
            ratios = row["verdict"].get(key, [])
            if ratios and told[name] is None:
                told[name] = {"ratio": 1.0, "low": 1.0, "high": 1.0, "ms": ratios[0]["over_ms"]}
    return {"what": "eager", "label": "eager", "outcome": "same", **told}


def _measured(ratios):
    if not ratios:
        return None
    first = ratios[0]
    return {"ratio": first["ratio"], "low": first["low"], "high": first["high"],
            "ms": first["candidate_ms"]}


def _other(metric):
    return METRICS[1 - METRICS.index(metric)]


def _told(row, metric):
    """(its time, its ratio) as text."""
    found = row[metric]
    if found is None:
        return "", row["outcome"] if metric == METRICS[0] else ""
    ratio = "1" if row["what"] == "eager" else \
        f"{found['ratio']:.2f}x {found['low']:.2f}-{found['high']:.2f}"
    return f"{found['ms']:.3f} ms", ratio


def _aligned(cells):
    """The first and the last column to the left, numbers to the right."""
    last = len(cells[0]) - 1
    widths = [max(len(row[i]) for row in cells) for i in range(last + 1)]
    return "\n".join("  ".join(cell.rjust(width) if 0 < i < last else cell.ljust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
                     for row in cells)
