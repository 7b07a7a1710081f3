"""The rows of bench/kernelbench_free.py as tables and means. Standard library only."""

from portfolio import geomean

HALF_WORDS = ("fp16", "bf16", "autocast")
LABEL_SHOWN = 60  # characters of a problem

# What a device does at most, a second: bytes of a large copy and operations of a large product in
# float32, in TF32 and in half precision. Measured, but for TF32, which is the data sheet's.
RATES = {"H100": (3.0e12, 52e12, 495e12, 790e12), "H200": (4.3e12, 52e12, 495e12, 790e12)}


def is_rewritten(program):
    return program["label"].startswith("rewrite")


def best_of(programs):
    """The quickest of those that are right, if the judge calls it faster."""
    faster = [program for program in programs if program["outcome"] == "faster"]
    return max(faster, key=lambda program: program["ratio"], default=None)


def ratio(program):
    """A gain counts where the judge is sure of it."""
    return program["ratio"] if program and program["outcome"] == "faster" else 1.0


def found(row):
    """(torch.compile or None, the best free variant without rewrites, the best of all)."""
    free = [program for program in row["programs"] if not is_rewritten(program)]
    compiled = next((each for each in free if each["label"] == "compile"), None)
    return compiled, best_of(free), best_of(row["programs"])


def least_ms(row, known):
    """What a call of the task as it is written takes at least: it moves its inputs, weights and
    outputs, and does its operations. None where nobody knows."""
    rates = next((rates for name, rates in RATES.items() if name in row["device"]), None)
    if rates is None or not known or not known.get("cost"):
        return None
    sizes = known["sizes"]
    moved = sizes["inputs"] + sizes["weights"] + sizes["output"]
    is_tf32 = row["policy"] == "tf32" or sizes["convolves"]  # torch's default for convolutions
    rate = rates[3] if row["policy"] == "half" else rates[2] if is_tf32 else rates[1]
    return 1e3 * max(moved / rates[0], known["cost"]["operations"] / rate)


def counts(rows):
    """Rows that have ratios and can tell right from wrong."""
    return [row for row in rows if row["eager_ms"] and not row["degenerate"]]


def wrong_programs(row):
    """[(label, headline)] of what was judged and is not right."""
    return [tuple(text.split(": ", 1)) for text in row["failed"]]


# --- while it runs

def print_progress(row):
    compiled, free, best = found(row)
    what = "degenerate" if row["degenerate"] else row["problem"] or row["rules"]
    eager = f"{row['eager_ms']:.3f}" if row["eager_ms"] else "-"
    print(f"{row['task'][:40]:<40} {eager:>9} {text_of(compiled):>8} {text_of(free):>8} "
          f"{text_of(best):>8} {(best or {}).get('label', '-')[:36]:<36} {row['seconds']:4.0f} s  "
          f"{what[:90]}", flush=True)
    for problem in row["failed"]:
        print(f"    {problem[:150]}", flush=True)


def text_of(program):
    sure = program and program["outcome"] in ("faster", "slower")
    return f"{program['ratio']:.2f}{'' if sure else '?'}" if program else "-"


# --- at the end

def print_tables(rows, table):
    rows = sorted(rows, key=lambda row: (int(row["task"].split("_")[0])
                                         if row["task"].split("_")[0].isdigit() else 0))
    print("| task | eager | compile | best free | with rewrites | which | least | rules |")
    print("|---|---:|---:|---:|---:|---|---:|---|")
    for row in counts(rows):
        compiled, free, best = found(row)
        least = least_ms(row, table.get(row["task"]))
        which = f"`{best['label']}`" if best else "-"
        print(f"| {row['task']} | {row['eager_ms']:.3f} | {text_of(compiled)} | {text_of(free)} | "
              f"{interval_text(best)} | {which} | {f'{least:.3f}' if least else '-'} | "
              f"{row['rules'] or '-'} |")
    print_left_out(rows)
    print_means(rows)


def interval_text(program):
    return f"{program['ratio']:.2f} [{program['low']:.2f}, {program['high']:.2f}]" \
        if program else "-"


def print_left_out(rows):
    degenerate = [row["task"].split("_")[0] for row in rows if row["degenerate"]]
    if degenerate:
        print(f"\nDegenerate: {', '.join(degenerate)}.")
    for row in rows:
        for label, headline in wrong_programs(row):
            print(f"- {row['task']}, `{label}`: {headline[:LABEL_SHOWN]}")


def print_means(rows):
    sound = counts(rows)
    if not sound:
        return
    triples = [found(row) for row in sound]
    compiled = geomean([ratio(each[0]) for each in triples])
    free, best = (geomean([ratio(each[at]) for each in triples]) for at in (1, 2))
    first = sound[0]
    print(f"\n{len(rows)} tasks, {len(sound)} with ratios; {first['device']}, policy "
          f"{first['policy']}, {first['mode']}; geometric means, a task without a gain is 1:")
    print(f"  the better of eager and torch.compile, over eager {compiled:8.3f}")
    print(f"  best free variant without rewrites, over eager    {free:8.3f}  "
          f"({free / compiled:.3f} over the better of both)")
    print(f"  best free variant with rewrites, over eager       {best:8.3f}  "
          f"({best / compiled:.3f} over the better of both)")
    print(f"  what rewrites add to the best free variant        {best / free:8.3f}")
    print_means_of_rewritten(sound)
    print_wrong(sound)


def print_means_of_rewritten(sound):
    """Of the tasks that have rewritten programs alone; and of these programs as they are."""
    rewritten = [row for row in sound if any(map(is_rewritten, row["programs"]))]
    if not rewritten:
        return
    gains = [ratio(found(row)[2]) / ratio(found(row)[1]) for row in rewritten]
    plain = [ratio(best_of([each for each in row["programs"]
                            if is_rewritten(each) and "+" not in each["label"]]))
             for row in rewritten]
    print(f"  rewritten programs on {len(rewritten)} tasks: there they add {geomean(gains):.3f}; "
          f"by themselves, over eager {geomean(plain):.3f}; "
          f"{sum(gain > 1.02 for gain in gains)} gain 2 % and more, "
          f"{sum(gain >= 10 for gain in gains)} ten times and more")


def print_wrong(sound):
    """What is wrong although its arithmetic is the task's own would be a defect of a rule."""
    failed = [each for row in sound for each in wrong_programs(row)]
    wrong = [label for label, headline in failed if headline.startswith("wrong")]
    own = [label for label in wrong if not any(word in label for word in HALF_WORDS)]
    ours = [label for label in own if label.startswith("rewrite")]
    programs = sum(len(row["programs"]) for row in sound) + len(failed)
    print(f"  of {programs} programs {len(wrong)} wrong: {len(ours)} rewritten ones in the task's "
          f"own precision, {len(own) - len(ours)} other such, {len(wrong) - len(own)} in half "
          f"precision; {len(failed) - len(wrong)} failed otherwise")
