"""Compare maximum-likelihood estimates of ``latent_class`` with stepmix, on the dentists, for its page.

Run: python scripts/measure_latent_class.py. It takes some seconds; stepmix must be installed.
"""

from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.special import expit

import bayesrank as br
from bayesrank.models.latent_class import LatentClass

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "latent_class.md"
HEAD = """# No gold standard

Five dentists look at 3,869 teeth; nobody knows which have caries. Both packages fit two latent classes in which the
verdicts are independent, and maximise the likelihood. stepmix {version} runs expectation maximisation from 20 starts;
the model `latent_class` has `dependence="none"`.

Written by `scripts/measure_latent_class.py` on {today}.

| | bayesrank | stepmix |
|---|---|---|
"""
TAIL = "\nThe largest difference between the two columns of rates is {gap:.0e}.\n"


def main() -> None:
    from stepmix.stepmix import StepMix

    frame = br.datasets.load_cases("dentists")
    tests = [name for name in frame if name != "count"]
    verdict = frame.loc[frame.index.repeat(frame["count"]), tests].to_numpy()
    options = {"n_init": 20, "abs_tol": 1e-12, "rel_tol": 1e-12, "max_iter": 5000, "progress_bar": 0}
    peer = StepMix(n_components=2, measurement="binary", random_state=0, **options).fit(verdict)
    positive = np.asarray(peer.get_parameters()["measurement"]["pis"])
    share = np.asarray(peer.get_parameters()["weights"])
    high = int(positive.sum(axis=1).argmax())
    theirs = [peer.score(verdict) * len(verdict), share[high], *positive[high], *(1 - positive[1 - high])]

    model = LatentClass(br.datasets.load("dentists"))
    theta = model.fits["none"][0]
    # The likelihood of cases in an order, as that of stepmix.
    ours = [float(model.cells.value(theta[None])[0]), *expit(theta)]

    names = ["log likelihood", "prevalence", *(f"{what} of {test}" for what in ("sensitivity", "specificity")
                                               for test in model.tests)]  # fmt: skip
    lines = []
    for i, (name, a, b) in enumerate(zip(names, ours, theirs, strict=True)):
        digits = 3 if i else 2
        lines.append(f"| {name} | {a:.{digits}f} | {b:.{digits}f} |")
    gap = float(np.abs(np.subtract(ours, theirs))[1:].max())
    head = HEAD.format(version=version("stepmix"), today=f"{date.today():%d %B %Y}")
    PAGE.write_text(head + "\n".join(lines) + "\n" + TAIL.format(gap=gap), encoding="utf-8")


if __name__ == "__main__":
    main()
