"""Compare a classifier's performance between periods, and separate its own decline from a change of prevalence.

Replace ``months`` by your own counts. The classifier here is simulated: from May on it finds fewer positives, and the
share of positives falls in March, when nothing happens to the classifier. F1 alone cannot separate the two.

    python examples/drift_monitor.py
"""

import numpy as np

import bayesrank as br

MONTHS = ["January", "February", "March", "April", "May", "June"]
SHARE, TPR, TNR = [0.3, 0.3, 0.1, 0.1, 0.1, 0.1], [0.85, 0.85, 0.85, 0.85, 0.7, 0.65], 0.9

rng = np.random.default_rng(34)
positives = rng.binomial(2000, SHARE)
tp, tn = rng.binomial(positives, TPR), rng.binomial(2000 - positives, TNR)
cells = {"tp": tp, "fn": positives - tp, "tn": tn, "fp": 2000 - positives - tn}
months = br.from_counts(**cells, entity=["classifier"] * 6, dataset=MONTHS)

posterior = br.fit(months, "dirichlet_multinomial", seed=1)  # each month on its own
changes = br.ops.drift(posterior, "f1", baseline="January").sel(entity="classifier")

if __name__ == "__main__":
    what = "performances at the same prevalence that the classifier outperforms (by F1)"
    print(f"Change since January of the share of {what}:")
    for month in MONTHS[1:]:
        now = changes.sel(dataset=month)
        parts = {
            part: now["since_baseline_mean"].sel(part=part).item()
            for part in ("prevalence", "rates")
        }
        alarm = "  <- the classifier" if now["alarm"].any() else ""
        print(f"{month:9s} by prevalence {parts['prevalence']:+.3f}, by rates {parts['rates']:+.3f}, "
              f"P(its rates are worse) {now['degraded_since_baseline'].item():.2f}{alarm}")  # fmt: skip
