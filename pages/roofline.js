// How near the programs come to what the machine can do.

function roofline({ run }) {
  const roof = DATA.roofline;
  if (!roof) return "";
  const giga = 1e9, peak = roof.float32_flops_per_s / giga, copied = roof.copied_bytes_per_s / giga;
  const placed = roof.operators.map((row) => ({ name: row.name, kind: "operator",
    x: row.flops / row.bytes, y: row.flops / row.us / 1e3 }));
  roof.programs.forEach((row) => placed.push({ name: `${row.role}: ${row.label}`,
    kind: row.role, x: roof.flops / roof.bytes, y: roof.flops / row.ms / 1e6 }));
  const points = placed.filter((one) => Number.isFinite(one.x) && one.x > 0 && one.y > 0);
  const columns = [{ head: "program", cell: (row) => `${row.role}: ${row.label}`, text: true },
    { head: "a call", number: true, cell: (row) => shown(`${row.path}.ms`, "ms") },
    { head: "of what the machine can", number: true,
      cell: (row) => shown(`${row.path}.of_roof`, "share") }];
  const rows = roof.programs.map((row, i) => ({ ...row, path: `roofline.programs.${i}` }));
  return section("How near the machine's limits", el("p", { class: "faint" }, "Any program must move ",
    shown("roofline.bytes", "bytes"), " (inputs, outputs, weights once); eager computes ",
    shown("roofline.flops", "operations"), " operations. By torch's own copy (", shown(
      "roofline.copied_bytes_per_s", "bytes"), " a second) and product of matrices (",
    shown("roofline.float32_flops_per_s", "operations"), " operations a second) this machine needs ",
    shown("roofline.floor_ms", "ms"), " for that. A program that needs fewer operations than eager, "
      + "or whose data stays in caches, may do better."),
  points.length ? rooflineChart(points, peak, copied) : "", table(columns, rows),
  roof.operators.length ? rooflineOperators(roof) : "");
}

const roofColor = (kind) => (kind === "winner" ? "var(--faster)" : kind === "operator"
  ? "var(--same)" : "var(--s1)");

function rooflineChart(points, peak, copied) {
  const drawing = chart((width) => {
    const ridge = peak / copied;
    const x = bounds([...points.map((one) => one.x), ridge / 3, ridge * 3], true);
    const y = bounds([...points.map((one) => one.y), peak * 1.3], true);
    const place = frame(width, 320, { low: x[0], high: x[1], log: true, format: (v) => String(v),
      title: "operations a byte" }, { low: y[0], high: y[1], log: true, format: (v) => String(v),
      title: "GFLOP/s" });
    const roofAt = (value) => place.y(Math.max(y[0], Math.min(peak, copied * value)));
    const start = Math.max(x[0], y[0] / copied);
    place.root.append(svg("path", { class: "roof", d: `M${place.x(start)},${roofAt(start)}`
      + `L${place.x(ridge)},${roofAt(ridge)}H${place.right}`, fill: "none", stroke: "var(--ink)",
    "stroke-width": 1.5 }));
    for (const one of points) {
      place.root.append(svg("circle", { cx: place.x(one.x), cy: place.y(one.y),
        r: one.kind === "operator" ? 3 : 5, fill: roofColor(one.kind) },
      svg("title", {}, `${one.name}: ${one.y.toPrecision(3)} GFLOP/s`)));
    }
    return place.root;
  });
  return [drawing, legendOf([["winner", "var(--faster)"], ["other programs", "var(--s1)"],
    ["eager's operators", "var(--same)"]])];
}

function rooflineOperators(roof) {
  const rows = roof.operators.map((row, i) => ({ ...row, path: `roofline.operators.${i}` }));
  return el("details", {}, el("summary", {}, "eager's operators"), table([
    { head: "operator", cell: (row) => row.name, text: true },
    { head: "a call", number: true, cell: (row) => shown(`${row.path}.us`, "us") },
    { head: "moves", number: true, cell: (row) => shown(`${row.path}.bytes`, "bytes") },
    { head: "computes", number: true, cell: (row) => shown(`${row.path}.flops`, "operations") },
    { head: "of what the machine can", number: true,
      cell: (row) => shown(`${row.path}.of_roof`, "share") }], rows));
}
