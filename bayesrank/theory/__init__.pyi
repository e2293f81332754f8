from .audits import audit_table as audit_table
from .mixtures import filter_by_importance as filter_by_importance
from .mixtures import mix as mix
from .orders import compare_orders as compare_orders
from .preorder import dominance as dominance
from .preorder import rank_bounds as rank_bounds
from .preorder import relation_properties as relation_properties
from .preorder import relations as relations
