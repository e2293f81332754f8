"""The generative stories, one file each: how the evidence arose, in words, formulas, PyMC and closed form.

A model is a class in a file of its name: ``beta_binomial.py`` holds ``BetaBinomial``. Adding a model is adding that
file; :func:`bayesrank.fit` finds it, and takes a class of your own as well. Importing a model loads no PyMC; its
``build`` does.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from pkgutil import iter_modules
from typing import Any, ClassVar, Protocol

import numpy as np
import xarray as xr

from bayesrank._checks import check_choice
from bayesrank.evidence.counts import with_parts

__all__ = [
    "Model",
    "chosen_by_evidence",
    "conjugate_posterior",
    "find_model",
    "model_for_datasets",
    "in_closed_form",
    "population_of",
    "names",
    "options_of",
    "references_of",
    "takes_cases",
    "make_model",
    "model_of",
]

#: Settings that are not told again in the same words: the prior is at hand in numbers, a known prevalence in none, and
#: what is typical is no part of a likelihood.
REPEATED_OPTIONS = ("prior", "prevalence", "split_prior", "typical")


class Model(Protocol):
    """What :func:`bayesrank.fit` asks of a model. Methods marked optional may be absent.

    The class is called with the evidence and the model's own options; it refuses evidence of the wrong kind.
    """

    #: One sentence on how the evidence arose, for reports.
    words: ClassVar[str]
    #: What a report cites for the model. Optional.
    references: ClassVar[tuple[str, ...]]
    #: Whether it takes "counts" (the default) or "cases", that is joint outcomes. Optional.
    takes: ClassVar[str]
    #: What it learns a population of: "data sets" (also of "entities" where there are none), "classes", or "", the
    #: default: of nothing. Optional.
    learns: ClassVar[str]
    #: Whether it refuses outcomes without classes. Optional, by default it takes them.
    needs_classes: ClassVar[bool]
    #: How many classes or outcomes it takes at most; None, the default, for any number. Optional.
    most_outcomes: ClassVar[int | None]
    #: The performance that is ranked when nobody says which: "observed", "typical" or "new".
    kind: ClassVar[str]
    #: Attrs of the posterior: the model's own options, as words or numbers.
    settings: dict[str, Any]

    def observed(self) -> dict[str, xr.Dataset]:
        """The groups ``observed_data`` (with ``counts`` where there are tables) and ``constant_data`` (the priors)."""
        ...

    def build(self) -> Any:
        """The PyMC model."""
        ...

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """The posterior group from what was sampled: with ``performance``, and the hyperparameters to keep."""
        ...

    # Optional attributes and methods, which bayesrank uses where a model has them:
    #
    # coords(self) -> dict
    #     Coords of the draws, by name.
    # draw(self, group, block, root) -> dict[str, xarray.Variable]
    #     Exact draws of one block of "prior" or "posterior". A model without it is sampled.
    # draw_prior(self, block, root) -> dict[str, xarray.Variable]
    #     Draws of the prior, of a model without ``draw``: for ``groups=["prior"]``.
    # sample_chains(self, shape, root) -> {"posterior": Dataset, "sample_stats": Dataset}
    #     A sampler of the model's own, used unless ``sampler="nuts"`` or ``nuts`` is given. ``performances`` gets its
    #     posterior. Attrs of sample_stats: ``sampler``, and those of ``bayesrank._nuts.diagnostics``.
    # nuts: dict
    #     Arguments of pymc.sample that suit the model; those of the user come first.
    # replicate(self, group, root, purpose) -> Dataset
    #     Predictive draws of ``counts``: for ``groups=["prior_predictive", "posterior_predictive"]``.
    # log_likelihood(self, posterior) -> Dataset
    #     Log probabilities of the counts in each draw: for ``groups=["log_likelihood"]``.
    # log_prior(self, posterior) -> Dataset
    #     Log prior densities in each draw: for ``groups=["log_prior"]``, which power-scaling needs.
    # renew(self, posterior, root, purpose) -> DataArray
    #     Counts on as many new data sets, for predictive checks.
    # conjugate(self) -> Conjugate
    #     What is known in closed form, for exact posteriors of scores and predictive distributions.
    # log_evidence(self, members=None, sizes=None) -> float
    #     Log probability of the cases in order, before any data: for comparisons of models.
    # taking(cls, evidence) -> type
    #     A class method: the class for such evidence, where a name has several classes.
    # as_designed: dict
    #     Options with which a part of the evidence is learned by the same model.
    # over_datasets_together: bool
    #     Several data sets are one analysis, so nothing should be pooled before.
    # rows_apart: bool
    #     Given the class sizes each row of counts is learned by itself, entity by entity.


#: Variables of a posterior that other functions read by name, and the dims that each must have.
RESERVED: dict[str, frozenset[str]] = {
    "rate": frozenset({"actual", "predicted"}),
    "prevalence": frozenset({"actual"}),
    "mean_prevalence": frozenset({"actual"}),
}


@cache
def _names(*path: str) -> tuple[str, ...]:
    found = sorted(module.name for module in iter_modules(path) if not module.name.startswith("_"))
    return tuple(sorted(found, key=lambda name: name != "dirichlet_multinomial"))


def names() -> list[str]:
    """The models that :func:`bayesrank.fit` knows by name, the default first.

    Examples
    --------
    >>> names()[0]
    'dirichlet_multinomial'
    """
    return list(_names(*__path__))


def chosen_by_evidence(evidence: Any) -> str:
    """Return the model of evidence for which none was named: paired for joint outcomes, else that of random cases.

    Examples
    --------
    >>> import bayesrank as br
    >>> chosen_by_evidence(br.from_counts(tn=8, fp=2, fn=1, tp=9))
    'dirichlet_multinomial'
    >>> chosen_by_evidence(br.joint_outcomes([0, 1], {"a": [0, 1]}))
    'paired'
    """
    return "paired" if isinstance(evidence, xr.Dataset) else "dirichlet_multinomial"


def takes_cases(model: Any) -> bool:
    """Return whether a model takes joint outcomes of single cases; others take counts.

    Examples
    --------
    >>> takes_cases("paired"), takes_cases("beta_binomial")
    (True, False)
    """
    return getattr(find_model(model), "takes", "counts") == "cases"


def in_closed_form() -> list[str]:
    """Return the models whose posterior is known in closed form, the default first.

    Examples
    --------
    >>> in_closed_form()
    ['dirichlet_multinomial', 'beta_binomial']
    """
    return [name for name in names() if hasattr(find_model(name), "conjugate")]


def population_of(model: Any) -> str:
    """Return what a model learns a population of: "data sets", "classes", or "" for nothing.

    Examples
    --------
    >>> population_of("hierarchical_logit_normal"), population_of("paired")
    ('data sets', '')
    """
    return getattr(find_model(model), "learns", "")


def model_for_datasets(outcomes: int) -> str:
    """Return the first model that learns how data sets differ, of so many classes or outcomes.

    Examples
    --------
    >>> model_for_datasets(2), model_for_datasets(3)
    ('hierarchical_beta_binomial', 'hierarchical_dirichlet_multinomial')
    """
    for name in names():
        model = find_model(name)
        if population_of(name) == "data sets" and outcomes <= (getattr(model, "most_outcomes", None) or outcomes):
            return name
    raise ValueError(f"there is no model that learns how data sets of {outcomes} outcomes differ")


def references_of(model: Any) -> list[str]:
    """Return what a report cites for a model by its name; nothing for others.

    Examples
    --------
    >>> len(references_of("paired")), references_of("beta_binomial"), references_of(None)
    (2, [], [])
    """
    return list(getattr(find_model(model), "references", ())) if model in names() else []


def find_model(model: Any) -> type:
    """The class of a model by its name; a class is its own.

    Examples
    --------
    >>> find_model("beta_binomial").__name__
    'BetaBinomial'
    """
    if isinstance(model, type):
        lacking = [part for part in ("observed", "build", "performances") if not callable(getattr(model, part, None))]
        if lacking:
            raise TypeError(f"model must have the methods of bayesrank.models.Model; {model.__name__} lacks {lacking}")
        return model
    check_choice("model", model, names(), KeyError, "a class")
    return getattr(import_module(f"{__name__}.{model}"), model.title().replace("_", ""))


def conjugate_posterior(model: Any, evidence: Any, options: dict[str, Any]) -> Any:
    """What the model knows in closed form of the posterior of the evidence.

    Examples
    --------
    >>> import bayesrank as br
    >>> conjugate_posterior("beta_binomial", br.from_counts(tn=8, fp=2, fn=1, tp=9), {}).posterior.values.tolist()
    [[[9.0, 3.0], [2.0, 10.0]]]
    """
    story = make_model(model, evidence, options)
    if not hasattr(story, "conjugate"):
        raise ValueError(f"model must have a posterior in closed form; {type(story).__name__} has none")
    return story.conjugate()


def make_model(model: Any, evidence: Any, options: dict[str, Any]) -> Any:
    """The model of the evidence, told its own options; what it does not know is refused by name.

    Examples
    --------
    >>> import bayesrank as br
    >>> make_model("beta_binomial", br.from_counts(tn=8, fp=2, fn=1, tp=9), {"prior": 2}).settings["prior"]
    '2'
    """
    story = find_model(chosen_by_evidence(evidence) if model is None else model)
    if hasattr(story, "taking"):
        story = story.taking(evidence)
    known = options_of(story)
    unknown = sorted(set(options) - set(known))
    if unknown:
        from difflib import get_close_matches

        near = get_close_matches(unknown[0], known, n=1)
        raise TypeError(
            f"options must be among {known} for the model {story.__name__}; got {unknown}"
            + (f"; did you mean {near[0]}?" if near else " (options of the sampler go into nuts={...})")
        )
    return story(evidence, **options)


@cache
def options_of(model: Any) -> list[str]:
    """Names of the options of a model: keywords of its class, and of the classes to which it hands on the rest.

    Examples
    --------
    >>> options_of(find_model("hierarchical_beta_binomial"))
    ['prior', 'prevalence', 'spread', 'force']
    """
    found: list[str] = []
    for each in model.__mro__:
        if "__init__" not in vars(each) or each is object:
            continue
        parameters = list(signature(each.__init__).parameters.values())[2:]
        named = (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        found += [p.name for p in parameters if p.kind in named and p.name not in found]
        if not any(p.kind is Parameter.VAR_KEYWORD for p in parameters):
            break
    return found


def model_of(groups: Mapping[str, xr.Dataset]) -> tuple[Any, dict[str, Any]]:
    """The model of a posterior with its options, from what the posterior holds; none where that does not tell.

    Shares of classes that were given are no part of a likelihood, and not told again: even ones take their place.

    Examples
    --------
    >>> import bayesrank as br
    >>> from bayesrank._compat import groups_of
    >>> fit = br.fit(br.from_counts(tn=8, fp=2, fn=1, tp=9), "beta_binomial", prior=3, seed=1, draws=5)
    >>> float(model_of(groups_of(fit))[0].concentration.max())
    3.0
    """
    counts, about = with_parts(groups["observed_data"]), groups["posterior"].attrs
    model = about.get("model")
    if model not in names():
        return None, {}
    if "test_set" in counts.coords and not counts["test_set"].attrs.get("named", 0):
        counts = counts.drop_vars("test_set")
    story = find_model(model)
    story = story.taking(counts) if hasattr(story, "taking") else story
    known = set(options_of(story))
    options: dict[str, Any] = {}
    constants = groups.get("constant_data", xr.Dataset())
    if "prior_concentration" in constants and "prior" in known:
        options["prior"] = constants["prior_concentration"].drop_vars(["measured", "test_set"], errors="ignore")
    if "prevalence" in known & set(about) and "actual" in counts.dims:
        size = counts.sizes["actual"]
        even = xr.DataArray(np.full(size, 1 / size), {"actual": counts["actual"].values}, ("actual",))
        options["prevalence"] = about["prevalence"] if about["prevalence"] in ("sampled", "observed") else even
    if "force" in known:
        options["force"] = True
    # Of what else may be told only what is not the default, whose words may not be those of the option.
    apart = _apart(make_model(model, counts, options), about)
    options |= {name: about[name] for name in sorted(apart & known & set(about))}
    if "shared_prevalence" in options:
        options["shared_prevalence"] = bool(options["shared_prevalence"])
    try:
        told = make_model(model, counts, options)
    except (TypeError, ValueError):
        return None, {}
    return (None, {}) if _apart(told, about) else (told, options)


def _apart(story: Any, about: Mapping[Any, Any]) -> set[str]:
    """Settings that a model and the attrs of a posterior do not have in common."""
    plain = {key: np.asarray(value).tolist() for key, value in story.settings.items() if key not in REPEATED_OPTIONS}
    return {key for key, value in plain.items() if np.asarray(about.get(key)).tolist() != value}
