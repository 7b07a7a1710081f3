"""What gains in parts make of the whole, by Amdahl's law, beside what was measured."""


def expected(rows):
    """Of rows with `share` (of the time) and `ratio`: the ratio of the whole."""
    left = 1 - sum(row["share"] for row in rows)
    return 1 / (max(left, 0.0) + sum(row["share"] / row["ratio"] for row in rows))


def table_text(rows, judged):
    """`rows`: {"module", "count", "share", "ratio", "label"}; `judged`: of programs for the whole
    model, {"what", "ratio" as text, "label"}."""
    head = ["module", "equal", "share", "gain", "of the whole", "program"]
    cells = [head] + [[row["module"], str(row["count"]), f"{row['share']:.1%}",
                       f"{row['ratio']:.2f}x", f"{expected([row]):.2f}x", row["label"]]
                      for row in rows]
    rest = 1 - sum(row["share"] for row in rows)
    cells.append(["all else", "", f"{max(rest, 0):.1%}", "", "", ""])
    cells.append(["together, by Amdahl's law", "", "", "", f"{expected(rows):.2f}x", ""])
    cells += [[row["what"], "", "", "", row["ratio"], row["label"]] for row in judged]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) if 0 < i < 5 else cell.ljust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
                     for row in cells)
