"""The catalogue: every score by an independent route, its range, symmetries, domain and metadata."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import xarray as xr
from scipy import integrate
from scipy.stats import norm

import bayesrank as br
from bayesrank.scores.averages import AVERAGES
from bayesrank.scores.names import ALIASES, FOUND, SCORES, SYMBOLS, add, bare, find, key

CELLS = ("tn", "fp", "fn", "tp")
# All tables of up to two cases a cell (zero cells in every combination), and larger random ones.
SMALL = np.array(list(product(range(3), repeat=4)))[1:]
LARGE = np.random.default_rng(1).integers(0, 60, size=(400, 4))
TABLES = np.concatenate([SMALL, LARGE])


class Table:
    """The vocabulary of the textbooks, one table at a time; a division by zero raises."""

    def __init__(self, tn, fp, fn, tp):
        self.tn, self.fp, self.fn, self.tp = (float(x) for x in (tn, fp, fn, tp))
        self.n, self.neg, self.pos = (
            self.tn + self.fp + self.fn + self.tp,
            self.tn + self.fp,
            self.fn + self.tp,
        )
        self.called, self.passed = self.fp + self.tp, self.tn + self.fn

    tpr = property(lambda t: t.tp / t.pos)
    fnr = property(lambda t: t.fn / t.pos)
    tnr = property(lambda t: t.tn / t.neg)
    fpr = property(lambda t: t.fp / t.neg)
    ppv = property(lambda t: t.tp / t.called)
    npv = property(lambda t: t.tn / t.passed)
    accuracy = property(lambda t: (t.tn + t.tp) / t.n)
    prevalence = property(lambda t: t.pos / t.n)
    chance = property(lambda t: (t.neg * t.passed + t.pos * t.called) / t.n**2)
    plr = property(lambda t: t.tpr / t.fpr)
    nlr = property(lambda t: t.fnr / t.tnr)
    dor = property(lambda t: t.plr / t.nlr if t.tnr and t.fnr else t.tp * t.tn / (t.fp * t.fn))
    even_ppv = property(lambda t: t.tpr / (t.tpr + t.fpr))
    even_npv = property(lambda t: t.tnr / (t.tnr + t.fnr))


def skill(value, chance):
    return (value - chance) / (1 - chance)


def f(t, beta):
    # The harmonic mean extends by continuity to a precision or recall that is 0/0.
    if t.tp == 0:
        return 0.0 if (t.fp or (t.fn and beta)) else 0 / 0.0
    return (1 + beta**2) / (1 / t.ppv + beta**2 / t.tpr)


def scott(t):
    q = (t.pos + t.called) / (2 * t.n)
    return skill(t.accuracy, q**2 + (1 - q) ** 2)


def mcc(x, y, t):
    """Pearson's correlation of the two binary labels."""
    return (t.tp / t.n - x * y) / math.sqrt(x * (1 - x) * y * (1 - y))


def hits_by_chance(t):
    return t.called * t.pos / t.n


def exclude(condition):
    if condition:
        raise ZeroDivisionError


def p4(t):
    exclude(not (t.neg and t.pos and t.called and t.passed))
    means = (t.ppv, t.tpr, t.tnr, t.npv)
    return 0.0 if min(means) == 0 else 4 / sum(1 / m for m in means)


def prevalence_threshold(t):
    # Balayla's form, extended by continuity to TPR = FPR.
    if t.tpr == t.fpr:
        exclude(t.tpr == 0)
        return 0.5
    return (math.sqrt(t.tpr * t.fpr) - t.fpr) / (t.tpr - t.fpr)


def vut(t):
    """The mean of s / (s + u): over u by hand, over s by quadrature."""
    (s0, s1), (u0, u1) = sorted((t.tn, t.tp)), sorted((t.fp, t.fn))

    def over_u(s):
        return (
            s * math.log((s + u1) / (s + u0)) / (u1 - u0)
            if u1 > u0 and s > 0
            else s / (s + u0)
            if s
            else 0.0
        )

    return (
        integrate.quad(over_u, s0, s1, epsabs=1e-13, limit=200)[0] / (s1 - s0)
        if s1 > s0
        else over_u(s0)
    )


