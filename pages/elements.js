// Elements, numbers and outcomes. Text of candidates only ever becomes text nodes.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children.flat(4)) {
    if (child !== null && child !== undefined && child !== "") element.append(child);
  }
  return element;
}

const el = (name, attributes, ...children) =>
  fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

const FORMATS = {
  ratio: (value) => value.toFixed(value < 9.995 ? 2 : 1) + "x",
  ms: (value) => (value < 1 ? (value * 1000).toPrecision(3) + " us" : value.toPrecision(4) + " ms"),
  us: (value) => (value < 1000 ? value.toPrecision(3) + " us"
    : (value / 1000).toPrecision(3) + " ms"),
  usd: (value) => "$" + value.toFixed(2),
  count: (value) => String(value),
  error: (value) => (value === 0 ? "0" : value >= 1e29 ? "not finite" : value.toExponential(1)),
  bytes: (value) => scaled(value, 1000, ["B", "kB", "MB", "GB", "TB"]),
  operations: (value) => scaled(value, 1000, ["", "thousand", "million", "billion", "trillion"]),
  share: (value) => (value * 100).toFixed(value > 0 && value < 0.1 ? 1 : 0) + " %",
  seconds: (value) => (value < 90 ? value.toFixed(value < 10 ? 1 : 0) + " s"
    : value < 5400 ? (value / 60).toFixed(0) + " min" : (value / 3600).toFixed(1) + " h"),
  text: (value) => String(value),
};

// Three digits and a word for the power.
function scaled(value, step, words) {
  let place = 0;
  while (value >= step && place < words.length - 1) {
    value /= step;
    place += 1;
  }
  return `${Number(value.toPrecision(3))} ${words[place]}`.trim();
}

let DATA = null;

function at(path) {
  return path.split(".").reduce((value, key) => (value === null || value === undefined
    ? undefined : value[key]), DATA);
}

// A number of the document as text. It bears the path that it comes from, so that it can be checked.
function shown(path, format) {
  const value = at(path);
  if (value === null || value === undefined) return el("span", { class: "faint" }, "-");
  return el("span", { "data-from": path, "data-format": format }, FORMATS[format](value));
}

// "1.42x 1.40-1.44"
function interval(path) {
  if (!at(path)) return el("span", { class: "faint" }, "-");
  const value = at(path).ratio === undefined ? "value" : "ratio";
  return [shown(`${path}.${value}`, "ratio"), " ",
    el("span", { class: "faint small" }, shown(`${path}.low`, "ratio"), "-",
      shown(`${path}.high`, "ratio"))];
}

const CORRECT = ["faster", "same", "slower", "ambiguous"];
const kindOf = (outcome) => (CORRECT.includes(outcome) ? outcome
  : outcome === "wrong" ? "wrong"
    : outcome === "suspect" || outcome === "impossible" ? "suspect" : "broken");
const colorOf = (outcome) => `var(--${kindOf(outcome)})`;

function outcomeText(verdict) {
  const first = verdict.reasons.length ? verdict.reasons[0].code : "";
  const code = first && first !== verdict.outcome && !CORRECT.includes(verdict.outcome)
    ? `(${first})` : "";
  return el("span", { class: kindOf(verdict.outcome) }, verdict.outcome + code);
}

function legendOf(entries) {
  return el("div", { class: "legend" }, entries.map(([text, color]) =>
    el("span", {}, el("i", { style: `background:${color}` }), text)));
}

function tile(value, text) {
  return el("div", { class: "tile" }, el("b", {}, value), el("span", {}, text));
}

// `columns`: [{head, cell(row), key(row), number}]; a click on a head sorts.
function table(columns, rows, options = {}) {
  const body = el("tbody");
  const state = { by: null, down: true };
  const draw = () => {
    const ordered = [...rows];
    if (state.by) {
      ordered.sort((a, b) => {
        const [one, two] = [state.by.key(a), state.by.key(b)];
        const order = typeof one === "string" ? one.localeCompare(two) : one - two;
        return state.down ? -order : order;
      });
    }
    body.replaceChildren(...ordered.filter(options.wanted || (() => true)).map((row) =>
      el("tr", options.choose
        ? { class: "choosable" + (options.chosen(row) ? " chosen" : ""),
          onclick: () => options.choose(row) } : {},
      columns.map((column) => el("td", { class: column.number ? "number" : column.text ? "text" : null },
        column.cell(row))))));
  };
  const heads = columns.map((column) => el("th", { class: column.number ? "number" : null },
    column.key ? el("button", { type: "button", onclick: () => {
      state.down = state.by === column ? !state.down : true;
      state.by = column;
      draw();
    } }, column.head) : column.head));
  draw();
  const whole = el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, heads)),
    body));
  whole.redraw = draw;
  return whole;
}

// Buttons of which one is pressed.
function choice(names, chosen, pick) {
  const buttons = names.map(([name, text]) => el("button", {
    type: "button", "aria-pressed": String(name === chosen), onclick: () => {
      buttons.forEach((button, i) =>
        button.setAttribute("aria-pressed", String(names[i][0] === name)));
      pick(name);
    } }, text));
  return el("div", { class: "controls" }, buttons);
}

function section(title, ...children) {
  return el("section", {}, el("h2", {}, title), children);
}
