"""Measure how the models of meta-analysis agree with published answers on the published counts.

Run ``python scripts/measure_published.py`` (some minutes). The tables are in docs/measured/crossed.md. "rates" has our
medians beside published values, "items" compares two versions of a questionnaire, and "totals" lists the studies whose
tests have different numbers of people.

Three steps lead from a published value to ours: the published form of the model by maximum likelihood, which must give
the published value; our form by maximum likelihood; and our median, under the priors. The likelihoods are computed here
without bayesrank. Effects are integrated out by importance sampling at fixed quasi-random points, about the mode of
each study.

The counts are published facts. `dementia` and `hpv` were copied from the replication files of Nyaga and Arbyn
(repository VNyaga/Metadta, folder RSM2023), whose log has the published values; `iqcode` from the repository
CRSU-Apps/MetaDTA, and is of the Cochrane review CD010772.
"""

import argparse
import io
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy import optimize, stats
from scipy.special import expit, gammaln

import bayesrank as br

#: Beta-amyloid or tau in cerebrospinal fluid against Alzheimer's disease: 14 studies of one test.
DEMENTIA = """\
dataset,tp,fp,fn,tn
Galluzi 2010,18,17,4,25
Bjerke 2009,18,43,2,99
Zetterberg 2003,15,12,7,19
Hampel 2004,24,10,5,13
Chiasserini 2010,17,2,6,16
Hansson 2007,53,36,4,41
Blom 2009,9,9,5,5
Parnetti 2006,4,4,7,40
Shaw 2009,32,113,5,46
Hertze 2010,47,33,5,75
Monge-Argiles 2011,9,10,2,16
Papaliagkas 2009,5,11,0,37
Kester 2011,32,16,10,42
Vos 2013,62,41,29,82
"""
#: The questionnaire IQCODE against dementia in secondary care, and its number of items: 13 studies.
IQCODE = """\
dataset,tp,fn,fp,tn,items
Flicker 1997,188,28,35,48,26
Garcia 2002,83,7,4,19,16
Goncalves 2011,109,43,17,35,16
Hancock 2009,73,12,36,23,16
Harwood 1997,43,0,29,105,16
Jorm 1991,17,7,9,36,26
Knaefelc 2003,215,14,50,44,16
Mackinnon 1998,52,6,17,31,16
Mulligan 1996,33,0,25,18,26
Narasimhalu 2008,145,24,90,317,16
Sikkes 2010,173,7,52,37,16
Siri 2006,94,6,12,88,32
Tang 2003,21,3,41,124,26
"""
#: Hybrid Capture 2 (HC2), conventional cytology (CC) and liquid-based cytology (LBC) against cervical precancer: 17
#: studies, each with HC2 and one or both cytologies.
HPV = """\
dataset,entity,tp,fp,fn,tn
Belinson JL 2003,LBC,331,1523,44,6599
Belinson JL 2003,HC2,363,1652,12,6470
Bigras G 2005,LBC,48,445,34,13315
Bigras G 2005,HC2,80,1063,2,12697
Cardenas-Turanzas M 2008,CC,7,52,9,767
Cardenas-Turanzas M 2008,HC2,11,55,5,764
Clavel C 2001,LBC,72,385,10,5184
Clavel C 2001,CC,32,104,15,2130
Clavel C 2001,HC2,129,1085,0,6718
Cuzick J 2003,CC,75,427,15,9841
Cuzick J 2003,HC2,87,697,3,9571
Ferreccio C 2013,CC,33,99,63,8017
Ferreccio C 2013,HC2,91,742,5,7374
Gravitt PE 2010,CC,26,313,30,1862
Gravitt PE 2010,HC2,34,200,22,1975
Li N 2009,LBC,69,370,5,2118
Li N 2009,HC2,67,351,7,2137
Mahmud SM 2012,CC,22,94,6,1264
Mahmud SM 2012,HC2,21,148,3,1180
Monsonego J 2011,LBC,70,355,31,3973
Monsonego J 2011,HC2,98,595,3,3733
Moy LM 2010,LBC,175,860,37,7816
Moy LM 2010,HC2,204,1037,8,7268
Pan Q 2003,LBC,81,432,5,1475
Pan Q 2003,HC2,79,248,4,1505
Petry KU 2003,CC,20,156,26,7706
Petry KU 2003,HC2,45,369,1,7493
Ronco G 2006,LBC,54,850,19,15593
Ronco G 2006,HC2,73,1112,2,15223
Salmeron J 2003,CC,60,127,41,7504
Salmeron J 2003,HC2,94,626,7,7205
Wu R 2010,LBC,18,89,9,1899
Wu R 2010,HC2,24,306,3,1682
de Cremoux P 2003,CC,35,141,6,1573
de Cremoux P 2003,LBC,32,189,9,1529
de Cremoux P 2003,HC2,150,331,31,1273
"""
#: Studies of each cytology, as the published strata have them.
STRATA = {"hpv, CC": "CC", "hpv, LBC": "LBC"}
#: The published file of `ascus_hc2_repc` has 1 false negative of HC2 in Solomon 2001, instead of the correct 11.
MISPRINT = "ascus_hc2_repc, 1 for 11"
#: Posterior probability and confidence of the intervals.
PROB = 0.95
#: Quasi-random points of the integrals, and their seed.
POINTS, SEED = 2048, 1


