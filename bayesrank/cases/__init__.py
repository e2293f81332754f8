"""Evidence from single cases: case weights, weighted metrics, and the cases on which entities differ."""

from bayesrank.cases.deciding import deciding_cases
from bayesrank.evidence.components import variance_components
from bayesrank.evidence.outcomes import from_outcomes
from bayesrank.evidence.predictions import from_predictions, joint_outcomes

__all__ = ["deciding_cases", "from_outcomes", "from_predictions", "joint_outcomes", "variance_components"]
