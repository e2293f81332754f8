"""Evidence from tables: what each column is, and counts or joint outcomes from it. The command and Python share it."""

from bayesrank.evidence._doctor import Diagnosis, doctor
from bayesrank.evidence.logs import read

__all__ = ["Diagnosis", "doctor", "read"]
