"""A figure as data: what is drawn, and the rows of its CSV."""

import csv
import dataclasses

LINE, DOTS, BARS = "line", "dots", "bars"


@dataclasses.dataclass
class Axis:
    """`names`: of places 0, 1, ..., instead of numbers."""
    title: str
    logarithmic: bool = False
    names: list = None


@dataclasses.dataclass
class Series:
    """Points are (x, y, low, high); low and high are None where there is no interval. A line rises
    at its points only."""
    name: str
    kind: str
    points: list


@dataclasses.dataclass
class Figure:
    name: str
    title: str
    x: Axis
    y: Axis
    series: list

    def is_empty(self):
        return not any(series.points for series in self.series)

    def rows(self):
        """(series, x, y, low, high) of each point; x and y by name where the axis has names."""
        for series in self.series:
            for x, y, low, high in series.points:
                yield (series.name, _named(self.x, x), _named(self.y, y), low, high)

    def write_csv(self, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["series", self.x.title, self.y.title, "low", "high"])
            writer.writerows([["" if cell is None else cell for cell in row]
                              for row in self.rows()])

    def bounds(self):
        """((least x, largest x), (least y, largest y)), intervals and names included."""
        points = [point for series in self.series for point in series.points]
        xs = [x for x, *_ in points]
        ys = [value for _, *values in points for value in values if value is not None]
        if any(series.kind == BARS for series in self.series):
            ys.append(0)
        return _bounds(self.x, xs), _bounds(self.y, ys)


def _named(axis, value):
    return axis.names[int(value)] if axis.names else value


def _bounds(axis, values):
    if axis.names:
        return -0.6, len(axis.names) - 0.4
    low, high = min(values), max(values)
    if axis.logarithmic:
        return low / 1.1, high * 1.1
    return low, high if high > low else low + 1
