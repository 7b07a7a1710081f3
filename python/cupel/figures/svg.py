"""Draws a figure as SVG, with the standard library alone."""

import math
from xml.sax.saxutils import escape

from cupel.figures.figure import BARS, LINE

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 34, 56
NAMES_BOTTOM = 130  # room for slanted names
COLORS = ("#0b62c4", "#c2570c", "#1a7f4b", "#8a3fb5", "#a8201a", "#5c6670")
TICKS = 6


class _Canvas:
    def __init__(self, figure):
        self.figure, self.parts = figure, []
        named = bool(figure.x.names)
        self.width = max(WIDTH, 90 + 14 * len(figure.x.names)) if named else WIDTH
        self.bottom = HEIGHT - BOTTOM
        self.height = self.bottom + (NAMES_BOTTOM if named else BOTTOM)
        (self.x_low, self.x_high), (self.y_low, self.y_high) = figure.bounds()

    def x(self, value):
        return LEFT + _share(self.figure.x, value, self.x_low, self.x_high) * \
            (self.width - LEFT - RIGHT)

    def y(self, value):
        return self.bottom - _share(self.figure.y, value, self.y_low, self.y_high) * \
            (self.bottom - TOP)

    def add(self, tag, text="", **attributes):
        told = "".join(f' {name.replace("_", "-")}="{_attribute(value)}"'
                       for name, value in attributes.items())
        self.parts.append(f"<{tag}{told}>{escape(text)}</{tag}>" if text else f"<{tag}{told}/>")

    def text(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
                f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
                'font-family="Helvetica, Arial, sans-serif" font-size="12">')
        return "\n".join([head, f'<rect width="{self.width}" height="{self.height}" fill="#fff"/>',
                          *self.parts, "</svg>\n"])


def svg_of(figure):
    canvas = _Canvas(figure)
    canvas.add("text", figure.title, x=LEFT, y=16, font_weight="bold")
    _draw_axes(canvas)
    for number, series in enumerate(figure.series):
        _draw_series(canvas, series, COLORS[number % len(COLORS)], number)
    _draw_legend(canvas)
    return canvas.text()


def ticks_of(axis, low, high):
    """Round numbers between; places of names."""
    if axis.names:
        return list(range(len(axis.names)))
    if axis.logarithmic and high / low > 2.5:
        steps = (1, 1.5, 2, 3, 5, 7) if high / low < 20 else (1, 3) if high / low < 300 else (1,)
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        return [step * 10.0 ** power for power in powers for step in steps
                if low <= step * 10.0 ** power <= high]
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    step = next((m * step for m in (1, 2, 5, 10) if (high - low) / (m * step) <= TICKS), 10 * step)
    return [i * step for i in range(math.ceil(low / step), math.floor(high / step + 1e-9) + 1)]


def _share(axis, value, low, high):
    if axis.logarithmic:
        value, low, high = (math.log(number) for number in (value, low, high))
    return (value - low) / (high - low)


def _attribute(value):
    text = f"{value:.2f}" if isinstance(value, float) else str(value)
    return escape(text, {'"': "&quot;"})


def _draw_axes(canvas):
    figure, right = canvas.figure, canvas.width - RIGHT
    for tick in ticks_of(figure.y, canvas.y_low, canvas.y_high):
        y = canvas.y(tick)
        canvas.add("line", x1=LEFT, x2=right, y1=y, y2=y, stroke="#ddd")
        canvas.add("text", f"{tick:g}", x=LEFT - 6, y=y + 4, text_anchor="end")
    for tick in ticks_of(figure.x, canvas.x_low, canvas.x_high):
        x = canvas.x(tick)
        canvas.add("line", x1=x, x2=x, y1=canvas.bottom, y2=canvas.bottom + 4, stroke="#888")
        if figure.x.names:
            canvas.add("text", figure.x.names[tick][:28], x=x, y=canvas.bottom + 14, font_size=9,
                       text_anchor="end", transform=f"rotate(-50 {x:.2f} {canvas.bottom + 14})")
        else:
            canvas.add("text", f"{tick:g}", x=x, y=canvas.bottom + 18, text_anchor="middle")
    canvas.add("path", d=f"M{LEFT},{TOP}V{canvas.bottom}H{right}", stroke="#888", fill="none")
    canvas.add("text", figure.x.title, x=(LEFT + right) / 2, y=canvas.height - 8,
               text_anchor="middle")
    middle = (TOP + canvas.bottom) / 2
    canvas.add("text", figure.y.title, x=14, y=middle, text_anchor="middle",
               transform=f"rotate(-90 14 {middle})")


def _draw_series(canvas, series, color, number):
    if series.kind == LINE:
        return _draw_line(canvas, series, color)
    for x, y, low, high in series.points:
        if series.kind == BARS:
            _draw_bar(canvas, x, y, color, number)
            continue
        if low is not None:
            canvas.add("line", x1=canvas.x(x), x2=canvas.x(x), y1=canvas.y(low),
                       y2=canvas.y(high), stroke=color, opacity=0.5)
        canvas.add("circle", cx=canvas.x(x), cy=canvas.y(y), r=3, fill=color)


def _draw_line(canvas, series, color):
    if not series.points:
        return
    places = [(canvas.x(x), canvas.y(y)) for x, y, *_ in series.points]
    d = "M{:.2f},{:.2f}".format(*places[0])
    d += "".join(f"H{x:.2f}V{y:.2f}" for x, y in places[1:])
    canvas.add("path", d=d, stroke=color, stroke_width=2, fill="none")


def _draw_bar(canvas, x, y, color, number):
    count = len(canvas.figure.series)
    places = len({point[0] for series in canvas.figure.series for point in series.points})
    width = (canvas.width - LEFT - RIGHT) / max(places, 1) * 0.8 / count
    canvas.add("rect", x=canvas.x(x) + (number - count / 2) * width, width=max(1.0, width),
               y=canvas.y(y), height=max(0.0, canvas.bottom - canvas.y(y)), fill=color)


def _draw_legend(canvas):
    names = [series.name for series in canvas.figure.series]
    x = canvas.width - RIGHT
    for number, name in reversed(list(enumerate(names))):
        x -= 6.5 * len(name[:40]) + 20
        canvas.add("circle", cx=x, cy=26, r=4, fill=COLORS[number % len(COLORS)])
        canvas.add("text", name[:40], x=x + 8, y=30)
