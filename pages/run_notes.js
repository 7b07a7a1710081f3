// What was not judged, what was decided, and how all of it was measured.

function notJudged({ run }) {
  const refused = DATA.rejected.map((one) => ({ id: one.proposal_id, kind: one.kind, why: one.why }));
  const left = run.unmeasured.map((one) => ({ id: one.proposal_id, kind: one.kind, why: one.why }));
  const rows = [...refused, ...left];
  const failed = {};
  run.candidates.forEach((entry) => {
    if (CORRECT.includes(entry.verdict.outcome)) return;
    const code = entry.verdict.reasons.length ? entry.verdict.reasons[0].code : "";
    const key = `${entry.verdict.outcome}${code ? ` (${code})` : ""}`;
    failed[key] = (failed[key] || 0) + 1;
  });
  const counts = Object.entries(failed).sort((a, b) => b[1] - a[1]);
  const columns = [{ head: "id", cell: (row) => row.id }, { head: "kind", cell: (row) => row.kind },
    { head: "why", cell: (row) => row.why, text: true }];
  return section("What was refused, and why", counts.length
    ? el("p", {}, "Judged and not right: ", counts.map(([key, count]) => `${count} ${key}`).join(", "),
      ".") : el("p", {}, "All that was judged is right."), rows.length
    ? [el("p", {}, `${rows.length} proposals were closed without a verdict:`), table(columns, rows)]
    : "", run.search_end ? el("p", { class: "faint" }, "The search ended: ", run.search_end) : "");
}

function labelHits({ run }) {
  const counted = (head) => ({ head, number: true, cell: (row) => String(row[head]) });
  const hits = (head, rows) => table([{ head, cell: (row) => row.label || `no ${head}`, text: true },
    ...["programs", "right", "faster", "wrong", "suspect", "refused"].map(counted)], rows);
  const labelled = run.labels.some((row) => row.label);
  if (!labelled && !run.reader.programs) return "";
  return section("Labels, and what the judge found", el("p", { class: "faint" }, "They were given "
    + "before the programs ran, and decided nothing."), labelled ? hits("label", run.labels) : "",
  run.reader.programs ? [el("p", {}, `${run.reader.model} was asked about ${run.reader.programs} `
    + `programs; ${run.reader.useless} answers were of no use.`), hits("remark", run.reader.remarks)]
    : "");
}

function decisions({ byId }) {
  if (!DATA.decisions.length) return "";
  const columns = [{ head: "decision", cell: (row) => row.what },
    { head: "about", cell: (row) => (byId.get(row.about) || { label: "" }).label, text: true },
    { head: "why", cell: (row) => row.why, text: true }];
  return section("Decisions", el("details", {}, el("summary", {}, `all ${DATA.decisions.length}`),
    table(columns, DATA.decisions)));
}

const METHOD = ["Every timed call is also a checked call, on an input that the program has not seen "
  + "before: inputs come from secret seeds, and half of them from larger, smaller, shifted, "
  + "heavy-tailed or spiked distributions.",
"Candidate and original run in two equal, separate, jailed processes that take turns; ratios are "
  + "medians of paired calls, with 95 % intervals. Times are the judge's own clock's.",
"Outputs are compared with a float64 computation. How far they may be off is derived from the "
  + "original's own rounding error, not chosen.",
"The final round and the winner's audit measure again, in fresh processes: the largest of many "
  + "noisy ratios is too large, so what is told is not what the search saw.",
"Nothing is called a gain that a free variant, such as torch.compile, already gives. A verdict holds "
  + "for this machine, this version of torch and these shapes."];

function methodList() {
  return el("ul", {}, METHOD.map((text) => el("li", {}, text)));
}

function machineAndMethod({ run }) {
  const machine = Object.entries(DATA.machine);
  const started = run.started_wall_ns ? new Date(run.started_wall_ns / 1e6).toISOString() : "";
  return section("Machine and method", el("div", { class: "columns" },
    el("div", {}, el("h3", {}, "Machine"), machine.length
      ? table([{ head: "", cell: ([name]) => name }, { head: "", cell: ([, text]) => text, text: true }],
        machine) : el("p", { class: "faint" }, "The journal does not tell."),
    el("p", { class: "faint small" }, started ? `Begun ${started}. ` : "", `Run ${run.run_id}, in `
      + run.directory)), el("div", {}, el("h3", {}, "Method"), methodList())),
  el("p", { class: "faint small" }, "Every figure comes from the run's journal; `cupel report "
    + `${run.run_id} --json` + "` prints the same numbers."));
}
