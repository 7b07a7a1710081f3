// The page of one run.

const RUN_KINDS = { seed: "free variant", file: "your file", write: "written", improve: "improved",
  cross: "crossed", fix: "fixed", translate: "translated", tune: "tuned", convert: "converted" };

function runPage() {
  const run = DATA.run;
  const byId = new Map(run.candidates.map((entry, i) => [entry.candidate_id,
    { ...entry, path: `run.candidates.${i}` }]));
  const order = new Map(DATA.lineage.map((line, i) => [line.candidate_id, i]));
  const page = { run, byId, order, chosen: null, listeners: [] };
  page.choose = (id) => {
    page.chosen = id;
    page.listeners.forEach((listener) => listener());
  };
  const root = document.getElementById("page");
  root.append(runHead(page), runTiles(page), finalRound(page), runCurve(page), runSpread(page),
    roofline(page), lineage(page), candidateTable(page), candidateDetail(page), notJudged(page), labelHits(page),
    decisions(page), machineAndMethod(page));
  page.choose(run.winner_id || (run.candidates[0] || {}).candidate_id || null);
}

const overEager = (entry) => (CORRECT.includes(entry.verdict.outcome) && entry.verdict.ratios.length
  ? entry.verdict.ratios[0] : null);

function tensorText(spec) {
  return `${spec.dtype.replace("float", "f").replace("int", "i")}[${spec.shape.join(",")}]`;
}

function runHead({ run }) {
  const facts = run.facts || {};
  const form = facts.inputs && facts.inputs.length ? `${facts.inputs.map(tensorText).join(", ")} -> `
    + facts.outputs.map(tensorText).join(", ") : "";
  const options = run.options;
  const words = [`policy ${options.policy}`, `device ${options.device}`,
    `strategy ${options.strategy}`, options.llm, `sandbox ${options.sandbox}`,
    `effort ${options.effort}`].filter(Boolean);
  return el("header", {}, el("div", { class: "sign" }, "Cupel run ", run.run_id),
    el("h1", {}, run.task.name), el("p", { class: "faint" }, form, el("br"), words.join(", ")),
    run.degenerate.length ? el("p", { class: "wrong" }, "Degenerate task: ",
      run.degenerate.join("; "), ". Nothing is proven by being right on it.") : "",
    run.finished ? "" : el("p", { class: "slower" }, "This run has not finished."));
}

function runTiles({ run }) {
  const rows = run.table.map((row, i) => ({ ...row, path: `run.table.${i}` }));
  const winner = rows.find((row) => row.role === "winner");
  const free = rows.find((row) => row.role === "best free variant");
  const tiles = el("div", { class: "tiles" });
  if (winner && winner.verdict.ratios.length) {
    tiles.append(tile(shown(`${winner.path}.verdict.ratios.0.ratio`, "ratio"),
      "faster than eager"));
    const over = free ? winner.verdict.ratios.findIndex((r) => r.over_id === free.candidate_id) : -1;
    if (over > 0) {
      tiles.append(tile(shown(`${winner.path}.verdict.ratios.${over}.ratio`, "ratio"),
        "over the best free variant"));
    }
    tiles.append(tile(shown(`${winner.path}.verdict.ratios.0.candidate_ms`, "ms"), "a call"));
  } else {
    tiles.append(tile("none", "nothing beat the original"));
  }
  tiles.append(tile(shown("run.cost_usd", "usd"), "spent"),
    tile(shown("run.queries", "count"), "queries"),
    tile(String(run.candidates.length), "programs judged"),
    tile(shown("run.wall_s", "seconds"), "wall time"));
  return tiles;
}

function finalRound({ run }) {
  if (!run.table.length) {
    return section("Final round", el("p", {}, "The run has not come to its final round."));
  }
  const rows = run.table.map((row, i) => ({ ...row, path: `run.table.${i}.verdict` }));
  const free = rows.find((row) => row.role === "best free variant");
  const overFree = (row) => (free ? row.verdict.ratios.findIndex(
    (ratio, i) => i > 0 && ratio.over_id === free.candidate_id) : -1);
  const columns = [
    { head: "", cell: (row) => row.role },
    { head: "program", cell: (row) => row.label, text: true },
    { head: "a call", number: true, cell: (row) => (row.verdict.ratios.length
      && row.verdict.ratios[0].candidate_ms > 0
      ? shown(`${row.path}.ratios.0.candidate_ms`, "ms") : baselineTime(rows)) },
    { head: "over eager", cell: (row) => (row.verdict.ratios.length
      ? interval(`${row.path}.ratios.0`) : row.role === "eager" ? "1" : "-") },
    { head: "over best free", cell: (row) => (overFree(row) > 0
      ? interval(`${row.path}.ratios.${overFree(row)}`) : "") },
    { head: "error", number: true, cell: (row) => (row.verdict.checked_calls
      ? shown(`${row.path}.error_rms`, "error") : "") },
    { head: "verdict", cell: (row) => (row.role === "eager" ? "" : outcomeText(row.verdict)) },
  ];
  const audits = run.audits.map((audit) => el("p", {}, audit.label,
    audit.passed ? " passed its audit: " : " failed its audit: ", outcomeText(audit.verdict), " ",
    audit.verdict.reasons.map((reason) => reason.text).join("; ")));
  return section("Final round", el("p", { class: "faint" }, "Measured together, in fresh processes: "
    + "every timed call is also a checked call. Intervals are 95\u00a0%."), table(columns, rows), audits,
  run.winner_path ? el("p", {}, "The program to use: ", el("code", {}, run.winner_path)) : "");
}

