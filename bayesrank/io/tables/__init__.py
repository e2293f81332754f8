"""Evidence from tables: what each column is, and counts or joint outcomes from it. The command and Python share it."""