def gain(value, t):
    """Flach and Kull's precision, recall and F gain."""
    return (value - t.prevalence) / ((1 - t.prevalence) * value)


def yule(t, root):
    right, wrong = (t.tp * t.tn) ** root, (t.fp * t.fn) ** root
    return (right - wrong) / (right + wrong)


INDEPENDENT = {
    "f1": lambda t: f(t, 1.0),
    "f2": lambda t: f(t, 2.0),
    "f0_5": lambda t: f(t, 0.5),
    "balanced_accuracy": lambda t: (t.tpr + t.tnr) / 2,
    "informedness": lambda t: t.tpr - t.fpr,
    "markedness": lambda t: t.ppv + t.npv - 1,
    "mcc": lambda t: mcc(t.pos / t.n, t.called / t.n, t),
    "cohen_kappa": lambda t: skill(t.accuracy, t.chance),
    "cohen_kappa_linear": lambda t: skill(t.accuracy, t.chance),
    "cohen_kappa_quadratic": lambda t: skill(t.accuracy, t.chance),
    "g_mean": lambda t: math.sqrt(t.tpr * t.tnr),
    "fowlkes_mallows": lambda t: math.sqrt(t.ppv * t.tpr),
    "p4": p4,
    "positive_likelihood_ratio": lambda t: t.plr,
    "negative_likelihood_ratio": lambda t: t.nlr,
    "diagnostic_odds_ratio": lambda t: t.dor,
    "prevalence_threshold": prevalence_threshold,
    "bias_index": lambda t: t.called / t.n - t.prevalence,
    "scott_pi": scott,
    "gwet_ac1": lambda t: skill(t.accuracy, 2 * (q := (t.pos + t.called) / (2 * t.n)) * (1 - q)),
    "chance_agreement": lambda t: t.chance,
    "bennett_s": lambda t: 2 * t.accuracy - 1,
    "determinant": lambda t: (
        t.prevalence * (1 - t.prevalence) * (t.tpr + t.tnr - 1) if t.pos and t.neg else 0.0
    ),
    "acp": lambda t: (t.tpr + t.tnr + t.ppv + t.npv) / 4,
    "d_prime": lambda t: (
        norm.ppf(t.tpr) - norm.ppf(t.fpr) if 0 < t.tpr < 1 and 0 < t.fpr < 1 else math.nan
    ),
    "standardized_ppv": lambda t: t.even_ppv,
    "standardized_npv": lambda t: t.even_npv,
    "lift": lambda t: t.ppv / t.prevalence,
    "adjusted_g_mean": lambda t: (
        (math.sqrt(t.tpr * t.tnr) + t.tnr * t.neg / t.n) / (1 + t.neg / t.n)
        if t.tpr > 0
        else 0 * t.tnr
    ),
    "classification_success_index": lambda t: 1 - (1 - t.ppv) - (1 - t.tpr),
    "prevalence_index": lambda t: t.tp / t.n - t.tn / t.n,
    "discriminant_power": lambda t: (
        math.sqrt(3) / math.pi * (math.log(t.tpr / (1 - t.tpr)) + math.log(t.tnr / (1 - t.tnr)))
    ),
    "vut": vut,
    "precision_gain": lambda t: gain(t.ppv, t),
    "recall_gain": lambda t: gain(t.tpr, t),
    "f1_gain": lambda t: gain(f(t, 1.0), t),
    "adjacent_accuracy": lambda t: t.n / t.n,
    "mean_absolute_error": lambda t: 1 - t.accuracy,
    "mean_squared_error": lambda t: (t.fp + t.fn) / t.n,
    "root_mean_squared_error": lambda t: math.sqrt((t.fp + t.fn) / t.n),
    "mean_signed_error": lambda t: t.called / t.n - t.prevalence,
    "roc_distance": lambda t: math.dist((0, 1), (t.fpr, t.tpr)),
    "information_score": lambda t: math.log(t.ppv, 2) - math.log(t.prevalence, 2),
    "relative_risk": lambda t: t.ppv / (t.fn / t.passed),
    "extremal_dependence_index": lambda t: math.log(t.fpr / t.tpr) / math.log(t.fpr * t.tpr),
    "frequency_bias": lambda t: t.called / t.pos,
    "gilbert_skill_score": lambda t: (
        (t.tp - hits_by_chance(t)) / (t.tp + t.fp + t.fn - hits_by_chance(t))
    ),
    "doolittle_skill_score": lambda t: mcc(t.pos / t.n, t.called / t.n, t) ** 2,
    "yule_q": lambda t: yule(t, 1.0),
    "yule_y": lambda t: yule(t, 0.5),
    "optimized_precision": lambda t: t.accuracy - abs(t.tnr - t.tpr) / (t.tnr + t.tpr),
    "index_of_balanced_accuracy": lambda t: (1 + (t.tpr - t.tnr)) * t.tpr * t.tnr,
    "braun_blanquet": lambda t: t.tp / max(t.pos, t.called),
    "simpson": lambda t: max(t.tpr, t.ppv),
    "kulczynski": lambda t: (t.tpr + t.ppv) / 2,
    "sokal_sneath_1": lambda t: 2 * t.accuracy / (1 + t.accuracy),
    "rogers_tanimoto": lambda t: t.accuracy / (2 - t.accuracy),
    "sokal_sneath_2": lambda t: (j := t.tp / (t.tp + t.fp + t.fn)) / (2 - j),
    "log_positive_likelihood_ratio": lambda t: math.log(t.plr),
    "log_negative_likelihood_ratio": lambda t: math.log(t.nlr),
    "log_diagnostic_odds_ratio": lambda t: math.log(t.dor),
    "balanced_f1": lambda t: 2 * t.tpr / (t.tpr + t.fpr + 1),
    "balanced_mcc": lambda t: (t.tpr + t.tnr - 1) / math.sqrt(1 - (t.tpr - t.tnr) ** 2),
    "balanced_markedness": lambda t: t.even_ppv + t.even_npv - 1,
    "balanced_threat_score": lambda t: t.tpr / (2 - t.tnr),
    "balanced_fowlkes_mallows": lambda t: t.tpr / math.sqrt(1 + t.tpr - t.tnr),
}
#: Of ordered classes: constant where there are two.
CONSTANT_OF_TWO = {"adjacent_accuracy"}
OF_CLASSES = [
    name for name, score in SCORES.items() if score.space not in ("outcomes", "votes", "cases")
]
PROBABILISTIC = [name for name in OF_CLASSES if name not in INDEPENDENT]


