from . import datasets as datasets
from . import ops as ops
from . import plots as plots
from . import scores as scores
from .audits import audit as audit
from .audits import audit_table as audit_table
from .counts import from_counts as from_counts
from .counts import from_frame as from_frame
from .counts import from_matrix as from_matrix
from .counts import from_predictions as from_predictions
from .counts import one_vs_rest as one_vs_rest
from .inference import fit as fit
from .performance import as_performance as as_performance
from .performance import filter_by_importance as filter_by_importance
from .performance import mix as mix
from .predictive import posterior_predictive as posterior_predictive
from .ranking import credible_ranking as credible_ranking
from .ranking import rank as rank
from .ranking import rank_bounds as rank_bounds
from .ranking import ranking_table as ranking_table
from .ranking import relations as relations
from .ranking import verdict as verdict
from .scores.placement import place as place
from .scores.ranking_scores import canonical_score as canonical_score
from .scores.ranking_scores import importance as importance
from .scores.ranking_scores import ranking_score as ranking_score

__version__: str
