from . import datasets as datasets
from . import plots as plots
from . import scores as scores
from . import tile as tile
from .counts import from_counts as from_counts
from .counts import from_frame as from_frame
from .counts import from_matrix as from_matrix
from .counts import from_predictions as from_predictions
from .counts import one_vs_rest as one_vs_rest
from .inference import fit as fit
from .performance import as_performance as as_performance
from .predictive import posterior_predictive as posterior_predictive
from .ranking import credible_ranking as credible_ranking
from .ranking import rank as rank

__version__: str
