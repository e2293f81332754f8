"""Files and frames to evidence: tables by their roles, evaluation logs by their formats."""