class Form(NamedTuple):
    """Normal effects of a published model on the pair of logits."""

    #: Whether a study has effects that its tests share.
    shared: bool
    #: Effects of each test in each study:
    #: "none", "one" (variance of both logits, uncorrelated) or "pair" (two variances and a correlation).
    own: str
    #: Whether each test has effects of its own studies, and is fitted alone.
    alone: bool = False


REITSMA = Form(False, "pair", alone=True)
COMPARATIVE = Form(True, "none")
NETWORK = Form(True, "one")
#: Of the published model, by data.
FORMS = {
    "dementia": REITSMA,
    "iqcode": REITSMA,
    "ascus_hc2_repc": COMPARATIVE,
    MISPRINT: COMPARATIVE,
    "hpv, CC": COMPARATIVE,
    "hpv, LBC": COMPARATIVE,
    "hpv": NETWORK,
    "scheidler_lymph_imaging": REITSMA,
}
#: Published (value, lower, upper) of sensitivity and specificity, by data and test. None is published in these forms
#: for the right counts of ascus_hc2_repc and for scheidler_lymph_imaging.
PUBLISHED: dict[tuple[str, str], tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    ("dementia", "CSF"): ((0.798, 0.722, 0.857), (0.654, 0.557, 0.740)),
    ("iqcode", "IQCODE"): ((0.91, 0.86, 0.94), (0.66, 0.56, 0.75)),
    (MISPRINT, "RepC"): ((0.69, 0.60, 0.77), (0.64, 0.59, 0.69)),
    (MISPRINT, "HC2"): ((0.92, 0.88, 0.95), (0.64, 0.59, 0.69)),
    ("hpv, CC", "CC"): ((0.59, 0.47, 0.71), (0.96, 0.94, 0.97)),
    ("hpv, CC", "HC2"): ((0.90, 0.84, 0.94), (0.90, 0.87, 0.93)),
    ("hpv, LBC", "LBC"): ((0.80, 0.73, 0.86), (0.90, 0.88, 0.93)),
    ("hpv, LBC", "HC2"): ((0.95, 0.92, 0.97), (0.87, 0.83, 0.90)),
    ("hpv", "CC"): ((0.64, 0.51, 0.76), (0.95, 0.93, 0.97)),
    ("hpv", "LBC"): ((0.79, 0.69, 0.87), (0.92, 0.88, 0.95)),
    ("hpv", "HC2"): ((0.94, 0.91, 0.96), (0.89, 0.86, 0.92)),
}
#: Published ratios of HC2 over another test: of sensitivities and of specificities.
RATIOS = {
    (MISPRINT, "RepC"): ((1.34, 1.20, 1.49), (1.00, 0.97, 1.03)),
    ("hpv, CC", "CC"): ((1.52, 1.28, 1.80), (0.94, 0.92, 0.96)),
    ("hpv, LBC", "LBC"): ((1.18, 1.10, 1.26), (0.96, 0.95, 0.97)),
    ("hpv", "CC"): ((1.46, 1.20, 1.76), (0.94, 0.90, 0.97)),
    ("hpv", "LBC"): ((1.18, 1.06, 1.31), (0.97, 0.93, 1.02)),
}
#: The same from differences within studies: a network of contrasts.
CONTRASTS = {
    ("hpv", "CC"): ((1.35, 1.18, 1.55), (0.95, 0.92, 0.99)),
    ("hpv", "LBC"): ((1.25, 1.13, 1.39), (0.95, 0.91, 0.99)),
}
#: Published ratios of IQCODE with 26 items over 16 items.
ITEMS = ((0.98, 0.89, 1.07), (0.99, 0.75, 1.33))