def value(name, tables):
    return SCORES[name].of_cells(*np.asarray(tables).T)


def expected(formula):
    out = []
    for row in TABLES:
        try:
            out.append(float(formula(Table(*row))))
        except (ZeroDivisionError, ValueError):  # ValueError: a logarithm of 0
            out.append(math.nan)
    return np.where(np.isfinite(out), out, np.nan)


@pytest.mark.parametrize("name", INDEPENDENT)
def test_agrees_with_the_textbook_formula(name):
    np.testing.assert_allclose(
        value(name, TABLES), expected(INDEPENDENT[name]), rtol=1e-9, atol=1e-12
    )


def test_the_fifty_probabilistic_scores_are_the_probabilities_of_their_events():
    for name in PROBABILISTIC:
        # The event and the condition are found from single cells, then checked on all tables.
        single = value(name, np.eye(4, dtype=int))
        given = ~np.isnan(single)
        event = given & (single == 1)
        assert 0 < event.sum() < given.sum()
        with np.errstate(invalid="ignore"):
            share = TABLES[:, event].sum(axis=1) / TABLES[:, given].sum(axis=1)
        np.testing.assert_allclose(value(name, TABLES), share, rtol=1e-12, err_msg=name)
    assert (
        len({value(name, TABLES).tobytes() for name in PROBABILISTIC}) == len(PROBABILISTIC) == 50
    )
    ranking = {name for name in PROBABILISTIC if SCORES[name].importance is not None}
    usual = {"npv", "ppv", "tnr", "tpr", "accuracy", "jaccard", "jaccard_negative"}
    assert ranking == usual | {"p_tn_tp_given_tn_fn_tp", "p_tn_tp_given_tn_fp_tp"}


