"""`cupel figures RUN --out DIR`: the binary writes DIR/data.json, this draws from it."""

import argparse
import json
import pathlib

from cupel.figures import pdf
from cupel.figures.of_run import figures_of_run
from cupel.figures.of_suite import figures_of_suite
from cupel.figures.svg import svg_of

KINDS = {"run_page": figures_of_run, "suite_page": figures_of_suite}


def main():
    parser = argparse.ArgumentParser(prog="cupel figures")
    parser.add_argument("data", type=pathlib.Path, help="a page's document (docs/json.md)")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    options = parser.parse_args()
    document = json.loads(options.data.read_text(encoding="utf-8"))
    drawn = [figure for figure in KINDS[document["kind"]](document) if not figure.is_empty()]
    for figure in drawn:
        place = options.out / figure.name
        figure.write_csv(f"{place}.csv")
        pathlib.Path(f"{place}.svg").write_text(svg_of(figure), encoding="utf-8")
        if pdf.can_draw():
            pdf.write_pdf(figure, f"{place}.pdf")
    form = "CSV, SVG and PDF" if pdf.can_draw() else \
        "CSV and SVG (PDF too where matplotlib is installed)"
    print(f"{len(drawn)} figures in {options.out}, as {form}: "
          + ", ".join(figure.name for figure in drawn))


if __name__ == "__main__":
    main()
