"""Models, one file each: description, formulas, and how to draw the posterior (exactly, by a sampler, or by PyMC).

The file is named after its class: ``beta_binomial.py`` holds ``BetaBinomial``. To add a model, add
a file; :func:`bayesrank.fit` finds it, and also takes a class. Importing a model does not import
PyMC; ``build``, if it has one, does.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from pkgutil import iter_modules
from typing import Any, ClassVar, Protocol

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_choice
from bayesrank._core.errors import ArgumentError, ArgumentKeyError, ArgumentTypeError
from bayesrank._core.keywords import suggest_argument
from bayesrank._core.records import ModelRecord
from bayesrank.evidence.counts import names_test_sets, with_parts
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.models.parts.defaults import BIVARIATE, OF_CLASSES, chosen_by_evidence

__all__ = ["Model", "chosen_by_evidence"]

#: Settings that :func:`model_of` does not restore from attrs: a posterior holds the prior as
#: numbers and no given prevalence, and the likelihood does not depend on the others.
REPEATED_OPTIONS = ("prior", "prevalence", "split_prior")


class Model(Protocol):
    """The interface that :func:`bayesrank.fit` requires of a model.

    The class is called with the evidence and the model's options, and raises an error for evidence
    of the wrong kind.
    """

    #: One sentence on how the evidence arose, for reports.
    words: ClassVar[str]
    #: The performance that is ranked by default: "observed", "typical" or "new".
    kind: ClassVar[str]
    #: Attrs of the posterior: the options of the model, as text or numbers.
    settings: dict[str, Any]

    def observed(self) -> dict[str, xr.Dataset]:
        """Return ``observed_data`` (with ``counts`` if there are tables) and ``constant_data`` (the priors)."""
        ...

    def build(self) -> Any:
        """Return the PyMC model that NUTS samples. Optional for models with ``draw``."""
        ...

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """Return the posterior group, with ``performance`` and hyperparameters, from what ``build`` samples."""
        ...

    # Optional attributes:
    #
    # references: tuple of the references for reports. takes: "counts" (default), "cases" (joint
    # outcomes), "means", "votes", "folds" or "probabilities". partial: whether the truth may be
    # unknown for some cases. learns: what the learned population consists of: "data sets" (or
    # entities, without data sets), "classes" or "". needs_classes: whether outcomes without classes
    # raise an error. most_outcomes: maximum number of classes or outcomes; None, the default, for
    # any number. over_datasets_together: whether one fit covers several data sets, so that they
    # should not be pooled before. rows_apart: whether, given the class sizes, the rows of counts
    # are independent. notes: list of Note on this model of this evidence, which are added to those
    # of the posterior. as_designed: options that keep the model the same for a part of the
    # evidence. nuts: default arguments of pymc.sample; those of the user override them.
    #
    # Optional methods:
    #
    # coords(self) -> dict: coords of the draws, by name. draw(self, group, block, root) ->
    # dict[str, xarray.Variable]: exact draws of one block of "prior" or "posterior".
    # draw_prior(self, block, root): the same from the prior, for models without ``draw``.
    # sample_chains(self, shape, root) -> {"posterior": Dataset, "sample_stats": Dataset}: the
    # model's own sampler, used
    #     unless ``sampler="nuts"`` or ``nuts`` is given. Attrs of sample_stats: ``sampler``, and the diagnostics.
    # replicate(self, group, root, purpose) -> Dataset: predictive draws of ``counts``. renew(self,
    # posterior, root, purpose) -> DataArray: counts on an equal number of new data sets.
    # log_likelihood(self, posterior), log_prior(self, posterior) -> Dataset: log densities in each
    # draw. alternatives(self) -> list: kind ("model" or "prior"), name and changed options of
    # analyses for br.sensitivity. graph(self) -> pymc.Model: the model for
    # :func:`bayesrank.to_pymc`, if ``build`` lacks the performance. conjugate(self) -> Conjugate:
    # the closed-form posterior. log_evidence(self, members=None, sizes=None) -> float: log marginal
    # likelihood of the cases in order. taking(cls, evidence) -> type: a class method: the class for
    # this evidence, if a name has several classes.


#: Reserved names of posterior variables, and the dims that each must have.
RESERVED: dict[str, frozenset[str]] = {
    "rate": frozenset({"actual", "predicted"}),
    "prevalence": frozenset({"actual"}),
    "mean_prevalence": frozenset({"actual"}),
}


@cache
def _names(*path: str) -> tuple[str, ...]:
    files = sorted(module.name for module in iter_modules(path) if not module.ispkg)
    return tuple(sorted(files, key=lambda name: name != "dirichlet_multinomial"))


def names() -> list[str]:
    """Return the names of the models, the default first.

    Examples
    --------
    >>> br.models.names()[0]
    'dirichlet_multinomial'
    """
    return list(_names(*__path__))


def takes_cases(model: Any) -> bool:
    """Return whether a model takes joint outcomes of single cases; others take counts."""
    return getattr(find_model(model), "takes", "counts") == "cases"


def in_closed_form() -> list[str]:
    """Return the models whose posterior is known in closed form, the default first."""
    return [name for name in names() if hasattr(find_model(name), "conjugate")]


def population_of(model: Any) -> str:
    """Return what the population of a model consists of: "data sets", "classes", or "" if it has none."""
    return getattr(find_model(model), "learns", "")


def model_for_datasets(outcomes: int, entities: int = 2) -> str:
    """Return the first model of differences between data sets that allows this number of classes or outcomes.

    Of two classes of one entity it is the default model.
    """
    if entities == 1 and outcomes == 2:
        return BIVARIATE
    for name in names():
        model = find_model(name)
        if population_of(name) == "data sets" and outcomes <= (
            getattr(model, "most_outcomes", None) or outcomes
        ):
            return name
    raise ArgumentError("there", f"does not learn how data sets of {outcomes} outcomes differ")


def takes_truth_as_known(model: Any) -> bool:
    """Return whether a named model takes the true labels as free of error."""
    return model in names() and not getattr(find_model(model), "truth_in_doubt", False)


def references_of(model: Any) -> list[str]:
    """Return the references of a named model, an empty list for others."""
    return list(getattr(find_model(model), "references", ())) if model in names() else []


def find_model(model: Any) -> type:
    """Return the class of a model by its name, or a class unchanged.

    Parameters
    ----------
    model : str or type
        A name among :func:`names`, or a class with the methods of :class:`Model`.

    Raises
    ------
    KeyError, TypeError
        If there is no model of this name, or the class lacks methods.

    Examples
    --------
    >>> br.models.find_model("beta_binomial").__name__
    'BetaBinomial'
    """
    if isinstance(model, type):
        requested = ["observed", *([] if hasattr(model, "draw") else ["build", "performances"])]
        lacking = [part for part in requested if not callable(getattr(model, part, None))]
        if lacking:
            raise ArgumentTypeError(
                "model",
                f"must have the methods of bayesrank.models.Model; {model.__name__} lacks {lacking}",
            )
        return model
    check_choice("model", model, names(), ArgumentKeyError, "a class")
    return getattr(import_module(f"{__name__}.{model}"), model.title().replace("_", ""))


def choose_closed_form(model: Any, evidence: Any, options: Collection[str]) -> Any:
    """Return the model; without one the default, or the first one in closed form if the default learns classes."""
    if model is None and chosen_by_evidence(evidence, options=options) == OF_CLASSES:
        return in_closed_form()[0]
    return model


def conjugate_posterior(
    model: Any, evidence: Any, options: dict[str, Any], beside: Sequence[str] = ()
) -> Any:
    """Return the closed-form posterior of a model."""
    instance = make_model(choose_closed_form(model, evidence, options), evidence, options, beside)
    if not hasattr(instance, "conjugate"):
        raise ArgumentError(
            "model", f"must have a posterior in closed form; {type(instance).__name__} has none"
        )
    return instance.conjugate()


def make_model(
    model: Any, evidence: Any, options: dict[str, Any], beside: Sequence[str] = ()
) -> Any:
    """Return the model of the evidence with these options; unknown options raise an error.

    ``beside`` are the arguments of the caller that are not options, one of which an unknown option
    may mean.
    """
    model_class = find_model(
        chosen_by_evidence(evidence, options=options) if model is None else model
    )
    parsed = parse_given(evidence)
    if parsed.summary and getattr(model_class, "takes", "counts") != parsed.form:
        only = chosen_by_evidence(evidence)
        name = only if isinstance(only, str) else only.__name__
        requirement = f"must be {name} for {parsed.noun}, which hold neither counts nor cases"
        raise ArgumentError("model", requirement, model_class.__name__)
    if parsed.truth_in_part and not getattr(model_class, "partial", False):
        raise ArgumentError(
            "model",
            f"must be {chosen_by_evidence(evidence)} if the truth of some cases is unknown",
            model_class.__name__,
        )
    if hasattr(model_class, "taking"):
        model_class = model_class.taking(evidence)
    allowed = options_of(model_class)
    unknown = sorted(set(options) - set(allowed))
    if unknown:
        hint = (
            suggest_argument(unknown[0], [*allowed, *beside])
            or "options of the sampler go into nuts={...}"
        )
        raise ArgumentTypeError(
            "options",
            f"must be among {allowed} for the model {model_class.__name__}",
            unknown,
            hint,
        )
    return model_class(evidence, **options)


@cache
def options_of(model: Any) -> list[str]:
    """Return the names of a model's options: keywords of its class and of the classes that receive the rest."""
    result: list[str] = []
    for each in model.__mro__:
        if "__init__" not in vars(each) or each is object:
            continue
        parameters = list(signature(each.__init__).parameters.values())[2:]
        named = (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        result += [p.name for p in parameters if p.kind in named and p.name not in result]
        if not any(p.kind is Parameter.VAR_KEYWORD for p in parameters):
            break
    return result


def model_of(groups: Mapping[str, xr.Dataset]) -> tuple[Any, dict[str, Any]]:
    """Reconstruct the model of a posterior and its options; (None, {}) if the posterior does not determine them.

    A given prevalence is not restored, since the likelihood does not depend on it.
    """
    counts, attrs = with_parts(groups["observed_data"]), groups["posterior"].attrs
    record = ModelRecord.from_attrs(attrs)
    model = record.model
    if model not in names():
        return None, {}
    if "test_set" in counts.coords and not names_test_sets(counts):
        counts = counts.drop_vars("test_set")
    model_class = find_model(model)
    model_class = model_class.taking(counts) if hasattr(model_class, "taking") else model_class
    allowed = set(options_of(model_class))
    options: dict[str, Any] = {"force": True}
    constants = groups.get("constant_data", xr.Dataset())
    if "prior_concentration" in constants:
        options["prior"] = constants["prior_concentration"].drop_vars(
            ["measured", "test_set"], errors="ignore"
        )
    if record.prevalence is not None and "actual" in counts.dims:
        size = counts.sizes["actual"]
        even = xr.DataArray(
            np.full(size, 1 / size), {"actual": counts["actual"].values}, ("actual",)
        )
        options["prevalence"] = even if record.sets_prevalence else record.prevalence
    try:
        # Restore only settings that differ from the default; an attr of a default may not be a
        # valid option.
        changed = _changed_settings(make_model(model, counts, options), attrs)
        options |= {name: attrs[name] for name in sorted(changed & allowed & set(attrs))}
        instance = make_model(model, counts, options)
    except (TypeError, ValueError):
        return None, {}
    return (None, {}) if _changed_settings(instance, attrs) else (instance, options)


def _changed_settings(instance: Any, attrs: Mapping[Any, Any]) -> set[str]:
    """Return the settings that differ between a model and the attrs of a posterior."""
    own_settings = {
        key: np.asarray(value).tolist()
        for key, value in instance.settings.items()
        if key not in REPEATED_OPTIONS
    }
    return {
        key for key, value in own_settings.items() if np.asarray(attrs.get(key)).tolist() != value
    }
