"""What the installed PyTorch, of whatever version, makes of the committed cases.

    python python/outcomes.py --into DIR

writes one golden file per suite, without what stands beside the outcomes. `make drift` runs this
in an environment with another version and compares the two. Golden values of the project itself
come from `generate.py` alone, which refuses every version but the pinned one.
"""

import argparse
import json
import sys
from pathlib import Path

from parity import replay, suite

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """The command line; gives the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--into", type=Path, required=True, metavar="DIR")
    options = parser.parse_args()
    for path in sorted((ROOT / "fixtures").glob("*.json")):
        fixture = json.loads(path.read_text(encoding="utf-8"))
        corpus = suite.Corpus(fixture["suite"], fixture["generator"])
        for case in fixture["cases"]:
            corpus.add(case, replay.run(case))
        suite.write_whole(options.into / path.name, corpus.golden_text(suite.conditions()))
        sys.stderr.write(f"{fixture['suite']:<16} {len(corpus.cases):>6} cases\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
