"""Evidence with labels, from arrays and data frames: counts, cases, probabilities, votes, folds and judged outcomes."""