# Extreme tables besides: one cell dominates, or two.
EXTREME = np.concatenate([TABLES, np.array(list(product((0, 1, 10**6), repeat=4)))[1:]])
FULL = LARGE[(LARGE > 1).all(axis=1)][:200]
NOT_MONOTONE = {"optimized_precision", "index_of_balanced_accuracy", "gwet_ac1"}


@pytest.mark.parametrize("name", OF_CLASSES)
def test_metadata_hold(name):
    """Range, scale, prevalence dependence, direction and importance are as the entry says."""
    score, values = SCORES[name], value(name, TABLES)
    total = TABLES.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(value(name, TABLES / total), values, rtol=1e-9, atol=1e-12)
    for times in (3, 7):  # proportional counts tie exactly
        np.testing.assert_array_equal(value(name, times * LARGE), value(name, LARGE))
    if score.higher_is_better is not None:
        # Moving a case from wrong to right within its class never makes a score worse.
        sign = 1 if score.higher_is_better else -1
        for step in ([1, -1, 0, 0], [0, 0, -1, 1]):
            share = np.mean(sign * (value(name, FULL + step) - value(name, FULL)) >= -1e-12)
            assert share == 1 if name not in NOT_MONOTONE else share > 0.5
    if score.importance is not None:
        weights = np.array([score.importance[c] for c in CELLS])
        with np.errstate(invalid="ignore"):
            by_importance = (TABLES[:, [0, 3]] @ weights[[0, 3]]) / (TABLES @ weights)
        np.testing.assert_allclose(values, by_importance, rtol=1e-12)
    if score.complement is not None:
        np.testing.assert_allclose(values, 1 - score.complement.of_cells(*TABLES.T), atol=1e-15)
        assert score.complement.higher_is_better is not score.higher_is_better
    if name in CONSTANT_OF_TWO:
        return
    met = np.nanmin(value(name, EXTREME)), np.nanmax(value(name, EXTREME))
    assert score.range[0] - 1e-9 <= met[0] <= met[1] <= score.range[1] + 1e-9
    assert all(
        abs(found - end) <= 1e-3
        for found, end in zip(met, score.range, strict=True)
        if math.isfinite(end)
    )
    same = np.allclose(
        value(name, FULL), value(name, FULL * [1, 1, 7, 7]), rtol=1e-9, equal_nan=True
    )
    assert same != score.depends_on_prevalence


def test_names_and_aliases_never_clash():
    assert not set(SCORES) & set(ALIASES)
    assert sum(len(score.aliases) for score in SCORES.values()) == len(ALIASES)
    for alias, name in ALIASES.items():
        assert br.scores.get(alias) is SCORES[name]
    for name in (*SCORES, *ALIASES):  # no name is that of an average as well
        kind, _, rest = name.partition("_")
        assert kind not in AVERAGES or find(rest) is None
    with pytest.raises(ValueError, match="names must each belong to one score; got 'recall'"):
        add(replace(br.scores.f1, name="other", aliases=("Recall",)))
    assert "other" not in SCORES
    assert br.scores.get("Matthews Correlation-Coefficient").name == "mcc"
    with pytest.raises(KeyError, match=r"did you mean .*precision"):
        br.scores.get("precison")


