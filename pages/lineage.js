// Who came of whom: a column a generation, an arrow from each parent.

function generations() {
  const depth = new Map();
  const lines = DATA.lineage.filter((line) => line.candidate_id);
  const known = new Map(lines.map((line) => [line.candidate_id, line]));
  const depthOf = (id, way) => {
    if (depth.has(id)) return depth.get(id);
    const parents = known.get(id).parents.filter((parent) => known.has(parent)
      && parent !== id && !way.has(parent));
    const found = parents.length
      ? 1 + Math.max(...parents.map((parent) => depthOf(parent, new Set([...way, id])))) : 0;
    depth.set(id, found);
    return found;
  };
  lines.forEach((line) => depthOf(line.candidate_id, new Set()));
  return { depth, known };
}

function ancestorsOf(id, known) {
  const found = new Set(), open = [id];
  while (open.length) {
    const one = open.pop();
    if (!known.has(one) || found.has(one)) continue;
    found.add(one);
    open.push(...known.get(one).parents);
  }
  return found;
}

function lineage(page) {
  const { depth, known } = generations();
  if (!known.size) return "";
  const drawing = chart((width) => drawLineage(page, depth, known, width));
  page.listeners.push(() => drawing.isConnected && drawing.draw());
  return section("Lineage", el("p", { class: "faint" }, "From what was there without asking, on the "
    + "left, to what was made of it. The way to the chosen program is drawn strongly; press another "
    + "to choose it."), el("div", { class: "scroll" }, drawing));
}

function drawLineage(page, depth, known, room) {
  const columns = [];
  for (const [id, d] of depth) (columns[d] = columns[d] || []).push(id);
  const shownColumns = columns.map((column) => (column || []).sort((a, b) =>
    page.order.get(a) - page.order.get(b)));
  const rows = Math.max(...shownColumns.map((column) => column.length));
  const rowHeight = Math.max(9, Math.min(26, 560 / rows));
  const width = Math.max(room, shownColumns.length * 56), height = rows * rowHeight + 34;
  const place = new Map();
  const stepX = (width - 80) / Math.max(1, shownColumns.length - 1);
  shownColumns.forEach((column, d) => column.forEach((id, i) => place.set(id, [
    shownColumns.length === 1 ? width / 2 : 30 + d * stepX,
    20 + (i + (rows - column.length) / 2) * rowHeight])));
  const way = ancestorsOf(page.chosen, known);
  const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": "lineage of the candidates" });
  for (const [id, line] of known) {
    for (const parent of new Set(line.parents)) {
      if (!place.has(parent) || !place.has(id)) continue;
      const [x1, y1] = place.get(parent), [x2, y2] = place.get(id);
      const strong = way.has(id) && way.has(parent);
      root.append(svg("path", { d: `M${x1},${y1}C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} `
        + `${x2},${y2}`, fill: "none", stroke: strong ? "var(--accent)" : "var(--line)",
      "stroke-width": strong ? 2.5 : 1 }));
    }
  }
  for (const [id, [x, y]] of place) root.append(...lineageNode(page, id, x, y, way.has(id)));
  return root;
}

function lineageNode(page, id, x, y, strong) {
  const entry = page.byId.get(id), line = DATA.lineage[page.order.get(id)];
  if (!entry) return [];
  const ratio = overEager(entry);
  const title = `${entry.proposal_id} ${entry.label}: ${entry.verdict.outcome}`
    + (ratio ? ` ${FORMATS.ratio(ratio.ratio)}` : "") + (line.idea ? `\n${line.idea}` : "");
  const node = mark(entry.verdict.outcome, x, y, title, { style: "cursor:pointer",
    onclick: () => page.choose(id) });
  const ring = id === page.run.winner_id || id === page.chosen
    ? [svg("circle", { cx: x, cy: y, r: 8, fill: "none", stroke: "var(--ink)",
      "stroke-width": id === page.run.winner_id ? 2 : 1 })] : [];
  const text = strong && ratio
    ? [svg("text", { class: "strong", x, y: y - 10, "text-anchor": "middle" },
      FORMATS.ratio(ratio.ratio))] : [];
  return [...ring, node, ...text];
}
