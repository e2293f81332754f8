"""Rankings without draws: distributions of scores in closed form, and integrals over all of them on one grid.

``answer`` takes a plan with the distribution of each entity and returns probabilities, quantiles
and errors, from which :mod:`bayesrank.ranking` makes a ranking.
"""

from bayesrank.exact._closed_form import ClosedForm, NoClosedForm, closed_form_of
from bayesrank.exact._engine import Answer, answer
from bayesrank.exact._plan import Plan, plan_of

__all__ = ["Answer", "ClosedForm", "NoClosedForm", "Plan", "answer", "closed_form_of", "plan_of"]
