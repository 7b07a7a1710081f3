"""Draws a figure as PDF, with matplotlib where it is installed."""

import importlib.util

from cupel.figures.figure import BARS, LINE
from cupel.figures.svg import COLORS, ticks_of


def can_draw():
    return importlib.util.find_spec("matplotlib") is not None


def write_pdf(figure, path):
    import matplotlib
    matplotlib.use("pdf")
    from matplotlib import pyplot

    drawing, axes = pyplot.subplots(figsize=(6.4, 4.0), constrained_layout=True)
    for number, series in enumerate(figure.series):
        _draw(axes, series, COLORS[number % len(COLORS)], number, len(figure.series))
    for name, axis, limits in zip("xy", (figure.x, figure.y), figure.bounds()):
        _set_out(axes, name, axis, limits)
    if figure.x.names:
        axes.set_xticks(range(len(figure.x.names)), figure.x.names, rotation=50, ha="right",
                        fontsize=6)
    axes.set_title(figure.title, loc="left")
    axes.legend(fontsize=8)
    drawing.savefig(path)
    pyplot.close(drawing)


def _set_out(axes, name, axis, limits):
    """One axis, with the numbers that the SVG has: matplotlib's own of a short logarithmic axis
    overlap."""
    getattr(axes, f"set_{name}label")(axis.title)
    if axis.names:
        return
    if axis.logarithmic:
        getattr(axes, f"set_{name}scale")("log")
    ticks = ticks_of(axis, *limits)
    getattr(axes, f"set_{name}ticks")(ticks, [f"{tick:g}" for tick in ticks])
    getattr(axes, f"set_{name}ticks")([], minor=True)
    getattr(axes, f"set_{name}lim")(*limits)


def _draw(axes, series, color, number, count):
    if not series.points:
        return
    xs, ys, lows, highs = zip(*series.points)
    if series.kind == LINE:
        axes.step(xs, ys, where="post", color=color, label=series.name)
    elif series.kind == BARS:
        width = 0.8 / count
        axes.bar([x + (number - count / 2) * width for x in xs], ys, width, color=color,
                 label=series.name)
    else:
        around = None
        if None not in lows:
            around = [[max(0, y - low) for y, low in zip(ys, lows)],
                      [max(0, high - y) for y, high in zip(ys, highs)]]
        axes.errorbar(xs, ys, around, fmt="o", markersize=3, linewidth=0.8, color=color,
                      label=series.name)