def load(name: str) -> xr.DataArray:
    """Return the counts of a data set of this file, of a stratum of `hpv`, or of a shipped one."""
    if name in ("dementia", "iqcode"):
        frame = pd.read_csv(io.StringIO(DEMENTIA if name == "dementia" else IQCODE))
        return br.from_frame(
            frame.assign(entity="CSF" if name == "dementia" else "IQCODE"),
            covariates=list(frame)[5:],
        )
    if name == "hpv" or name in STRATA:
        frame = pd.read_csv(io.StringIO(HPV))
        if name in STRATA:
            wanted = frame["dataset"][frame["entity"] == STRATA[name]]
            frame = frame[
                frame["dataset"].isin(wanted) & frame["entity"].isin(["HC2", STRATA[name]])
            ]
        return br.from_frame(frame)
    if name == MISPRINT:
        counts = br.datasets.load("ascus_hc2_repc").copy()
        counts.loc[
            {
                "entity": "HC2",
                "dataset": "Solomon 2001",
                "actual": "positive",
                "predicted": "negative",
            }
        ] = 1
        return counts
    return br.datasets.load(name)


def fit(name: str) -> Any:
    """Fit the default model of several tests, or the bivariate model of one."""
    counts = load(name)
    return br.fit(
        counts, "hierarchical_logit_normal" if counts.sizes["entity"] == 1 else None, seed=1
    )


def rates_of(fitted: Any) -> xr.DataArray:
    """Return draws (chain, draw, entity, rate) of sensitivity and specificity on a typical data set."""
    typical = fitted["posterior"]["performance_typical"]
    shares = typical / typical.sum("predicted")
    both = [shares.isel(actual=i, predicted=i, drop=True) for i in (1, 0)]
    return xr.concat(both, pd.Index(["sensitivity", "specificity"], name="rate"))


def summary(draws: xr.DataArray) -> tuple[float, float, float]:
    """Return the median and the ends of the interval."""
    ends = (1 - PROB) / 2, (1 + PROB) / 2
    middle, low, high = draws.quantile([0.5, *ends], ("chain", "draw")).values
    return float(middle), float(low), float(high)


