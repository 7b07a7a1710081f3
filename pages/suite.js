// The page of a suite: strategies over tasks.

const strategyColor = (i) => `var(--s${i % 6})`;

function suitePage() {
  const suite = DATA.suite;
  const colors = new Map(suite.strategies.map((score, i) => [score.strategy, strategyColor(i)]));
  const page = { suite, colors, legend: () => legendOf([...colors]) };
  document.getElementById("page").append(suiteHead(page), scoreTable(page), suiteCurve(page),
    speedups(page), levels(page), suiteSpread(page), fastShares(page), outcomes(page),
    taskTable(page), problems(page), section("Method", methodList(), el("p", {}, "Curves start at the "
      + "best free variant, since that cost nothing. A geometric mean counts a task at 1 where "
      + "nothing beat the original. Intervals resample tasks.")));
}

function suiteHead({ suite }) {
  const tasks = new Set(suite.tasks.map((row) => row.task));
  const sum = (key) => suite.strategies.reduce((total, score) => total + score[key], 0);
  return el("header", {}, el("div", { class: "sign" }, "Cupel suite"), el("h1", {}, suite.name),
    el("div", { class: "tiles" }, suite.strategies.slice(0, 4).map((score, i) =>
      tile(shown(`suite.strategies.${i}.over_eager.value`, "ratio"),
        `over eager, ${score.strategy}`)), tile(String(tasks.size), "tasks"),
    tile(FORMATS.usd(sum("cost_usd")), "spent"), tile(String(sum("queries")), "queries"),
    tile(FORMATS.seconds(sum("wall_s")), "wall time")));
}

function scoreTable({ suite }) {
  const rows = suite.strategies.map((score, i) => ({ ...score, path: `suite.strategies.${i}` }));
  const cell = (key) => (row) => interval(`${row.path}.${key}`);
  const columns = [{ head: "strategy", cell: (row) => row.strategy },
    { head: "tasks", number: true, cell: (row) => shown(`${row.path}.tasks`, "count") },
    { head: "over eager", cell: cell("over_eager") },
    { head: "over torch.compile", cell: cell("over_compile") },
    { head: "over best free", cell: cell("over_best_free") },
    { head: "as published", cell: cell("over_eager_raw") },
    { head: "faster", number: true, cell: (row) => shown(`${row.path}.fast_p.1.value`, "share") },
    { head: "spent", number: true, cell: (row) => shown(`${row.path}.cost_usd`, "usd") },
    { head: "queries", number: true, cell: (row) => shown(`${row.path}.queries`, "count") },
    { head: "left out", number: true, cell: (row) => String(row.unfinished + row.degenerate
      + row.failed) }];
  return section("Strategies", el("p", { class: "faint" }, "Geometric means over tasks, with 95 % "
    + "intervals. `As published` counts the fastest correct candidate, whatever its interval."),
  table(columns, rows));
}

