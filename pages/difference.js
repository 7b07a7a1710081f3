// What differs between two texts, line by line: the longest common subsequence.

const LINES_MAX = 1500; // of the part that differs; beyond, all of it counts as other

function difference(before, after) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0, end = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  while (end < Math.min(a.length, b.length) - start
    && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const lines = [...a.slice(0, start).map((text) => [" ", text]),
    ...changed(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map((text) => [" ", text])];
  return folded(lines);
}

function changed(a, b) {
  if (a.length > LINES_MAX || b.length > LINES_MAX) {
    return [...a.map((text) => ["-", text]), ...b.map((text) => ["+", text])];
  }
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const lines = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push([" ", a[i]]);
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length
        || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      lines.push(["-", a[i]]);
      i += 1;
    } else {
      lines.push(["+", b[j]]);
      j += 1;
    }
  }
  return lines;
}

// Three lines about each change; what lies between is left out.
function folded(lines) {
  const near = lines.map(() => false);
  lines.forEach(([sign], i) => {
    if (sign === " ") return;
    for (let k = Math.max(0, i - 3); k <= Math.min(lines.length - 1, i + 3); k += 1) near[k] = true;
  });
  const out = [];
  let skipped = 0;
  lines.forEach(([sign, text], i) => {
    if (!near[i]) {
      skipped += 1;
      return;
    }
    if (skipped) out.push(el("div", { class: "faint" }, `... ${skipped} equal lines`));
    skipped = 0;
    out.push(el("div", { class: sign === "+" ? "added" : sign === "-" ? "removed" : null },
      `${sign} ${text}`));
  });
  if (skipped) out.push(el("div", { class: "faint" }, `... ${skipped} equal lines`));
  return out;
}