function baselineTime(rows) {
  const timed = rows.find((row) => row.verdict.ratios.length && row.verdict.ratios[0].over_ms > 0);
  return timed ? shown(`${timed.path}.ratios.0.over_ms`, "ms") : "";
}

function runCurve({ run, byId, choose }) {
  const axes = { queries: { title: "queries", format: String },
    usd: { title: "dollars", format: (v) => "$" + v } };
  let unit = run.cost_usd > 0 ? "usd" : "queries";
  const points = DATA.progress.map((step, i) => ({ ...step, index: i + 1,
    entry: byId.get(step.candidate_id) })).filter((point) => point.entry);
  const spent = (point) => (run.queries || run.cost_usd ? point[unit] : point.index);
  const drawing = chart((width) => {
    const timed = points.filter((point) => overEager(point.entry));
    const [low, high] = bounds([1, ...timed.map((point) => overEager(point.entry).ratio)], true);
    const most = Math.max(1e-9, ...points.map(spent));
    const named = run.queries || run.cost_usd ? axes[unit] : { title: "programs judged",
      format: String };
    const place = frame(width, 320, { low: 0, high: most, ...named },
      { low, high, log: true, format: (v) => v + "x", title: "over eager" });
    const best = bestSoFar(timed, spent);
    best.push([most, best[best.length - 1][1], best[best.length - 1][2]]);
    place.root.append(band(place, best.map(([x, , r]) => [x, r.low]),
      best.map(([x, , r]) => [x, r.high]), "var(--accent)"),
    steps(place, best.map(([x, y]) => [x, y]), "var(--accent)"));
    for (const point of timed) {
      const ratio = overEager(point.entry), x = place.x(spent(point));
      const clamp = (value) => Math.min(high, Math.max(low, value));
      place.root.append(whisker(place, x, clamp(ratio.low), clamp(ratio.high),
        colorOf(point.entry.verdict.outcome)),
      mark(point.entry.verdict.outcome, x, place.y(ratio.ratio),
        `${point.entry.label}: ${FORMATS.ratio(ratio.ratio)}`,
        { onclick: () => choose(point.candidate_id), style: "cursor:pointer" }));
    }
    return place.root;
  });
  const toggle = run.cost_usd > 0 && run.queries > 0
    ? choice([["usd", "over dollars"], ["queries", "over queries"]], unit, (name) => {
      unit = name;
      drawing.draw();
    }) : "";
  return section("What was found, and when", el("p", { class: "faint" }, "Each dot is a right "
    + "program, at its ratio over eager as it was judged in the search. The line is the best that "
    + "was proven faster, with its interval."), toggle, drawing, outcomeLegend());
}

function bestSoFar(timed, spent) {
  const best = [[0, 1, { low: 1, high: 1 }]];
  for (const point of timed) {
    const ratio = overEager(point.entry);
    if (point.entry.verdict.outcome === "faster" && ratio.ratio > best[best.length - 1][1]) {
      best.push([spent(point), ratio.ratio, ratio]);
    }
  }
  return best;
}

function outcomeLegend() {
  return legendOf([...CORRECT.map((name) => [name, `var(--${name})`]), ["wrong (cross)",
    "var(--wrong)"], ["suspect, impossible (cross)", "var(--suspect)"],
  ["did not run (square)", "var(--broken)"]]);
}

function runSpread({ run, choose }) {
  const timed = run.candidates.filter(overEager);
  if (!timed.length) return "";
  const checked = run.candidates.filter((entry) => entry.verdict.checked_calls > 0
    && entry.verdict.error_rms > 0 && entry.verdict.error_rms < 1e29);
  const limits = Object.values(DATA.tolerances).flatMap((tolerance) => tolerance.rms_max)
    .filter((limit) => limit > 0);
  const errors = chart((width) => {
    const [low, high] = bounds([...checked.map((entry) => entry.verdict.error_rms), ...limits], true);
    const ratios = bounds([1, ...timed.map((entry) => overEager(entry).ratio)], true);
    const place = frame(width, 240, { low, high, log: true, format: (v) => v.toExponential(0),
      title: "error, in spreads of the output" },
    { low: ratios[0], high: ratios[1], log: true, format: (v) => v + "x", title: "over eager" });
    if (limits.length) {
      const [from, to] = [place.x(Math.min(...limits)), place.x(Math.max(...limits))];
      place.root.append(svg("rect", { x: from, width: Math.max(2, to - from), y: place.top,
        height: place.bottom - place.top, fill: "var(--wrong)", opacity: 0.12 }));
    }
    for (const entry of checked) {
      const ratio = overEager(entry);
      place.root.append(mark(entry.verdict.outcome, place.x(entry.verdict.error_rms),
        ratio ? place.y(ratio.ratio) : place.bottom - 6,
        `${entry.label}: error ${FORMATS.error(entry.verdict.error_rms)}`,
        { onclick: () => choose(entry.candidate_id), style: "cursor:pointer" }));
    }
    return place.root;
  });
  return section("How fast, how exact", el("div", { class: "columns" },
    el("div", {}, el("h3", {}, "Right programs by ratio over eager"),
      histogram([{ name: "right programs", color: "var(--accent)",
        values: timed.map((entry) => overEager(entry).ratio) }], "over eager", (v) => v.toFixed(2))),
    checked.length ? el("div", {}, el("h3", {}, "Error against what is allowed"), errors,
      el("p", { class: "faint small" }, "The worst error over all calls. The band is what "
        + "is allowed (rms), from the strictest class of inputs to the widest. Programs at the "
        + "foot have no time: they are wrong.")) : ""));
}