// The same draws each time: a page shows what it showed.
function* draws(seed) {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

const RESAMPLES = 120;

// 95 % intervals of the geometric mean at each of `spent`, resampling tasks.
function curveBand(strategy, unit, spent) {
  const counted = new Set(DATA.suite.tasks.filter((row) => row.strategy === strategy
    && row.state === "finished").map((row) => row.task));
  const runs = DATA.runs.filter((run) => run.strategy === strategy && counted.has(run.task));
  if (runs.length < 2) return null;
  const random = draws(7), place = unit === "usd" ? 0 : 1;
  const logs = runs.map((run) => spent.map((most) => {
    let best = Math.max(1, run.progress.free);
    run.progress.steps.forEach((step) => {
      if (step[place] <= most) best = Math.max(best, step[2]);
    });
    return Math.log(best);
  }));
  const means = Array.from({ length: RESAMPLES }, () => {
    const sum = spent.map(() => 0);
    for (let i = 0; i < runs.length; i += 1) {
      const one = logs[Math.floor(random.next().value * runs.length)];
      one.forEach((value, k) => { sum[k] += value / runs.length; });
    }
    return sum;
  });
  return spent.map((x, k) => {
    const ordered = means.map((one) => one[k]).sort((a, b) => a - b);
    return [x, Math.exp(ordered[Math.floor(RESAMPLES * 0.025)]),
      Math.exp(ordered[Math.ceil(RESAMPLES * 0.975) - 1])];
  });
}

function suiteCurve({ suite, colors, legend }) {
  const paid = suite.strategies.some((score) => score.cost_usd > 0);
  const asked = suite.strategies.some((score) => score.queries > 0);
  if (!paid && !asked) return "";
  let unit = paid ? "usd" : "queries";
  const drawing = chart((width) => {
    const curves = suite.strategies.map((score) => ({ name: score.strategy,
      points: score[`curve_over_${unit}`] })).filter((curve) => curve.points.length > 1);
    const bands = new Map(curves.map((curve) => [curve.name, curveBand(curve.name, unit,
      curve.points.map(([x]) => x))]));
    const heights = [...bands.values()].filter(Boolean).flat().flatMap(([, low, high]) => [low, high]);
    const [low, high] = bounds([1, ...curves.flatMap((c) => c.points.map(([, y]) => y)), ...heights],
      true);
    const most = Math.max(1e-9, ...curves.flatMap((curve) => curve.points.map(([x]) => x)));
    const place = frame(width, 330, { low: 0, high: most, title: unit === "usd" ? "dollars a task"
      : "queries a task", format: (v) => (unit === "usd" ? "$" + v : v) },
    { low, high, log: true, format: (v) => v + "x", title: "geometric mean over eager" });
    curves.forEach((curve) => {
      const around = bands.get(curve.name), color = colors.get(curve.name);
      if (around) {
        place.root.append(band(place, around.map(([x, l]) => [x, l]),
          around.map(([x, , h]) => [x, h]), color));
      }
      place.root.append(steps(place, curve.points, color));
    });
    return place.root;
  });
  return section("What money buys", el("p", { class: "faint" }, "The geometric mean over tasks of the "
    + "best program so far, with 95 % intervals."), paid && asked ? choice([["usd", "over dollars"],
    ["queries", "over queries"]], unit, (name) => {
    unit = name;
    drawing.draw();
  }) : "", legend(), drawing);
}

function speedups({ suite, colors, legend }) {
  const best = new Map();
  suite.tasks.forEach((row) => row.over_eager
    && best.set(row.task, Math.max(best.get(row.task) || 0, row.over_eager.ratio)));
  const names = [...best.keys()].sort((a, b) => best.get(b) - best.get(a));
  if (!names.length) return "";
  const drawing = chart((width) => {
    const timed = suite.tasks.filter((row) => row.over_eager);
    const [low, high] = bounds([1, ...timed.map((row) => row.over_eager.ratio)], true);
    const left = Math.min(230, width * 0.36), height = names.length * 18 + 50;
    const x = scaleOf(low, high, left, width - 12, true);
    const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": "speedup over eager of each task" });
    x.ticks.forEach((tick) => root.append(svg("line", { class: "axis", x1: x(tick), x2: x(tick),
      y1: 8, y2: height - 38 }), svg("text", { x: x(tick), y: height - 22, "text-anchor": "middle" },
      tick + "x")));
    names.forEach((name, i) => {
      const y = 18 + i * 18, room = Math.floor(left / 6.6);
      root.append(svg("text", { x: left - 8, y: y + 4, "text-anchor": "end" },
        name.length > room ? name.slice(0, room - 2) + ".." : name));
      timed.filter((row) => row.task === name).forEach((row) => {
        const color = colors.get(row.strategy), ratio = row.over_eager;
        const clamp = (value) => Math.min(high, Math.max(low, value));
        root.append(svg("line", { x1: x(clamp(ratio.low)), x2: x(clamp(ratio.high)), y1: y, y2: y,
          stroke: color, opacity: 0.5 }), svg("circle", { cx: x(ratio.ratio), cy: y, r: 4,
          fill: color }, svg("title", {}, `${row.strategy}, ${name}: ${FORMATS.ratio(ratio.ratio)}, `
          + `${row.winner || "the original"}`)));
      });
    });
    return root;
  });
  return section("Speedup of each task", el("p", { class: "faint" }, "Over eager, of what is shipped, "
    + "in the final round."), legend(), drawing);
}

function levels({ suite }) {
  const rows = suite.strategies.flatMap((score, i) => score.levels.map((level, k) => ({
    strategy: score.strategy, level: level.level, path: `suite.strategies.${i}.levels.${k}` })));
  if (!rows.length) return "";
  return section("By level", table([{ head: "level", cell: (row) => row.level },
    { head: "strategy", cell: (row) => row.strategy },
    { head: "tasks", number: true, cell: (row) => shown(`${row.path}.tasks`, "count") },
    { head: "over eager", cell: (row) => interval(`${row.path}.over_eager`) },
    { head: "faster", number: true, cell: (row) => shown(`${row.path}.fast_1.value`, "share") }],
  rows));
}

function suiteSpread({ suite, colors, legend }) {
  const groups = [...colors].map(([name, color]) => ({ name, color, values: suite.tasks
    .filter((row) => row.strategy === name && row.over_eager).map((row) => row.over_eager.ratio) }));
  if (!groups.some((group) => group.values.length)) return "";
  return section("How speedups are spread", legend(), histogram(groups, "over eager",
    (v) => v.toFixed(2)));
}

function fastShares({ suite, colors, legend }) {
  const drawing = chart((width) => {
    const timed = suite.tasks.filter((row) => row.over_eager);
    const high = bounds([2, ...timed.map((row) => row.over_eager.ratio)], true)[1];
    const place = frame(width, 260, { low: 1, high, log: true, format: (v) => v + "x",
      title: "p" }, { low: 0, high: 1, format: (v) => FORMATS.share(v), title: "share of tasks" });
    for (const [name, color] of colors) {
      const rows = timed.filter((row) => row.strategy === name);
      const lows = rows.map((row) => row.over_eager.low).sort((a, b) => a - b);
      const points = [[1, lows.filter((value) => value > 1).length / rows.length]];
      lows.filter((value) => value > 1).forEach((value, i, all) =>
        points.push([Math.min(value, high), (all.length - i - 1) / rows.length]));
      if (rows.length) place.root.append(steps(place, points, color));
    }
    return place.root;
  });
  const rows = suite.strategies.map((score, i) => ({ ...score, path: `suite.strategies.${i}` }));
  const share = (head, key) => ({ head, number: true,
    cell: (row) => shown(`${row.path}.fast_p.${key}.value`, "share") });
  return section("fast_p", el("p", { class: "faint" }, "The share of tasks whose winner is more than p "
    + "times as fast as the original, by its whole interval."), legend(), drawing,
  table([{ head: "strategy", cell: (row) => row.strategy }, share("correct", "0"),
    share("p = 1", "1"), { head: "p = 1.5", number: true, cell: (row) => fastOf(row, "1.5") },
    share("p = 2", "2")], rows));
}

// "1.5" has a dot, which paths are cut at.
function fastOf(row, key) {
  const value = row.fast_p[key];
  return value ? FORMATS.share(value.value) : "-";
}

function outcomes({ suite }) {
  const rows = suite.strategies.map((score) => [score.strategy, Object.entries(score.outcomes)]);
  if (!rows.some(([, counts]) => counts.length)) return "";
  const rank = (name) => CORRECT.indexOf(name) + 1 || 9;
  const drawing = chart((width) => {
    const height = rows.length * 44 + 8;
    const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": "outcomes of what was bought" });
    rows.forEach(([strategy, counts], i) => {
      const sum = counts.reduce((total, [, count]) => total + count, 0) || 1;
      let x = 0;
      root.append(svg("text", { x: 0, y: i * 44 + 13, class: "strong" }, `${strategy}: ${sum}`));
      [...counts].sort((a, b) => rank(a[0]) - rank(b[0])).forEach(([name, count]) => {
        const wide = count / sum * width;
        root.append(svg("rect", { x, y: i * 44 + 18, width: Math.max(0, wide - 1), height: 18,
          fill: colorOf(name) }, svg("title", {}, `${name}: ${count}`)));
        x += wide;
      });
    });
    return root;
  });
  return section("What became of what was bought", outcomeLegend(), drawing);
}

function taskTable({ suite, colors }) {
  const rows = suite.tasks.map((row, i) => ({ ...row, path: `suite.tasks.${i}`,
    run: DATA.runs.find((run) => run.task === row.task && run.strategy === row.strategy) }));
  let words = "";
  const list = table([
    { head: "task", cell: (row) => row.task, key: (row) => row.task, text: true },
    { head: "strategy", key: (row) => row.strategy, cell: (row) => el("span", {},
      el("i", { style: `color:${colors.get(row.strategy)}` }, "\u25cf "), row.strategy) },
    { head: "over eager", cell: (row) => interval(`${row.path}.over_eager`),
      key: (row) => (row.over_eager ? row.over_eager.ratio : 0) },
    { head: "over compile", cell: (row) => interval(`${row.path}.over_compile`),
      key: (row) => (row.over_compile ? row.over_compile.ratio : 0) },
    { head: "over best free", cell: (row) => interval(`${row.path}.over_best_free`),
      key: (row) => (row.over_best_free ? row.over_best_free.ratio : 0) },
    { head: "spent", number: true, cell: (row) => shown(`${row.path}.cost_usd`, "usd"),
      key: (row) => row.cost_usd },
    { head: "queries", number: true, cell: (row) => shown(`${row.path}.queries`, "count"),
      key: (row) => row.queries },
    { head: "winner", cell: (row) => winnerCell(row), text: true }], rows,
  { wanted: (row) => `${row.task} ${row.strategy} ${row.winner}`.toLowerCase().includes(words) });
  return section("All tasks", el("div", { class: "controls" }, el("input", { type: "search",
    placeholder: "find a task", "aria-label": "find a task", oninput: (event) => {
      words = event.target.value.toLowerCase();
      list.redraw();
    } })), list);
}

function winnerCell(row) {
  const name = row.winner || (row.state === "finished" ? "the original" : row.state);
  if (!row.run || !row.run.winner_source) return name;
  const details = el("details", {}, el("summary", {}, name));
  details.addEventListener("toggle", () => {
    if (details.childElementCount === 1) {
      details.append(el("pre", {}, row.run.winner_source.split("\n").map((text) =>
        el("div", {}, text))));
    }
  });
  return details;
}

function problems({ suite }) {
  const rows = suite.tasks.filter((row) => row.state !== "finished");
  if (!rows.length) return "";
  return section("Left out, and why", table([{ head: "task", cell: (row) => row.task },
    { head: "strategy", cell: (row) => row.strategy }, { head: "state", cell: (row) => row.state },
    { head: "problem", cell: (row) => row.problem, text: true }], rows));
}
