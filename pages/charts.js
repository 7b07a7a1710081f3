// Charts as inline SVG. A chart is a function of the width that there is, and drawn again when that
// changes.

const CHARTS = [];

// `draw(width)` returns an svg element.
function chart(draw) {
  const box = el("div", { class: "chart" });
  box.draw = () => {
    const room = box.clientWidth || 720;
    box.replaceChildren(draw(Math.max(280, Math.min(room, 1008))));
  };
  CHARTS.push(box);
  return box;
}

function drawCharts() {
  for (const box of CHARTS) if (box.isConnected) box.draw();
}

function scaleOf(low, high, from, to, log) {
  const f = log ? Math.log : (value) => value;
  const span = f(high) - f(low) || 1;
  const place = (value) => from + (f(value) - f(low)) / span * (to - from);
  place.ticks = log && high / low > 2.5 ? logTicks(low, high) : linearTicks(low, high);
  return place;
}

function linearTicks(low, high) {
  const step = 10 ** Math.floor(Math.log10((high - low) / 4 || 1));
  const unit = [1, 2, 5, 10].map((m) => m * step).find((s) => (high - low) / s <= 6) || step;
  const ticks = [];
  for (let tick = Math.ceil(low / unit) * unit; tick <= high * 1.0001; tick += unit) {
    ticks.push(Number(tick.toPrecision(6)));
  }
  return ticks;
}

function logTicks(low, high) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const m of high / low > 300 ? [1] : high / low > 20 ? [1, 3] : [1, 1.5, 2, 3, 5, 7]) {
      const tick = Number((m * 10 ** power).toPrecision(3));
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  }
  return ticks;
}

// Axes in a box. `x`, `y`: {low, high, log, format, title}. Returns {root, x, y, left, right, top,
// bottom}.
function frame(width, height, x, y) {
  const [left, right, top, bottom] = [54, width - 12, 22, height - 40];
  const place = { left, right, top, bottom,
    x: scaleOf(x.low, x.high, left, right, x.log), y: scaleOf(y.low, y.high, bottom, top, y.log) };
  place.root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `${y.title} over ${x.title}` });
  const thin = Math.max(1, Math.ceil(place.x.ticks.length / Math.max(2, Math.floor(width / 80))));
  place.x.ticks.filter((_, i) => i % thin === 0).forEach((tick) => place.root.append(
    svg("line", { class: "axis", x1: place.x(tick), x2: place.x(tick), y1: bottom, y2: bottom + 4 }),
    svg("text", { x: place.x(tick), y: bottom + 17, "text-anchor": "middle" }, x.format(tick))));
  place.y.ticks.forEach((tick) => place.root.append(
    svg("line", { class: "axis", x1: left, x2: right, y1: place.y(tick), y2: place.y(tick) }),
    svg("text", { x: left - 6, y: place.y(tick) + 4, "text-anchor": "end" }, y.format(tick))));
  place.root.append(svg("path", { class: "axis", d: `M${left},${top}V${bottom}H${right}` }),
    svg("text", { x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, x.title),
    svg("text", { x: left - 6, y: top - 10, "text-anchor": "start" }, y.title));
  return place;
}

// Correct programs are dots, wrong ones crosses, broken ones squares: not by colour alone.
function mark(outcome, x, y, title, attributes = {}) {
  const kind = kindOf(outcome), color = colorOf(outcome);
  const shape = CORRECT.includes(outcome)
    ? svg("circle", { cx: x, cy: y, r: 4, fill: color, ...attributes })
    : kind === "broken"
      ? svg("rect", { x: x - 3.5, y: y - 3.5, width: 7, height: 7, fill: color, ...attributes })
      : svg("path", { d: `M${x - 4},${y - 4}l8,8m0,-8l-8,8`, stroke: color, "stroke-width": 2,
        ...attributes });
  shape.append(svg("title", {}, title));
  return shape;
}

function whisker(place, x, low, high, color) {
  return svg("line", { x1: x, x2: x, y1: place.y(low), y2: place.y(high), stroke: color,
    "stroke-width": 1.2, opacity: 0.6 });
}

// Points [x, y] as a line that rises at the points only.
function steps(place, points, color, attributes = {}) {
  let d = "";
  points.forEach(([x, y], i) => {
    d += i === 0 ? `M${place.x(x)},${place.y(y)}` : `H${place.x(x)}V${place.y(y)}`;
  });
  return svg("path", { d, fill: "none", stroke: color, "stroke-width": 2, ...attributes });
}

// What lies between two lines that rise at the points only.
function band(place, lows, highs, color) {
  const corners = (points) => points.flatMap(([x, y], i) =>
    (i === 0 ? [[x, y]] : [[x, points[i - 1][1]], [x, y]]));
  const path = (points) => points.map(([x, y]) => `${place.x(x)},${place.y(y)}`).join("L");
  return svg("path", { d: `M${path(corners(lows))}L${path(corners(highs).reverse())}Z`, fill: color,
    opacity: 0.13 });
}

function bounds(values, log) {
  const finite = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  if (!finite.length) return log ? [0.5, 2] : [0, 1];
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (log) return [low / 1.12, high * 1.12];
  return [low, high > low ? high : low + 1];
}

// Bars of counts. `groups`: [{name, color, values}]; logarithmic bins.
function histogram(groups, title, format) {
  return chart((width) => {
    const all = groups.flatMap((group) => group.values);
    const [low, high] = bounds(all, true);
    const bins = Math.max(6, Math.min(24, Math.floor(width / 32)));
    const edge = (i) => low * (high / low) ** (i / bins);
    const counts = groups.map((group) => {
      const filled = Array(bins).fill(0);
      group.values.forEach((value) => {
        const bin = Math.floor(Math.log(value / low) / Math.log(high / low || 2) * bins);
        filled[Math.max(0, Math.min(bins - 1, bin))] += 1;
      });
      return filled;
    });
    const sums = counts[0].map((_, i) => counts.reduce((sum, one) => sum + one[i], 0));
    const most = groups.length > 1 ? Math.max(1, ...counts.flat()) : Math.max(1, ...sums);
    const place = frame(width, 200, { low, high, log: true, format, title },
      { low: 0, high: most, format: (v) => (Number.isInteger(v) ? v : ""), title: "programs" });
    counts.forEach((filled, g) => filled.forEach((count, i) => {
      if (!count) return;
      const [from, to] = [place.x(edge(i)), place.x(edge(i + 1))];
      const wide = (to - from - 2) / counts.length;
      place.root.append(svg("rect", { x: from + 1 + g * wide, width: Math.max(1, wide),
        y: place.y(count), height: place.bottom - place.y(count), fill: groups[g].color,
        opacity: 0.85 }, svg("title", {}, `${groups[g].name}: ${count} from ${format(edge(i))} to `
          + format(edge(i + 1)))));
    }));
    return place.root;
  });
}