TYPED = {
    "acc": "accuracy", "ba": "balanced_accuracy", "bm": "informedness", "mk": "markedness", "phi": "mcc",
    "kappa": "cohen_kappa", "sens": "tpr", "rec": "tpr", "spec": "tnr", "prec": "ppv", "fall-out": "fpr",
    "ji": "jaccard", "iou": "jaccard", "dice": "f1", "F0.5": "f0_5", "LR+": "positive_likelihood_ratio",
    "lr-": "negative_likelihood_ratio", "plr": "positive_likelihood_ratio", "nlr": "negative_likelihood_ratio",
    "dor": "diagnostic_odds_ratio", "odds_ratio": "diagnostic_odds_ratio", "lr_plus": "positive_likelihood_ratio",
    "lr_minus": "negative_likelihood_ratio", "ldor": "log_diagnostic_odds_ratio", "pt": "prevalence_threshold",
    "qwk": "cohen_kappa_quadratic", "mae": "mean_absolute_error", "rmse": "root_mean_squared_error",
    "macro recall": "macro_tpr", "Smallest Sensitivity": "smallest_tpr",
    "F 1": "f1", "F-1": "f1", "F₁": "f1", "F1-score": "f1", "F1 Score": "f1", "f1score": "f1", "f 0.5": "f0_5",
    "f05": "f0_5", "lr +": "positive_likelihood_ratio", "LR−": "negative_likelihood_ratio",
    "lr –": "negative_likelihood_ratio", "LR_+": "positive_likelihood_ratio", "G-mean": "g_mean", "gmean": "g_mean",
    "BalancedAccuracy": "balanced_accuracy", "Cohen's kappa": "cohen_kappa", "Cohen’s Kappa": "cohen_kappa",
    "macro F 1": "macro_f1", "Macro-F1": "macro_f1", "macroF1": "macro_f1", "κ": "cohen_kappa", "π₊": "prevalence",
    "J+": "jaccard", "J−": "jaccard_negative", "macro J₊": "macro_jaccard", "j_y": "informedness", "d'": "d_prime",
    "|C|": "determinant", "log plr": "log_positive_likelihood_ratio", "": None, "-": None, "macro": None, "lr": None,
    # Synonyms of The Tile, Section 2.2 and A.1.5, and Foundations, A.2.5
    "Dice-Sorensen coefficient": "f1", "similarity": "jaccard", "Youden": "informedness", "A": "accuracy",
    "Youden's index": "informedness", "Youden’s J": "informedness", "Bennett's S": "bennett_s", "F-one": "f1",
    "Scott's pi": "scott_pi", "Fleiss's kappa": "scott_pi", "Dice-Sørensen coefficient": "f1", "VUT": "vut",
    "Zijdenbos similarity index": "f1", "standardized negative predictive value": "standardized_npv",
    "standardized positive predictive value": "standardized_ppv", "Rand index": "accuracy",
}  # fmt: skip


@pytest.mark.parametrize(("typed", "name"), TYPED.items())
def test_what_people_type(typed, name):
    assert bare(bare(typed)) == bare(typed)
    assert key(key(typed)) == key(typed)
    if name is None:
        with pytest.raises(KeyError, match="score must be a name"):
            br.scores.get(typed)
    else:
        assert br.scores.get(typed).name == name


def test_symbols_are_names_unless_two_scores_have_them():
    shared = {"κ_w": ["cohen_kappa_linear", "cohen_kappa_quadratic"]}
    for score in SCORES.values():
        if score.symbol in shared:
            with pytest.raises(
                KeyError,
                match=r"score must be one of \['cohen_kappa_linear', 'cohen_kappa_quadratic'\]",
            ):
                br.scores.get(score.symbol)
        elif score.symbol:
            assert br.scores.get(score.symbol) is br.scores.get(score.symbol.swapcase()) is score
    assert all(SYMBOLS[sign] <= {FOUND[sign]} for sign in SYMBOLS if sign in FOUND)


def test_a_symbol_is_no_name_of_values():
    """A letter over an array of one's own says nothing of a direction."""
    assert find("B") is find("er") is None
    assert br.rank(xr.DataArray([0.2, 0.1], dims="entity", name="er")).values.tolist() == [1, 2]


def test_whatever_is_listed_is_an_attribute():
    for name in dir(br.scores):
        assert getattr(br.scores, name) is not None
    with pytest.raises(AttributeError, match="temperature"):
        _ = br.scores.temperature


