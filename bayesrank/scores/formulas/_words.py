"""Domains and sources that many scores share."""

TILE = "Piérard et al., The Tile, Section 2.2"
METRICS = "Lovell et al., Never mind the metrics"
FOUNDATIONS = "Piérard et al., Foundations of the theory of performance-based ranking, Table 1"
BOTH_CLASSES = "TN + FP > 0 and FN + TP > 0"
BOTH_PREDICTED = "TN + FN > 0 and FP + TP > 0"
ALL_MARGINS = f"{BOTH_CLASSES} and {BOTH_PREDICTED}"
POSITIVES = "FN + TP > 0 and FP + TP > 0"
INFINITY = float("inf")
