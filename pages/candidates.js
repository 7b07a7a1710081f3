// All that was judged: a table, and one program in full.

function candidateTable(page) {
  const rows = page.run.candidates.map((entry) => page.byId.get(entry.candidate_id))
    .filter((entry, i, all) => entry && all.indexOf(entry) === i);
  let words = "", outcome = "";
  const ratioOf = (row) => (overEager(row) ? overEager(row).ratio : -1);
  const columns = [
    { head: "id", cell: (row) => row.proposal_id, key: (row) => row.proposal_id },
    { head: "outcome", cell: (row) => outcomeText(row.verdict), key: (row) => row.verdict.outcome },
    { head: "over eager", cell: (row) => (overEager(row) ? interval(`${row.path}.verdict.ratios.0`)
      : ""), key: ratioOf },
    { head: "error", number: true, cell: (row) => (row.verdict.checked_calls
      ? shown(`${row.path}.verdict.error_rms`, "error") : ""),
    key: (row) => row.verdict.error_rms },
    { head: "took", number: true, cell: (row) => shown(`${row.path}.seconds`, "seconds"),
      key: (row) => row.seconds },
    { head: "made by", cell: (row) => RUN_KINDS[row.kind] || row.kind, key: (row) => row.kind },
    { head: "program", cell: (row) => row.label, text: true },
  ];
  const list = table(columns, rows, { choose: (row) => page.choose(row.candidate_id),
    chosen: (row) => row.candidate_id === page.chosen,
    wanted: (row) => (!outcome || row.verdict.outcome === outcome)
      && `${row.proposal_id} ${row.label} ${row.reason}`.toLowerCase().includes(words) });
  page.listeners.push(list.redraw);
  const outcomes = [...new Set(rows.map((row) => row.verdict.outcome))].sort();
  const controls = el("div", { class: "controls" },
    el("input", { type: "search", placeholder: "find a program", "aria-label": "find a program",
      oninput: (event) => {
        words = event.target.value.toLowerCase();
        list.redraw();
      } }),
    el("select", { "aria-label": "outcome", onchange: (event) => {
      outcome = event.target.value;
      list.redraw();
    } }, el("option", { value: "" }, "every outcome"), outcomes.map((name) =>
      el("option", { value: name }, `${name} (${rows.filter((row) =>
        row.verdict.outcome === name).length})`))));
  const many = rows.length > 25;
  return section("Candidates", controls, many
    ? el("details", { open: "" }, el("summary", {}, `all ${rows.length}`), list) : list);
}

function candidateDetail(page) {
  const box = el("div", { class: "detail", id: "detail" });
  page.listeners.push(() => box.replaceChildren(...detailOf(page)));
  return section("One program", box);
}

function detailOf(page) {
  const entry = page.byId.get(page.chosen);
  if (!entry) return [el("p", { class: "faint" }, "Nothing was judged.")];
  const line = DATA.lineage[page.order.get(entry.candidate_id)] || { parents: [] };
  const verdict = entry.verdict;
  const facts = [`${verdict.checked_calls} calls were checked`,
    `plain allclose: at 1e-2 ${verdict.close_1e2 ? "yes" : "no"}, at 1e-4 `
    + (verdict.close_1e4 ? "yes" : "no")];
  return [el("h3", {}, entry.label), el("p", {}, outcomeText(verdict), " ",
    overEager(entry) ? interval(`${entry.path}.verdict.ratios.0`) : "", " ",
    el("span", { class: "faint" }, `${entry.proposal_id}, ${RUN_KINDS[entry.kind] || entry.kind}`)),
  entry.reason ? el("p", {}, el("b", {}, "Why it was asked for: "), entry.reason) : "",
  line.idea ? el("p", {}, el("b", {}, "Idea: "), line.idea) : "",
  verdict.reasons.length ? el("ul", {}, verdict.reasons.map((reason) =>
    el("li", {}, el("b", {}, reason.code), ": ", reason.text))) : "",
  el("p", { class: "faint small" }, facts.join("; ")),
  verdict.feedback ? el("details", {}, el("summary", {}, "what it was told"),
    el("pre", {}, verdict.feedback.split("\n").map((text) => el("div", {}, text)))) : "",
  ...timesOf(page, entry), ...sourceOf(page, entry, line)].filter(Boolean);
}

// Quantiles of the program's calls, and of the original's, on one axis.
function timesOf(page, entry) {
  const eager = page.run.table.find((row) => row.role === "eager");
  const lines = [[entry.label, entry.candidate_id, "var(--accent)"]];
  if (eager && eager.candidate_id !== entry.candidate_id) {
    lines.push(["eager", eager.candidate_id, "var(--same)"]);
  }
  const known = lines.filter(([, id]) => DATA.times[id]);
  if (!known.length || !DATA.times[entry.candidate_id]) return [];
  const drawing = chart((width) => {
    const values = known.flatMap(([, id]) => DATA.times[id].quantiles_us);
    const [low, high] = bounds(values, true);
    const place = frame(width, 40 + known.length * 62, { low, high, log: true,
      format: (v) => FORMATS.us(v), title: "a call, by the judge's clock" },
    { low: 0, high: 1, format: () => "", title: "" });
    known.forEach(([label, id, color], i) =>
      place.root.append(...quantileBox(place, DATA.times[id], 26 + i * 56, color, label)));
    return place.root;
  });
  CHARTS.splice(0, CHARTS.length, ...CHARTS.filter((box) => box === drawing || box.isConnected));
  setTimeout(() => drawing.draw(), 0);
  return [el("h3", {}, "Times of its calls"), drawing, el("p", { class: "faint small" },
    "Box: the middle half; line in it: the median; whiskers: all but the outer 5 % on each side; "
    + `dots: quickest and slowest of ${DATA.times[entry.candidate_id].calls} calls.`)];
}

function quantileBox(place, times, y, color, label) {
  const x = times.quantiles_us.map((value) => place.x(value));
  const line = (x1, x2, y1, y2, width) => svg("line", { x1, x2, y1, y2, stroke: color,
    "stroke-width": width });
  return [svg("text", { x: place.left + 4, y: y - 10 }, label.slice(0, 60)),
    line(x[1], x[19], y + 6, y + 6, 1.5), svg("rect", { x: x[5], width: Math.max(1, x[15] - x[5]),
      y: y - 3, height: 18, fill: color, opacity: 0.35, stroke: color }),
    line(x[10], x[10], y - 3, y + 15, 2.5), svg("circle", { cx: x[0], cy: y + 6, r: 2, fill: color }),
    svg("circle", { cx: x[20], cy: y + 6, r: 2, fill: color })];
}

function sourceOf(page, entry, line) {
  const source = DATA.sources[entry.candidate_id];
  if (source === undefined) {
    return [el("p", { class: "faint" }, "Its source is not in this page: `cupel why` has it.")];
  }
  const parent = line.parents.find((id) => DATA.sources[id] !== undefined);
  const before = parent !== undefined ? DATA.sources[parent] : DATA.task_source;
  const name = parent !== undefined ? `its parent, ${page.byId.get(parent).label}` : "the task";
  const box = el("div");
  const draw = (how) => box.replaceChildren(el("pre", {}, how === "whole"
    ? source.split("\n").map((text) => el("div", {}, text)) : difference(before, source)));
  draw(parent !== undefined ? "difference" : "whole");
  return [el("h3", {}, "Source"), choice([["whole", "the program"],
    ["difference", `what differs from ${name}`]], parent !== undefined ? "difference" : "whole",
  draw), box];
}
