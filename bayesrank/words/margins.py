"""The verdict on a comparison with a reference: which entities are superior, equivalent, non-inferior or inferior."""

from collections import defaultdict

import xarray as xr

from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import notes_of
from bayesrank._core.prose import few_names
from bayesrank.words.parts import Verdict, compose
from bayesrank.words.standing import relation

NEEDED = {"noninferior", "superior", "equivalent", "tpr_difference"}
#: What each verdict means, in the order in which they are said.
MEANINGS = {
    "superior": "superior to {reference} in TPR and TNR",
    "superior and equivalent": "superior to {reference}, by less than the margins",
    "equivalent": "equivalent to {reference}: TPR and TNR differ by less than the margins",
    "non-inferior": "non-inferior to {reference} in TPR and TNR",
    "inferior": "inferior to {reference} in TPR or TNR by more than its margin",
    "undecided": "undecided against {reference}",
}


def verdict_of_margins(result: xr.Dataset) -> Verdict:
    """Return the verdict on the result of :func:`bayesrank.decisions.noninferiority`."""
    if extra := [str(dim) for dim in result["verdict"].dims if dim != "entity"]:
        raise ArgumentError(
            "result", "must be one comparison (select it with .isel)", f"the dims {extra} too"
        )
    reference, groups = result.attrs["reference"], defaultdict(list)
    for name, verdict in zip(
        result["entity"].values.tolist(), result["verdict"].values.tolist(), strict=True
    ):
        groups[verdict].append(str(name))
    order = sorted(
        groups,
        key=lambda verdict: list(MEANINGS).index(verdict) if verdict in MEANINGS else len(MEANINGS),
    )
    text = []
    for verdict in order:
        names = groups[verdict]
        are = "is" if len(names) == 1 else "are"
        meaning = MEANINGS.get(verdict, verdict + " against {reference}").format(
            reference=reference
        )
        text.append(f"{few_names(names)} {are} {meaning}")
    margins = f"margins {result.attrs['tpr']:g} in TPR and {result.attrs['tnr']:g} in TNR"
    headline = f"{'; '.join(text)} ({margins}, probability at least {result.attrs['prob']:g})."
    size = float(result.attrs["effective_draws"])
    lines = [
        f"P({name} is non-inferior to {reference}) {relation(float(share), size)}."
        for name, share in zip(
            result["entity"].values.tolist(), result["noninferior"].values, strict=True
        )
        if share == share  # not of undefined rates
    ]
    return compose("none", headline, [*notes_of(result["notes"]), *lines])
