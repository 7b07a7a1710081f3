"""Reads an order from stdin (src/ship/order.h), writes the package, proves it, prints one line of
JSON: what was made, or what was wrong."""

import json
import sys

from cupel.shipping import writing
from cupel.shipping.refusal import Refused


def main():
    order = json.load(sys.stdin)
    try:
        answer = writing.ship(order)
    except Refused as refused:
        answer = {"error": refused.what, "where": refused.where, "hint": refused.hint}
    print("\n" + json.dumps(answer), flush=True)
    return 1 if "error" in answer else 0


if __name__ == "__main__":
    sys.exit(main())
