from .arrays import as_performance as as_performance
from .means import mean_over_datasets as mean_over_datasets
from .operations import at_prevalence as at_prevalence
from .operations import no_skill_twin as no_skill_twin
from .operations import relabel as relabel
from .operations import shift_prior as shift_prior
from .prevalences import prevalence_draws as prevalence_draws
from .regions import summary_points as summary_points
