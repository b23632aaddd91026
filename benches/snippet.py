# An ordinary script of thirty lines, as an agent writes it: the unit of the benches.
import csv
import json
from collections import defaultdict
from pathlib import Path

import pandas as pd

OUT = Path("out")


def totals(rows):
    """Sum the revenue of each region."""
    sums = defaultdict(float)
    for row in rows:
        sums[row["region"]] += float(row["units"]) * float(row["price"])
    return dict(sums)


with open("sales.csv", newline="") as file:
    rows = [row for row in csv.DictReader(file) if row["units"]]

result = totals(rows)
frame = pd.DataFrame(sorted(result.items()), columns=["region", "revenue"])
frame["share"] = (frame["revenue"] / frame["revenue"].sum()).round(3)
best = frame.loc[frame["revenue"].idxmax(), "region"]

OUT.mkdir(exist_ok=True)
(OUT / "totals.json").write_text(json.dumps(result, indent=2))
frame.to_csv(OUT / "totals.csv", index=False)
print(f"best region: {best}", frame.to_string(index=False), sep="\n")
