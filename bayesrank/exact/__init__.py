"""Rankings without draws: distributions of scores in closed form, and integrals over all of them on one grid.

``answer`` takes a plan of who has which distribution and returns probabilities, quantiles and errors. Nothing here
knows what a ranking says of them: :mod:`bayesrank.ranking` puts them into words and orders.
"""

from bayesrank.exact._closed_form import ClosedForm, closed_form_of
from bayesrank.exact._engine import USELESS, Answer, answer
from bayesrank.exact._plan import Plan, plan_of
from bayesrank.exact._scales import NoClosedForm

__all__ = ["USELESS", "Answer", "ClosedForm", "NoClosedForm", "Plan", "answer", "closed_form_of", "plan_of"]