def maximum_likelihood(
    counts: xr.DataArray, shared: bool, own: str, columns: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return maximum-likelihood logits (entity, rate) of a model and slopes (column, rate), ordered as ``rates_of``.

    Logits of specificity and sensitivity have a median for each test, a pair of normal effects of each study if
    ``shared``, and deviations of each test in each study as ``own`` says (see ``Form``). The mean of the effects of a
    study depends on ``columns`` (study, column).
    """
    hits = np.stack(
        [counts.isel(actual=i, predicted=i).transpose("dataset", "entity").values for i in (0, 1)],
        -1,
    )
    cases = counts.sum("predicted").transpose("dataset", "entity", "actual").values
    studies, tests, _ = hits.shape
    orders = (gammaln(cases + 1) - gammaln(hits + 1) - gammaln(cases - hits + 1)).sum()
    columns = np.zeros((studies, 0)) if columns is None else columns
    y, n = hits.reshape(studies, -1), cases.reshape(studies, -1)
    effects = 2 * shared + 2 * tests * (own != "none")
    start = np.zeros((studies, effects))
    normal = stats.norm.ppf(
        stats.qmc.Sobol(effects, rng=np.random.default_rng(SEED)).random(POINTS)
    )

    def factor(values: np.ndarray) -> np.ndarray:
        if len(values) == 1:
            return np.eye(2) * np.exp(values[0])
        return np.array([[np.exp(values[0]), 0.0], [values[2], np.exp(values[1])]])

    places = np.cumsum([2 * tests, 2 * columns.shape[1], 3 * shared])

    def loss(parameters: np.ndarray) -> float:
        medians, slopes, of_studies, of_tests = np.split(parameters, places)
        centre = (medians.reshape(tests, 2) + (columns @ slopes.reshape(-1, 2))[:, None]).reshape(
            studies, -1
        )
        blocks = [np.tile(factor(of_studies), (tests, 1))] if shared else []
        blocks += [np.kron(np.eye(tests), factor(of_tests))] if own != "none" else []
        design = np.concatenate(blocks, 1)
        u = start

        def logp(u: np.ndarray) -> np.ndarray:
            eta = (centre if u.ndim == 2 else centre[:, None]) + u @ design.T
            right, of = (y, n) if u.ndim == 2 else (y[:, None], n[:, None])
            return (right * eta - of * np.logaddexp(0, eta)).sum(-1) - (u**2).sum(-1) / 2

        value = logp(u)
        for _ in range(
            100
        ):  # Newton's method with halved steps finds the mode of the effects of each study.
            rate = expit(centre + u @ design.T)
            curvature = np.einsum("dk,ki,kj->dij", n * rate * (1 - rate), design, design) + np.eye(
                effects
            )
            step = np.linalg.solve(curvature, ((y - n * rate) @ design - u)[..., None])[..., 0]
            length = np.ones(studies)
            for _ in range(30):
                moved = u + length[:, None] * step
                reached = logp(moved)
                if not (worse := reached < value - 1e-10).any():
                    break
                length = np.where(worse, length / 2, length)
            u, value = moved, reached
            if abs(step).max() < 1e-9:
                break
        start[:] = u
        root = np.linalg.cholesky(np.linalg.inv(curvature))
        weights = logp(u[:, None] + normal @ root.transpose(0, 2, 1)) + (normal**2).sum(1) / 2
        each = (
            np.logaddexp.reduce(weights, 1) - np.log(POINTS) - np.linalg.slogdet(curvature)[1] / 2
        )
        return -float(each.sum() + orders)

    pooled = (hits.sum(0) + 0.5) / (cases.sum(0) + 1)
    first = [np.log(pooled / (1 - pooled)).ravel(), np.zeros(2 * columns.shape[1])]
    first += [np.log([0.5, 0.5]), [0.0]] if shared else []
    first += {"none": [], "one": [[-1.0]], "pair": [[-1.0, -1.0, 0.0]]}[own]
    found = optimize.minimize(loss, np.concatenate(first), method="BFGS", options={"gtol": 1e-3})
    medians, slopes, *_ = np.split(found.x, places)
    return medians.reshape(-1, 2)[:, ::-1], slopes.reshape(-1, 2)[:, ::-1]


def columns_of_tests(counts: xr.DataArray) -> np.ndarray:
    """Return columns (study, column) of mean 0 that distinguish studies with different tests."""
    used = (counts.sum(("actual", "predicted")) > 0).transpose("dataset", "entity").values
    shares = used / used.sum(1, keepdims=True)
    left, size, _ = np.linalg.svd(shares - shares.mean(0), full_matrices=False)
    return np.sqrt(len(used)) * left[:, size > 1e-9 * len(used)]


def likelihoods(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return maximum-likelihood rates (entity, rate) of the published form and of our form."""
    counts, form = load(name), FORMS[name]
    if form.alone:
        each = []
        for i in range(counts.sizes["entity"]):
            one = counts.isel(entity=[i])
            used = one.sum(("entity", "actual", "predicted")) > 0
            each.append(maximum_likelihood(one.isel(dataset=used.values), False, "pair")[0][0])
        theirs = expit(each)
    else:
        theirs = expit(maximum_likelihood(counts, form.shared, form.own)[0])
    if counts.sizes["entity"] == 1:
        return theirs, theirs
    return theirs, expit(maximum_likelihood(counts, True, "pair", columns_of_tests(counts))[0])


def ratios_of_items() -> list[tuple[float, tuple[float, float, float]]]:
    """Return ratios of sensitivity and of specificity, IQCODE with 26 items over 16 items: by likelihood, and ours.

    The study with 32 items is left out.
    """
    counts = load("iqcode")
    counts = counts.isel(dataset=(counts["items"] < 30).values)
    likely, step = maximum_likelihood(
        counts, False, "pair", (counts["items"].values[:, None] - 16) / 10
    )
    ratio = (expit(likely + step) / expit(likely))[0]
    model = "hierarchical_logit_normal"
    fitted = br.fit(counts, model, covariates="items", at={"items": 16.0}, seed=1)
    few = rates_of(fitted).isel(entity=0, drop=True)
    slope = fitted["posterior"]["slope"].isel(entity=0, covariate=0, drop=True)
    found = []
    for place, rate in enumerate(few["rate"].values):
        at_16 = few.sel(rate=rate)
        logit = np.log(at_16 / (1 - at_16)) + 10 * slope.isel(actual=1 - place, drop=True)
        found.append((float(ratio[place]), summary(1 / (1 + np.exp(-logit)) / at_16)))
    return found


def say(found: tuple[float, float, float], digits: int = 3) -> str:
    """Return a value and its interval."""
    middle, low, high = (f"{value:.{digits}f}" for value in found)
    return f"{middle} ({low} to {high})"


def print_rates() -> None:
    """Print our medians beside published values and what makes the difference, then the ratios of tests."""
    rates, ratios = [], []
    for name in FORMS:
        draws, likely = rates_of(fit(name)), likelihoods(name)
        digits = 3 if name == "dementia" else 2
        for i, test in enumerate(draws["entity"].values.tolist()):
            for j, rate in enumerate(draws["rate"].values.tolist()):
                mine = say(summary(draws.sel(entity=test, rate=rate)))
                published = (
                    say(PUBLISHED[name, test][j], digits) if (name, test) in PUBLISHED else "–"
                )
                rates.append(
                    [
                        f"`{name}`",
                        test,
                        rate,
                        published,
                        *(f"{one[i, j]:.3f}" for one in likely),
                        mine,
                    ]
                )
                if (name, test) in RATIOS:
                    ratio = (draws.sel(entity="HC2") / draws.sel(entity=test)).sel(rate=rate)
                    known = say(RATIOS[name, test][j], 2)
                    contrast = (
                        say(CONTRASTS[name, test][j], 2) if (name, test) in CONTRASTS else "–"
                    )
                    ratios.append(
                        [
                            f"`{name}`",
                            f"HC2 / {test}",
                            rate,
                            known,
                            contrast,
                            say(summary(ratio), 2),
                        ]
                    )
    header = ["data", "test", "rate", "published", "its form", "our form", "ours"]
    print_table(header, rates)
    print_table([*header[:4], "within studies", "ours"], ratios)


def print_items() -> None:
    """Print the ratios of two versions of IQCODE."""
    found = zip(("sensitivity", "specificity"), ratios_of_items(), ITEMS, strict=True)
    for rate, (likely, ours), published in found:
        said = f"{say(ours, 2)}; by maximum likelihood {likely:.2f}; published {say(published, 2)}"
        print(f"IQCODE, 26 over 16 items, {rate}: {said}")


def print_totals() -> None:
    """Print the studies of `hpv` in which tests have different numbers of people."""
    sizes = load("hpv").sum("predicted")
    met = sizes.sum("actual") > 0
    for dataset in sizes["dataset"].values.tolist():
        here = sizes.sel(dataset=dataset, entity=met.sel(dataset=dataset).values)
        if (here != here.isel(entity=0)).any():
            print(
                dataset,
                {e: here.sel(entity=e).values.tolist() for e in here["entity"].values.tolist()},
            )


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """Print a table in Markdown, whose numbers are to the right."""
    print("\n| " + " | ".join(header) + " |\n|---|---|---|" + "---:|" * (len(header) - 3))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def main() -> None:
    """Print all parts, or one."""
    parts = {"rates": print_rates, "items": print_items, "totals": print_totals}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="?", choices=parts)
    wanted = parser.parse_args().part
    for name, run in parts.items():
        if wanted in (None, name):
            run()


if __name__ == "__main__":
    main()