@pytest.mark.parametrize(
    "name", [name for name, score in SCORES.items() if score.fraction is not None]
)
def test_fractions_are_of_whole_numbers(name):
    parts = [np.asarray(part) for part in SCORES[name].fraction(*TABLES.T)]
    assert {part.dtype.kind for part in parts} == {"i"}
    n, d, m = (part.astype(float) for part in parts)
    found = value(name, TABLES)
    whole = np.isfinite(found) & (d * m != 0)
    assert (found[np.isfinite(found) & ~whole] == 0).all()  # p4 where no answer is right
    found = np.square(found) if name in ("mcc", "fowlkes_mallows") else found
    np.testing.assert_allclose(
        (n / np.where(whole, d * m, 1.0))[whole], found[whole], rtol=1e-12, atol=1e-15
    )


def test_closed_forms_are_of_one_function():
    fake = replace(br.scores.mcc, function=br.scores.informedness.function)
    assert (fake.contour, fake.area, fake.fraction) == (None, None, None)
    assert replace(br.scores.mcc, symbol="r").contour is br.scores.mcc.contour


def test_the_catalogue_says_everything_of_every_score():
    table = br.scores.catalog()
    assert list(table.index) == list(SCORES)
    assert (table[["formula", "reference", "domain"]] != "").all(axis=None)
    assert len({*SCORES.values(), br.scores.f_beta(3.0)}) == len(SCORES) + 1  # scores are hashable


def test_values_carry_their_metadata():
    values = br.scores.diagnostic_odds_ratio(
        br.fit(br.from_counts(tn=8, fp=2, fn=1, tp=9), draws=20, seed=1)
    )
    assert values.name == "diagnostic_odds_ratio"
    assert values.attrs["direction"] == "higher is better"
    assert values.attrs["finite_mean"] == 0
    assert np.isnan(br.credible_ranking(values, "diagnostic_odds_ratio")["expected_regret"]).all()


def test_families_at_their_known_members():
    def of(score):
        return score.of_cells(*TABLES.T)

    scores = br.scores
    for beta in (0.0, 0.3, 5.0):
        np.testing.assert_allclose(
            of(scores.f_beta(beta)), expected(lambda t, beta=beta: f(t, beta)), atol=1e-12
        )
    np.testing.assert_allclose(of(scores.tversky(1, 1)), of(scores.jaccard))
    np.testing.assert_allclose(of(scores.tversky(0.5, 0.5)), of(scores.f1))
    np.testing.assert_allclose(of(scores.weighted_accuracy(0.5)), of(scores.balanced_accuracy))
    np.testing.assert_allclose(of(scores.decision_benefit(np.eye(2))), of(scores.accuracy))
    np.testing.assert_allclose(
        of(scores.net_benefit(0.5)),
        of(scores.true_positive_probability) - of(scores.false_positive_probability),
        atol=1e-12,
    )


@pytest.mark.parametrize(
    "name", ["positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio"]
)
@pytest.mark.parametrize(("positives", "negatives"), [(20, 40), (7, 5)])
def test_scaled_logs_reach_one_on_their_test_set(name, positives, negatives):
    tp, tn = np.meshgrid(np.arange(positives + 1), np.arange(negatives + 1))
    scaled = br.scores.scaled_log(br.scores.get(name), positives, negatives)
    values = scaled.of_cells(tn, negatives - tn, positives - tp, tp)
    assert np.nanmax(np.abs(values)) == pytest.approx(1.0)


CONSTANT = (lambda tn, fp, fn, tp: 1.0, br.scores.Score("cell", lambda tn, fp, fn, tp: tn))


def test_values_can_be_written_to_and_leave_their_source_alone():
    """A constant is no read-only view, a cell that is given back not the caller's own array."""
    for score in (*(SCORES[name] for name in OF_CLASSES), *map(br.scores.as_score, CONSTANT)):
        for classes in (2, 3) if score.matrix_function is not None else (2,):
            matrices = np.arange(1, 2 * classes**2 + 1).reshape(2, classes, classes)
            source = br.as_performance(br.from_matrix(matrices, "actual_rows"))
            before = source.copy(deep=True)
            values = score(source)
            values[...] = 7.0
            assert (values == 7).all()
            xr.testing.assert_identical(source, before)
        cells = np.full((4, 3), 0.25)
        score.of_cells(*cells)[:] = 7.0
        assert (cells == 0.25).all()
